//! ShareGroupDescribe, version 1 (KIP-932).
//!
//! Kept: members with what they read and what they are to fetch.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::share_group_describe::{
    DescribedGroup, ShareGroupDescribeRequest, ShareGroupDescribeResponse,
};

use super::{Handled, Peer, Serve, coordination, operations};
use crate::refusal::RefusedRequest;

impl Serve for ShareGroupDescribeRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<ShareGroupDescribeResponse> {
        let asked = self.include_authorized_operations;
        let authorized_operations = operations::if_asked(asked, operations::ON_GROUP);
        let described = coordination::describe_each(
            peer,
            &self.group_ids,
            |groups, id, topics, now| {
                Ok(DescribedGroup {
                    authorized_operations,
                    ..groups.describe_share(id, topics, now)?
                })
            },
            failure,
        );
        Handled::Now(ShareGroupDescribeResponse {
            throttle_time_ms: 0,
            groups: described,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ShareGroupDescribeResponse {
        let ids = self.group_ids.iter();
        ShareGroupDescribeResponse {
            throttle_time_ms: 0,
            groups: ids.map(|id| failure(id, code.into())).collect(),
        }
    }
}

fn failure(id: &str, refused: RefusedRequest) -> DescribedGroup {
    DescribedGroup {
        group_id: id.to_owned(),
        error_code: refused.code.code(),
        error_message: refused.message,
        ..DescribedGroup::default()
    }
}

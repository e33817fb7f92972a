//! ConsumerGroupDescribe, versions 0 to 1.
//!
//! Kept: members with what they have and what they are to have; their kind (version 1).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_describe::{
    ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse, DescribedGroup,
};

use super::{Handled, Peer, Serve, coordination, operations};
use crate::refusal::RefusedRequest;

impl Serve for ConsumerGroupDescribeRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<ConsumerGroupDescribeResponse> {
        let asked = self.include_authorized_operations;
        let authorized_operations = operations::if_asked(asked, operations::ON_GROUP);
        let described = coordination::describe_each(
            peer,
            &self.group_ids,
            |groups, id, topics, now| {
                Ok(DescribedGroup {
                    authorized_operations,
                    ..groups.describe_consumer(id, topics, now)?
                })
            },
            failure,
        );
        Handled::Now(ConsumerGroupDescribeResponse {
            throttle_time_ms: 0,
            groups: described,
        })
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> ConsumerGroupDescribeResponse {
        let ids = self.group_ids.iter();
        ConsumerGroupDescribeResponse {
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

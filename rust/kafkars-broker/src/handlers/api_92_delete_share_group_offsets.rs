//! DeleteShareGroupOffsets, version 0 (KIP-932).
//!
//! Kept: a group without members forgets what it has read of a topic.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::delete_share_group_offsets::{
    DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
};

use super::{Handled, Peer, Serve, coordination};
use crate::refusal::RefusedRequest;

impl Serve for DeleteShareGroupOffsetsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DeleteShareGroupOffsetsResponse> {
        let now = peer.cluster.clock.now();
        let mut state = peer.cluster.state();
        let allowed = coordination::check_group(peer, &self.group_id).map_err(RefusedRequest::from);
        let allowed =
            allowed.and_then(|()| state.groups.check_share_group_is_empty(&self.group_id, now));
        if let Err(refused) = allowed {
            return Handled::Now(failure(refused));
        }
        let topics = self.topics.into_iter().map(|topic| {
            let id = state.topic(&topic.topic_name).map(|found| found.id);
            let unknown = ErrorCode::UnknownTopicOrPartition;
            let problem = match id {
                Some(id) if state.shares.forget(&self.group_id, id) => None,
                Some(_) => Some("There is no offset information to delete."),
                None => Some(unknown.description()),
            };
            DeleteShareGroupOffsetsResponseTopic {
                topic_name: topic.topic_name,
                topic_id: id.unwrap_or(Uuid::ZERO),
                error_code: problem.map_or(0, |_| unknown.code()),
                error_message: problem.map(str::to_owned),
            }
        });
        Handled::Now(DeleteShareGroupOffsetsResponse {
            responses: topics.collect(),
            ..DeleteShareGroupOffsetsResponse::default()
        })
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> DeleteShareGroupOffsetsResponse {
        failure(code.into())
    }
}

fn failure(refused: RefusedRequest) -> DeleteShareGroupOffsetsResponse {
    DeleteShareGroupOffsetsResponse {
        error_code: refused.code.code(),
        error_message: refused.message,
        ..DeleteShareGroupOffsetsResponse::default()
    }
}

//! AlterShareGroupOffsets, version 0 (KIP-932).
//!
//! Kept: a group without members begins where it is told, whatever it has read; one that nobody knows is made.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::alter_share_group_offsets::{
    AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition, AlterShareGroupOffsetsResponseTopic,
};

use super::{Handled, Peer, Serve, coordination};
use crate::refusal::RefusedRequest;
use crate::shares::SharedLog;
use crate::state::ClusterState;

impl Serve for AlterShareGroupOffsetsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<AlterShareGroupOffsetsResponse> {
        let now = peer.cluster.clock.now();
        let mut state = peer.cluster.state();
        let allowed = coordination::check_group(peer, &self.group_id).map_err(RefusedRequest::from);
        let allowed = allowed.and_then(|()| {
            state.groups.make_share_group(&self.group_id, now)?;
            state.groups.check_share_group_is_empty(&self.group_id, now)
        });
        Handled::Now(match allowed {
            Ok(()) => alter(self, &mut state),
            Err(refused) => failure(refused),
        })
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> AlterShareGroupOffsetsResponse {
        failure(code.into())
    }
}

fn alter(
    request: AlterShareGroupOffsetsRequest,
    state: &mut ClusterState,
) -> AlterShareGroupOffsetsResponse {
    let group = request.group_id;
    let topics = request.topics.into_iter().map(|topic| {
        let topic_id = state
            .topic(&topic.topic_name)
            .map_or(Uuid::ZERO, |found| found.id);
        let partitions = topic.partitions.into_iter().map(|wanted| {
            let partition = (topic_id, wanted.partition_index);
            let code = match state.shared_log(partition) {
                Ok(SharedLog { shares, .. }) => {
                    let opened = shares.reset(&group, partition, wanted.start_offset.max(0));
                    opened.err()
                }
                Err(_) => Some(ErrorCode::UnknownTopicOrPartition),
            };
            AlterShareGroupOffsetsResponsePartition {
                partition_index: wanted.partition_index,
                error_code: code.map_or(0, ErrorCode::code),
                error_message: code.map(|code| code.description().to_owned()),
            }
        });
        AlterShareGroupOffsetsResponseTopic {
            partitions: partitions.collect(),
            topic_name: topic.topic_name,
            topic_id,
        }
    });
    AlterShareGroupOffsetsResponse {
        responses: topics.collect(),
        ..AlterShareGroupOffsetsResponse::default()
    }
}

fn failure(refused: RefusedRequest) -> AlterShareGroupOffsetsResponse {
    AlterShareGroupOffsetsResponse {
        error_code: refused.code.code(),
        error_message: refused.message,
        ..AlterShareGroupOffsetsResponse::default()
    }
}

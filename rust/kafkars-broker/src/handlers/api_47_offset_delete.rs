//! OffsetDelete, version 0.
//!
//! Kept: offsets of topics that no member reads (KIP-496).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_delete::{
    OffsetDeleteRequest, OffsetDeleteRequestPartition, OffsetDeleteRequestTopic,
    OffsetDeleteResponse, OffsetDeleteResponsePartition, OffsetDeleteResponseTopic,
};

use super::{Handled, Peer, Serve, coordination};
use crate::refusal::code_of;
use crate::state::ClusterState;

impl Serve for OffsetDeleteRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<OffsetDeleteResponse> {
        let mut state = peer.cluster.state();
        let now = peer.cluster.clock.now();
        let allowed = coordination::check_group(peer, &self.group_id)
            .and_then(|()| state.groups.check_offset_delete(&self.group_id, now));
        if let Err(code) = allowed {
            return Handled::Now(self.refuse(peer, version, code));
        }
        let topic = |topic: &OffsetDeleteRequestTopic| {
            let partition = |data: &OffsetDeleteRequestPartition| OffsetDeleteResponsePartition {
                partition_index: data.partition_index,
                error_code: code_of(&delete(&mut state, &self.group_id, &topic.name, data)),
            };
            OffsetDeleteResponseTopic {
                partitions: topic.partitions.iter().map(partition).collect(),
                name: topic.name.clone(),
            }
        };
        Handled::Now(OffsetDeleteResponse {
            topics: self.topics.iter().map(topic).collect(),
            ..OffsetDeleteResponse::default()
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> OffsetDeleteResponse {
        OffsetDeleteResponse {
            error_code: code.code(),
            ..OffsetDeleteResponse::default()
        }
    }
}

fn delete(
    state: &mut ClusterState,
    group: &str,
    topic: &str,
    data: &OffsetDeleteRequestPartition,
) -> Result<(), ErrorCode> {
    state.topic_with(topic, data.partition_index)?;
    let groups = &mut state.groups;
    groups.delete_offset(group, topic, data.partition_index)
}

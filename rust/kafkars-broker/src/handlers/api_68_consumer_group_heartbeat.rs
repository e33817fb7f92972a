//! ConsumerGroupHeartbeat, versions 0 to 1.
//!
//! Kept: everything of KIP-848, with the assignors `uniform` and `range`; expressions (version 1), which are resolved at once, where Kafka
//! takes until the next heartbeat.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
};

use super::{Answer, Peer, Serve, coordination};
use crate::groups::Refused;

impl Serve for ConsumerGroupHeartbeatRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<ConsumerGroupHeartbeatResponse> {
        if !self.group_id.is_empty()
            && let Err(code) = coordination::check_group(peer, &self.group_id)
        {
            return Answer::Now(refusal(code.into()));
        }
        let now = peer.cluster.clock.now();
        let mut state = peer.cluster.state();
        let (groups, topics) = state.groups_and_topics();
        let answered = groups.consumer_heartbeat(self, version, peer.client(), &topics, now);
        Answer::Now(answered.unwrap_or_else(refusal))
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> ConsumerGroupHeartbeatResponse {
        refusal(code.into())
    }
}

fn refusal(refused: Refused) -> ConsumerGroupHeartbeatResponse {
    ConsumerGroupHeartbeatResponse {
        error_code: refused.code.code(),
        error_message: refused.message,
        ..ConsumerGroupHeartbeatResponse::default()
    }
}

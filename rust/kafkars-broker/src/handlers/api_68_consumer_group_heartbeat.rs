//! ConsumerGroupHeartbeat, versions 0 to 1.
//!
//! Kept: everything of KIP-848, with the assignors `uniform` and `range`; expressions (version 1), which are resolved
//! at once, where Kafka takes until the next heartbeat.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
};

use super::{Handled, Peer, Serve, coordination};
use crate::refusal::RefusedRequest;

impl Serve for ConsumerGroupHeartbeatRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<ConsumerGroupHeartbeatResponse> {
        let group = self.group_id.clone();
        let answered = coordination::hear(peer, &group, |groups, topics, now| {
            groups.consumer_heartbeat(self, version, peer.client(), topics, now)
        });
        Handled::Now(answered.unwrap_or_else(refusal))
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

fn refusal(refused: RefusedRequest) -> ConsumerGroupHeartbeatResponse {
    ConsumerGroupHeartbeatResponse {
        error_code: refused.code.code(),
        error_message: refused.message,
        ..ConsumerGroupHeartbeatResponse::default()
    }
}

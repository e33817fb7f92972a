//! ShareGroupHeartbeat, version 1 (KIP-932).
//!
//! Kept: members with their subscriptions and epochs, sessions by the group's setting, the assignor `simple`.
//!
//! Differs: what a group reads is ready at once, where Kafka tells a first member of its partitions in a later
//! heartbeat.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::share_group_heartbeat::{
    ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse,
};

use super::{Handled, Peer, Serve, coordination};
use crate::refusal::RefusedRequest;

impl Serve for ShareGroupHeartbeatRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<ShareGroupHeartbeatResponse> {
        let group = self.group_id.clone();
        let answered = coordination::hear(peer, &group, |groups, topics, now| {
            groups.share_heartbeat(self, peer.client(), topics, now)
        });
        Handled::Now(answered.unwrap_or_else(refusal))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ShareGroupHeartbeatResponse {
        refusal(code.into())
    }
}

fn refusal(refused: RefusedRequest) -> ShareGroupHeartbeatResponse {
    ShareGroupHeartbeatResponse {
        error_code: refused.code.code(),
        error_message: refused.message,
        ..ShareGroupHeartbeatResponse::default()
    }
}

//! ShareGroupHeartbeat, version 1 (KIP-932).
//!
//! Kept: members with their subscriptions and epochs, sessions by the group's setting, the assignor `simple`.
//!
//! Differs: what a group reads is ready at once, where Kafka tells a first member of its partitions in a later heartbeat.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::share_group_heartbeat::{
    ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse,
};

use super::{Answer, Peer, Serve, coordination};
use crate::groups::Refused;

impl Serve for ShareGroupHeartbeatRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Answer<ShareGroupHeartbeatResponse> {
        if !self.group_id.is_empty()
            && let Err(code) = coordination::check_group(peer, &self.group_id)
        {
            return Answer::Now(refusal(code.into()));
        }
        let now = peer.cluster.clock.now();
        let mut state = peer.cluster.state();
        let (groups, topics) = state.groups_and_topics();
        let answered = groups.share_heartbeat(self, peer.client(), &topics, now);
        Answer::Now(answered.unwrap_or_else(refusal))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ShareGroupHeartbeatResponse {
        refusal(code.into())
    }
}

fn refusal(refused: Refused) -> ShareGroupHeartbeatResponse {
    ShareGroupHeartbeatResponse {
        error_code: refused.code.code(),
        error_message: refused.message,
        ..ShareGroupHeartbeatResponse::default()
    }
}

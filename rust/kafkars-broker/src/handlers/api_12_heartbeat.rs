//! Heartbeat, versions 0 to 4.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::heartbeat::{HeartbeatRequest, HeartbeatResponse};

use super::{Handled, Peer, Serve, coordination};

impl Serve for HeartbeatRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<HeartbeatResponse> {
        let heard = coordination::check_group(peer, &self.group_id).and_then(|()| {
            let now = peer.cluster.clock.now();
            peer.cluster.state().groups.heartbeat(&self, now)
        });
        Handled::Now(match heard {
            Ok(()) => HeartbeatResponse::default(),
            Err(code) => self.refuse(peer, version, code),
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> HeartbeatResponse {
        HeartbeatResponse {
            error_code: code.code(),
            ..HeartbeatResponse::default()
        }
    }
}

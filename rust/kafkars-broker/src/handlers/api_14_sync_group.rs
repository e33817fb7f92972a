//! SyncGroup, versions 0 to 5.
//!
//! Kept: static members (version 3, KIP-345), the protocol as the member knows it (5, KIP-559).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};

use super::{Handled, Peer, Serve, coordination};
use crate::groups::classic::refused_sync;
use crate::groups::reply::GroupReply;

/// First version in which a member says what protocol it follows.
const PROTOCOL_SINCE: i16 = 5;

impl Serve for SyncGroupRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<SyncGroupResponse> {
        let mut checked = coordination::check_group(peer, &self.group_id);
        if version >= PROTOCOL_SINCE
            && (self.protocol_type.is_none() || self.protocol_name.is_none())
        {
            checked = checked.and(Err(ErrorCode::InconsistentGroupProtocol));
        }
        if let Err(code) = checked {
            return Handled::Now(self.refuse(peer, version, code));
        }
        let cluster = peer.cluster.clone();
        let group = self.group_id.clone();
        let synced = cluster.state().groups.sync(self, cluster.clock.now());
        match synced {
            GroupReply::Now(response) => Handled::Now(response),
            GroupReply::Later(receiver) => Handled::Later(Box::pin(async move {
                let synced = coordination::wait(&cluster, &group, receiver).await;
                synced.unwrap_or_else(|| refused_sync(ErrorCode::UnknownMemberId))
            })),
        }
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> SyncGroupResponse {
        refused_sync(code)
    }
}

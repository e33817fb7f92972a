//! JoinGroup, versions 0 to 9.
//!
//! Kept: rebalances with their timeouts (version 1), member ids that must be known (4, KIP-394), static members (5,
//! KIP-345), leaders that must not assign again (9, KIP-814).
//!
//! Skipped: the reason (8, KIP-800), which is only for logs.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::join_group::{JoinGroupRequest, JoinGroupResponse};

use super::{Handled, Peer, Serve, coordination};
use crate::groups::classic::{Join, refused_join};
use crate::groups::reply::GroupReply;

/// First version in which the protocol may be null.
const NULL_PROTOCOL_SINCE: i16 = 7;

impl Serve for JoinGroupRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<JoinGroupResponse> {
        if let Err(code) = coordination::check_group(peer, &self.group_id) {
            return Handled::Now(self.refuse(peer, version, code));
        }
        let (cluster, who) = (peer.cluster.clone(), peer.authorized());
        let mut state = cluster.state();
        if let Err(code) = state.groups.check_session_timeout(self.session_timeout_ms) {
            return Handled::Now(self.refuse(peer, version, code));
        }
        let (group, member) = (self.group_id.clone(), self.member_id.clone());
        let join = Join {
            request: self,
            version,
            client: peer.client(),
        };
        let (groups, topics) = state.groups_and_topics(who.as_ref());
        let joined = groups.join(join, &topics, cluster.clock.now());
        drop(state);
        match joined {
            GroupReply::Now(response) => Handled::Now(in_version(response, version)),
            GroupReply::Later(receiver) => Handled::Later(Box::pin(async move {
                let joined = coordination::wait(&cluster, &group, receiver).await;
                let gone = || refused_join(member, ErrorCode::UnknownMemberId);
                in_version(joined.unwrap_or_else(gone), version)
            })),
        }
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> JoinGroupResponse {
        in_version(refused_join(self.member_id.clone(), code), version)
    }
}

fn in_version(mut response: JoinGroupResponse, version: i16) -> JoinGroupResponse {
    if version < NULL_PROTOCOL_SINCE {
        response.protocol_name.get_or_insert_default();
    }
    response
}

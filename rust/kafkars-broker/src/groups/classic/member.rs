//! One member of a classic group.

use bytes::Bytes;
use kafkars_protocol::messages::join_group::{
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse, JoinGroupResponseMember,
};
use kafkars_protocol::messages::sync_group::SyncGroupResponse;

use crate::groups::member_identity::MemberClient;
use crate::groups::reply::Parked;

/// The time for which a member that has just joined may wait to be told its first generation: its client may be gone,
/// and nothing else would show that (Kafka's new member join timeout).
pub(super) const NEW_MEMBER_TIMEOUT_MS: i64 = 5 * 60 * 1000;

/// A member of a classic group.
#[derive(Debug)]
pub(crate) struct ClassicMember {
    pub(crate) id: String,
    pub(crate) instance_id: Option<String>,
    pub(crate) client: MemberClient,
    pub(super) session_timeout_ms: i64,
    pub(super) rebalance_timeout_ms: i64,
    pub(super) protocols: Vec<JoinGroupRequestProtocol>,
    pub(crate) assignment: Bytes,
    pub(super) joining: Option<Parked<JoinGroupResponse>>,
    pub(super) syncing: Option<Parked<SyncGroupResponse>>,
    /// True until the member is told a generation.
    pub(super) is_new: bool,
    /// True until the member has fetched its assignment of this generation.
    pub(super) unsynced: bool,
    pub(super) expires_at: i64,
}

impl ClassicMember {
    pub(in crate::groups) fn new(
        id: String,
        request: JoinGroupRequest,
        client: MemberClient,
    ) -> Self {
        let session_timeout_ms = i64::from(request.session_timeout_ms);
        Self {
            id,
            instance_id: request.group_instance_id,
            client,
            session_timeout_ms,
            rebalance_timeout_ms: rebalance_timeout_ms(
                request.rebalance_timeout_ms,
                session_timeout_ms,
            ),
            protocols: owned(request.protocols),
            assignment: Bytes::new(),
            joining: None,
            syncing: None,
            is_new: false,
            unsynced: false,
            expires_at: i64::MAX,
        }
    }

    /// Takes over what the member says when it joins again.
    pub(super) fn update(&mut self, request: JoinGroupRequest, client: MemberClient) {
        self.client = client;
        self.session_timeout_ms = i64::from(request.session_timeout_ms);
        self.rebalance_timeout_ms =
            rebalance_timeout_ms(request.rebalance_timeout_ms, self.session_timeout_ms);
        self.protocols = owned(request.protocols);
    }

    pub(in crate::groups) fn session_timeout_ms(&self) -> i64 {
        self.session_timeout_ms
    }

    pub(in crate::groups) fn rebalance_timeout_ms(&self) -> i64 {
        self.rebalance_timeout_ms
    }

    pub(in crate::groups) fn protocols(&self) -> &[JoinGroupRequestProtocol] {
        &self.protocols
    }

    pub(super) fn matches(&self, protocols: &[JoinGroupRequestProtocol]) -> bool {
        self.protocols == protocols
    }

    /// The metadata that the member sent for one protocol; empty where it does not know that protocol.
    pub(crate) fn metadata(&self, protocol: &str) -> Bytes {
        self.protocols
            .iter()
            .find(|known| known.name == protocol)
            .map(|known| known.metadata.clone())
            .unwrap_or_default()
    }

    /// The member as the leader of the group sees it.
    pub(super) fn for_leader(&self, protocol: &str) -> JoinGroupResponseMember {
        JoinGroupResponseMember {
            member_id: self.id.clone(),
            group_instance_id: self.instance_id.clone(),
            metadata: self.metadata(protocol),
        }
    }

    pub(super) fn seen(&mut self, now: i64) {
        self.expires_at = now.saturating_add(self.session_timeout_ms);
    }

    /// The time when the member is taken for dead. One that waits for a rebalance cannot be heard of and is not, unless
    /// it is new.
    pub(super) fn deadline(&self) -> Option<i64> {
        let waits = self.joining.is_some() || self.syncing.is_some();
        (self.is_new || !waits).then_some(self.expires_at)
    }

    /// Bytes that the member takes: everything a client chooses the size of.
    pub(super) fn size(&self) -> usize {
        let protocols = self.protocols.iter();
        let metadata: usize = protocols
            .map(|protocol| protocol.name.len() + protocol.metadata.len() + 64)
            .sum();
        let instance = self.instance_id.as_ref().map_or(0, String::len);
        2 * self.id.len()
            + 2 * instance
            + self.client.id.len()
            + metadata
            + self.assignment.len()
            + 256
    }
}

/// The rebalance timeout; version 0 has none, so the session timeout stands for it.
fn rebalance_timeout_ms(asked: i32, session_timeout_ms: i64) -> i64 {
    if asked < 0 {
        session_timeout_ms
    } else {
        i64::from(asked)
    }
}

/// Copies the protocols: what a request holds are slices of a buffer much larger than they are.
fn owned(protocols: Vec<JoinGroupRequestProtocol>) -> Vec<JoinGroupRequestProtocol> {
    let copy = |protocol: JoinGroupRequestProtocol| JoinGroupRequestProtocol {
        metadata: Bytes::copy_from_slice(&protocol.metadata),
        ..protocol
    };
    protocols.into_iter().map(copy).collect()
}

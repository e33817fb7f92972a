//! One member of a classic group.

use bytes::Bytes;
use kafkars_protocol::messages::join_group::{
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse, JoinGroupResponseMember,
};
use kafkars_protocol::messages::sync_group::SyncGroupResponse;

use crate::groups::Client;
use crate::groups::reply::Parked;

/// How long a member that has just joined may take part without having been told its first generation: its client may
/// be gone, and nothing else would show it (Kafka's new member join timeout).
pub(super) const NEW_MEMBER_TIMEOUT_MS: i64 = 5 * 60 * 1000;

/// What a member has said of itself, and what the group knows of it.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) instance_id: Option<String>,
    pub(crate) client: Client,
    pub(super) session_timeout_ms: i64,
    pub(super) rebalance_timeout_ms: i64,
    pub(super) protocols: Vec<JoinGroupRequestProtocol>,
    pub(crate) assignment: Bytes,
    pub(super) joining: Option<Parked<JoinGroupResponse>>,
    pub(super) syncing: Option<Parked<SyncGroupResponse>>,
    /// It has not been told a generation yet.
    pub(super) is_new: bool,
    /// It has not fetched its assignment in this generation.
    pub(super) unsynced: bool,
    pub(super) expires_at: i64,
}

impl Member {
    pub(in crate::groups) fn new(id: String, request: JoinGroupRequest, client: Client) -> Self {
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

    /// Takes over what it says when it joins again.
    pub(super) fn update(&mut self, request: JoinGroupRequest, client: Client) {
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

    /// What it said for one protocol; nothing where it does not know it.
    pub(crate) fn metadata(&self, protocol: &str) -> Bytes {
        self.protocols
            .iter()
            .find(|known| known.name == protocol)
            .map(|known| known.metadata.clone())
            .unwrap_or_default()
    }

    /// As the leader of the group sees it.
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

    /// When it is taken for dead. One that waits for a rebalance cannot be heard of and is not, unless it is new.
    pub(super) fn deadline(&self) -> Option<i64> {
        let waits = self.joining.is_some() || self.syncing.is_some();
        (self.is_new || !waits).then_some(self.expires_at)
    }

    /// Bytes that it takes: everything a client chooses the size of.
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

/// Version 0 has none: the session timeout stands for it.
fn rebalance_timeout_ms(asked: i32, session_timeout_ms: i64) -> i64 {
    if asked < 0 {
        session_timeout_ms
    } else {
        i64::from(asked)
    }
}

/// Copies of their own: what a request holds are slices of a buffer much larger than they are.
fn owned(protocols: Vec<JoinGroupRequestProtocol>) -> Vec<JoinGroupRequestProtocol> {
    let copy = |protocol: JoinGroupRequestProtocol| JoinGroupRequestProtocol {
        metadata: Bytes::copy_from_slice(&protocol.metadata),
        ..protocol
    };
    protocols.into_iter().map(copy).collect()
}

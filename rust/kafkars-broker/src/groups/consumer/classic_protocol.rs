//! The state that only members of the classic protocol have in a consumer group (KIP-848).

use bytes::Bytes;
use kafkars_protocol::messages::join_group::JoinGroupRequestProtocol;

use crate::groups::classic::ClassicMember;

/// The part of a member that follows the classic protocol.
#[derive(Debug, Clone)]
pub(crate) struct ClassicProtocol {
    pub(in crate::groups) session_timeout_ms: i64,
    pub(in crate::groups) protocols: Vec<JoinGroupRequestProtocol>,
    /// The time by which the member has to join again, once it was told to; else it loses its place.
    pub(super) join_by: Option<i64>,
    /// The time by which the member has to fetch its assignment, once it has joined; else it loses its place.
    pub(super) sync_by: Option<i64>,
}

impl ClassicProtocol {
    pub(super) fn of(member: &ClassicMember) -> Self {
        Self {
            session_timeout_ms: member.session_timeout_ms(),
            protocols: member.protocols().to_vec(),
            join_by: None,
            sync_by: None,
        }
    }

    /// The metadata of the protocol that the member likes best.
    pub(in crate::groups) fn metadata(&self) -> Bytes {
        let best = self.protocols.first();
        best.map(|protocol| protocol.metadata.clone())
            .unwrap_or_default()
    }

    pub(super) fn knows(&self, protocol: &str) -> bool {
        self.protocols.iter().any(|known| known.name == protocol)
    }

    pub(super) fn deadline(&self) -> i64 {
        let deadlines = [self.join_by, self.sync_by];
        deadlines.into_iter().flatten().min().unwrap_or(i64::MAX)
    }

    pub(super) fn size(&self) -> usize {
        let protocols = self.protocols.iter();
        protocols
            .map(|protocol| protocol.name.len() + protocol.metadata.len() + 64)
            .sum()
    }
}

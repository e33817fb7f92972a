//! Partitions that a request makes and deletes, counted against `controller_mutation_rate` (KIP-599).

use kafkars_protocol::ErrorCode;

use super::Peer;

pub(super) struct Mutations<'a> {
    peer: &'a Peer,
    strict: bool,
    /// The time that the client has to pause, in ms.
    pub(super) pause_ms: i32,
}

impl<'a> Mutations<'a> {
    pub(super) fn new(peer: &'a Peer, strict: bool) -> Self {
        Self {
            peer,
            strict,
            pause_ms: 0,
        }
    }

    /// Counts partitions that are about to be made or deleted, unless a `strict` client has done too much already.
    pub(super) fn count(&mut self, partitions: usize) -> Result<(), ErrorCode> {
        let Peer { cluster, .. } = self.peer;
        let counted = cluster.quotas.mutate(
            self.peer.client_name(),
            partitions,
            self.strict,
            cluster.now(),
        );
        let (pause_ms, outcome) = match counted {
            Ok(pause_ms) => (pause_ms, Ok(())),
            Err(pause_ms) => (pause_ms, Err(ErrorCode::ThrottlingQuotaExceeded)),
        };
        self.pause_ms = self.pause_ms.max(pause_ms);
        outcome
    }
}

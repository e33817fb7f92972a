//! The producer id and epoch of an idempotent producer without transactions.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;

use crate::produce::error::ProduceError;
use crate::produce::sequence::ProducerIdentity;

/// The producer id and epoch, and how far the InitProducerId request for them has come.
#[derive(Debug)]
pub(super) struct IdentityLookup {
    state: IdentityState,
    // InitProducerId requests in a row that brought no identity, and why the last one failed.
    failures: u32,
    last_error: Option<Arc<str>>,
}

#[derive(Debug)]
enum IdentityState {
    /// The producer is not idempotent and needs no identity.
    Unneeded,
    Unasked,
    /// InitProducerId was sent at this moment.
    Asking(Instant),
    Known(ProducerIdentity),
    /// InitProducerId is not sent again before this moment.
    Waiting(Instant),
    /// A broker refused for good. Records before this moment fail at once; later ones cause another InitProducerId,
    /// because rights and brokers change, and a producer may live for long.
    Refused(ProduceError, Instant),
}

/// What the state of InitProducerId means for batches that are ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    Unneeded,
    Awaited,
    Known(ProducerIdentity),
    Refused(ProduceError),
}

impl IdentityLookup {
    pub(super) fn new(needed: bool) -> Self {
        Self {
            state: if needed {
                IdentityState::Unasked
            } else {
                IdentityState::Unneeded
            },
            failures: 0,
            last_error: None,
        }
    }

    /// Returns true if InitProducerId may be sent now: none is under way, and the pause after the last one is over.
    pub(super) fn may_ask(&self, now: Instant) -> bool {
        match self.state {
            IdentityState::Unasked => true,
            IdentityState::Waiting(until) => until <= now,
            _ => false,
        }
    }

    pub(super) fn asked(&mut self, now: Instant) {
        self.state = IdentityState::Asking(now);
    }

    pub(super) fn found(&mut self, identity: ProducerIdentity) {
        self.state = IdentityState::Known(identity);
        self.failures = 0;
        self.last_error = None;
    }

    /// Notes that InitProducerId brought no identity. `until` returns the end of the pause after a number of failures
    /// in a row.
    pub(super) fn failed(
        &mut self,
        cause: Arc<str>,
        failure: IdentityFailure,
        until: impl FnOnce(u32) -> Instant,
    ) {
        self.failures = self.failures.saturating_add(1);
        let until = until(self.failures);
        self.state = match failure {
            IdentityFailure::Passes => IdentityState::Waiting(until),
            IdentityFailure::Refused(code) => {
                let cause = Arc::clone(&cause);
                IdentityState::Refused(ProduceError::NoProducerId { code, cause }, until)
            }
            IdentityFailure::Impossible => {
                let text = format!(
                    "the broker gives no producer id ({cause}); set enable_idempotence=False to send without"
                );
                let error = ProduceError::Impossible {
                    topic: "".into(),
                    cause: text.into(),
                };
                IdentityState::Refused(error, until)
            }
        };
        self.last_error = Some(cause);
    }

    /// Starts a partition's sequence numbers over, under the next epoch, so that brokers refuse what may still be on
    /// its way.
    pub(super) fn next_epoch(&mut self, refused: Option<ProducerIdentity>, new_id: bool) {
        let IdentityState::Known(current) = self.state else {
            return;
        };
        // Otherwise another partition has taken the next epoch already, and the present one is new to this partition.
        if refused == Some(current) {
            self.state = match current.next_epoch() {
                Some(next) if !new_id => IdentityState::Known(next),
                _ => IdentityState::Unasked,
            };
        }
    }

    pub(super) fn standing(&self) -> Standing {
        match &self.state {
            IdentityState::Unneeded => Standing::Unneeded,
            IdentityState::Known(identity) => Standing::Known(*identity),
            IdentityState::Unasked | IdentityState::Asking(_) | IdentityState::Waiting(_) => {
                Standing::Awaited
            }
            IdentityState::Refused(error, _) => Standing::Refused(error.clone()),
        }
    }

    pub(super) fn next_wake(&self) -> Option<Instant> {
        match self.state {
            IdentityState::Waiting(until) => Some(until),
            _ => None,
        }
    }

    /// Forgets a refusal once its time is over.
    pub(super) fn look(&mut self, now: Instant) {
        if let IdentityState::Refused(_, until) = &self.state
            && *until <= now
        {
            self.state = IdentityState::Unasked;
        }
    }

    /// Says what batches wait for.
    pub(super) fn obstacle(&self, now: Instant) -> Arc<str> {
        let asked = match self.state {
            IdentityState::Asking(since) => format!(
                "InitProducerId, asked {} ms ago, is not answered yet",
                (now - since).as_millis()
            ),
            _ => "InitProducerId is to be asked again".to_owned(),
        };
        let last = match &self.last_error {
            Some(error) => format!("; the last of {} tries met: {error}", self.failures),
            None => String::new(),
        };
        format!("no producer id yet: {asked}{last}").into()
    }
}

/// Why InitProducerId brought no identity.
pub(super) enum IdentityFailure {
    /// Another try may succeed.
    Passes,
    /// A broker refused with this error code.
    Refused(ErrorCode),
    /// No broker can be asked.
    Impossible,
}

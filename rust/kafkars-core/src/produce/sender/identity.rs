//! Who a producer without transactions is to the brokers, for idempotent numbering.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;

use super::Sender;
use crate::produce::error::ProduceError;
use crate::produce::sequence::ProducerIdentity;
use crate::transaction::NoAnswer;

/// How far the question for an identity has come.
#[derive(Debug)]
pub(super) enum Identity {
    /// Without idempotence there is none.
    Unneeded,
    Unasked,
    Asking,
    Known(ProducerIdentity),
    /// Not to be asked again before the instant.
    Waiting(Instant),
    /// Brokers will not give one.
    Refused(ProduceError),
}

impl Identity {
    pub(super) fn new(needed: bool) -> Self {
        if needed {
            Self::Unasked
        } else {
            Self::Unneeded
        }
    }

    pub(super) fn next_wake(&self) -> Option<Instant> {
        match self {
            Self::Waiting(until) => Some(*until),
            _ => None,
        }
    }
}

impl Sender {
    /// Whether to ask for an identity now: there is something to send and nobody asks already.
    pub(super) fn wants_identity(&mut self, now: Instant) -> bool {
        let may_ask = match &self.identity {
            Identity::Unasked => true,
            Identity::Waiting(until) => *until <= now,
            _ => false,
        };
        let asks = may_ask && self.transactions.is_none() && !self.queues.is_empty();
        if asks {
            self.identity = Identity::Asking;
        }
        asks
    }

    /// The answer to [`needs_identity`](super::Work::needs_identity), or what prevented one.
    pub fn identified(&mut self, now: Instant, answer: Result<&InitProducerIdResponse, NoAnswer>) {
        let refused = |cause: String| {
            Identity::Refused(ProduceError::Impossible {
                topic: "".into(),
                cause: cause.into(),
            })
        };
        self.identity = match answer {
            Ok(response) => match ErrorCode::from_i16(response.error_code) {
                ErrorCode::None => Identity::Known(ProducerIdentity {
                    id: response.producer_id,
                    epoch: response.producer_epoch,
                }),
                code if code.retriable() => self.ask_later(now),
                code => refused(format!(
                    "the broker gives no producer id ({}: {}); set enable_idempotence=False to send without",
                    code.name(),
                    code.description()
                )),
            },
            Err(NoAnswer::Impossible { cause }) => refused(format!(
                "the broker gives no producer id ({cause}); set enable_idempotence=False to send without"
            )),
            Err(NoAnswer::Indefinite { .. } | NoAnswer::NotSent { .. }) => self.ask_later(now),
        };
    }

    fn ask_later(&mut self, now: Instant) -> Identity {
        Identity::Waiting(now + self.backoff.delay(1, self.random.next()))
    }

    /// A partition's numbers start over: under the next epoch, so that what may still be on its way is refused.
    pub(super) fn next_epoch(&mut self, refused: Option<ProducerIdentity>, new_id: bool) {
        let Identity::Known(current) = self.identity else {
            return;
        };
        // Otherwise another partition has been through this, and the present epoch is new to this one.
        if refused == Some(current) {
            self.identity = match current.next_epoch() {
                Some(next) if !new_id => Identity::Known(next),
                _ => Identity::Unasked,
            };
        }
    }

    /// Remembers with the batches waiting for a broker what went wrong with it.
    pub fn unreachable(&mut self, node: i32, cause: &str) {
        self.needs_metadata = true;
        let cause: Arc<str> = format!("broker {node}: {cause}").into();
        if let Some(queue) = self.queues.nodes.get(&node) {
            for buffer in &queue.ready {
                buffer.lock().blame(&cause);
            }
        }
    }
}

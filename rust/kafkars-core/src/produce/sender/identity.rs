//! Who a producer without transactions is to the brokers, for idempotent numbering.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;

use super::Sender;
use crate::produce::error::ProduceError;
use crate::produce::sequence::ProducerIdentity;
use crate::transaction::NoAnswer;

/// A producer's identity, and how far the question for it has come.
#[derive(Debug)]
pub(super) struct Identity {
    state: State,
    // Questions in a row that brought no identity, and what the last one met.
    failures: u32,
    last_error: Option<Arc<str>>,
}

#[derive(Debug)]
enum State {
    /// Without idempotence there is none.
    Unneeded,
    Unasked,
    /// Asked at the instant.
    Asking(Instant),
    Known(ProducerIdentity),
    /// Not to be asked again before the instant.
    Waiting(Instant),
    /// A broker refused for good. What is sent before the instant fails at once; what comes later asks again, because
    /// rights and brokers change, and a producer may live for long.
    Refused(ProduceError, Instant),
}

/// What the answers to the question mean for batches that want to leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    Unneeded,
    Awaited,
    Known(ProducerIdentity),
    Refused(ProduceError),
}

impl Identity {
    pub(super) fn new(needed: bool) -> Self {
        Self {
            state: if needed {
                State::Unasked
            } else {
                State::Unneeded
            },
            failures: 0,
            last_error: None,
        }
    }

    pub(super) fn standing(&self) -> Standing {
        match &self.state {
            State::Unneeded => Standing::Unneeded,
            State::Known(identity) => Standing::Known(*identity),
            State::Unasked | State::Asking(_) | State::Waiting(_) => Standing::Awaited,
            State::Refused(error, _) => Standing::Refused(error.clone()),
        }
    }

    pub(super) fn next_wake(&self) -> Option<Instant> {
        match self.state {
            State::Waiting(until) => Some(until),
            _ => None,
        }
    }

    /// A refusal holds for a while only.
    pub(super) fn look(&mut self, now: Instant) {
        if let State::Refused(_, until) = &self.state
            && *until <= now
        {
            self.state = State::Unasked;
        }
    }

    /// What batches wait for.
    pub(super) fn obstacle(&self, now: Instant) -> Arc<str> {
        let asked = match self.state {
            State::Asking(since) => format!(
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

/// Why there is no identity.
enum Failure {
    /// Another try may succeed.
    Passes,
    /// A broker says so.
    Refused(ErrorCode),
    /// No broker can be asked.
    Impossible,
}

impl Sender {
    /// Whether to ask for an identity now: there is something to send and nobody asks already.
    pub(super) fn wants_identity(&mut self, now: Instant) -> bool {
        let may_ask = match &self.identity.state {
            State::Unasked => true,
            State::Waiting(until) => *until <= now,
            _ => false,
        };
        let asks = may_ask && self.transactions.is_none() && !self.queues.is_empty();
        if asks {
            self.identity.state = State::Asking(now);
        }
        asks
    }

    /// The answer to [`needs_identity`](super::Work::needs_identity), or what prevented one; with the broker's name
    /// where one was asked.
    pub fn identified(
        &mut self,
        now: Instant,
        broker: Option<&str>,
        answer: Result<&InitProducerIdResponse, NoAnswer>,
    ) {
        let of = |text: String| -> Arc<str> {
            match broker {
                Some(broker) => format!("InitProducerId of broker {broker}: {text}").into(),
                None => format!("InitProducerId: {text}").into(),
            }
        };
        let (cause, failure) = match answer {
            Ok(response) => match ErrorCode::from_i16(response.error_code) {
                ErrorCode::None if response.producer_id >= 0 => {
                    self.identity = Identity::new(true);
                    self.identity.state = State::Known(ProducerIdentity {
                        id: response.producer_id,
                        epoch: response.producer_epoch,
                    });
                    return;
                }
                ErrorCode::None => {
                    let id = response.producer_id;
                    let text = format!("the answer has the producer id {id}, which none has");
                    (of(text), Failure::Passes)
                }
                code => {
                    let text = of(format!("{}: {}", code.name(), code.description()));
                    // A code that this client does not know may stand for anything, also for what passes.
                    let may_pass = code.retriable() || matches!(code, ErrorCode::Unknown(_));
                    let failure = match may_pass {
                        true => Failure::Passes,
                        false => Failure::Refused(code),
                    };
                    (text, failure)
                }
            },
            Err(NoAnswer::Impossible { cause }) => {
                (of(cause.as_ref().to_owned()), Failure::Impossible)
            }
            Err(NoAnswer::Indefinite { cause } | NoAnswer::NotSent { cause }) => {
                (of(cause.as_ref().to_owned()), Failure::Passes)
            }
        };
        self.not_identified(now, cause, failure);
    }

    fn not_identified(&mut self, now: Instant, cause: Arc<str>, failure: Failure) {
        let identity = &mut self.identity;
        identity.failures = identity.failures.saturating_add(1);
        let until = now + self.backoff.delay(identity.failures, self.random.next());
        identity.state = match failure {
            Failure::Passes => State::Waiting(until),
            Failure::Refused(code) => {
                let cause = Arc::clone(&cause);
                State::Refused(ProduceError::NoProducerId { code, cause }, until)
            }
            Failure::Impossible => {
                let text = format!(
                    "the broker gives no producer id ({cause}); set enable_idempotence=False to send without"
                );
                let error = ProduceError::Impossible {
                    topic: "".into(),
                    cause: text.into(),
                };
                State::Refused(error, until)
            }
        };
        identity.last_error = Some(cause);
    }

    /// A partition's numbers start over: under the next epoch, so that what may still be on its way is refused.
    pub(super) fn next_epoch(&mut self, refused: Option<ProducerIdentity>, new_id: bool) {
        let State::Known(current) = self.identity.state else {
            return;
        };
        // Otherwise another partition has been through this, and the present epoch is new to this one.
        if refused == Some(current) {
            self.identity.state = match current.next_epoch() {
                Some(next) if !new_id => State::Known(next),
                _ => State::Unasked,
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

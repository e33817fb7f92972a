//! Who the producer is to the brokers, for idempotent numbering.

use std::time::Instant;

use kafkars_core::produce::delivery::BatchOutcome;
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::sequence::ProducerIdentity;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::{InitProducerIdRequest, InitProducerIdResponse};

use super::sender::{Event, Sender, report};
use crate::error::{AttemptError, ClientError};
use crate::now;

/// How far the question for an identity has come.
pub(super) enum Identity {
    Unasked,
    Asking,
    Known(ProducerIdentity),
    /// Not to be asked again before the instant.
    Waiting(Instant),
    /// Brokers will not give one.
    Refused(ProduceError),
}

impl Sender {
    /// The identity to number with; `Err` when nothing may leave yet.
    pub(super) fn identity(
        &mut self,
        now: Instant,
    ) -> Result<Option<ProducerIdentity>, Option<Instant>> {
        if !self.shared.config.enable_idempotence {
            return Ok(None);
        }
        match &self.identity {
            Identity::Known(identity) => return Ok(Some(*identity)),
            Identity::Asking => return Err(self.expire_waiting(now)),
            Identity::Waiting(until) if *until > now => {
                let until = *until;
                return Err([self.expire_waiting(now), Some(until)]
                    .into_iter()
                    .flatten()
                    .min());
            }
            Identity::Refused(error) => {
                let error = error.clone();
                self.fail_waiting(&error);
                return Err(None);
            }
            Identity::Unasked | Identity::Waiting(_) => {}
        }
        self.identity = Identity::Asking;
        let client = self.shared.client.clone();
        let deadline = now + self.shared.config.request_timeout;
        let events = self.events.clone();
        self.tasks.spawn(async move {
            let request = InitProducerIdRequest {
                transactional_id: None,
                transaction_timeout_ms: i32::MAX,
                producer_id: -1,
                producer_epoch: -1,
            };
            let answer = client.request_any(request, deadline).await;
            report(&events, Event::Identified(answer));
        });
        Err(self.expire_waiting(now))
    }

    pub(super) fn identified(&mut self, answer: Result<InitProducerIdResponse, ClientError>) {
        let code = match &answer {
            Ok(response) => ErrorCode::from_i16(response.error_code),
            Err(_) => ErrorCode::None,
        };
        self.identity = match answer {
            Ok(response) if code == ErrorCode::None => Identity::Known(ProducerIdentity {
                id: response.producer_id,
                epoch: response.producer_epoch,
            }),
            Ok(_) if !code.retriable() => Identity::Refused(ProduceError::Impossible {
                topic: "".into(),
                cause: format!(
                    "the broker gives no producer id ({}: {}); set enable_idempotence=False to send without",
                    code.name(),
                    code.description()
                )
                .into(),
            }),
            Err(ClientError::Attempt(AttemptError::Unsupported { .. })) => {
                Identity::Refused(ProduceError::Impossible {
                    topic: "".into(),
                    cause: "the broker knows no idempotent producers; set enable_idempotence=False".into(),
                })
            }
            Ok(_) | Err(_) => {
                Identity::Waiting(now() + self.backoff.delay(1, self.random.next()))
            }
        };
    }

    /// Reports batches whose time ran out while nothing may leave; returns when the next one does.
    pub(super) fn expire_waiting(&mut self, now: Instant) -> Option<Instant> {
        let limit = self.shared.config.delivery_timeout;
        let mut expired = Vec::new();
        let mut wake_at = None;
        for buffer in &self.active {
            let mut state = buffer.lock();
            expired.append(&mut state.take_expired(now, limit));
            wake_at = [wake_at, state.next_wake(limit, limit)]
                .into_iter()
                .flatten()
                .min();
        }
        for batch in expired {
            self.expire(batch);
        }
        wake_at
    }

    pub(super) fn fail_waiting(&mut self, error: &ProduceError) {
        let active = std::mem::take(&mut self.active);
        for buffer in active {
            let (batches, idle) = {
                let mut state = buffer.lock();
                (state.take_all(), state.unlist_if_idle())
            };
            for batch in batches {
                self.finish(batch, BatchOutcome::Failed(error.clone()));
            }
            if !idle {
                self.active.push(buffer);
            }
        }
    }
}

//! InitProducerId of a producer without transactions: when it is sent, and what the response means.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;

use super::Sender;
use super::identity::IdentityFailure;
use crate::produce::sequence::ProducerIdentity;
use crate::transaction::NoAnswer;

impl Sender {
    /// Returns true if InitProducerId is to be sent now: there is something to send and no such request is under way.
    pub(super) fn wants_identity(&mut self, now: Instant) -> bool {
        let may_ask = self.identity.may_ask(now);
        let asks = may_ask && self.transactions.is_none() && !self.queues.is_empty();
        if asks {
            self.identity.asked(now);
        }
        asks
    }

    /// Takes the response to [`needs_identity`](super::Work::needs_identity), or why there is none; `broker` names the
    /// broker that was asked, if one was.
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
                    self.identity.found(ProducerIdentity {
                        id: response.producer_id,
                        epoch: response.producer_epoch,
                    });
                    return;
                }
                ErrorCode::None => {
                    let id = response.producer_id;
                    let text = format!("the answer has the producer id {id}, which none has");
                    (of(text), IdentityFailure::Passes)
                }
                code => {
                    let text = of(code.explained());
                    // A code that this client does not know may stand for anything, also for a temporary problem.
                    let may_pass = code.retriable() || matches!(code, ErrorCode::Unknown(_));
                    let failure = match may_pass {
                        true => IdentityFailure::Passes,
                        false => IdentityFailure::Refused(code),
                    };
                    (text, failure)
                }
            },
            Err(NoAnswer::Impossible { cause }) => {
                (of(cause.as_ref().to_owned()), IdentityFailure::Impossible)
            }
            Err(NoAnswer::Indefinite { cause, .. } | NoAnswer::NotSent { cause }) => {
                (of(cause.as_ref().to_owned()), IdentityFailure::Passes)
            }
        };
        self.identity.failed(cause, failure, |failures| {
            now + self.backoff.delay(failures, self.random.next())
        });
    }
}

//! GSSAPI (RFC 4752): both sides authenticate by Kerberos, then agree on no further protection by it.
//!
//! Kafka does not use SASL's security layers, because TLS protects what follows. So the layer "none" is chosen.

use std::sync::Arc;

use kafkars_core::config::{KerberosConfig, SecurityContext};

use super::blocking_queue::BlockingQueue;

/// The bit for "no security layer" in the first byte of the broker's offer and of our choice.
const NO_LAYER: u8 = 1;

/// Length of the offer: a set of layers, and the longest message in three bytes.
const OFFER_LENGTH: usize = 4;

/// What the broker did wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GssapiError(pub(super) String);

/// One exchange. The Kerberos library is called on a thread of its own.
pub(super) struct Gssapi {
    queue: BlockingQueue,
    first: Vec<u8>,
    /// `None` while the library works with it.
    exchange: Option<GssapiExchange>,
}

impl Gssapi {
    /// Gets a ticket for `service`. The error says why there is none.
    pub(super) async fn begin(
        config: KerberosConfig,
        service: String,
        queue: BlockingQueue,
    ) -> Result<Self, Arc<str>> {
        let begun = queue.run(move || {
            let library = &config.library.0;
            let context = library.initiate(&service, &config.credentials)?;
            GssapiExchange::begin(context)
                .map_err(|problem| Arc::from(format!("{service}: {problem}")))
        });
        let (exchange, first) = begun.await??;
        Ok(Self {
            queue,
            first,
            exchange: Some(exchange),
        })
    }

    /// The client's first message.
    pub(super) fn first(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.first)
    }

    /// The client's answer to a message of the broker; `None` if the exchange is complete.
    pub(super) async fn answer(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, GssapiError> {
        let Some(mut exchange) = self.exchange.take() else {
            return Err(GssapiError("an earlier message was given up".to_owned()));
        };
        let message = message.to_vec();
        let work = move || {
            let answer = exchange.answer(&message);
            (exchange, answer)
        };
        let done = self.queue.run(work).await;
        let (exchange, answer) = done.map_err(|problem| GssapiError(problem.to_string()))?;
        self.exchange = Some(exchange);
        answer
    }
}

/// The state machine of an exchange, without threads.
struct GssapiExchange {
    context: Box<dyn SecurityContext>,
    state: GssapiState,
}

enum GssapiState {
    /// The two sides authenticate each other.
    Establishing,
    /// The broker is to offer security layers.
    Negotiating,
    Done,
}

impl GssapiExchange {
    fn begin(mut context: Box<dyn SecurityContext>) -> Result<(Self, Vec<u8>), Arc<str>> {
        let step = context.step(None)?;
        let state = match step.is_established {
            true => GssapiState::Negotiating,
            false => GssapiState::Establishing,
        };
        Ok((Self { context, state }, step.token))
    }

    fn answer(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, GssapiError> {
        let failed = |what: &str, problem: &str| GssapiError(format!("{what}: {problem}"));
        match self.state {
            GssapiState::Establishing => {
                let step = self.context.step(Some(message));
                let step = step.map_err(|problem| failed("it has not proved itself", &problem))?;
                if step.is_established {
                    self.state = GssapiState::Negotiating;
                }
                Ok(Some(step.token))
            }
            GssapiState::Negotiating => {
                let offer = self.context.unwrap(message);
                let offer =
                    offer.map_err(|problem| failed("its offer is not its own", &problem))?;
                let Ok([layers, ..]) = <[u8; OFFER_LENGTH]>::try_from(offer.as_slice()) else {
                    return Err(GssapiError("its offer is not one".to_owned()));
                };
                if layers & NO_LAYER == 0 {
                    return Err(GssapiError(
                        "it demands a security layer of SASL, which Kafka does not have; TLS protects connections".to_owned(),
                    ));
                }
                // No layer, so the longest message is 0; no authorization id follows, so that of the ticket is meant.
                let choice = self.context.wrap(&[NO_LAYER, 0, 0, 0]);
                let choice = choice.map_err(|problem| failed("our choice", &problem))?;
                self.state = GssapiState::Done;
                Ok(Some(choice))
            }
            GssapiState::Done if message.is_empty() => Ok(None),
            GssapiState::Done => Err(GssapiError("it answers where nothing is due".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use kafkars_core::config::ContextStep;

    use super::*;

    /// A security context that reverses messages instead of protecting them.
    struct Mirror {
        steps: usize,
    }

    impl SecurityContext for Mirror {
        fn step(&mut self, token: Option<&[u8]>) -> Result<ContextStep, Arc<str>> {
            self.steps += 1;
            match token {
                None => Ok(ContextStep {
                    token: b"request".to_vec(),
                    is_established: false,
                }),
                Some(b"reply") => Ok(ContextStep {
                    token: Vec::new(),
                    is_established: true,
                }),
                Some(_) => Err("no such reply".into()),
            }
        }

        fn wrap(&mut self, message: &[u8]) -> Result<Vec<u8>, Arc<str>> {
            Ok(message.iter().rev().copied().collect())
        }

        fn unwrap(&mut self, message: &[u8]) -> Result<Vec<u8>, Arc<str>> {
            match message.is_empty() {
                true => Err("nothing".into()),
                false => self.wrap(message),
            }
        }
    }

    fn exchange() -> GssapiExchange {
        let (exchange, first) =
            GssapiExchange::begin(Box::new(Mirror { steps: 0 })).expect("it begins");
        assert_eq!(first, b"request");
        exchange
    }

    #[test]
    fn no_layer_is_chosen_from_those_offered() {
        let mut exchange = exchange();
        assert_eq!(exchange.answer(b"reply"), Ok(Some(Vec::new())));
        assert_eq!(exchange.answer(&[0, 0, 1, 7]), Ok(Some(vec![0, 0, 0, 1])));
        assert_eq!(exchange.answer(b""), Ok(None));
    }

    #[test]
    fn a_broker_that_breaks_the_rules_is_not_believed() {
        let said = |answers: &[&[u8]]| {
            let mut exchange = exchange();
            let mut last = Ok(None);
            for answer in answers {
                last = exchange.answer(answer);
            }
            last.expect_err("it is not believed").0
        };
        assert!(said(&[b"forged"]).contains("no such reply"));
        assert!(said(&[b"reply", b""]).contains("nothing"));
        assert!(said(&[b"reply", &[0, 0, 7]]).contains("not one"));
        assert!(said(&[b"reply", &[0, 0, 0, 0, 7]]).contains("not one"));
        assert!(said(&[b"reply", &[0, 0, 1, 6]]).contains("security layer"));
        assert!(said(&[b"reply", &[0, 0, 1, 1], b"more"]).contains("nothing is due"));
    }
}

//! Requests that any broker can answer: to one after the other until the deadline, and past those that are silent.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::{ApiKey, Request};

use super::any_request::{AnyRequest, RepeatableRequest, changes_nothing};
use super::handle::Client;
use super::refusal::any_broker;
use crate::error::{AttemptError, ClientError};
use crate::first_ended::first_ended;
use crate::net::{Broker, ConnectionKind, KNOWN_TRIES, OVERTAKE_AFTER};
use crate::now;

/// After this part of the time that is left the next broker is asked, where that is sooner than [`OVERTAKE_AFTER`].
const PART_OF_THE_TIME: u32 = 4;

type Failed = Vec<(Arc<Broker>, AttemptError)>;

impl Client {
    /// Sends a request that any broker can answer: to one after the other, with pauses, until the deadline.
    ///
    /// # Errors
    /// [`ClientError::Bootstrap`] without a cluster, [`ClientError::TimedOut`] at the deadline,
    /// [`ClientError::NoBroker`] if brokers refuse for good, and any other [`ClientError`] that no retry can help.
    pub async fn request_any<R: Request + Send + Sync>(
        &self,
        request: R,
        deadline: Instant,
    ) -> Result<R::Response, ClientError> {
        self.request_any_with(|_| request.clone(), deadline).await
    }

    /// As [`Client::request_any`], for a request that depends on the version it travels in.
    ///
    /// # Errors
    /// As for [`Client::request_any`].
    pub async fn request_any_with<R, F>(
        &self,
        build: F,
        deadline: Instant,
    ) -> Result<R::Response, ClientError>
    where
        R: Request + Send + Sync,
        F: Fn(i16) -> R + Send + Sync,
    {
        let repeatable = RepeatableRequest::new(build);
        self.ask_any(&repeatable, deadline).await?;
        repeatable.into_response()
    }

    /// As [`Client::request_any`], for any kind of request.
    pub(crate) async fn ask_any(
        &self,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let tries = self.try_any(request, deadline);
        self.unless_refused(any_broker, tries).await?
    }

    async fn try_any(
        &self,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let mut retries = self.retries(deadline);
        self.ready(deadline).await?;
        let mut avoided: Option<Arc<Broker>> = None;
        let mut tries = Tries::default();
        while now() < deadline {
            if self.core.metadata_updater.is_closed() {
                return Err(ClientError::Closed);
            }
            let mut brokers = self.core.brokers_by_preference(avoided.as_ref());
            if tries.is_hopeless(&brokers) {
                break;
            }
            brokers.retain(|broker| !tries.is_refused_by(broker));
            if !changes_nothing(request.api()) {
                brokers.truncate(1);
            }
            retries.begin();
            let Err(failed) = self.ask_in_turn(brokers, request, deadline).await else {
                return Ok(());
            };
            let says_nothing = !tries.failures.is_empty() && retries.is_cut_off();
            let mut is_refused = false;
            for (broker, error) in failed {
                match error {
                    AttemptError::Closed if self.core.metadata_updater.is_closed() => {
                        return Err(ClientError::Closed);
                    }
                    AttemptError::Closed => {}
                    error if error.retriable() && says_nothing => {}
                    error => {
                        is_refused |= !error.retriable();
                        tries.failed(&broker, error);
                    }
                }
                avoided = Some(broker);
            }
            if is_refused {
                // Another broker may serve it, and is asked at once.
                continue;
            }
            match retries.pause() {
                Some(pause) => tokio::time::sleep(pause).await,
                None => break,
            }
        }
        let is_known = !self.core.brokers.read().is_empty();
        Err(tries.into_error(request.api(), retries.waited(), is_known))
    }

    /// Asks the first of some brokers, and each next one where those before have not answered for long. The first
    /// response is taken; without one, all that were asked have failed.
    async fn ask_in_turn(
        &self,
        brokers: Vec<Arc<Broker>>,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), Failed> {
        let left = deadline.saturating_duration_since(now());
        let overtake_after = OVERTAKE_AFTER.min(left / PART_OF_THE_TIME);
        let mut waiting = VecDeque::from(brokers);
        let (mut under_way, mut failed) = (Vec::new(), Vec::new());
        let (mut asked, mut starts_next) = (0, true);
        loop {
            if starts_next && let Some(broker) = waiting.pop_front() {
                let one = Arc::clone(&broker);
                let call = async move { self.try_on(&one, request, deadline).await };
                under_way.push(((asked, broker), Box::pin(call)));
                asked += 1;
            }
            if under_way.is_empty() {
                return Err(in_order_of_silence(failed));
            }
            let has_more = !waiting.is_empty() && under_way.len() < KNOWN_TRIES;
            starts_next = tokio::select! {
                biased;
                ((number, broker), outcome) = first_ended(&mut under_way) => match self.noted(outcome) {
                    Ok(()) => return Ok(()),
                    Err(error) => {
                        // Asked again beside one that stays silent: what it failed with may have passed.
                        if error.retriable() && !under_way.is_empty() {
                            waiting.push_back(Arc::clone(&broker));
                        }
                        failed.retain(|(_, (known, _))| !Arc::ptr_eq(known, &broker));
                        failed.push((number, (broker, error)));
                        false
                    }
                },
                () = tokio::time::sleep(overtake_after), if has_more => {
                    // One that has asked for a pause is not silent, and the pause is meant for this client.
                    let mut brokers = under_way.iter().map(|((_, broker), _)| broker);
                    !brokers.all(|broker| broker.is_muted(ConnectionKind::Coordinator))
                }
            };
        }
    }
}

/// Those that were asked first have been silent for longest and say most: they come last.
fn in_order_of_silence(mut failed: Vec<(usize, (Arc<Broker>, AttemptError))>) -> Failed {
    failed.sort_unstable_by_key(|(number, _)| Reverse(*number));
    failed.into_iter().map(|(_, each)| each).collect()
}

/// The failures of the brokers that one call has asked so far.
#[derive(Default)]
struct Tries {
    /// By broker, in the order in which each was asked last.
    failures: Vec<(Arc<Broker>, AttemptError)>,
}

impl Tries {
    fn failed(&mut self, broker: &Arc<Broker>, error: AttemptError) {
        self.failures
            .retain(|(known, _)| !Arc::ptr_eq(known, broker));
        self.failures.push((Arc::clone(broker), error));
    }

    fn failure_of(&self, broker: &Arc<Broker>) -> Option<&AttemptError> {
        let mut failures = self.failures.iter();
        failures
            .find(|(known, _)| Arc::ptr_eq(known, broker))
            .map(|(_, error)| error)
    }

    /// True if the broker will refuse again: it is not asked any more.
    fn is_refused_by(&self, broker: &Arc<Broker>) -> bool {
        self.failure_of(broker)
            .is_some_and(|error| !error.retriable())
    }

    /// True if some of the brokers refuse and none of the others answers: a host that is away does not make up for a
    /// login that the others refuse.
    fn is_hopeless(&self, brokers: &[Arc<Broker>]) -> bool {
        let is_lost = |broker: &Arc<Broker>| match self.failure_of(broker) {
            Some(AttemptError::Connect { cause, .. }) if !cause.is_answered() => true,
            Some(error) => !error.retriable(),
            None => false,
        };
        brokers.iter().any(|broker| self.is_refused_by(broker)) && brokers.iter().all(is_lost)
    }

    /// The error of the whole call. If a broker refused, the first refusal decides which.
    fn into_error(self, request: ApiKey, waited: Duration, is_known: bool) -> ClientError {
        let operation: Arc<str> = request.name().into();
        let (mut refused, others): (Vec<_>, Vec<_>) = self
            .failures
            .into_iter()
            .partition(|(_, error)| !error.retriable());
        if refused.is_empty() {
            let cause = match others.last() {
                Some((_, error)) => error.to_string().into(),
                None if is_known => "no time was left to ask".into(),
                None => "no broker is known".into(),
            };
            return ClientError::TimedOut {
                operation,
                waited,
                cause,
            };
        }
        if refused.len() == 1 && others.is_empty() {
            return ClientError::Attempt(refused.swap_remove(0).1);
        }
        refused.extend(others);
        let named = |(broker, error): (Arc<Broker>, _)| (Arc::clone(broker.address()), error);
        ClientError::NoBroker {
            operation,
            causes: refused.into_iter().map(named).collect(),
        }
    }
}

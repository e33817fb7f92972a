//! Requests to brokers: one try with a certain broker, or retries with any.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;
use kafkars_protocol::{ApiKey, Request};

use super::any_request::{AnyRequest, RepeatableRequest};
use super::handle::Client;
use super::refusal::any_broker;
use crate::error::{AttemptError, ClientError};
use crate::net::{Broker, Connection, ConnectionKind, SLOW_CONNECT};
use crate::{after, now};

impl Client {
    /// Returns a connection to a broker, and makes it if there is none.
    ///
    /// # Errors
    /// [`AttemptError::UnknownNode`] if metadata does not name the broker, [`AttemptError::Closed`] after a close;
    /// otherwise why it could not be connected to.
    pub async fn connection(
        &self,
        node: i32,
        kind: ConnectionKind,
        deadline: Instant,
    ) -> Result<Connection, AttemptError> {
        if self.core.metadata_updater.is_closed() {
            return Err(AttemptError::Closed);
        }
        let broker = self.core.broker(node);
        let result = match broker {
            Some(broker) => {
                let mut connecting = pin!(broker.connection(kind, deadline));
                tokio::select! {
                    biased;
                    result = &mut connecting => result,
                    () = tokio::time::sleep(SLOW_CONNECT) => {
                        self.core.metadata_updater.doubt_everything();
                        connecting.await
                    }
                }
            }
            None => Err(AttemptError::UnknownNode(node)),
        };
        self.noted(result)
    }

    /// True if a request to a broker on a connection of this kind could leave at once.
    pub(crate) fn is_connected(&self, node: i32, kind: ConnectionKind) -> bool {
        let broker = self.core.broker(node);
        broker.is_some_and(|broker| broker.is_connected(kind))
    }

    /// Sends one request to one broker once, in the highest version that both support.
    ///
    /// # Errors
    /// As for [`Client::connection`]; [`AttemptError::TimedOut`] without a response in time, and what else the
    /// connection failed with. An error code in the response is no error here.
    pub async fn request<R: Request + Send + Sync>(
        &self,
        node: i32,
        kind: ConnectionKind,
        request: R,
        deadline: Instant,
    ) -> Result<R::Response, AttemptError> {
        let connection = self.connection(node, kind, deadline).await?;
        let answer = connection.start(&request, self.within_request_timeout(deadline))?;
        drop(request);
        self.noted(answer.await)
    }

    /// Asks one broker once. The errors are those of [`Client::request`].
    pub(crate) async fn ask(
        &self,
        node: i32,
        kind: ConnectionKind,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), AttemptError> {
        let connection = self.connection(node, kind, deadline).await?;
        let asked = request.ask(connection, self.within_request_timeout(deadline));
        self.noted(asked.await)
    }

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
        let started = now();
        self.ready(deadline).await?;
        let config = self.config();
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        let mut failures = 0;
        let mut avoided: Option<Arc<Broker>> = None;
        let mut tries = Tries::default();
        while now() < deadline {
            if self.core.metadata_updater.is_closed() {
                return Err(ClientError::Closed);
            }
            let brokers = self.core.brokers_by_preference(avoided.as_ref());
            if tries.is_hopeless(&brokers) {
                break;
            }
            let mut brokers = brokers.into_iter();
            if let Some(broker) = brokers.find(|broker| !tries.is_refused_by(broker)) {
                let result = self.try_on(&broker, request, deadline).await;
                match self.noted(result) {
                    Ok(()) => return Ok(()),
                    Err(AttemptError::Closed) if self.core.metadata_updater.is_closed() => {
                        return Err(ClientError::Closed);
                    }
                    Err(AttemptError::Closed) => {}
                    Err(error) => {
                        let is_refused = !error.retriable();
                        tries.failed(&broker, error);
                        if is_refused {
                            // Another broker may serve it, and is asked at once.
                            continue;
                        }
                    }
                }
                avoided = Some(broker);
            }
            failures += 1;
            let pause = backoff.delay(failures, self.core.network.random.lock().next());
            tokio::time::sleep_until((now() + pause).min(deadline).into()).await;
        }
        Err(tries.into_error(request.api(), now() - started))
    }

    /// Sends a request that any broker can answer once, to another one than `avoided` if there is one. Returns the
    /// broker that was asked too, where one is known.
    pub(crate) async fn request_once<R: Request + Send + Sync>(
        &self,
        request: R,
        avoided: Option<&Arc<Broker>>,
        deadline: Instant,
    ) -> (Option<Arc<Broker>>, Result<R::Response, ClientError>) {
        if let Err(error) = self.ready(deadline).await {
            return (None, Err(error));
        }
        if self.core.metadata_updater.is_closed() {
            return (None, Err(ClientError::Closed));
        }
        let brokers = self.core.brokers_by_preference(avoided);
        let Some(broker) = brokers.into_iter().next() else {
            let unknown = ClientError::TimedOut {
                operation: R::API_KEY.name().into(),
                waited: Duration::ZERO,
                cause: "no broker is known".into(),
            };
            return (None, Err(unknown));
        };
        let repeatable = RepeatableRequest::new(|_| request.clone());
        let asked = self.try_on(&broker, &repeatable, deadline).await;
        let outcome = match self.noted(asked) {
            Ok(()) => repeatable.into_response(),
            Err(error) => Err(error.into()),
        };
        (Some(broker), outcome)
    }

    async fn try_on(
        &self,
        broker: &Arc<Broker>,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), AttemptError> {
        let connection = broker
            .connection(ConnectionKind::Coordinator, deadline)
            .await?;
        let deadline = self.within_request_timeout(deadline);
        request.ask(connection, deadline).await
    }

    fn within_request_timeout(&self, deadline: Instant) -> Instant {
        deadline.min(after(now(), self.config().request_timeout))
    }

    /// Asks for metadata after a failure that lost a broker: its partitions may have a new leader.
    fn noted<T>(&self, result: Result<T, AttemptError>) -> Result<T, AttemptError> {
        if let Err(error) = &result
            && error.needs_metadata()
        {
            self.core.metadata_updater.doubt_everything();
        }
        result
    }
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
    fn into_error(self, request: ApiKey, waited: Duration) -> ClientError {
        let operation: Arc<str> = request.name().into();
        let (mut refused, others): (Vec<_>, Vec<_>) = self
            .failures
            .into_iter()
            .partition(|(_, error)| !error.retriable());
        if refused.is_empty() {
            let cause = others.last().map(|(_, error)| error.to_string());
            return ClientError::TimedOut {
                operation,
                waited,
                cause: cause
                    .unwrap_or_else(|| "no broker is known".to_owned())
                    .into(),
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

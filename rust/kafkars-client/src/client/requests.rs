//! Requests to brokers: one try with a certain broker.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::{ApiKey, Request};

use super::any_request::{AnyRequest, RepeatableRequest, changes_nothing};
use super::handle::Client;
use super::unanswered::LONG;
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
        let connection = self.connection_in_cluster(node, kind, deadline).await?;
        let answer = connection.start(&request, self.within_request_timeout(deadline))?;
        drop(request);
        self.answer_of(node, R::API_KEY, answer).await
    }

    /// Asks one broker once. The errors are those of [`Client::request`], and [`AttemptError::NoTime`].
    pub(crate) async fn ask(
        &self,
        node: i32,
        kind: ConnectionKind,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), AttemptError> {
        let connection = self.connection_in_cluster(node, kind, deadline).await?;
        let asked = self.ask_on(connection, request, deadline);
        self.answer_of(node, request.api(), asked).await
    }

    /// Waits for the answer to a request that is on its way.
    async fn answer_of<T>(
        &self,
        node: i32,
        api: ApiKey,
        answer: impl Future<Output = Result<T, AttemptError>>,
    ) -> Result<T, AttemptError> {
        self.noted(match changes_nothing(api) {
            true => self.while_in_cluster(node, answer).await,
            // It may have its effect, and would fail where it is sent again.
            false => answer.await,
        })
    }

    /// As [`Client::connection`], as long as the broker is one of the cluster.
    async fn connection_in_cluster(
        &self,
        node: i32,
        kind: ConnectionKind,
        deadline: Instant,
    ) -> Result<Connection, AttemptError> {
        let connecting = self.connection(node, kind, deadline);
        self.while_in_cluster(node, connecting).await
    }

    /// Waits for a broker as long as it is one of the cluster: where it is not any more, others have what it led and
    /// coordinated, and it may be silent for as long as it likes.
    async fn while_in_cluster<T>(
        &self,
        node: i32,
        answer: impl Future<Output = Result<T, AttemptError>>,
    ) -> Result<T, AttemptError> {
        let mut answer = pin!(answer);
        loop {
            tokio::select! {
                biased;
                result = &mut answer => return result,
                () = tokio::time::sleep(LONG) => {}
            }
            if self.cluster().broker(node).is_none() {
                let cause = format!("broker {node} has left the cluster");
                return Err(AttemptError::Disconnected(cause.into()));
            }
            self.core.metadata_updater.doubt_everything();
        }
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

    /// Asks a broker once; who asks has to note what it comes to.
    pub(super) async fn try_on(
        &self,
        broker: &Arc<Broker>,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), AttemptError> {
        let connection = broker
            .connection(ConnectionKind::Coordinator, deadline)
            .await?;
        self.ask_on(connection, request, deadline).await
    }

    /// Asks once. Nothing leaves after the deadline: it would take effect, and nobody would hear of it.
    async fn ask_on(
        &self,
        connection: Connection,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), AttemptError> {
        if now() >= deadline {
            return Err(AttemptError::NoTime(request.api()));
        }
        let deadline = self.within_request_timeout(deadline);
        request.ask(connection, deadline).await
    }

    pub(super) fn within_request_timeout(&self, deadline: Instant) -> Instant {
        deadline.min(after(now(), self.config().request_timeout))
    }

    /// Asks for metadata after a failure that lost a broker: its partitions may have a new leader.
    pub(super) fn noted<T>(&self, result: Result<T, AttemptError>) -> Result<T, AttemptError> {
        if let Err(error) = &result
            && error.needs_metadata()
        {
            self.core.metadata_updater.doubt_everything();
        }
        result
    }
}

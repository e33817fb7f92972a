//! Routing of requests to the broker that can serve them, with retries.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::coordinator::CoordinatorKind;
use kafkars_protocol::{ApiKey, ErrorCode, Request};

use super::handle::Admin;
use crate::client::{AnyRequest, RepeatableRequest, TryFailure};
use crate::error::{AttemptError, ClientError};
use crate::net::ConnectionKind;
use crate::now;

/// The broker that a request has to go to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'a> {
    /// Any broker.
    Any,
    /// The controller, where metadata names it; with KRaft any broker forwards the request to it.
    Controller,
    /// The coordinator of a group or of a transactional id.
    Coordinator(CoordinatorKind, &'a str),
    /// One broker, by node id.
    Node(i32),
}

impl Target<'_> {
    /// Names a request by what is asked about, where only one broker can answer.
    pub(super) fn naming(self, api: ApiKey) -> String {
        match self {
            Self::Any | Self::Controller => api.name().to_owned(),
            Self::Coordinator(kind, name) => format!("{} for {}", api.name(), kind.naming(name)),
            Self::Node(node) => format!("{} of broker {node}", api.name()),
        }
    }
}

impl Admin {
    /// Sends a request until an answer counts. `refusal` finds in an answer the code by which the broker refused all of
    /// it; it is sent again where another broker or a later time may help.
    pub(super) async fn ask<R, F>(
        &self,
        target: Target<'_>,
        build: F,
        refusal: fn(&R::Response) -> Option<i16>,
        deadline: Instant,
    ) -> Result<R::Response, ClientError>
    where
        R: Request + Send + Sync,
        F: Fn(i16) -> R + Send + Sync,
    {
        self.ask_before(i16::MAX, target, build, refusal, deadline)
            .await
    }

    /// As [`Admin::ask`], for a request that must be sent in a version below `end`.
    pub(super) async fn ask_before<R, F>(
        &self,
        end: i16,
        target: Target<'_>,
        build: F,
        refusal: fn(&R::Response) -> Option<i16>,
        deadline: Instant,
    ) -> Result<R::Response, ClientError>
    where
        R: Request + Send + Sync,
        F: Fn(i16) -> R + Send + Sync,
    {
        let repeatable = RepeatableRequest::new(build)
            .before(end)
            .refused_by(refusal);
        let tries = self.try_until(target, &repeatable, deadline);
        self.unless_refused(target, tries).await?;
        repeatable.into_response()
    }

    /// Asks a broker once; a failure that another try may mend is for the caller to repeat.
    pub(super) async fn ask_once<R, F>(
        &self,
        node: i32,
        build: F,
        deadline: Instant,
    ) -> Result<R::Response, ClientError>
    where
        R: Request + Send + Sync,
        F: Fn(i16) -> R + Send + Sync,
    {
        self.ask_once_before(i16::MAX, node, build, deadline).await
    }

    /// As [`Admin::ask_once`], for a request that must be sent in a version below `end`.
    pub(super) async fn ask_once_before<R, F>(
        &self,
        end: i16,
        node: i32,
        build: F,
        deadline: Instant,
    ) -> Result<R::Response, ClientError>
    where
        R: Request + Send + Sync,
        F: Fn(i16) -> R + Send + Sync,
    {
        let repeatable = RepeatableRequest::new(build).before(end);
        let target = Target::Node(node);
        let asked = self.once(target, &repeatable, deadline);
        self.unless_refused(target, asked).await?;
        repeatable.into_response()
    }

    /// The outcome of asking a target, or that its broker does not let this client in.
    async fn unless_refused(
        &self,
        target: Target<'_>,
        asked: impl Future<Output = Result<(), ClientError>>,
    ) -> Result<(), ClientError> {
        let needs = |node| {
            let is_needed = matches!(target, Target::Node(target) if target == node);
            is_needed.then_some(ConnectionKind::Coordinator)
        };
        self.client.unless_refused(needs, asked).await?
    }

    async fn try_until(
        &self,
        target: Target<'_>,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let mut retries = self.client.retries(deadline);
        self.client.ready(deadline).await?;
        let mut before: Option<Arc<str>> = None;
        loop {
            retries.begin();
            let (met, is_over) = match self.once(target, request, deadline).await {
                Ok(()) => match request.refusal() {
                    Some(code) if code.retriable() => {
                        (TryFailure::Refusal(code.explained().into()), false)
                    }
                    _ => return Ok(()),
                },
                Err(ClientError::Attempt(error)) if error.retriable() => {
                    (TryFailure::NoAnswer(error.to_string().into()), false)
                }
                Err(ClientError::TimedOut { cause, .. })
                    if before.is_some() && retries.is_cut_off() =>
                {
                    (TryFailure::NoAnswer(cause), true)
                }
                Err(error) => return Err(error),
            };
            // The controller or the coordinator may be another broker by now.
            self.client.refresh_metadata();
            let cause = retries.cause(met, before.take());
            match retries.pause().filter(|_| !is_over) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(retries.late(target.naming(request.api()), cause)),
            }
            before = Some(cause);
        }
    }

    async fn once(
        &self,
        target: Target<'_>,
        request: &dyn AnyRequest,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let client = &self.client;
        let node = match target {
            Target::Any => None,
            Target::Controller => client.cluster().controller,
            Target::Coordinator(kind, name) => {
                Some(client.find_coordinator(kind, name, deadline).await?)
            }
            Target::Node(node) => Some(node),
        };
        match node {
            None => client.ask_any(request, deadline).await,
            Some(node) if matches!(target, Target::Node(_)) && !self.knows(node) => {
                Err(ClientError::Attempt(AttemptError::UnknownNode(node)))
            }
            Some(node) => {
                let kind = ConnectionKind::Coordinator;
                Ok(client.ask(node, kind, request, deadline).await?)
            }
        }
    }

    fn knows(&self, node: i32) -> bool {
        self.client.cluster().broker(node).is_some()
    }
}

/// The timeout to name to the broker, in ms: what is left until the deadline.
pub(super) fn broker_timeout(deadline: Instant) -> i32 {
    let left = deadline.saturating_duration_since(now());
    let left = left.max(Duration::from_millis(1)).as_millis();
    i32::try_from(left).unwrap_or(i32::MAX)
}

/// Finds `NOT_CONTROLLER` among the codes of a request that only the controller serves.
pub(super) fn not_controller(codes: impl IntoIterator<Item = i16>) -> Option<i16> {
    let code = ErrorCode::NotController.code();
    codes.into_iter().find(|each| *each == code)
}

/// Finds the error of a broker that is not the coordinator, or not ready as one.
pub(super) fn not_coordinator(codes: impl IntoIterator<Item = i16>) -> Option<i16> {
    let refusals = [
        ErrorCode::NotCoordinator,
        ErrorCode::CoordinatorLoadInProgress,
        ErrorCode::CoordinatorNotAvailable,
    ];
    codes
        .into_iter()
        .find(|code| refusals.contains(&ErrorCode::from_i16(*code)))
}

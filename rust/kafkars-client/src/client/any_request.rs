//! Requests whose kind is not known to the code that sends them: that code is there once, not once for each kind.

use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

use kafkars_protocol::{ApiKey, ErrorCode, Request};
use parking_lot::Mutex;

use crate::error::{AttemptError, ClientError};
use crate::net::Connection;

/// A request that is sent until it has a response, which it keeps. It is made anew each time.
pub(crate) trait AnyRequest: Sync {
    /// The API of the request.
    fn api(&self) -> ApiKey;

    /// Sends it once.
    fn ask(&self, connection: Connection, deadline: Instant) -> Attempt<'_>;

    /// The code by which the broker has refused all of it, if it has.
    fn refusal(&self) -> Option<ErrorCode>;
}

/// Ends when the request has its response, or with the reason why it has none.
pub(crate) type Attempt<'a> = Pin<Box<dyn Future<Output = Result<(), AttemptError>> + Send + 'a>>;

/// True if it does no harm that several brokers answer.
pub(super) fn changes_nothing(api: ApiKey) -> bool {
    matches!(
        api,
        ApiKey::ConsumerGroupDescribe
            | ApiKey::DescribeAcls
            | ApiKey::DescribeCluster
            | ApiKey::DescribeConfigs
            | ApiKey::DescribeGroups
            | ApiKey::DescribeLogDirs
            | ApiKey::DescribeProducers
            | ApiKey::DescribeTransactions
            | ApiKey::DescribeUserScramCredentials
            | ApiKey::FindCoordinator
            | ApiKey::ListGroups
            | ApiKey::ListOffsets
            | ApiKey::ListPartitionReassignments
            | ApiKey::ListTransactions
            | ApiKey::Metadata
            | ApiKey::OffsetFetch
            | ApiKey::OffsetForLeaderEpoch
    )
}

/// An [`AnyRequest`] of one kind.
pub(crate) struct RepeatableRequest<R: Request, F> {
    build: F,
    end: i16,
    refusal: fn(&R::Response) -> Option<i16>,
    // Never held for longer than it takes to read or replace it.
    response: Mutex<Option<R::Response>>,
}

impl<R: Request, F: Fn(i16) -> R> RepeatableRequest<R, F> {
    /// `build` makes the request for the version in which it travels.
    pub(crate) fn new(build: F) -> Self {
        Self {
            build,
            end: i16::MAX,
            refusal: |_| None,
            response: Mutex::new(None),
        }
    }

    /// The same, to be sent in a version below `end`.
    pub(crate) fn before(self, end: i16) -> Self {
        Self { end, ..self }
    }

    /// The same, which knows how to find in a response the code by which the broker refuses all of it.
    pub(crate) fn refused_by(self, refusal: fn(&R::Response) -> Option<i16>) -> Self {
        Self { refusal, ..self }
    }

    /// The last response.
    ///
    /// # Errors
    /// [`ClientError::Closed`] if there is none; once it was sent without an error there is one.
    pub(crate) fn into_response(self) -> Result<R::Response, ClientError> {
        self.response.into_inner().ok_or(ClientError::Closed)
    }
}

impl<R, F> AnyRequest for RepeatableRequest<R, F>
where
    R: Request + Send + Sync,
    F: Fn(i16) -> R + Send + Sync,
{
    fn api(&self) -> ApiKey {
        R::API_KEY
    }

    fn ask(&self, connection: Connection, deadline: Instant) -> Attempt<'_> {
        Box::pin(async move {
            let version = connection.versions().highest::<R>()?.min(self.end - 1);
            let answer = connection.start_version(&(self.build)(version), version, deadline)?;
            let response = answer.await?;
            *self.response.lock() = Some(response);
            Ok(())
        })
    }

    fn refusal(&self) -> Option<ErrorCode> {
        let response = self.response.lock();
        let code = response.as_ref().and_then(self.refusal);
        code.map(ErrorCode::from_i16)
    }
}

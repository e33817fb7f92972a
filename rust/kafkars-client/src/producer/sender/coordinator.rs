//! One request to a transaction coordinator, and what it means if no response comes.

use std::time::Instant;

use kafkars_core::transaction::{
    Destination, Dispatch, FindCoordinator, NoAnswer, TransactionRequest, TransactionResponse,
};
use kafkars_protocol::Request;

use super::no_answer::{Sent, no_answer};
use crate::client::Client;
use crate::error::{AttemptError, ClientError};
use crate::net::{Connection, ConnectionKind};

/// The finalized feature whose level is the version of the transaction protocol (KIP-890).
const TRANSACTION_VERSION: &str = "transaction.version";

/// Sends a request of the transaction's state machine once.
pub(super) async fn ask(
    client: &Client,
    dispatch: Dispatch,
    deadline: Instant,
) -> Result<TransactionResponse, NoAnswer> {
    let node = match (dispatch.destination, &dispatch.request) {
        (Destination::Node(node), _) => node,
        (Destination::AnyBroker, TransactionRequest::FindCoordinator(question)) => {
            return find(client, question.clone(), deadline).await;
        }
        (Destination::AnyBroker, other) => {
            let cause = format!("{} needs a coordinator", other.api().name());
            return Err(NoAnswer::Impossible {
                cause: cause.into(),
            });
        }
    };
    let connection = client
        .connection(node, ConnectionKind::Coordinator, deadline)
        .await;
    let connection = connection.map_err(|error| not_sent(&error))?;
    let call = CoordinatorCall {
        connection: &connection,
        max_version: dispatch.max_version,
        deadline,
    };
    match dispatch.request {
        TransactionRequest::FindCoordinator(question) => find(client, question, deadline).await,
        TransactionRequest::InitProducerId(request) => {
            let response = call.send(&request).await?;
            Ok(TransactionResponse::InitProducerId {
                response,
                transaction_version: connection.versions().feature(TRANSACTION_VERSION),
            })
        }
        TransactionRequest::AddPartitions(request) => {
            let response = call.send(&request).await?;
            Ok(TransactionResponse::AddPartitions(response))
        }
        TransactionRequest::AddOffsets(request) => {
            let response = call.send(&request).await?;
            Ok(TransactionResponse::AddOffsets(response))
        }
        TransactionRequest::CommitOffsets(request) => {
            let response = call.send(&request).await?;
            Ok(TransactionResponse::CommitOffsets(response))
        }
        TransactionRequest::End(request) => {
            let response = call.send(&request).await?;
            Ok(TransactionResponse::End(response))
        }
    }
}

/// Finds a coordinator. This changes nothing at the brokers, so one after the other may be asked.
async fn find(
    client: &Client,
    question: FindCoordinator,
    deadline: Instant,
) -> Result<TransactionResponse, NoAnswer> {
    let answer = client.request_any_with(|version| question.request(version), deadline);
    match answer.await {
        Ok(response) => Ok(TransactionResponse::FindCoordinator(response)),
        Err(ClientError::Attempt(error)) => Err(not_sent(&error)),
        Err(error) => Err(NoAnswer::NotSent {
            cause: error.to_string().into(),
        }),
    }
}

/// A connection to a coordinator, and the limits of one request on it.
struct CoordinatorCall<'a> {
    connection: &'a Connection,
    max_version: i16,
    deadline: Instant,
}

impl CoordinatorCall<'_> {
    async fn send<R: Request + Sync>(&self, request: &R) -> Result<R::Response, NoAnswer> {
        let versions = self.connection.versions();
        let version = versions.highest_up_to::<R>(self.max_version);
        let version = version.map_err(|error| not_sent(&error))?;
        let started = self
            .connection
            .start_version(request, version, self.deadline);
        let answer = started.map_err(|error| not_sent(&error))?;
        answer.await.map_err(|error| NoAnswer::Indefinite {
            cause: error.to_string().into(),
            timed_out: matches!(error, AttemptError::TimedOut(_)),
        })
    }
}

fn not_sent(error: &AttemptError) -> NoAnswer {
    no_answer(error, Sent::No)
}

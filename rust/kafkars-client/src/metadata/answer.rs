//! Asks one broker for metadata.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataResponse};

use crate::error::{AttemptError, BootstrapCause, ConnectCause, SaslFailure};
use crate::net::{Broker, ConnectionKind};

/// A Metadata response, and the brokers that were connected to on the way to it.
pub(crate) struct MetadataAnswer {
    pub(crate) response: MetadataResponse,
    pub(crate) api_version: i16,
    pub(crate) connected: Vec<Arc<Broker>>,
}

/// Sends a Metadata request to one broker.
pub(crate) async fn answer_of(
    broker: &Arc<Broker>,
    request: &MetadataRequest,
    deadline: Instant,
) -> Result<MetadataAnswer, BootstrapCause> {
    let failed = |cause: String| BootstrapCause::Metadata(cause.into());
    let connection = broker
        .connection(ConnectionKind::Coordinator, deadline)
        .await;
    let connection = connection.map_err(|error| match error {
        AttemptError::Connect { cause, .. } => BootstrapCause::Connect(cause),
        other => failed(other.to_string()),
    })?;
    let api_version = connection.versions().highest::<MetadataRequest>();
    let api_version = api_version.map_err(|error| {
        BootstrapCause::Connect(ConnectCause::Version(error.to_string().into()))
    })?;
    let started = connection.start_version(request, api_version, deadline);
    let answer = async { started?.await };
    let response = answer.await.map_err(|error| {
        if broker.wants_login(&error, connection.versions()) {
            BootstrapCause::Connect(ConnectCause::Sasl(SaslFailure::Wanted))
        } else {
            failed(error.to_string())
        }
    })?;
    broker.has_answered();
    if let Err(code) = ErrorCode::check(response.error_code) {
        let cause = code.explained();
        return Err(BootstrapCause::Brokerless(cause.into()));
    }
    if response.brokers.is_empty() {
        let cause = "the broker does not know of any broker yet";
        return Err(BootstrapCause::Brokerless(cause.into()));
    }
    Ok(MetadataAnswer {
        response,
        api_version,
        connected: vec![Arc::clone(broker)],
    })
}

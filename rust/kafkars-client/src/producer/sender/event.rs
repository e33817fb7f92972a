//! What the sender's task hears of.

use std::sync::Arc;

use kafkars_core::produce::sender::InFlightBatch;
use kafkars_core::transaction::{NoAnswer, TransactionResponse};
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::produce::ProduceResponse;
use tokio::sync::mpsc;

use crate::error::{AttemptError, ClientError};
use crate::net::{Broker, Connection};

/// What has happened since a request was made.
pub(super) enum SenderEvent {
    Connected(i32, Result<Connection, AttemptError>),
    Answered(
        i32,
        Vec<InFlightBatch>,
        Result<ProduceResponse, AttemptError>,
    ),
    /// The socket has taken a request that nobody answers.
    Written(i32, Vec<InFlightBatch>, Result<(), AttemptError>),
    Identified(
        Option<Arc<Broker>>,
        Result<InitProducerIdResponse, ClientError>,
    ),
    Coordinated(Result<TransactionResponse, NoAnswer>),
}

/// The sender's task is gone once the sender has ended; then its reports are made already.
pub(super) fn report(events: &mpsc::UnboundedSender<SenderEvent>, event: SenderEvent) {
    drop(events.send(event));
}

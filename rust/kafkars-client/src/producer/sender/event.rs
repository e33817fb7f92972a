//! Events for the sender's task.

use std::sync::Arc;

use kafkars_core::produce::sender::InFlightBatch;
use kafkars_core::transaction::{NoAnswer, TransactionResponse};
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::produce::ProduceResponse;
use tokio::sync::mpsc;

use crate::error::{AttemptError, ClientError};
use crate::net::{Broker, Connection};

/// An event that ends something the sender has started.
pub(super) enum SenderEvent {
    Connected(i32, Result<Connection, AttemptError>),
    Answered(
        i32,
        Vec<InFlightBatch>,
        Result<ProduceResponse, AttemptError>,
    ),
    /// The socket has taken a produce request that has no response (`acks=0`).
    Written(i32, Vec<InFlightBatch>, Result<(), AttemptError>),
    Identified(
        Option<Arc<Broker>>,
        Result<InitProducerIdResponse, ClientError>,
    ),
    Coordinated(Result<TransactionResponse, NoAnswer>),
}

/// Sends an event to the sender's task. If the task has ended, the outcomes were reported already.
pub(super) fn report(events: &mpsc::UnboundedSender<SenderEvent>, event: SenderEvent) {
    drop(events.send(event));
}

//! Sending: moves batches from the accumulator to the brokers and brings the answers back.
//!
//! The [`Sender`] decides, behind one lock. Mostly its own task runs it: on records, answers, metadata and time. A record
//! that nothing holds up leaves on the thread of its caller instead, which saves waking that task.

mod coordinator;
mod no_answer;
mod node;
mod sender;
mod transactions;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kafkars_core::produce::delivery::BatchDelivery;
use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::{Call, Ticket, TransactionError, Transactions};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use self::sender::{Event, Sender};
pub(crate) use self::transactions::CallEnd;
use crate::producer::Shared;

/// The sending half of one producer.
pub(crate) struct Sink {
    shared: Arc<Shared>,
    sender: Mutex<Sender>,
}

impl Sink {
    /// Starts the task, which runs until the producer is closed or its last handle is gone.
    pub(crate) fn start(shared: &Arc<Shared>) -> Arc<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        let sink = Arc::new(Self {
            shared: Arc::clone(shared),
            sender: Mutex::new(Sender::new(Arc::clone(shared), sender)),
        });
        sink.sender.lock().transactions_changed();
        let handle = shared.client.handle();
        handle.spawn(run(Arc::clone(&sink), events));
        sink
    }

    /// A batch was opened or closed: sends it from here if nothing holds it up, otherwise wakes the task. Records of
    /// callers that are quicker than the network gather meanwhile.
    #[inline]
    pub(crate) fn notice(&self) {
        let is_express = self.shared.config.linger.is_zero()
            && self
                .sender
                .try_lock()
                .is_some_and(|mut sender| sender.express());
        if !is_express {
            self.shared.wake.notify_one();
        }
    }
}

async fn run(sink: Arc<Sink>, mut events: mpsc::UnboundedReceiver<Event>) {
    let shared = &sink.shared;
    let mut cluster = shared.client.cluster_changed();
    while !shared.abandoned.load(Ordering::Acquire) {
        let wake_at = sink.sender.lock().dispatch();
        let timer = async {
            match wake_at {
                Some(instant) => tokio::time::sleep_until(instant.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(event) = events.recv() => sink.handle(event, &mut events),
            () = shared.wake.notified() => {}
            changed = cluster.changed() => {
                if changed.is_err() {
                    break;
                }
            }
            () = timer => {}
        }
    }
    let mut sender = sink.sender.lock();
    while let Ok(event) = events.try_recv() {
        sender.handle(event);
    }
    sender.give_up();
}

impl Sink {
    /// A call of transactions that is over when this returns.
    pub(crate) fn command(
        &self,
        call: Call,
        command: impl FnOnce(&mut Transactions) -> Result<(), TransactionError>,
    ) -> Result<(), TransactionError> {
        self.sender.lock().command(call, command)
    }

    /// A call of transactions that ends later.
    pub(crate) fn call(
        &self,
        call: Call,
        command: impl FnOnce(&mut Transactions) -> Result<Ticket, TransactionError>,
    ) -> Result<CallEnd, TransactionError> {
        let ended = self.sender.lock().call(call, command)?;
        self.shared.wake.notify_one();
        Ok(ended)
    }

    /// Gives records up. Returns how many.
    pub(crate) fn purge(&self, in_queue: bool, in_flight: bool) -> usize {
        let count = self.sender.lock().purge(in_queue, in_flight);
        self.shared.wake.notify_one();
        count
    }

    /// A record of the open transaction never reached a batch.
    pub(crate) fn record_refused(&self, error: &ProduceError) {
        self.sender.lock().record_refused(error);
        self.shared.wake.notify_one();
    }

    /// The batches whose deliveries are not done. Not while the sender works: a batch that it has finished is gone from its
    /// partition a moment before its delivery is done.
    pub(crate) fn unfinished(&self) -> Vec<Arc<BatchDelivery>> {
        let _at_rest = self.sender.lock();
        self.shared.accumulator.unfinished()
    }

    /// How many records have deliveries that are not done, likewise.
    pub(crate) fn unreported(&self) -> usize {
        let _at_rest = self.sender.lock();
        self.shared.accumulator.unacknowledged()
    }

    /// What keeps calls of transactions from ending, as far as is known.
    pub(crate) fn obstacle(&self) -> Option<Arc<str>> {
        self.sender.lock().obstacle()
    }

    /// Whether a transaction is begun and neither committed nor aborted.
    pub(crate) fn in_transaction(&self) -> bool {
        self.sender.lock().in_transaction()
    }

    /// Takes in everything that has come.
    fn handle(&self, first: Event, events: &mut mpsc::UnboundedReceiver<Event>) {
        let mut sender = self.sender.lock();
        sender.handle(first);
        while let Ok(event) = events.try_recv() {
            sender.handle(event);
        }
    }
}

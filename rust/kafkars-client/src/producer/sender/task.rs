//! The task of one producer's sender: runs the driver on new batches, responses, metadata and timers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kafkars_core::produce::delivery::BatchDelivery;
use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::{
    TransactionCall, TransactionCallId, TransactionError, Transactions,
};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::driver::SenderDriver;
use super::event::SenderEvent;
use super::transaction_calls::CallEnd;
use crate::producer::shared::ProducerShared;

/// The sender of one producer.
pub(crate) struct SenderTask {
    shared: Arc<ProducerShared>,
    driver: Mutex<SenderDriver>,
}

impl SenderTask {
    /// Starts the task, which runs until the producer is closed or its last handle is dropped.
    pub(crate) fn start(shared: &Arc<ProducerShared>) -> Arc<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        let task = Arc::new(Self {
            shared: Arc::clone(shared),
            driver: Mutex::new(SenderDriver::new(Arc::clone(shared), sender)),
        });
        task.driver.lock().transactions_changed();
        let handle = shared.client.handle();
        handle.spawn(run(Arc::clone(&task), events));
        task
    }

    /// Notes that a batch was opened or closed: sends it from here if it need not wait, otherwise wakes the task.
    /// Records of callers that are faster than the network gather meanwhile.
    #[inline]
    pub(crate) fn wake(&self) {
        let sent_inline = self.shared.config.linger.is_zero()
            && self
                .driver
                .try_lock()
                .is_some_and(|mut driver| driver.send_inline());
        if !sent_inline {
            self.shared.wake.notify_one();
        }
    }
}

async fn run(task: Arc<SenderTask>, mut events: mpsc::UnboundedReceiver<SenderEvent>) {
    let shared = &task.shared;
    let mut cluster = shared.client.cluster_changed();
    while !shared.abandoned.load(Ordering::Acquire) {
        let wake_at = task.driver.lock().dispatch();
        let timer = async {
            match wake_at {
                Some(instant) => tokio::time::sleep_until(instant.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(event) = events.recv() => task.handle(event, &mut events),
            () = shared.wake.notified() => {}
            changed = cluster.changed() => {
                if changed.is_err() {
                    break;
                }
            }
            () = timer => {}
        }
    }
    let mut driver = task.driver.lock();
    while let Ok(event) = events.try_recv() {
        driver.handle(event);
    }
    driver.give_up();
}

impl SenderTask {
    /// Runs a transactional call that is over when this returns.
    pub(crate) fn command(
        &self,
        call: TransactionCall,
        command: impl FnOnce(&mut Transactions) -> Result<(), TransactionError>,
    ) -> Result<(), TransactionError> {
        self.driver.lock().command(call, command)
    }

    /// Runs a transactional call that ends later.
    pub(crate) fn call(
        &self,
        call: TransactionCall,
        command: impl FnOnce(&mut Transactions) -> Result<TransactionCallId, TransactionError>,
    ) -> Result<CallEnd, TransactionError> {
        let ended = self.driver.lock().call(call, command)?;
        self.shared.wake.notify_one();
        Ok(ended)
    }

    /// Gives records up. Returns how many.
    pub(crate) fn purge(&self, in_queue: bool, in_flight: bool) -> usize {
        let count = self.driver.lock().purge(in_queue, in_flight);
        self.shared.wake.notify_one();
        count
    }

    /// Notes that a record never reached a batch: one of the open transaction, or of the one with that number.
    pub(crate) fn record_refused(&self, error: &ProduceError, transaction: Option<u64>) {
        self.driver.lock().record_refused(error, transaction);
        self.shared.wake.notify_one();
    }

    /// The batches whose deliveries are not done. Waits for the sender's lock: it removes a finished batch from its
    /// partition a moment before the delivery is done.
    pub(crate) fn unfinished(&self) -> Vec<Arc<BatchDelivery>> {
        let _at_rest = self.driver.lock();
        self.shared.accumulator.unfinished()
    }

    /// Waits until the sender is between two steps.
    pub(crate) fn rest(&self) {
        drop(self.driver.lock());
    }

    /// How many records have deliveries that are not done; waits likewise.
    pub(crate) fn unreported(&self) -> usize {
        let _at_rest = self.driver.lock();
        self.shared.accumulator.unacknowledged()
    }

    /// How many records of these batches have deliveries that are not done; waits likewise.
    pub(crate) fn unreported_of(&self, batches: &[Arc<BatchDelivery>]) -> usize {
        let _at_rest = self.driver.lock();
        self.shared.accumulator.unfinished_of(batches)
    }

    /// What transactional calls are waiting for, as far as is known.
    pub(crate) fn obstacle(&self) -> Option<Arc<str>> {
        self.driver.lock().obstacle()
    }

    /// True if a transaction has begun and was neither committed nor aborted.
    pub(crate) fn in_transaction(&self) -> bool {
        self.driver.lock().in_transaction()
    }

    /// Leaves the open transaction to end by itself. Returns true if its abort is under way.
    pub(crate) fn leave_transaction(&self) -> bool {
        let is_aborting = self.driver.lock().leave_transaction();
        self.shared.wake.notify_one();
        is_aborting
    }

    /// Asks the transaction's state machine; returns the default if the producer is not transactional.
    pub(crate) fn ask_transactions<T: Default>(&self, ask: impl FnOnce(&Transactions) -> T) -> T {
        let mut driver = self.driver.lock();
        driver.transactions().map_or_else(T::default, ask)
    }

    /// Handles all events that have come.
    fn handle(&self, first: SenderEvent, events: &mut mpsc::UnboundedReceiver<SenderEvent>) {
        let mut driver = self.driver.lock();
        driver.handle(first);
        while let Ok(event) = events.try_recv() {
            driver.handle(event);
        }
    }
}

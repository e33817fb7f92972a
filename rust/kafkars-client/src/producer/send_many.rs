//! Sending many records of one topic in one call, and batches that were built by the application.

use std::time::Instant;

use kafkars_core::produce::accumulator::{AppendRefusal, KnownTopic};
use kafkars_core::produce::delivery::Delivery;
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::partition_buffer::FilledBatch;

use super::{Producer, Records, SendError, SendPermit, Stopped};
use crate::{now, wall_clock_ms};

/// The sender is woken after this many records, so that it works while more are appended.
const WAKE_EVERY: usize = 512;

impl Producer {
    /// Checks the records themselves, so that a caller can send all of them or none.
    ///
    /// # Errors
    /// The first record that cannot be sent, and why, as for [`Producer::try_send`].
    pub fn check_many(
        &self,
        topic: &str,
        records: &dyn Records,
        permit: Option<SendPermit>,
    ) -> Result<(), Stopped> {
        let destination = match self.destination(topic, permit) {
            Err(AppendRefusal::Failed(error)) => return Err(at(0)(AppendRefusal::Failed(error))),
            destination => destination,
        };
        let known = destination.as_ref().ok();
        for index in 0..records.len() {
            let mut checked = Ok(());
            records.show(index, &mut |record| {
                checked = self.shared().accumulator.check(known, record);
            });
            checked.map_err(|error| {
                let refusal = AppendRefusal::Failed(error);
                self.doubt_partitions(&refusal);
                at(index)(refusal)
            })?;
        }
        destination.map(drop).map_err(at(0))
    }

    /// Appends records from index `start` on, in order, and adds their deliveries to `taken`. Never blocks: stops at
    /// the first record that it cannot accept.
    ///
    /// # Errors
    /// The first record that was not accepted, and why, as for [`Producer::try_send`]; those before it were.
    pub fn try_send_many(
        &self,
        topic: &str,
        records: &dyn Records,
        start: usize,
        permit: Option<SendPermit>,
        taken: &mut Vec<Delivery>,
    ) -> Result<(), Stopped> {
        let destination = self.destination(topic, permit).map_err(at(start))?;
        let accumulator = &self.shared().accumulator;
        let (mut now, mut now_ms) = (now(), wall_clock_ms());
        let mut wake = false;
        for index in start..records.len() {
            let mut outcome = Err(AppendRefusal::Failed(ProduceError::Closed));
            records.show(index, &mut |record| {
                outcome = self.admit(permit, || {
                    accumulator.append_to(&destination, record, || now, || now_ms)
                });
            });
            match outcome {
                Ok((delivery, changed)) => {
                    taken.push(delivery);
                    wake |= changed;
                }
                Err(refusal) => {
                    self.wake_sender(wake);
                    return Err(at(index)(refusal));
                }
            }
            if index % WAKE_EVERY == WAKE_EVERY - 1 {
                self.wake_sender(std::mem::take(&mut wake));
                (now, now_ms) = (crate::now(), wall_clock_ms());
            }
        }
        self.wake_sender(wake);
        Ok(())
    }

    /// Sends a batch as it is. Never blocks. Returns the delivery of its first record; the others follow it.
    ///
    /// # Errors
    /// As for [`Producer::try_send`].
    pub fn try_send_batch(
        &self,
        topic: &str,
        partition: i32,
        batch: &FilledBatch,
        permit: Option<SendPermit>,
    ) -> Result<Delivery, SendError> {
        let accumulator = &self.shared().accumulator;
        let taken = self.admit(permit, || {
            accumulator.append_batch(topic, partition, batch, now())
        });
        let (delivery, changed) = taken?;
        self.wake_sender(changed);
        Ok(delivery)
    }

    /// Gives records up: with `in_queue` those that were never sent, waiting ones included, with `in_flight` those that
    /// were sent and have no response yet. Returns how many.
    pub fn purge(&self, in_queue: bool, in_flight: bool) -> usize {
        let waiting = match in_queue {
            true => self.give_up_pending(&ProduceError::Purged { in_flight: false }),
            false => 0,
        };
        waiting + self.sender().purge(in_queue, in_flight)
    }

    fn destination(
        &self,
        topic: &str,
        permit: Option<SendPermit>,
    ) -> Result<KnownTopic, AppendRefusal> {
        self.admit(permit, || self.shared().accumulator.destination(topic))
    }

    /// Waits until all these deliveries have their outcomes, or until the deadline. Returns true if they have.
    pub async fn delivered(&self, deliveries: &[Delivery], deadline: Option<Instant>) -> bool {
        let done = async {
            for delivery in deliveries {
                if !delivery.batch().is_done() {
                    super::shared::finished(delivery.batch()).await;
                }
            }
        };
        match deadline {
            None => done.await,
            Some(deadline) => drop(tokio::time::timeout_at(deadline.into(), done).await),
        }
        deliveries.iter().all(Delivery::is_done)
    }
}

fn at(index: usize) -> impl FnOnce(AppendRefusal) -> Stopped {
    move |refusal| Stopped {
        index,
        error: refusal.into(),
    }
}

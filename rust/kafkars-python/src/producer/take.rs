//! How a record of a synchronous call enters the producer: its thread waits for the topic and for room, detached.

use std::sync::Arc;
use std::time::Instant;

use kafkars_client::{Delivery, SendError, SendPermit};
use pyo3::prelude::*;

use super::core::{self, ProducerCore};
use super::send_arguments::{Arguments, SendArguments};
use crate::runtime;

impl ProducerCore {
    /// Sends a record, waiting for its topic, partition and room.
    #[inline]
    pub(crate) fn take<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        arguments: &Arguments<'_, 'py>,
    ) -> PyResult<Delivery> {
        let mut record = SendArguments::new(&self.serializers, arguments)?;
        let producer = &self.producer;
        let again = |record: &SendArguments<'_, '_>, permit| {
            record.with(|record| producer.try_send_permitted(record, permit))
        };
        if !self.choose_partition(py, &mut record)? {
            let deadline = Instant::now() + producer.max_block();
            let permit = self.permit(py)?;
            self.wait_for_topic(py, &mut record, permit)?;
            return self.insist(
                py,
                again(&record, permit),
                || again(&record, permit),
                permit,
                deadline,
            );
        }
        match record.with(|record| producer.try_send(record)) {
            Ok(delivery) => Ok(delivery),
            Err(refusal) => {
                let permit = match refusal {
                    SendError::NotReady(_) => self.permit(py)?,
                    SendError::Failed(failure) => return Err(self.not_taken(py, &failure)),
                };
                let deadline = Instant::now() + producer.max_block();
                self.insist(
                    py,
                    Err(refusal),
                    || again(&record, permit),
                    permit,
                    deadline,
                )
            }
        }
    }

    /// The permit for a record that has to wait, which belongs to the transaction that is open now.
    pub(super) fn permit(&self, py: Python<'_>) -> PyResult<SendPermit> {
        let permit = self.producer.permit();
        permit.map_err(|refusal| self.not_taken(py, &refusal))
    }

    /// Waits for what a refused send needs, and tries again until the deadline.
    pub(super) fn insist(
        &self,
        py: Python<'_>,
        mut sent: Result<Delivery, SendError>,
        again: impl Fn() -> Result<Delivery, SendError>,
        permit: SendPermit,
        deadline: Instant,
    ) -> PyResult<Delivery> {
        loop {
            let wait = match sent {
                Ok(delivery) => return Ok(delivery),
                Err(SendError::Failed(failure)) => {
                    return Err(self.not_admitted(py, &failure, permit));
                }
                Err(SendError::NotReady(wait)) => wait,
            };
            let ready = runtime::block_on(py, self.producer.ready(wait, deadline))?;
            ready.map_err(|failure| self.not_admitted(py, &failure, permit))?;
            sent = again();
        }
    }

    /// Waits until the partition function can be called, and calls it.
    fn wait_for_topic(
        self: &Arc<Self>,
        py: Python<'_>,
        record: &mut SendArguments<'_, '_>,
        permit: SendPermit,
    ) -> PyResult<()> {
        let topic = record.topic.to_owned();
        let patience = self.producer.max_block();
        let answer =
            runtime::block_on(py, core::partitions_for(Arc::clone(self), topic, patience))?;
        answer.map_err(|failure| self.not_admitted(py, &failure, permit))?;
        self.choose_partition(py, record).map(drop)
    }
}

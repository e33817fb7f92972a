//! How a record of a synchronous call enters the producer: its thread waits for the topic and for room, detached.

use std::sync::Arc;
use std::time::Instant;

use kafkars_client::{Delivery, NotSent, SendError, SendPermit};
use pyo3::prelude::*;

use super::core::{self, ProducerCore};
use super::send_arguments::{Arguments, SendArguments};
use crate::error;
use crate::runtime::{self, Detached};

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
        let deadline;
        let permit;
        let sent = if self.choose_partition(py, &mut record)? {
            match record.with(|record| producer.try_send(record)) {
                Ok(delivery) => return Ok(delivery),
                Err(SendError::Failed(failure)) => return Err(self.not_taken(py, &failure)),
                refusal => {
                    permit = self.permit(py)?;
                    deadline = Instant::now() + producer.max_block();
                    refusal
                }
            }
        } else {
            deadline = Instant::now() + producer.max_block();
            permit = self.permit(py)?;
            self.wait_for_topic(py, &mut record, permit)?;
            record.with(|record| producer.try_send_permitted(record, permit))
        };
        self.send_blocking(py, sent, permit, deadline, || {
            record.with(|record| producer.try_send_permitted(record, permit))
        })
    }

    /// The permit for a record that has to wait, which belongs to the transaction that is open now.
    pub(super) fn permit(&self, py: Python<'_>) -> PyResult<SendPermit> {
        let permit = self.producer.permit();
        permit.map_err(|refusal| self.not_taken(py, &refusal))
    }

    /// Waits with the interpreter detached for what a refused send needs, and sends it again, until the deadline.
    pub(super) fn send_blocking(
        &self,
        py: Python<'_>,
        sent: Result<Delivery, SendError>,
        permit: SendPermit,
        deadline: Instant,
        again: impl Fn() -> Result<Delivery, SendError>,
    ) -> PyResult<Delivery> {
        let delivery = self
            .producer
            .send_blocking(&Detached(py), sent, again, permit, deadline);
        delivery.map_err(|cause| not_sent(py, cause))
    }

    /// Waits until the partition function can be called, and calls it.
    fn wait_for_topic(
        self: &Arc<Self>,
        py: Python<'_>,
        record: &mut SendArguments<'_, '_>,
        permit: SendPermit,
    ) -> PyResult<()> {
        let topic = record.topic.to_owned();
        let time_limit = self.producer.max_block();
        let answer = runtime::block_on(
            py,
            core::partitions_for(Arc::clone(self), topic, time_limit),
        )?;
        answer.map_err(|failure| self.not_admitted(py, &failure, permit))?;
        self.choose_partition(py, record).map(drop)
    }
}

/// The error of a call that did not send.
pub(super) fn not_sent(py: Python<'_>, cause: NotSent<PyErr>) -> PyErr {
    match cause {
        NotSent::Refused(failure) => error::produce(py, &failure),
        NotSent::Interrupted(raised) => raised,
    }
}

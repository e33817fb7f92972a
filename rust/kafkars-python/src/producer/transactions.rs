//! Transactions: what their calls take from Python, and what they do besides the producer's own part.

use std::sync::Arc;
use std::time::Instant;

use kafkars_client::{GroupMetadata, OffsetToCommit, ProduceError, check_offset_to_commit};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use super::core::ProducerCore;
use crate::consumer::offset_from;
use crate::error;
use crate::types;

/// The calls that wait for a coordinator.
pub(super) enum Step {
    Init,
    SendOffsets(GroupMetadata, Vec<OffsetToCommit>),
    Commit,
    Abort,
    /// Waits for the end of a transaction that was left to end by itself.
    JoinLeft,
}

impl ProducerCore {
    /// Runs a call until the deadline. It is for the transaction that is open now, and never for a later one.
    pub(super) fn transaction(
        self: Arc<Self>,
        step: Step,
        deadline: Instant,
    ) -> impl Future<Output = Result<(), ProduceError>> + Send + 'static {
        let number = self.producer.transaction_number();
        self.carry_out(step, number, deadline)
    }

    async fn carry_out(
        self: Arc<Self>,
        step: Step,
        number: u64,
        deadline: Instant,
    ) -> Result<(), ProduceError> {
        let producer = &self.producer;
        match step {
            Step::Init => producer.init_transactions(deadline).await,
            Step::SendOffsets(group, offsets) => {
                producer
                    .send_offsets_to_transaction(group, offsets, deadline)
                    .await
            }
            Step::Commit => {
                // Records that wait for room were sent before the commit, and so are part of it.
                let started = Instant::now();
                self.admitted(deadline).await?;
                if !self.latecomers.is_empty() {
                    return Err(still_waiting(started));
                }
                producer.commit_numbered(number, deadline).await
            }
            Step::Abort => {
                let aborted = producer.abort_transaction(deadline);
                let _ = self.admissions.give_up(&ProduceError::Aborted);
                aborted.await
            }
            Step::JoinLeft => producer.join_left_transaction(deadline).await,
        }
    }

    /// Leaves the open transaction to end by itself: it is aborted, now or, where it is being committed, should that fail.
    /// Returns whether the abort is under way.
    pub(super) fn leave_transaction(&self, py: Python<'_>) -> bool {
        let is_aborting = self.producer.leave_transaction();
        if is_aborting {
            let _ = self.latecomers.give_up(py, &ProduceError::Aborted);
            let _ = self.admissions.give_up(&ProduceError::Aborted);
        }
        is_aborting
    }

    /// Waits until every record sent so far is in a batch.
    pub(super) async fn admitted(&self, deadline: Instant) -> Result<(), ProduceError> {
        let started = Instant::now();
        let admitted = tokio::time::timeout_at(deadline.into(), self.admissions.empty());
        admitted.await.map_err(|_| still_waiting(started))
    }
}

fn still_waiting(started: Instant) -> ProduceError {
    ProduceError::CallTimedOut {
        call: kafkars_client::TransactionCall::Commit,
        waited: started.elapsed(),
        cause: "records still wait for their topic or for room in buffer_memory".into(),
    }
}

/// Positions by partition: a number, or an `OffsetAndMetadata`.
pub(super) fn offsets(given: &Bound<'_, PyAny>) -> PyResult<Vec<OffsetToCommit>> {
    let Ok(mapping) = given.cast::<PyMapping>() else {
        return Err(PyTypeError::new_err(format!(
            "offsets: expected a mapping of TopicPartition to an offset, not {}",
            given.get_type().name()?
        )));
    };
    let items = mapping.items()?;
    items.iter().map(|item| offset(&item)).collect()
}

fn offset(item: &Bound<'_, PyAny>) -> PyResult<OffsetToCommit> {
    let (partition, position) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
    let of = types::partition_from(&partition)?;
    let position = offset_from(&position)?;
    // What no broker takes is refused here, as in commit(): asked for once, it would be asked for until the transaction ends.
    check_offset_to_commit(&of, position.offset)
        .map_err(|failure| error::fetch(item.py(), &failure))?;
    Ok(OffsetToCommit {
        topic: of.topic,
        partition: of.partition,
        offset: position.offset,
        leader_epoch: position.leader_epoch,
        metadata: Some(position.metadata).filter(|text| !text.is_empty()),
    })
}

/// A `ConsumerGroupMetadata`.
pub(super) fn group(given: &Bound<'_, PyAny>) -> PyResult<GroupMetadata> {
    type Parts = (String, i32, String, Option<String>);
    let Ok((group_id, generation_id, member_id, instance_id)) = given.extract::<Parts>() else {
        return Err(PyTypeError::new_err(format!(
            "group_metadata: expected what Consumer.group_metadata() gives, or ConsumerGroupMetadata(group_id), not {}",
            given.repr()?
        )));
    };
    Ok(GroupMetadata {
        group_id: group_id.into(),
        generation_id,
        member_id: member_id.into(),
        group_instance_id: instance_id.map(Into::into),
    })
}

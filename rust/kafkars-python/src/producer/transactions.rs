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
}

impl ProducerCore {
    /// Runs a call until the deadline.
    pub(super) async fn transaction(
        self: Arc<Self>,
        step: Step,
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
                producer.commit_transaction(deadline).await
            }
            Step::Abort => {
                let aborted = producer.abort_transaction(deadline);
                let _ = self.admissions.give_up(&ProduceError::Aborted);
                aborted.await
            }
        }
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

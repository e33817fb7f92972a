//! Transactions: their arguments from Python, and what their calls do besides the engine's part.

use std::pin::Pin;
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
pub(super) enum TransactionCommand {
    Init,
    SendOffsets(GroupMetadata, Vec<OffsetToCommit>),
    Commit,
    Abort,
    /// Waits for the end of a transaction that was left to end by itself.
    JoinLeft,
}

impl ProducerCore {
    /// Begins a call, and returns the future of its end, which comes at the deadline at the latest.
    pub(super) fn transaction(
        &self,
        step: TransactionCommand,
        deadline: Instant,
    ) -> TransactionStep {
        let producer = self.producer.clone();
        match step {
            TransactionCommand::Init => {
                Box::pin(async move { producer.init_transactions(deadline).await })
            }
            TransactionCommand::SendOffsets(group, offsets) => Box::pin(async move {
                let sent = producer.send_offsets_to_transaction(group, offsets, deadline);
                sent.await
            }),
            TransactionCommand::Commit => Box::pin(producer.commit_transaction(deadline)),
            TransactionCommand::Abort => Box::pin(producer.abort_transaction(deadline)),
            TransactionCommand::JoinLeft => {
                Box::pin(async move { producer.join_left_transaction(deadline).await })
            }
        }
    }

    /// Why the open transaction must be aborted, or the producer cannot go on.
    pub(crate) fn transaction_failure(&self) -> Option<ProduceError> {
        let refusal = self.producer.permit().err()?;
        let ProduceError::Transaction(problem) = &refusal else {
            return None;
        };
        (problem.is_abortable() || problem.is_fatal()).then_some(refusal)
    }
}

/// The future of a call under way.
pub(super) type TransactionStep = Pin<Box<dyn Future<Output = Result<(), ProduceError>> + Send>>;

/// Offsets by partition, each a number or an `OffsetAndMetadata`.
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
    // Offsets that no broker accepts are refused here, as in commit(): otherwise the request would be repeated until
    // the transaction ends.
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

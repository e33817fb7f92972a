//! What a Produce response means for a batch.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::produce::PartitionProduceResponse;

use crate::produce::delivery::BatchAck;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::OutgoingBatch;

/// What happens to a batch after one try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProduceOutcome {
    /// The batch is in the log.
    Stored(BatchAck),
    /// The batch is tried again later.
    Retry {
        /// What the broker said, for the error, should `retries` be used up.
        code: ErrorCode,
        /// The same in words, for the error, should `delivery_timeout` end first.
        cause: Arc<str>,
        /// True if the leader may have moved.
        refresh: bool,
        /// True if the obstacle passes within milliseconds.
        soon: bool,
    },
    /// The broker has none of the partition's unacknowledged batches and refuses their sequence numbers: they get new
    /// ones under the next epoch (KIP-360).
    Restart {
        /// What the broker said, for the error, should `retries` or `delivery_timeout` end first.
        code: ErrorCode,
        /// True if the producer id itself is of no use any more.
        new_id: bool,
    },
    /// The batch is too large for the topic; in parts it may fit.
    Split(ProduceError),
    /// No try will succeed.
    Failed(ProduceError),
}

/// Judges a partition's part of a Produce response. `has_earlier` tells whether an earlier batch of the partition has
/// no outcome yet; a `transactional` producer cannot start its sequence numbers over within a transaction, which fails
/// instead.
pub fn judge(
    batch: &OutgoingBatch,
    answer: &PartitionProduceResponse,
    has_earlier: bool,
    transactional: bool,
) -> ProduceOutcome {
    let code = ErrorCode::from_i16(answer.error_code);
    let numbered = batch.sequence.is_some();
    match code {
        // A duplicate was stored by an earlier try whose response was lost.
        ErrorCode::None | ErrorCode::DuplicateSequenceNumber => ProduceOutcome::Stored(BatchAck {
            base_offset: answer.base_offset,
            log_append_time: answer.log_append_time_ms,
        }),
        // The batch may be in order once the batches before it are stored.
        ErrorCode::OutOfOrderSequenceNumber
        | ErrorCode::UnknownProducerId
        | ErrorCode::InvalidProducerEpoch
            if has_earlier && !(transactional && code == ErrorCode::InvalidProducerEpoch) =>
        {
            ProduceOutcome::Retry {
                code,
                cause: code.name().into(),
                refresh: false,
                soon: false,
            }
        }
        ErrorCode::OutOfOrderSequenceNumber
        | ErrorCode::UnknownProducerId
        | ErrorCode::InvalidProducerEpoch
            if numbered && !transactional =>
        {
            ProduceOutcome::Restart {
                code,
                new_id: code == ErrorCode::InvalidProducerEpoch,
            }
        }
        ErrorCode::MessageTooLarge | ErrorCode::RecordListTooLarge
            if batch.count > 1 && !batch.is_filled =>
        {
            ProduceOutcome::Split(refused(batch, code, answer))
        }
        code if code.retriable() => ProduceOutcome::Retry {
            code,
            cause: cause(code, answer.error_message.as_deref()),
            refresh: code.invalid_metadata(),
            soon: code == ErrorCode::ConcurrentTransactions,
        },
        code => ProduceOutcome::Failed(refused(batch, code, answer)),
    }
}

fn cause(code: ErrorCode, message: Option<&str>) -> Arc<str> {
    let text = message.unwrap_or_else(|| code.description());
    format!("{}: {text}", code.name()).into()
}

fn refused(
    batch: &OutgoingBatch,
    code: ErrorCode,
    answer: &PartitionProduceResponse,
) -> ProduceError {
    let record = answer
        .record_errors
        .iter()
        .find_map(|record| record.batch_index_error_message.as_deref());
    let message = record.or(answer.error_message.as_deref());
    ProduceError::Broker {
        code,
        topic: Arc::clone(batch.delivery.topic()),
        partition: batch.delivery.partition(),
        message: message.map(Into::into),
    }
}

//! Checks of partitions and offsets that the application names.

use std::sync::Arc;

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::CommitError;
use kafkars_protocol::ErrorCode;

use crate::topic_name;

/// Fails for an invalid topic name, and for a partition below 0.
pub(super) fn check_partition(partition: &TopicPartition) -> Result<(), FetchError> {
    if !topic_name::is_valid(&partition.topic) {
        return Err(FetchError::Topic {
            topic: Arc::clone(&partition.topic),
            code: ErrorCode::InvalidTopicException,
        });
    }
    if partition.partition < 0 {
        return Err(FetchError::InvalidArgument {
            problem: format!("{partition}: partitions count from 0").into(),
        });
    }
    Ok(())
}

/// Fails for a negative offset.
pub(super) fn check_offset(partition: &TopicPartition, offset: i64) -> Result<(), FetchError> {
    if offset < 0 {
        return Err(FetchError::InvalidArgument {
            problem: format!(
                "offset {offset} for {partition} is negative; use seek_to_beginning or seek_to_end"
            )
            .into(),
        });
    }
    Ok(())
}

/// Checks an offset that is to be committed: fails for an invalid topic name, and for a partition or an offset below 0.
///
/// # Errors
/// [`FetchError`], which says what is wrong.
pub fn check_offset_to_commit(partition: &TopicPartition, offset: i64) -> Result<(), FetchError> {
    check_partition(partition)?;
    if offset < 0 {
        return Err(FetchError::Commit(CommitError::InvalidOffset {
            partition: partition.clone(),
            offset,
        }));
    }
    Ok(())
}

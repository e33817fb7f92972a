//! Committed offsets of the group.

use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::Offsets;

use super::offset_fetch::fetch;
use crate::consumer::arguments::check_partition;
use crate::consumer::handle::Consumer;

impl Consumer {
    /// Returns the committed offset of each partition; partitions without one are left out.
    ///
    /// # Errors
    /// [`FetchError::State`] without a group, [`FetchError::TimedOut`] at the deadline, [`FetchError::Closed`] after a
    /// close; otherwise why the coordinator did not tell.
    pub async fn committed(
        &self,
        partitions: Vec<TopicPartition>,
        deadline: Instant,
    ) -> Result<Offsets, FetchError> {
        self.check_open()?;
        self.group("committed()")?;
        for partition in &partitions {
            check_partition(partition)?;
        }
        fetch(&self.shared, partitions, deadline).await
    }
}

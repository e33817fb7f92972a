//! Committed offsets of the group.

use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::Offsets;

use super::offset_fetch::fetch;
use crate::consumer::arguments::check_partition;
use crate::consumer::handle::Consumer;

impl Consumer {
    /// Returns the committed offset of each partition; partitions without one are left out. With `require_stable`, and
    /// brokers from 2.5 on, it waits where an open transaction has offsets of one of them (KIP-447).
    ///
    /// # Errors
    /// [`FetchError::State`] without a group, [`FetchError::TimedOut`] at the deadline, [`FetchError::Closed`] after a
    /// close; otherwise why the coordinator did not tell.
    pub async fn committed(
        &self,
        partitions: Vec<TopicPartition>,
        require_stable: bool,
        deadline: Instant,
    ) -> Result<Offsets, FetchError> {
        self.check_open()?;
        self.group("committed()")?;
        for partition in &partitions {
            check_partition(partition)?;
        }
        fetch(&self.shared, partitions, require_stable, deadline).await
    }
}

//! Retention and compaction, when they are asked for.

use super::EmbeddedBroker;
use crate::cleanup::{compact, retain};
use crate::error::EmbeddedBrokerError;
use crate::topic::Topic;

impl EmbeddedBroker {
    /// Deletes what `retention.ms` and `retention.bytes` no longer keep of a topic, or of all, where `cleanup.policy`
    /// has `delete`. Returns by how many offsets the beginnings of their partitions have moved.
    ///
    /// # Errors
    /// When there is no such topic, or the broker is stopped.
    pub fn run_retention(&self, topic: Option<&str>) -> Result<u64, EmbeddedBrokerError> {
        let cluster = self.running()?;
        self.each(topic, |topic| Ok(retain(topic, cluster.now())))
    }

    /// Compacts a topic, or all, where `cleanup.policy` has `compact`. Returns how many records are gone.
    ///
    /// # Errors
    /// When there is no such topic, a batch cannot be read, or the broker is stopped.
    pub fn compact(&self, topic: Option<&str>) -> Result<u64, EmbeddedBrokerError> {
        let cluster = self.running()?;
        self.each(topic, |topic| compact(topic, cluster.now()))
    }

    fn each(
        &self,
        name: Option<&str>,
        mut clean: impl FnMut(&mut Topic) -> Result<u64, EmbeddedBrokerError>,
    ) -> Result<u64, EmbeddedBrokerError> {
        let mut state = self.running()?.state();
        let Some(name) = name else {
            return state.topics_mut().map(clean).sum();
        };
        let found = state.topic_mut(name);
        clean(found.ok_or_else(|| EmbeddedBrokerError::UnknownTopic(name.to_owned()))?)
    }
}

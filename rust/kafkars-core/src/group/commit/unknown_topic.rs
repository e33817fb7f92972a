//! Commits of partitions that the coordinator does not know: the topic may be too new, or deleted, or deleted and
//! created again.

use kafkars_protocol::{ErrorCode, Uuid};

use super::error::CommitError;
use crate::cluster::Cluster;
use crate::config::TopicPartition;

/// How many refusals it takes, beside metadata without the topic, to fail a commit that the application has asked for.
/// Brokers may lag behind the creation of a topic, more than one of them too.
const REFUSALS: u32 = 3;

/// How many refusals fail a commit, even if metadata has the topic, when something else waits for it: a revocation, the
/// end of the consumer, or the next automatic commit, which repeats it.
const LONGEST_HOLD: u32 = 5;

/// How often the coordinator has refused an offset because it does not know the partition.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnknownTopic {
    pub(super) code: ErrorCode,
    pub(super) refusals: u32,
}

impl UnknownTopic {
    /// The same after one more refusal.
    pub(super) fn again(before: Option<Self>, code: ErrorCode) -> Self {
        Self {
            code,
            refusals: before.map_or(0, |before| before.refusals).saturating_add(1),
        }
    }

    /// True if the commit is to fail with this refusal.
    pub(super) fn is_final(self, is_gone: bool, is_patient: bool) -> bool {
        match is_patient {
            true => is_gone && self.refusals >= REFUSALS,
            false => is_gone || self.refusals >= LONGEST_HOLD,
        }
    }
}

/// True if metadata says that there is no such partition, or that the topic of this name is not the one in which the
/// offset was reached.
pub(super) fn is_gone(cluster: &Cluster, partition: &TopicPartition, topic_id: Uuid) -> bool {
    let Some(topic) = cluster.topic(&partition.topic) else {
        return false;
    };
    match topic.error {
        Some(code) => code.unknown_topic(),
        None => {
            let index = usize::try_from(partition.partition).ok();
            let is_there = index.is_some_and(|index| index < topic.partitions.len());
            let is_another = !topic_id.is_zero() && !topic.id.is_zero() && topic.id != topic_id;
            is_another || !is_there
        }
    }
}

impl CommitError {
    /// True if the commit failed only because topics were deleted, or deleted and created again.
    #[must_use]
    pub fn is_unknown_topic(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code.unknown_topic())
    }

    /// Keeps the first error. One about deleted topics gives way to any other, because nobody can commit those offsets.
    pub(super) fn note(known: &mut Option<Self>, error: Self) {
        if known.as_ref().is_none_or(Self::is_unknown_topic)
            && !(known.is_some() && error.is_unknown_topic())
        {
            *known = Some(error);
        }
    }
}

//! Commits of partitions that the coordinator does not know: it may not have heard of a topic that is new, or the topic
//! is gone, or made again.

use kafkars_protocol::{ErrorCode, Uuid};

use super::error::CommitError;
use crate::cluster::Cluster;
use crate::config::TopicPartition;

/// Refusals before the word of metadata counts against a commit that the application has asked for. A broker may lag
/// behind the creation of a topic, and two brokers may.
const PATIENCE: u32 = 3;

/// Refusals before a commit is given up that something waits for which is not about this topic: a revocation, the end
/// of the consumer, or the next automatic commit, which says the same again. It is given up though metadata may know
/// the topic.
const LONGEST_HOLD: u32 = 5;

/// The coordinator has refused an offset because it does not know the partition.
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

    /// Whether the refusal is final.
    pub(super) fn is_final(self, is_gone: bool, is_patient: bool) -> bool {
        match is_patient {
            true => is_gone && self.refusals >= PATIENCE,
            false => is_gone || self.refusals >= LONGEST_HOLD,
        }
    }
}

/// Whether a code says that the coordinator does not know a partition.
pub(super) fn is_unknown_topic(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::UnknownTopicOrPartition | ErrorCode::UnknownTopicId
    )
}

/// Whether metadata says that there is no such partition, or that the topic of this name is another one than that in
/// which the offset was reached.
pub(super) fn is_gone(cluster: &Cluster, partition: &TopicPartition, topic_id: Uuid) -> bool {
    let Some(topic) = cluster.topic(&partition.topic) else {
        return false;
    };
    match topic.error {
        Some(code) => is_unknown_topic(code),
        None => {
            let place = usize::try_from(partition.partition).ok();
            let is_there = place.is_some_and(|place| place < topic.partitions.len());
            let is_another = !topic_id.is_zero() && !topic.id.is_zero() && topic.id != topic_id;
            is_another || !is_there
        }
    }
}

impl CommitError {
    /// Whether nothing else stood against the commit than topics that are gone, or were made again since.
    #[must_use]
    pub fn is_unknown_topic(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if is_unknown_topic(*code))
    }

    /// Keeps the first error, but one about topics that are gone only where there is no other: what is left of those
    /// can be committed by nobody.
    pub(super) fn note(known: &mut Option<Self>, error: Self) {
        if known.as_ref().is_none_or(Self::is_unknown_topic)
            && !(known.is_some() && error.is_unknown_topic())
        {
            *known = Some(error);
        }
    }
}

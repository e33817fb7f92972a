//! The ids of the topics in which positions were reached. A topic that is deleted and created again has the name of the
//! former one and another id; offsets of the former say nothing about it.

use kafkars_protocol::Uuid;

use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::config::TopicPartition;
use crate::fetch::cursor::Cursor;

/// What has changed by noting the ids of topics.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NotedTopics {
    /// Whether any id was not known before.
    pub has_changes: bool,
    /// Partitions of topics that were created again: reading starts over.
    pub made_again: Vec<TopicPartition>,
}

impl FetchBuffer {
    /// Notes the topic ids in metadata: `id_of` returns the id of a topic that exists, if brokers have topic ids.
    ///
    /// A position without an id belongs to the first topic that is known. A position in another topic is given up, and
    /// a new one is looked up: the committed offset, or as the policy says.
    pub fn note_topics(&mut self, id_of: impl Fn(&TopicPartition) -> Option<Uuid>) -> NotedTopics {
        let mut noted = NotedTopics::default();
        let mut made_again: Vec<CursorId> = Vec::new();
        for (id, slot) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = slot.as_mut() else {
                continue;
            };
            let Some(topic_id) = id_of(&cursor.partition).filter(|id| !id.is_zero()) else {
                continue;
            };
            if cursor.topic_id == topic_id {
                cursor.gone_at = None;
            } else if cursor.topic_id.is_zero() {
                cursor.topic_id = topic_id;
                noted.has_changes = true;
            } else if cursor.former_id != topic_id {
                // A broker that lags may still have the former topic.
                cursor.former_id = std::mem::replace(&mut cursor.topic_id, topic_id);
                noted.made_again.push(cursor.partition.clone());
                made_again.push(id);
            }
        }
        noted.has_changes |= !made_again.is_empty();
        for id in made_again {
            self.begin_anew(id);
        }
        noted
    }

    fn begin_anew(&mut self, id: CursorId) {
        let first = self.start;
        self.unfinished.retain(|(of, _)| *of != id);
        self.restart(id, |cursor| {
            // A start that was asked for and not found yet is looked up in the new topic.
            let start = match cursor.position() {
                Some(_) => first,
                None => cursor.start,
            };
            cursor.settled = None;
            cursor.gone_at = None;
            cursor.is_unread_since = true;
            cursor.high_watermark = -1;
            cursor.last_stable_offset = -1;
            cursor.log_start_offset = -1;
            cursor.validated = -1;
            cursor.leader = None;
            cursor.retry.shorten();
            cursor.reset(start);
        });
        if let Some(cursor) = &self.cursors[id] {
            let partition = cursor.partition.clone();
            self.left_unfinished.remove(&partition);
            self.ledger.begin_anew(&partition);
        }
    }

    /// The id of the topic in which the position was reached, for its commit.
    pub fn topic_id(&self, partition: &TopicPartition) -> Uuid {
        let cursor = self.cursor(partition);
        cursor.map_or(Uuid::ZERO, |cursor| cursor.topic_id)
    }

    /// The id of the topic from which records were handed out last, for commits of the application.
    pub fn topic_id_read(&self, partition: &TopicPartition) -> Uuid {
        let read = |cursor: &Cursor| match cursor.is_unread_since {
            true => cursor.former_id,
            false => cursor.topic_id,
        };
        self.cursor(partition).map_or(Uuid::ZERO, read)
    }

    /// Notes that a commit of the partition failed because its topic was deleted: there is no automatic commit of it
    /// until metadata has the topic again or reading goes on.
    pub fn note_gone(&mut self, partition: &TopicPartition, offset: i64) {
        let id = self.by_partition.get(partition).copied();
        if let Some(cursor) = id.and_then(|id| self.cursors[id].as_mut()) {
            cursor.gone_at = Some(offset);
        }
    }

    pub(super) fn is_gone(&self, partition: &TopicPartition, finished: i64) -> bool {
        let cursor = self.cursor(partition).ok();
        let gone_at = cursor.and_then(|cursor| cursor.gone_at);
        gone_at.is_some_and(|gone_at| finished <= gone_at)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::config::AutoOffsetReset;
    use crate::fetch::buffer::LookUpSource;
    use crate::fetch::cursor::StartAt;
    use crate::fetch::position::FetchPosition;

    const OLD: Uuid = Uuid([1; 16]);
    const NEW: Uuid = Uuid([2; 16]);

    fn partition() -> TopicPartition {
        TopicPartition {
            topic: "t".into(),
            partition: 0,
        }
    }

    fn note(buffer: &mut FetchBuffer, topic_id: Uuid) -> NotedTopics {
        buffer.note_topics(|_| Some(topic_id))
    }

    /// A consumer of a group that has read up to offset 7 of the topic.
    fn reading() -> FetchBuffer {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 20);
        buffer.start_from_committed();
        buffer.assign(vec![(partition(), Some(FetchPosition::at(7)))]);
        let noted = note(&mut buffer, OLD);
        assert!(noted.has_changes && noted.made_again.is_empty());
        buffer
    }

    fn starts(buffer: &mut FetchBuffer) -> Vec<StartAt> {
        let look_ups = buffer.take_look_ups(Instant::now(), |_, _| Some(LookUpSource::Leader(1)));
        look_ups.iter().map(|look_up| look_up.start).collect()
    }

    #[test]
    fn a_topic_that_was_made_again_begins_anew_once() {
        let mut buffer = reading();
        assert_eq!(note(&mut buffer, OLD), NotedTopics::default());
        assert_eq!(note(&mut buffer, NEW).made_again, [partition()]);
        assert_eq!(buffer.to_commit(), []);
        assert_eq!(starts(&mut buffer), [StartAt::Committed]);
        // A broker that lags has the former topic.
        assert_eq!(note(&mut buffer, OLD), NotedTopics::default());
        assert_eq!(buffer.topic_id(&partition()), NEW);
    }

    #[test]
    fn what_is_sought_is_sought_in_the_new_one() {
        let mut buffer = reading();
        buffer
            .seek_to(&partition(), StartAt::Latest)
            .expect("assigned");
        note(&mut buffer, NEW);
        assert_eq!(starts(&mut buffer), [StartAt::Latest]);
    }

    #[test]
    fn brokers_without_identifiers_change_nothing() {
        let mut buffer = reading();
        assert_eq!(note(&mut buffer, Uuid::ZERO), NotedTopics::default());
        assert_eq!(buffer.note_topics(|_| None), NotedTopics::default());
        assert_eq!(buffer.consumed().len(), 1);
    }

    #[test]
    fn offsets_of_the_application_are_of_what_it_has_read_last() {
        let mut buffer = reading();
        note(&mut buffer, NEW);
        assert_eq!(buffer.topic_id_read(&partition()), OLD);
        buffer
            .seek(&partition(), FetchPosition::at(0))
            .expect("assigned");
        assert_eq!(buffer.topic_id_read(&partition()), NEW);
    }

    #[test]
    fn what_is_gone_is_committed_of_itself_when_it_is_back_or_goes_on() {
        let mut buffer = reading();
        assert_eq!(buffer.to_commit().len(), 1);
        buffer.note_gone(&partition(), 7);
        assert_eq!(buffer.to_commit(), []);
        note(&mut buffer, OLD);
        assert_eq!(buffer.to_commit().len(), 1);
        buffer.note_gone(&partition(), 7);
        buffer
            .seek(&partition(), FetchPosition::at(8))
            .expect("assigned");
        assert_eq!(buffer.to_commit().len(), 1);
    }
}

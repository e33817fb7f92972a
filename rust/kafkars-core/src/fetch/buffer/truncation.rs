//! Log truncation (KIP-320): after an unclean election the log of the new leader may end before the position, or have
//! other records before it.

use std::collections::HashSet;
use std::time::Instant;

use super::fetch_buffer::{CursorId, FetchBuffer};
use super::look_ups::was_refused_a_position;
use crate::config::{AutoOffsetReset, TopicPartition};
use crate::fetch::cursor::{Cursor, CursorState, StartAt};
use crate::fetch::error::FetchError;
use crate::fetch::position::FetchPosition;

/// A cursor whose log must be compared with what was read from it, because another leader was elected since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validation {
    /// The cursor.
    pub id: CursorId,
    /// The cursor's epoch, to recognise a late response.
    pub epoch: u64,
    /// The partition.
    pub partition: TopicPartition,
    /// The position of the next fetch, with the leader epoch to ask about.
    pub from: FetchPosition,
    /// The leader to ask.
    pub node: i32,
    /// That leader's epoch.
    pub leader_epoch: i32,
}

/// The end of a leader epoch, according to the leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochEnd {
    /// The newest epoch the leader has that is not newer than the one asked for, or -1.
    pub leader_epoch: i32,
    /// The offset after its last record, or -1.
    pub end_offset: i64,
}

impl EpochEnd {
    /// True if a log with this end of the epoch does not hold what was read up to `from`.
    #[must_use]
    pub fn diverges_from(self, from: FetchPosition) -> bool {
        self.leader_epoch < from.leader_epoch.max(0) || self.end_offset < from.offset.max(0)
    }
}

impl FetchBuffer {
    /// Marks and returns the cursors whose leader changed since their log was checked. `leader` returns node id and
    /// epoch.
    ///
    /// As with look-ups, what waits for the end of a pause after such a check is checked along with what the same
    /// leader is asked about now, and what was refused for good waits for that leader's pause.
    pub fn take_validations(
        &mut self,
        now: Instant,
        leader: impl Fn(&TopicPartition) -> Option<(i32, i32)>,
    ) -> Vec<Validation> {
        let (mut validations, mut waiting) = (Vec::new(), Vec::new());
        self.forget_repeats();
        let mut repeated = HashSet::new();
        for (id, slot) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = slot.as_mut() else {
                continue;
            };
            let Some((node, leader_epoch)) = leader(&cursor.partition) else {
                continue;
            };
            if cursor.leader.replace((node, leader_epoch)) != Some((node, leader_epoch)) {
                // This leader may accept what the former one refused.
                cursor.retry.shorten();
            }
            if cursor.in_flight || cursor.state != CursorState::Fetching {
                continue;
            }
            let waits = cursor.retry.waits(now);
            if !cursor.needs_validation(leader_epoch) {
                if !waits {
                    // Nothing was read under an older leader, so there is nothing to compare.
                    cursor.validated = cursor.validated.max(leader_epoch);
                }
                continue;
            }
            let validation = Validation {
                id,
                epoch: cursor.epoch,
                partition: cursor.partition.clone(),
                from: cursor.fetch_from,
                node,
                leader_epoch,
            };
            let is_for_good = cursor.retry.is_for_good();
            if is_for_good {
                repeated.insert(node);
            }
            if !(waits || is_for_good && self.repeated_checks.waits(&node, now)) {
                validations.push(validation);
            } else if was_refused_a_position(cursor) {
                waiting.push(validation);
            }
        }
        let asked: HashSet<i32> = validations.iter().map(|asked| asked.node).collect();
        for node in repeated.intersection(&asked) {
            self.repeated_checks.asked(*node, now, &mut self.pace);
        }
        waiting.retain(|validation| asked.contains(&validation.node));
        validations.append(&mut waiting);
        for validation in &validations {
            if let Some(cursor) = self.cursor_at(validation.id, validation.epoch) {
                cursor.in_flight = true;
            }
        }
        validations
    }

    /// Notes that the check of a cursor has ended; `answer` is what the leader responded, if it did.
    pub fn validated(&mut self, asked: &Validation, answer: Option<EpochEnd>, now: Instant) {
        let Some(cursor) = self.cursor_at(asked.id, asked.epoch) else {
            return;
        };
        cursor.in_flight = false;
        // If data of a paused partition was dropped meanwhile, the position is another one, about which the response
        // says nothing.
        let Some(end) = answer.filter(|_| cursor.fetch_from == asked.from) else {
            return;
        };
        cursor.validated = asked.leader_epoch;
        if end.diverges_from(asked.from) {
            self.truncated(asked.id, asked.epoch, asked.from, end, now);
        }
    }

    /// Handles a log that no longer holds what was read up to `from`: goes on where both logs agree, or adds an error,
    /// as the policy says. Records that were handed out stay with the application.
    pub fn truncated(
        &mut self,
        id: CursorId,
        epoch: u64,
        from: FetchPosition,
        end: EpochEnd,
        now: Instant,
    ) {
        let policy = self.policy;
        // A response about another position than the one that would be fetched now is ignored.
        if self
            .cursor_at(id, epoch)
            .is_none_or(|cursor| cursor.fetch_from != from)
        {
            return;
        }
        let cause = format!("the log was truncated below offset {}", from.offset);
        self.redirected(id, epoch, now, "epoch check", cause);
        let Some(cursor) = self.cursor_at(id, epoch) else {
            return;
        };
        let diverging = (end.end_offset >= 0 && end.leader_epoch >= 0).then_some(end);
        if policy == AutoOffsetReset::None {
            let error = FetchError::LogTruncated {
                partition: cursor.partition.clone(),
                offset: from.offset,
                leader_epoch: from.leader_epoch,
                diverging_offset: diverging.map(|end| end.end_offset),
            };
            self.fail(id, epoch, error);
            return;
        }
        self.restart(id, |cursor| match diverging {
            Some(end) => cursor.set_position(agreed_position(cursor, end)),
            None => cursor.reset(StartAt::Policy),
        });
    }
}

/// The position where both logs agree, but never further than the application has read. Its leader epoch is one that
/// the log has, so that the refused one is not asked about again.
fn agreed_position(cursor: &Cursor, end: EpochEnd) -> FetchPosition {
    match cursor.fetch_position() {
        Some(position) if position.offset < end.end_offset => FetchPosition {
            offset: position.offset,
            leader_epoch: position.leader_epoch.min(end.leader_epoch),
        },
        _ => FetchPosition {
            offset: end.end_offset,
            leader_epoch: end.leader_epoch,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::buffer::FetchTarget;

    const READ: FetchPosition = FetchPosition {
        offset: 20,
        leader_epoch: 3,
    };

    fn partition() -> TopicPartition {
        TopicPartition {
            topic: "t".into(),
            partition: 0,
        }
    }

    fn reading(policy: AutoOffsetReset) -> FetchBuffer {
        let mut buffer = FetchBuffer::new(policy, 1 << 20);
        buffer.assign(vec![(partition(), Some(READ))]);
        buffer
    }

    fn asked(buffer: &mut FetchBuffer, leader_epoch: i32) -> Vec<Validation> {
        buffer.take_validations(Instant::now(), |_| Some((1, leader_epoch)))
    }

    fn fetched(buffer: &mut FetchBuffer) -> Option<FetchTarget> {
        buffer.take_targets(Instant::now(), |_| true).pop()
    }

    fn end(leader_epoch: i32, end_offset: i64) -> Option<EpochEnd> {
        Some(EpochEnd {
            leader_epoch,
            end_offset,
        })
    }

    #[test]
    fn a_new_leader_is_asked_once_and_before_anything_is_fetched() {
        let mut buffer = reading(AutoOffsetReset::Earliest);
        let question = asked(&mut buffer, 4).remove(0);
        assert_eq!((question.from, question.leader_epoch), (READ, 4));
        assert!(fetched(&mut buffer).is_none());
        buffer.validated(&question, end(3, 20), Instant::now());
        assert!(asked(&mut buffer, 4).is_empty());
        assert_eq!(fetched(&mut buffer).map(|target| target.from), Some(READ));
    }

    #[test]
    fn the_leader_under_which_all_was_read_is_not_asked() {
        let mut buffer = reading(AutoOffsetReset::Earliest);
        assert!(asked(&mut buffer, 3).is_empty());
        assert_eq!(asked(&mut buffer, 4).len(), 1);
    }

    #[test]
    fn an_unanswered_question_is_asked_again() {
        let mut buffer = reading(AutoOffsetReset::Earliest);
        let question = asked(&mut buffer, 4).remove(0);
        buffer.validated(&question, None, Instant::now());
        assert_eq!(asked(&mut buffer, 4), [question]);
    }

    #[test]
    fn what_the_same_leader_is_asked_about_later_is_asked_about_along_with_it() {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 20);
        let place = |number| TopicPartition {
            partition: number,
            ..partition()
        };
        buffer.assign((0..4).map(|number| (place(number), Some(READ))).collect());
        let start = Instant::now();
        let leader = |partition: &TopicPartition| Some((partition.partition % 2, 4));
        let mut questions = buffer.take_validations(start, leader);
        assert_eq!(questions.len(), 4);
        questions.sort_by_key(|question| question.partition.partition);
        let last = questions.remove(3);
        let refuse = |buffer: &mut FetchBuffer, question: &Validation, now| {
            buffer.validated(question, None, now);
            buffer.refused(question.id, question.epoch, now, "epoch check", "no");
        };
        for question in &questions {
            refuse(&mut buffer, question, start);
        }
        assert!(buffer.take_validations(start, leader).is_empty());
        // Its answer is lost: it may be asked about at once.
        buffer.validated(&last, None, start);
        let asked = buffer.take_validations(start, leader);
        let asked: Vec<i32> = asked.iter().map(|one| one.partition.partition).collect();
        assert_eq!(asked, [3, 1]);
    }

    #[test]
    fn with_a_policy_reading_goes_on_where_both_logs_agree() {
        let mut buffer = reading(AutoOffsetReset::Latest);
        let question = asked(&mut buffer, 4).remove(0);
        buffer.validated(&question, end(2, 15), Instant::now());
        let from = FetchPosition {
            offset: 15,
            leader_epoch: 2,
        };
        assert_eq!(fetched(&mut buffer).map(|target| target.from), Some(from));
        assert_eq!(
            buffer.cursor(&partition()).expect("assigned").position(),
            Some(15)
        );
    }

    #[test]
    fn where_the_broker_knows_no_common_offset_the_policy_decides() {
        let mut buffer = reading(AutoOffsetReset::Latest);
        let question = asked(&mut buffer, 4).remove(0);
        buffer.validated(&question, end(-1, -1), Instant::now());
        let state = buffer.cursor(&partition()).expect("assigned").state;
        assert_eq!(state, CursorState::Unset(StartAt::Policy));
    }

    #[test]
    fn without_a_policy_truncation_is_an_error_that_says_where() {
        let mut buffer = reading(AutoOffsetReset::None);
        let question = asked(&mut buffer, 4).remove(0);
        buffer.validated(&question, end(2, 15), Instant::now());
        let error = buffer
            .next_record()
            .expect_err("truncation reaches the reader");
        assert_eq!(
            error,
            FetchError::LogTruncated {
                partition: partition(),
                offset: 20,
                leader_epoch: 3,
                diverging_offset: Some(15),
            }
        );
        assert!(error.to_string().contains("differs from offset 15 on"));
    }

    #[test]
    fn an_epoch_that_the_log_does_not_have_is_not_asked_about_again() {
        let mut buffer = reading(AutoOffsetReset::Earliest);
        let question = asked(&mut buffer, 4).remove(0);
        buffer.validated(&question, end(2, 25), Instant::now());
        let from = FetchPosition {
            offset: 20,
            leader_epoch: 2,
        };
        assert_eq!(fetched(&mut buffer).map(|target| target.from), Some(from));
    }

    /// A leader that says each time that the log diverges is asked after growing pauses.
    #[test]
    fn a_leader_that_never_agrees_is_asked_ever_more_slowly() {
        let mut buffer = reading(AutoOffsetReset::Earliest);
        let start = Instant::now();
        let mut fetches = 0;
        for millisecond in 0..10_000 {
            let now = start + std::time::Duration::from_millis(millisecond);
            for target in buffer.take_targets(now, |_| true) {
                fetches += 1;
                buffer.landed(std::slice::from_ref(&target));
                let end = EpochEnd {
                    leader_epoch: 2,
                    end_offset: 25,
                };
                buffer.truncated(target.id, target.epoch, target.from, end, now);
            }
        }
        assert!((5..20).contains(&fetches), "{fetches}");
    }

    #[test]
    fn a_seek_outdates_the_question() {
        let mut buffer = reading(AutoOffsetReset::None);
        let question = asked(&mut buffer, 4).remove(0);
        buffer
            .seek(&partition(), FetchPosition::at(3))
            .expect("it is assigned");
        buffer.validated(&question, end(2, 15), Instant::now());
        assert_eq!(
            fetched(&mut buffer).map(|target| target.from),
            Some(FetchPosition::at(3))
        );
    }
}

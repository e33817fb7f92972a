//! Looking up positions that are not known.

use std::collections::HashSet;
use std::time::Instant;

use super::fetch_buffer::{CursorId, FetchBuffer};
use super::network::FETCH;
use super::source::LookUpSource;
use crate::config::{AutoOffsetReset, TopicPartition};
use crate::fetch::cursor::{Cursor, CursorState, StartAt};
use crate::fetch::position::FetchPosition;

/// A position to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookUp {
    /// The cursor.
    pub id: CursorId,
    /// The cursor's epoch when the request was made, to recognise a late response.
    pub epoch: u64,
    /// The partition.
    pub partition: TopicPartition,
    /// What is asked for.
    pub start: StartAt,
    /// Who is asked.
    pub source: LookUpSource,
}

impl FetchBuffer {
    /// Marks and returns the cursors whose position may be looked up now. `source` says who is asked, if anyone can be.
    ///
    /// What waits for the end of a pause is looked up along with what the same source is asked for now: it costs no
    /// request, and partitions that were refused at different moments come together by it. What was refused for good
    /// waits for the pause of the source.
    pub fn take_look_ups(
        &mut self,
        now: Instant,
        source: impl Fn(&TopicPartition, StartAt) -> Option<LookUpSource>,
    ) -> Vec<LookUp> {
        let mut look_ups = Vec::new();
        self.forget_repeats();
        let mut repeats = std::mem::take(&mut self.repeated_look_ups);
        self.collect_look_ups(&mut look_ups, |cursor, start| {
            let may_be_asked = !cursor.retry.waits(now);
            let source = may_be_asked.then(|| source(&cursor.partition, start))?;
            source.filter(|source| !(cursor.retry.is_for_good() && repeats.waits(source, now)))
        });
        let asked: HashSet<LookUpSource> = look_ups
            .iter()
            .map(|look_up| look_up.source.clone())
            .filter(|source| *source != LookUpSource::Policy)
            .collect();
        if !asked.is_empty() {
            self.collect_look_ups(&mut look_ups, |cursor, start| {
                let source = source(&cursor.partition, start);
                source.filter(|source| was_refused_a_position(cursor) && asked.contains(source))
            });
        }
        let for_good = look_ups.iter().filter(|look_up| {
            let cursor = self.cursors[look_up.id].as_ref();
            cursor.is_some_and(|cursor| cursor.retry.is_for_good())
        });
        let repeated: HashSet<_> = for_good.map(|look_up| &look_up.source).collect();
        for source in repeated {
            if asked.contains(source) {
                repeats.asked(source.clone(), now, &mut self.pace);
            }
        }
        self.repeated_look_ups = repeats;
        look_ups
    }

    /// Forgets who was asked again, once nothing is refused for good any more.
    pub(super) fn forget_repeats(&mut self) {
        if self.repeated_look_ups.is_empty() && self.repeated_checks.is_empty() {
            return;
        }
        if !self.cursors().any(|(_, cursor)| cursor.retry.is_for_good()) {
            self.repeated_look_ups.clear();
            self.repeated_checks.clear();
        }
    }

    fn collect_look_ups(
        &mut self,
        look_ups: &mut Vec<LookUp>,
        source: impl Fn(&Cursor, StartAt) -> Option<LookUpSource>,
    ) {
        for (id, slot) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = slot.as_mut().filter(|cursor| !cursor.in_flight) else {
                continue;
            };
            let CursorState::Unset(start) = cursor.state else {
                continue;
            };
            let Some(source) = source(cursor, start) else {
                continue;
            };
            // The look-up would miss a commit under way, and records would be read again from further back.
            if start == StartAt::Committed && self.ledger.is_under_way(&cursor.partition) {
                continue;
            }
            cursor.in_flight = true;
            look_ups.push(LookUp {
                id,
                epoch: cursor.epoch,
                partition: cursor.partition.clone(),
                start,
                source,
            });
        }
    }

    /// Returns true if the position of a partition is not looked up because a commit of it has not ended.
    pub fn waits_for_commit(&self, partition: &TopicPartition) -> bool {
        let state = self.cursor(partition).map(|cursor| cursor.state);
        state == Ok(CursorState::Unset(StartAt::Committed)) && self.ledger.is_under_way(partition)
    }

    /// Sets the position that was found for a cursor.
    pub fn set_position(&mut self, look_up: &LookUp, position: FetchPosition) {
        if let Some(cursor) = self.ended(look_up) {
            cursor.set_position(position);
            cursor.is_looked_up = matches!(look_up.start, StartAt::Committed | StartAt::Policy);
        }
    }

    /// Notes that the group has committed nothing for a cursor: the policy says where it starts. If there is no policy,
    /// the group is asked again after the application has taken the error; if there is one, who has refused that.
    pub fn start_by_policy(&mut self, look_up: &LookUp) {
        let has_policy = self.policy != AutoOffsetReset::None;
        if let Some(cursor) = self.ended(look_up) {
            cursor.state = CursorState::Unset(StartAt::Policy);
            if has_policy {
                cursor.start = StartAt::Policy;
            }
        }
    }

    /// Notes that a look-up has ended, whatever came of it. Returns the cursor if it still needs a position.
    pub fn ended(&mut self, look_up: &LookUp) -> Option<&mut Cursor> {
        let cursor = self.cursor_at(look_up.id, look_up.epoch)?;
        cursor.in_flight = false;
        matches!(cursor.state, CursorState::Unset(_)).then_some(cursor)
    }
}

/// True if the pause of a cursor is that of a look-up or a check of its position: the one after a fetch that was
/// refused is not shortened by what happens to others.
pub(super) fn was_refused_a_position(cursor: &Cursor) -> bool {
    let trouble = cursor.trouble();
    trouble.is_some_and(|trouble| trouble.operation != FETCH)
}

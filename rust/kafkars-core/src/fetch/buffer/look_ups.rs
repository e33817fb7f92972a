//! Looking up positions that are not known.

use std::time::Instant;

use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::config::TopicPartition;
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
}

impl FetchBuffer {
    /// Marks and returns the cursors whose position may be looked up now, of those for which `can_ask` knows a broker.
    pub fn take_look_ups(
        &mut self,
        now: Instant,
        can_ask: impl Fn(&TopicPartition, StartAt) -> bool,
    ) -> Vec<LookUp> {
        let mut look_ups = Vec::new();
        for (id, slot) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = slot.as_mut() else {
                continue;
            };
            let CursorState::Unset(start) = cursor.state else {
                continue;
            };
            if cursor.is_held(now) || !can_ask(&cursor.partition, start) {
                continue;
            }
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
            });
        }
        look_ups
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
    /// the group is asked again after the application has taken the error.
    pub fn start_by_policy(&mut self, look_up: &LookUp) {
        if let Some(cursor) = self.ended(look_up) {
            cursor.state = CursorState::Unset(StartAt::Policy);
        }
    }

    /// Notes that a look-up has ended, whatever came of it. Returns the cursor if it still needs a position.
    pub fn ended(&mut self, look_up: &LookUp) -> Option<&mut Cursor> {
        let cursor = self.cursor_at(look_up.id, look_up.epoch)?;
        cursor.in_flight = false;
        matches!(cursor.state, CursorState::Unset(_)).then_some(cursor)
    }
}

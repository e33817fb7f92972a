//! The order in which callbacks hear of their commits: that of the commits, whichever ends first.

use std::collections::{BTreeMap, HashMap};

use kafkars_core::group::{CommitError, Offsets};

use super::event::ConsumerEvent;

/// Callbacks by their numbers, and outcomes that wait for those of earlier commits.
#[derive(Debug, Default)]
pub(super) struct CallbackOrder {
    /// The places of callbacks whose commits have not ended.
    turns: HashMap<u64, u64>,
    made: u64,
    told: u64,
    ended: BTreeMap<u64, ConsumerEvent>,
}

impl CallbackOrder {
    /// Notes a commit that is made now. [`CallbackOrder::ended`] follows.
    pub(super) fn made(&mut self, callback: u64) {
        self.made += 1;
        self.turns.insert(callback, self.made);
    }

    /// Notes how a commit has ended.
    pub(super) fn ended(
        &mut self,
        callback: u64,
        offsets: Offsets,
        outcome: Result<(), CommitError>,
    ) {
        let event = ConsumerEvent::Committed {
            callback,
            offsets,
            outcome,
        };
        if let Some(turn) = self.turns.remove(&callback) {
            self.ended.insert(turn, event);
        }
    }

    /// The next outcome to be told; call until `None`.
    pub(super) fn next(&mut self) -> Option<ConsumerEvent> {
        let event = self.ended.remove(&(self.told + 1))?;
        self.told += 1;
        Some(event)
    }

    /// How many outcomes wait.
    pub(super) fn waiting(&self) -> usize {
        self.ended.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(order: &mut CallbackOrder) -> Vec<u64> {
        let next = || match order.next()? {
            ConsumerEvent::Committed { callback, .. } => Some(callback),
            _ => None,
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn callbacks_hear_in_the_order_of_their_commits() {
        let mut order = CallbackOrder::default();
        for callback in [7, 5, 3, 9] {
            order.made(callback);
        }
        let end =
            |order: &mut CallbackOrder, callback| order.ended(callback, Offsets::new(), Ok(()));
        end(&mut order, 3);
        assert_eq!(told(&mut order), [0; 0]);
        end(&mut order, 7);
        assert_eq!(told(&mut order), [7]);
        assert_eq!(order.waiting(), 1);
        end(&mut order, 9);
        end(&mut order, 5);
        assert_eq!(told(&mut order), [5, 3, 9]);
        assert_eq!(order.waiting(), 0);
    }
}

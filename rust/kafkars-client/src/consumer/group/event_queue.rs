//! The queue of events for the application: changes of the assignment, outcomes of commits, errors of the membership.
//! Records wait behind it.

use std::collections::{HashSet, VecDeque};

use kafkars_core::config::TopicPartition;
use kafkars_core::error_kind::ErrorKind;
use kafkars_core::group::{Change, ChangeId, ChangeKind, GroupError};

use super::ending::Unfinished;
use super::event::ConsumerEvent;

/// Queued events, and the change that is being carried out.
#[derive(Debug, Default)]
pub(in crate::consumer) struct EventQueue {
    waiting: VecDeque<ConsumerEvent>,
    // How many changes are among them: outcomes of commits can be many.
    changes: usize,
    // Errors are raised after the changes that came with them, so that listeners run first.
    errors: VecDeque<GroupError>,
    busy: Option<Busy>,
    // Changes in the queue that were carried out already: the application only gets their events.
    released: HashSet<ChangeId>,
    // Partitions that the application was told it gives up, and has not been assigned since. The group may not have
    // been told yet, because their commits come first.
    given_up: HashSet<TopicPartition>,
}

/// The change that the application carries out now.
#[derive(Debug)]
struct Busy {
    unfinished: Unfinished,
    // True if it was carried out before the application got its event.
    is_released: bool,
}

impl EventQueue {
    pub(in crate::consumer) fn push(&mut self, event: ConsumerEvent) {
        match event {
            ConsumerEvent::Failed(error) => {
                // One error is enough; a broker that refuses for hours must not fill the memory.
                if self.errors.is_empty() {
                    self.errors.push_back(error);
                }
            }
            ConsumerEvent::Change(change) if matches!(change.kind, ChangeKind::Lost(_)) => {
                self.lose(change)
            }
            event => self.append(event),
        }
    }

    /// Forgets a fatal error that nobody has heard of: the membership that it was about begins again.
    pub(in crate::consumer) fn forget_fatal(&mut self) {
        self.errors.retain(|error| error.kind() != ErrorKind::Fatal);
    }

    fn append(&mut self, event: ConsumerEvent) {
        self.changes += usize::from(is_change(&event));
        self.waiting.push_back(event);
    }

    /// Queues the loss of everything owned. The partitions are taken out of changes that the application has not taken
    /// yet. The loss leaves out those that were only to be assigned, and those whose revocation the application has
    /// carried out or carries out now.
    fn lose(&mut self, mut change: Change) {
        let lost: HashSet<TopicPartition> = change.partitions.iter().cloned().collect();
        let mut untold = self.given_up.clone();
        self.waiting.retain_mut(|event| {
            let ConsumerEvent::Change(other) = event else {
                return true;
            };
            let before = other.partitions.len();
            if other.kind == ChangeKind::Assigned {
                untold.extend(other.partitions.iter().cloned());
            }
            other
                .partitions
                .retain(|partition| !lost.contains(partition));
            before == other.partitions.len() || !other.partitions.is_empty()
        });
        if let Some(Busy { unfinished, .. }) = &mut self.busy
            && unfinished.change.kind == ChangeKind::Revoked
        {
            unfinished.is_overtaken = true;
            untold.extend(unfinished.change.partitions.iter().cloned());
        }
        change
            .partitions
            .retain(|partition| !untold.contains(partition));
        self.changes = self.waiting.iter().filter(|event| is_change(event)).count();
        self.append(ConsumerEvent::Change(change));
    }

    /// True if the loss of this partition is queued or being handled by the application.
    pub(in crate::consumer) fn is_lost(&self, partition: &TopicPartition) -> bool {
        let is_loss = |kind: &ChangeKind| matches!(kind, ChangeKind::Lost(_));
        let busy = self.busy.as_ref().map(|busy| &busy.unfinished);
        let now = busy.filter(|busy| busy.is_overtaken || is_loss(&busy.change.kind));
        let waiting = self
            .waiting_changes()
            .filter(|change| is_loss(&change.kind));
        let waiting = waiting.map(|change| &change.partitions);
        now.map(|busy| &busy.change.partitions)
            .into_iter()
            .chain(waiting)
            .any(|partitions| partitions.contains(partition))
    }

    /// True if the application is being told that it has this partition from now on.
    pub(in crate::consumer) fn is_being_assigned(&self, partition: &TopicPartition) -> bool {
        let busy = self.busy.as_ref().map(|busy| &busy.unfinished.change);
        let assigned = busy.filter(|change| change.kind == ChangeKind::Assigned);
        assigned.is_some_and(|change| change.partitions.contains(partition))
    }

    /// True if a change waits for the application.
    pub(super) fn has_change(&self) -> bool {
        self.changes > 0
    }

    /// The partitions of all losses in the queue.
    pub(super) fn lost(&self) -> HashSet<TopicPartition> {
        self.waiting_changes()
            .filter(|change| matches!(change.kind, ChangeKind::Lost(_)))
            .flat_map(|change| change.partitions.iter().cloned())
            .collect()
    }

    /// The changes in the queue, in order.
    fn waiting_changes(&self) -> impl Iterator<Item = &Change> {
        let all = self.waiting.iter().filter_map(|event| match event {
            ConsumerEvent::Change(change) => Some(change),
            _ => None,
        });
        all.take(self.changes)
    }

    /// True if records must wait.
    pub(in crate::consumer) fn blocks(&self) -> bool {
        self.busy.is_some() || self.is_ready()
    }

    /// True if [`EventQueue::pop`] has an event.
    pub(in crate::consumer) fn is_ready(&self) -> bool {
        !(self.busy.is_some() || self.waiting.is_empty() && self.errors.is_empty())
    }

    pub(super) fn pop(&mut self) -> Option<ConsumerEvent> {
        if self.busy.is_some() {
            return None;
        }
        let next = self.waiting.pop_front();
        let next = next.or_else(|| self.errors.pop_front().map(ConsumerEvent::Failed));
        if let Some(ConsumerEvent::Change(change)) = &next {
            self.changes -= 1;
            match change.kind {
                ChangeKind::Revoked => self.given_up.extend(change.partitions.iter().cloned()),
                ChangeKind::Assigned | ChangeKind::Lost(_) => {
                    for partition in &change.partitions {
                        self.given_up.remove(partition);
                    }
                }
            }
            self.busy = Some(Busy {
                unfinished: change.clone().into(),
                is_released: self.released.remove(&change.id),
            });
        }
        next
    }

    /// Puts back the outcome of a commit, which was taken and not told.
    pub(super) fn put_back(&mut self, outcome: ConsumerEvent) {
        debug_assert!(!is_change(&outcome), "a change is being carried out");
        self.waiting.push_front(outcome);
    }

    /// Takes all outcomes of commits, in order, past all else and also while the application carries out a change.
    pub(super) fn take_outcomes(&mut self) -> Vec<ConsumerEvent> {
        let all = std::mem::take(&mut self.waiting);
        let is_outcome = |event: &ConsumerEvent| matches!(event, ConsumerEvent::Committed { .. });
        let (outcomes, rest) = all.into_iter().partition::<Vec<_>, _>(is_outcome);
        self.waiting = rest.into();
        outcomes
    }

    /// Ends the change that the application carried out; `None` if it was carried out without the application.
    pub(super) fn done(&mut self) -> Option<Unfinished> {
        let busy = self.busy.take()?;
        (!busy.is_released).then_some(busy.unfinished)
    }

    /// True if the change that the application handles now was carried out before.
    pub(super) fn is_released(&self) -> bool {
        self.busy.as_ref().is_some_and(|busy| busy.is_released)
    }

    /// Returns the queued changes, to be carried out now. The application gets their events later.
    pub(super) fn release(&mut self) -> Vec<Unfinished> {
        let changes: Vec<_> = self.waiting_changes().cloned().collect();
        let released = changes
            .into_iter()
            .filter(|change| self.released.insert(change.id));
        released.map(Unfinished::from).collect()
    }

    /// Empties the queue, because the application takes no more events. Returns the changes that were not carried out.
    pub(super) fn drain(&mut self) -> Vec<Unfinished> {
        let mut unfinished: Vec<_> = self.done().into_iter().collect();
        unfinished.append(&mut self.release());
        *self = Self::default();
        unfinished
    }
}

fn is_change(event: &ConsumerEvent) -> bool {
    matches!(event, ConsumerEvent::Change(_))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kafkars_core::group::Offsets;

    use super::*;

    fn partition(number: i32) -> TopicPartition {
        TopicPartition {
            topic: Arc::from("orders"),
            partition: number,
        }
    }

    fn change(id: u64, kind: ChangeKind, numbers: &[i32]) -> ConsumerEvent {
        ConsumerEvent::Change(Change {
            id: ChangeId(id),
            kind,
            partitions: numbers.iter().map(|number| partition(*number)).collect(),
            rejoins: false,
        })
    }

    fn lost(numbers: &[i32]) -> ConsumerEvent {
        let error = GroupError::GroupFull {
            group: Arc::from("group"),
        };
        change(9, ChangeKind::Lost(error), numbers)
    }

    fn told(queue: &mut EventQueue) -> Vec<(u64, Vec<i32>)> {
        let mut told = Vec::new();
        while let Some(event) = queue.pop() {
            if let ConsumerEvent::Change(change) = event {
                let numbers = change.partitions.iter().map(|one| one.partition);
                told.push((change.id.0, numbers.collect()));
            }
            queue.done();
        }
        told
    }

    #[test]
    fn a_loss_replaces_revocations_and_assignments_nobody_has_heard_of() {
        let mut queue = EventQueue::default();
        queue.push(change(1, ChangeKind::Revoked, &[0]));
        queue.push(change(2, ChangeKind::Assigned, &[1]));
        queue.push(change(3, ChangeKind::Assigned, &[]));
        queue.push(lost(&[0, 1, 2]));
        assert!(queue.is_lost(&partition(0)));
        assert!(!queue.is_lost(&partition(1)), "never had it");
        assert_eq!(told(&mut queue), [(3, vec![]), (9, vec![0, 2])]);
        assert!(!queue.is_lost(&partition(0)));
    }

    #[test]
    fn a_loss_during_a_revocation_leaves_its_partitions_out() {
        let mut queue = EventQueue::default();
        queue.push(change(1, ChangeKind::Revoked, &[0]));
        assert!(queue.pop().is_some());
        queue.push(lost(&[0, 1]));
        assert!(queue.is_lost(&partition(0)));
        assert!(queue.is_lost(&partition(1)));
        let revoked = queue.done().expect("it was not carried out before");
        assert!(revoked.is_overtaken, "nothing is left to commit");
        assert_eq!(told(&mut queue), [(9, vec![1])]);
    }

    #[test]
    fn a_loss_after_a_revocation_leaves_its_partitions_out_until_they_come_back() {
        let mut queue = EventQueue::default();
        queue.push(change(1, ChangeKind::Revoked, &[0]));
        assert_eq!(told(&mut queue), [(1, vec![0])]);
        queue.push(lost(&[0, 1]));
        assert_eq!(told(&mut queue), [(9, vec![1])]);
        queue.push(change(2, ChangeKind::Assigned, &[0, 1]));
        assert_eq!(told(&mut queue), [(2, vec![0, 1])]);
        queue.push(lost(&[0, 1]));
        assert_eq!(told(&mut queue), [(9, vec![0, 1])]);
    }

    #[test]
    fn outcomes_are_taken_past_changes_and_within_them() {
        let mut queue = EventQueue::default();
        queue.push(change(1, ChangeKind::Revoked, &[0]));
        for number in 2..4 {
            queue.push(ConsumerEvent::Committed {
                callback: number,
                offsets: Offsets::new(),
                outcome: Ok(()),
            });
            queue.push(change(number, ChangeKind::Assigned, &[1]));
        }
        assert!(queue.pop().is_some(), "the application is in a listener");
        let taken = queue.take_outcomes().into_iter().map(|event| match event {
            ConsumerEvent::Committed { callback, .. } => callback,
            other => panic!("{other:?}"),
        });
        assert_eq!(taken.collect::<Vec<_>>(), [2, 3]);
        assert!(queue.take_outcomes().is_empty());
        queue.done();
        assert_eq!(told(&mut queue), [(2, vec![1]), (3, vec![1])]);
    }

    #[test]
    fn only_what_ends_a_membership_is_forgotten() {
        let full = GroupError::GroupFull {
            group: Arc::from("group"),
        };
        let end = GroupError::ForGood(Box::new(full.clone()));
        for (error, is_kept) in [(full, true), (end, false)] {
            let mut queue = EventQueue::default();
            queue.push(ConsumerEvent::Failed(error));
            queue.forget_fatal();
            assert_eq!(queue.is_ready(), is_kept);
        }
    }
}

//! The group's handle in a consumer: settings, the channel to the group's task, and the task's status.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kafkars_core::config::{Checked, GroupConfig};
use kafkars_core::group::{
    CommitError, GroupError, GroupMemberIdentity, LONGEST_QUEUE, MembershipState, Offsets,
};
use parking_lot::{Condvar, Mutex};
use tokio::sync::mpsc;

use super::command::Command;
use super::event::LeaveId;
use crate::random_seed::random_seed;

/// How many commits may be on their way to the task before whoever makes another one is to wait.
const MOST_TOLD: usize = 10_000;

/// A subscription as applications see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubscriptionView {
    /// These topics by name.
    Topics(BTreeSet<Arc<str>>),
    /// All topics whose whole name matches a pattern.
    Pattern(Arc<str>),
}

impl SubscriptionView {
    /// True for a pattern.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        matches!(self, Self::Pattern(_))
    }
}

/// The status that the group's task publishes.
#[derive(Debug, Clone)]
pub(in crate::consumer) struct Status {
    pub(in crate::consumer) subscription: Option<SubscriptionView>,
    pub(in crate::consumer) state: MembershipState,
    pub(in crate::consumer) identity: Option<GroupMemberIdentity>,
    pub(in crate::consumer) subscribed_at: Option<Instant>,
    pub(in crate::consumer) heard_at: Option<Instant>,
    pub(in crate::consumer) committed_at: Option<Instant>,
    /// What keeps waiting commits from their end, if any wait.
    pub(in crate::consumer) commit_cause: Option<Arc<str>>,
    /// Why the membership has ended for good, until the application subscribes again or leaves.
    pub(in crate::consumer) end: Option<GroupError>,
    /// The node id of the coordinator that was asked last.
    pub(in crate::consumer) coordinator: Option<i32>,
    /// How many times the task was told to leave.
    leaves: u64,
}

/// What the consumer and the group's task share.
pub(in crate::consumer) struct GroupHandle {
    pub(in crate::consumer) config: Checked<GroupConfig>,
    /// What back-offs and the member's own id come from.
    pub(super) seed: u64,
    commands: mpsc::UnboundedSender<Command>,
    /// How many commits are on their way to the task, and how many wait in its queue.
    told_commits: AtomicUsize,
    queued_commits: AtomicUsize,
    /// For whoever waits until there are fewer of the former.
    waiters: Mutex<()>,
    room: Condvar,
    /// The coordinator that has answered the latest look-up of committed offsets.
    known_coordinator: Mutex<Option<i32>>,
    pub(in crate::consumer) status: Mutex<Status>,
}

impl GroupHandle {
    /// Makes the handle, and the channel on which the task gets its commands.
    pub(in crate::consumer) fn new(
        config: Checked<GroupConfig>,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<Command>) {
        let (commands, receiver) = mpsc::unbounded_channel();
        let group = Arc::new(Self {
            config,
            seed: random_seed(),
            commands,
            told_commits: AtomicUsize::new(0),
            queued_commits: AtomicUsize::new(0),
            waiters: Mutex::new(()),
            room: Condvar::new(),
            known_coordinator: Mutex::new(None),
            status: Mutex::new(Status {
                subscription: None,
                state: MembershipState::Unsubscribed,
                identity: None,
                subscribed_at: None,
                heard_at: None,
                committed_at: None,
                commit_cause: None,
                end: None,
                coordinator: None,
                leaves: 0,
            }),
        });
        (group, receiver)
    }

    /// What has ended the membership, if that is another member that has taken this one's `group_instance_id`.
    pub(super) fn fencing(&self) -> Option<GroupError> {
        let end = self.status.lock().end.clone();
        end.filter(|end| matches!(end, GroupError::FencedInstance { .. }))
    }

    /// The node id of the coordinator, if there is a subscription and it is known.
    pub(in crate::consumer) fn coordinator(&self) -> Option<i32> {
        let status = self.status.lock();
        status.coordinator.filter(|_| status.subscription.is_some())
    }

    /// Remembers who is asked for committed offsets next; `None` lets the next look-up search.
    pub(super) fn note_coordinator(&self, coordinator: Option<i32>) {
        *self.known_coordinator.lock() = coordinator;
    }

    /// Who is asked for committed offsets next, unless it is to be searched.
    pub(super) fn known_coordinator(&self) -> Option<i32> {
        *self.known_coordinator.lock()
    }

    /// Sends a command to the task. False if the task has ended.
    pub(super) fn tell(&self, command: Command) -> bool {
        if matches!(command, Command::Commit { .. }) {
            self.told_commits.fetch_add(1, Ordering::Relaxed);
        }
        self.commands.send(command).is_ok()
    }

    /// True if commits are on their way to the task faster than it takes them.
    pub(super) fn is_flooded(&self) -> bool {
        self.told_commits.load(Ordering::Acquire) >= MOST_TOLD
    }

    /// Waits on this thread until the task has taken half of them, or the deadline has passed.
    pub(super) fn wait_for_room(&self, deadline: Instant) {
        let mut waiters = self.waiters.lock();
        while self.told_commits.load(Ordering::Acquire) > MOST_TOLD / 2 {
            if self.room.wait_until(&mut waiters, deadline).timed_out() {
                return;
            }
        }
    }

    /// Checks that another commit may be made. Those of threads that ask in the same moment may be some too many.
    pub(super) fn check_room(&self) -> Result<(), CommitError> {
        let told = self.told_commits.load(Ordering::Relaxed);
        match told + self.queued_commits.load(Ordering::Relaxed) < LONGEST_QUEUE {
            true => Ok(()),
            false => Err(CommitError::TooMany {
                limit: LONGEST_QUEUE,
            }),
        }
    }

    /// Notes that the task has taken a commit.
    pub(super) fn note_taken(&self) {
        if self.told_commits.fetch_sub(1, Ordering::AcqRel) == MOST_TOLD / 2 + 1 {
            // With the lock, so that nobody begins to wait between a look at the number and this.
            let _waiters = self.waiters.lock();
            self.room.notify_all();
        }
    }

    /// Notes how many commits wait in the task's queue.
    pub(super) fn note_waiting(&self, commits: usize) {
        self.queued_commits.store(commits, Ordering::Relaxed);
    }

    /// Tells the task to leave; `None` if it has ended. Commands come in the order of their ids.
    pub(super) fn leave(
        &self,
        reason: &'static str,
        deadline: Instant,
        last: Option<Offsets>,
    ) -> Option<LeaveId> {
        let mut status = self.status.lock();
        status.leaves += 1;
        status.end = None;
        let id = LeaveId(status.leaves);
        let command = Command::Leave {
            id,
            reason,
            deadline,
            last,
        };
        self.tell(command).then_some(id)
    }

    pub(in crate::consumer) fn is_subscribed(&self) -> bool {
        self.status.lock().subscription.is_some()
    }
}

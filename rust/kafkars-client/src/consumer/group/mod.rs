//! Membership of a group: the handle's half. `task.rs` is the task around `kafkars_core::group`, which heartbeats
//! whatever the application does; `events.rs` is what waits for the application.

mod commits;
mod committed;
mod ending;
mod events;
mod exchange;
mod health;
mod pattern;
mod poll_watchdog;
mod task;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::config::{Checked, GroupConfig, GroupProtocol};
use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::assignor::Assignor;
use kafkars_core::group::{CommitError, Identity, MembershipState, Offsets};
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

pub use self::commits::check_offset_to_commit;
pub(super) use self::committed::fetch as fetch_committed;
pub(super) use self::ending::Ending;
use self::ending::{ChangeDone, LastCommits};
pub use self::events::ConsumerEvent;
pub(super) use self::events::Queue;
pub use self::health::{ConsumerHealth, PartitionTrouble};
use self::pattern::Pattern;
pub(super) use self::task::Start;
use super::Consumer;
use super::shared::Shared;
use crate::topic_name;

/// What a consumer wants to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubscriptionView {
    /// These topics.
    Topics(BTreeSet<Arc<str>>),
    /// Topics whose whole name matches.
    Pattern(Arc<str>),
}

/// What the handle tells the task.
pub(super) enum Command {
    Subscribe(SubscriptionRequest),
    /// Give up everything, after a commit of what is finished. [`ConsumerEvent::Left`] comes when all commits made
    /// before are done or given up, which they are before the deadline.
    Leave {
        id: LeaveId,
        reason: &'static str,
        deadline: Instant,
        /// Where the consumer is closed: what is still to be committed of partitions that are assigned by hand.
        last: Option<Offsets>,
    },
    /// Nobody waits for this end any more, nor carries out what it brings.
    GiveUp(LeaveId),
    /// The application has carried out a change; its offsets are to be committed before the partitions go.
    ChangeDone(ChangeDone),
    EnforceRebalance(String),
    /// What is finished of partitions that were assigned by hand and are not any more.
    CommitLeft(Offsets),
    Commit {
        offsets: Offsets,
        origin: Origin,
        deadline: Instant,
        reply: Reply,
    },
}

/// Where the offsets of a commit come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The application names them. A member of a group may name its own partitions only: whoever owns the others would
    /// read records again, or leave some out.
    Application,
    /// The application names them, and may name any partition, as with libraries that do not look.
    Unchecked,
    /// They are the consumer's own positions, which count as long as it owns the partitions.
    Positions,
}

/// Who waits for a commit.
pub(super) enum Reply {
    Waiter(oneshot::Sender<Result<(), CommitError>>),
    /// A callback of the application's, by its number.
    Callback(u64),
    /// Whoever closes the consumer.
    Last(Arc<LastCommits>),
    /// Nobody, unless the consumer is closed before: these partitions were given up.
    Left,
}

/// A subscription on its way to the task.
pub(super) enum SubscriptionRequest {
    Topics(BTreeSet<Arc<str>>),
    /// Matched here against the topics there are (classic protocol).
    Local(Pattern),
    /// Matched by the coordinator (KIP-848).
    Remote(Arc<str>),
}

/// Tells one end of a subscription from every other of the same consumer; a later one is greater. Who leaves,
/// subscribes anew and leaves again may hear of the first end only then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaveId(pub u64);

/// A consumer on its way out.
#[derive(Debug)]
pub struct Closing {
    id: LeaveId,
    started: Instant,
    limit: Duration,
    last: Arc<LastCommits>,
}

impl Closing {
    /// What [`ConsumerEvent::Left`] will say.
    #[must_use]
    pub fn id(&self) -> LeaveId {
        self.id
    }

    /// What came of the last commits, those of revoked partitions too, after [`ConsumerEvent::Left`] or the deadline.
    ///
    /// # Errors
    /// The commit has failed, or its outcome has not come: [`CommitError::TimedOut`].
    pub fn last_commit(&self) -> Result<(), CommitError> {
        let waited = crate::now().saturating_duration_since(self.started);
        self.last.outcome(waited, self.limit)
    }
}

/// What the task shows of itself.
#[derive(Debug, Clone)]
pub(super) struct Status {
    pub(super) subscription: Option<SubscriptionView>,
    pub(super) state: MembershipState,
    pub(super) identity: Option<Identity>,
    pub(super) subscribed_at: Option<Instant>,
    pub(super) heard_at: Option<Instant>,
    pub(super) committed_at: Option<Instant>,
    /// What stands against the commits that wait, where any do.
    pub(super) commit_cause: Option<Arc<str>>,
    /// The coordinator that was asked last.
    pub(super) coordinator: Option<i32>,
    /// How many ends of subscriptions the task was told of.
    leaves: u64,
}

/// One consumer's group: settings, a way to the task, and what the task shows.
pub(super) struct Group {
    pub(super) config: Checked<GroupConfig>,
    commands: mpsc::UnboundedSender<Command>,
    pub(super) status: Mutex<Status>,
}

impl Group {
    /// The handle's half, and what the task needs to start.
    pub(super) fn new(
        config: Checked<GroupConfig>,
        assignors: Vec<Arc<dyn Assignor>>,
    ) -> (Arc<Self>, Start) {
        let (commands, receiver) = mpsc::unbounded_channel();
        let group = Arc::new(Self {
            config,
            commands,
            status: Mutex::new(Status {
                subscription: None,
                state: MembershipState::Unsubscribed,
                identity: None,
                subscribed_at: None,
                heard_at: None,
                committed_at: None,
                commit_cause: None,
                coordinator: None,
                leaves: 0,
            }),
        });
        let start = Start {
            group: Arc::clone(&group),
            assignors,
            commands: receiver,
        };
        (group, start)
    }

    /// The coordinator of a subscription, as far as it is known.
    pub(super) fn coordinator(&self) -> Option<i32> {
        let status = self.status.lock();
        status.coordinator.filter(|_| status.subscription.is_some())
    }

    /// False once the task has ended.
    fn tell(&self, command: Command) -> bool {
        self.commands.send(command).is_ok()
    }

    /// Tells the task to leave; `None` once it has ended. Commands come in the order of their ids.
    fn leave(
        &self,
        reason: &'static str,
        deadline: Instant,
        last: Option<Offsets>,
    ) -> Option<LeaveId> {
        let mut status = self.status.lock();
        status.leaves += 1;
        let id = LeaveId(status.leaves);
        let command = Command::Leave {
            id,
            reason,
            deadline,
            last,
        };
        self.tell(command).then_some(id)
    }

    pub(super) fn is_subscribed(&self) -> bool {
        self.status.lock().subscription.is_some()
    }
}

impl Consumer {
    /// Reads these topics as a member of the group, instead of what was subscribed before.
    pub fn subscribe(&self, topics: Vec<Arc<str>>) -> Result<(), FetchError> {
        if topics.is_empty() {
            return Err(invalid(
                "subscribe() needs at least one topic; unsubscribe() ends a subscription",
            ));
        }
        for topic in &topics {
            if !topic_name::is_valid(topic) {
                return Err(FetchError::Topic {
                    topic: Arc::clone(topic),
                    code: kafkars_protocol::ErrorCode::InvalidTopicException,
                });
            }
        }
        let topics: BTreeSet<_> = topics.into_iter().collect();
        let view = SubscriptionView::Topics(topics.clone());
        self.wish(view, SubscriptionRequest::Topics(topics))
    }

    /// Reads the topics whose whole name matches, also those that come later.
    pub fn subscribe_pattern(&self, pattern: &str) -> Result<(), FetchError> {
        let compiled = Pattern::new(pattern)?;
        let group = self.group("subscribe()")?;
        let wish = match group.config.group_protocol {
            GroupProtocol::Classic => SubscriptionRequest::Local(compiled),
            GroupProtocol::Consumer => SubscriptionRequest::Remote(pattern.into()),
        };
        self.wish(SubscriptionView::Pattern(pattern.into()), wish)
    }

    fn wish(&self, view: SubscriptionView, wish: SubscriptionRequest) -> Result<(), FetchError> {
        self.check_open()?;
        let group = self.group("subscribe()")?;
        {
            let mut inner = self.shared.inner.lock();
            if inner.assigned_by_hand && !inner.buffer.assignment().is_empty() {
                return Err(invalid(
                    "partitions are assigned by hand with assign(); call unassign() before subscribe()",
                ));
            }
            inner.assigned_by_hand = false;
        }
        {
            let mut status = group.status.lock();
            status.subscription = Some(view);
            status.subscribed_at.get_or_insert_with(crate::now);
        }
        self.shared.note_wish();
        group.tell(Command::Subscribe(wish));
        Ok(())
    }

    /// What is subscribed, if anything is.
    pub fn subscription(&self) -> Option<SubscriptionView> {
        let group = self.shared.group.as_ref()?;
        group.status.lock().subscription.clone()
    }

    /// Gives up the subscription: revocations come as events, and [`ConsumerEvent::Left`] with this id is the end.
    /// `None` where there is none. Commits made before are done or given up before `deadline`; what the application has
    /// not heard of by then is carried out without it. `is_finished` tells whether it has finished what was handed out
    /// last.
    pub fn start_leaving(
        &self,
        reason: &'static str,
        deadline: Instant,
        is_finished: bool,
    ) -> Option<LeaveId> {
        let group = self.shared.group.as_ref()?;
        let was_subscribed = group.status.lock().subscription.take().is_some();
        if was_subscribed && is_finished {
            self.shared.inner.lock().buffer.finish_all();
        }
        was_subscribed.then(|| group.leave(reason, deadline, None))?
    }

    /// Nobody waits for this end of a subscription any more. The group is left all the same, without the application,
    /// which hears of it with its next poll.
    pub fn give_up_leaving(&self, id: LeaveId) {
        if let Some(group) = &self.shared.group {
            group.tell(Command::GiveUp(id));
        }
    }

    /// As [`Consumer::start_leaving`] for a consumer that is about to be closed, subscribed or not: its commits are to
    /// end first. `None` without a group, and when it is closed already. `is_finished` tells whether the application
    /// has finished what was handed out last.
    pub fn start_closing(&self, deadline: Instant, is_finished: bool) -> Option<Closing> {
        if self.is_closed() {
            return None;
        }
        let group = self.shared.group.as_ref()?;
        let was_subscribed = group.status.lock().subscription.take().is_some();
        // What a member owns is committed when it is revoked, also where it has given up its subscription just before.
        let is_by_hand = !was_subscribed && self.shared.inner.lock().assigned_by_hand;
        let offsets = match is_by_hand {
            true => self.last_offsets(is_finished),
            false => Offsets::new(),
        };
        let started = crate::now();
        let last = {
            let mut inner = self.shared.inner.lock();
            if is_finished {
                inner.buffer.finish_all();
            }
            inner.supersede(&offsets);
            inner.ending.begin_last()
        };
        last.begin(&offsets);
        let id = group.leave("the consumer is closed", deadline, Some(offsets))?;
        Some(Closing {
            id,
            started,
            limit: deadline.saturating_duration_since(started),
            last,
        })
    }

    /// Makes the group rebalance though nothing calls for it (KIP-568).
    pub fn enforce_rebalance(&self, reason: String) -> Result<(), FetchError> {
        self.check_open()?;
        let group = self.group("enforce_rebalance()")?;
        if !group.is_subscribed() {
            return Err(invalid(
                "enforce_rebalance() needs a subscription; call subscribe() first",
            ));
        }
        if group.config.group_protocol == GroupProtocol::Consumer {
            return Err(invalid(
                "enforce_rebalance() is for group_protocol=\"classic\"; with \"consumer\" the coordinator decides (KIP-848)",
            ));
        }
        group.tell(Command::EnforceRebalance(reason));
        Ok(())
    }

    /// The group's name, and who this member is in it now.
    pub fn group_identity(&self) -> Result<(Arc<str>, Option<Identity>), FetchError> {
        let group = self.group("group_metadata()")?;
        let identity = group.status.lock().identity.clone();
        Ok((group.config.group_id.as_str().into(), identity))
    }

    /// Whether a subscription is in force.
    pub fn is_subscribed(&self) -> bool {
        let group = self.shared.group.as_ref();
        group.is_some_and(|group| group.is_subscribed())
    }

    fn group(&self, call: &str) -> Result<&Arc<Group>, FetchError> {
        self.shared.group.as_ref().ok_or_else(|| {
            invalid(format!(
                "{call} needs a group; name it with group_id when making the consumer"
            ))
        })
    }
}

/// A call that does not fit what the consumer was told before.
fn invalid(problem: impl Into<Arc<str>>) -> FetchError {
    FetchError::State {
        problem: problem.into(),
    }
}

impl Shared {
    /// The application wants something else from now on: silence counts from here.
    pub(super) fn note_wish(&self) {
        self.inner.lock().wished_at = crate::now();
        self.touch();
    }
}

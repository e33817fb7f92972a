//! The task around [`Membership`] and [`CommitQueue`]: it sends their requests and passes their events to the
//! application, without ever waiting for it.

mod closing;
mod committing;
mod subscribing;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::error_kind::ErrorKind;
use kafkars_core::group::assignor::{self, Assignor};
use kafkars_core::group::{
    Action, AssignorOutcome, ChangeId, CommitId, CommitOutcome, CommitQueue, GroupEvent,
    GroupResponse, Leave, Membership, MembershipState, RequestFailure, RequestId,
};
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::offset_commit::OffsetCommitResponse;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::callback_order::CallbackOrder;
use super::command::{Command, Reply};
use super::event::{ConsumerEvent, LeaveId};
use super::handle::{GroupHandle, Status};
use super::pattern::Pattern;
use super::poll_watchdog::PollWatchdog;
use super::unheard_commits::UnheardCommits;
use super::{commit_tracking, exchange};
use crate::client::{AwaitedTopics, RefusalWatch};
use crate::consumer::shared::ConsumerShared;
use crate::now;

/// The longest time that the end of a consumer waits for the coordinator to answer.
const LEAVE_WITHIN: Duration = Duration::from_secs(5);

/// How many commits are queued before the task looks at answers and timers again.
const COMMITS_AT_ONCE: usize = 1_000;

/// How much of it is kept for reporting the outcomes of commits.
const TELL_WITHIN: Duration = Duration::from_secs(1);

/// What the task is started with.
pub(in crate::consumer) struct Start {
    pub(in crate::consumer) group: Arc<GroupHandle>,
    pub(in crate::consumer) assignors: Vec<Arc<dyn Assignor>>,
    pub(in crate::consumer) commands: mpsc::UnboundedReceiver<Command>,
}

impl Start {
    /// Runs until the consumer is closed, then leaves the group and closes the client.
    pub(in crate::consumer) async fn run(self, shared: Arc<ConsumerShared>) {
        let seed = self.group.seed;
        let mut assignors = self.assignors;
        if assignors.is_empty() {
            assignors = assignor::default_assignors();
        }
        let mut task = GroupTask {
            membership: Membership::new(self.group.config.clone(), assignors, seed)
                .named(shared.client.name()),
            commits: CommitQueue::new(&self.group.config, seed),
            refusals: shared.client.refusals(),
            coordinator: None,
            leaves_since: None,
            poll_watchdog: PollWatchdog::new(&self.group.config),
            replies: HashMap::new(),
            callbacks: CallbackOrder::default(),
            unheard: UnheardCommits::new(shared.client.name()),
            held_changes: Vec::new(),
            commits_end_at: None,
            is_closing: false,
            release_at: None,
            leaves: VecDeque::new(),
            told_unheard: None,
            resolving: None,
            pattern: None,
            awaited: None,
            untold_since: None,
            tasks: JoinSet::new(),
            group: self.group,
            shared,
        };
        let mut commands = self.commands;
        task.run(&mut commands).await;
        task.finish(commands).await;
        task.shared.client.close().await;
    }
}

struct GroupTask {
    shared: Arc<ConsumerShared>,
    group: Arc<GroupHandle>,
    membership: Membership,
    commits: CommitQueue,
    // Tells when handshakes fail: commits may have to end because no broker, or not the coordinator, lets this client
    // in.
    refusals: RefusalWatch,
    // The node id of the coordinator that was asked last.
    coordinator: Option<i32>,
    // Since when the group is being left.
    leaves_since: Option<Instant>,
    poll_watchdog: PollWatchdog,
    // Who gets the outcome of which commit.
    replies: HashMap<CommitId, Reply>,
    // Those of them that are callbacks.
    callbacks: CallbackOrder,
    // The commits whose outcome nobody gets, for the log.
    unheard: UnheardCommits,
    // Changes that are done once this commit and all before it have ended.
    held_changes: Vec<(CommitId, ChangeId)>,
    // While the group is being left: when commits are given up, so that whoever made them gets the outcome in time.
    commits_end_at: Option<Instant>,
    // True once `close()` has arrived: `commits_end_at` is its own, not that of an earlier `unsubscribe()`.
    is_closing: bool,
    // While the group is being left: from when on changes that the application has not taken do not wait for it.
    release_at: Option<Instant>,
    // Those who wait for [`GroupEvent::Left`], one event each.
    leaves: VecDeque<LeaveId>,
    // The newest of them, if its wait has ended because no broker answers.
    told_unheard: Option<LeaveId>,
    // The topic ids that are being looked up, and the task that does.
    resolving: Option<(Vec<Uuid>, AbortHandle)>,
    pattern: Option<LocalPattern>,
    /// Topics subscribed by name, which may be created later.
    awaited: Option<AwaitedTopics>,
    /// Since when topics are subscribed by name; none once it was logged which of them do not exist.
    untold_since: Option<Instant>,
    tasks: JoinSet<Done>,
}

/// A pattern that the client matches, and when topics are listed again.
struct LocalPattern {
    pattern: Pattern,
    list_at: Instant,
    is_listing: bool,
}

/// The result of a spawned task.
pub(super) enum Done {
    Coordinator(Result<i32, RequestFailure>),
    Answer(RequestId, Result<GroupResponse, RequestFailure>),
    Commit(RequestId, Result<OffsetCommitResponse, RequestFailure>),
    Assigned(RequestId, AssignorOutcome),
    Topics(Option<Vec<String>>),
    Resolved,
}

impl GroupTask {
    async fn run(&mut self, commands: &mut mpsc::UnboundedReceiver<Command>) {
        let shared = Arc::clone(&self.shared);
        let mut changed = shared.changed.subscribe();
        let mut cluster = shared.client.cluster_changed();
        // What is known already.
        cluster.mark_changed();
        while !shared.is_closed() {
            // An application may give commands without pause.
            if cluster.has_changed().unwrap_or(false) {
                cluster.mark_unchanged();
                self.membership
                    .cluster_changed(now(), &shared.client.cluster());
            }
            let wake_at = self.step();
            let timer = async {
                match wake_at {
                    Some(instant) => tokio::time::sleep_until(instant.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                command = commands.recv() => match command {
                    Some(command) => self.obey_all(command, commands),
                    None => return,
                },
                Some(done) = self.tasks.join_next(), if !self.tasks.is_empty() => {
                    if let Ok(done) = done {
                        self.note(done);
                    }
                }
                result = cluster.changed() => {
                    if result.is_err() {
                        return;
                    }
                    cluster.mark_changed();
                }
                _ = changed.changed() => {}
                true = self.refusals.changed() => {}
                () = timer => {}
            }
        }
    }

    /// Does everything that is due. Returns when to look again.
    fn step(&mut self) -> Option<Instant> {
        let watchdog_at = self.poll_watchdog.look(&self.shared, &mut self.membership);
        let has_ended = self.commits_end_at.is_some_and(|ends_at| ends_at <= now());
        match has_ended {
            // An automatic commit would fail in this very step. What is finished is committed when it is revoked.
            true => self.commits.skip_automatic(now()),
            false => self.commit_automatically(),
        }
        if let Some(ends_at) = self.commits_end_at {
            self.commits.end_awaited_by(ends_at);
        }
        let look_at = self.end_unheard();
        self.list_topics();
        let tell_at = self.tell_unknown_topics();
        loop {
            self.act();
            // A listener that runs next may ask for the member's identity.
            self.show();
            let mut is_moving = false;
            while let Some(event) = self.membership.next_event() {
                is_moving = true;
                self.tell(event);
            }
            // Events may have led to new requests.
            if !self.release() && !is_moving {
                break;
            }
        }
        self.poll_watchdog.arm(&self.shared, &self.membership);
        self.show();
        let list_at = self.pattern.as_ref().map(|pattern| pattern.list_at);
        [
            self.membership.wake_at(),
            self.commits.wake_at(),
            list_at,
            look_at,
            tell_at,
            watchdog_at,
            self.release_at.filter(|at| *at > now()),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Carries out a command, and with a commit those that have come right behind it: they leave in one request. After
    /// them the answers that are there get their turn, also where an application commits without pause.
    fn obey_all(&mut self, first: Command, commands: &mut mpsc::UnboundedReceiver<Command>) {
        let mut next = Some(first);
        let mut left = COMMITS_AT_ONCE;
        while let Some(command) = next.take() {
            if left > 0 && matches!(command, Command::Commit { .. }) {
                left -= 1;
                next = commands.try_recv().ok();
            }
            self.obey(command);
        }
        while let Some(done) = self.tasks.try_join_next() {
            if let Ok(done) = done {
                self.note(done);
            }
        }
    }

    fn obey(&mut self, command: Command) {
        let now = now();
        match command {
            Command::Subscribe(request) => self.subscribe(now, request),
            Command::Leave {
                id,
                reason,
                deadline,
                last,
            } => {
                self.pattern = None;
                self.awaited = None;
                self.commits_end_at = Some(commits_end_at(now, deadline));
                self.release_at = Some(deadline);
                self.leaves_since = Some(now);
                self.is_closing |= last.is_some();
                // A consumer that has sent nothing for long must send something, to find out whether a broker answers.
                self.shared.client.refresh_metadata();
                self.commit_last(now, last.unwrap_or_default(), deadline);
                // If it is leaving already, one event ends both.
                if self.membership.state() == MembershipState::Leaving {
                    self.leaves.pop_back();
                }
                self.leaves.push_back(id);
                self.membership.leave(now, leave(reason));
            }
            // Another leave may have begun by now.
            Command::GiveUp(id) if self.leaves.contains(&id) => self.release_at = Some(now),
            Command::GiveUp(_) => {}
            Command::ChangeDone(done) => self.change_done(now, done),
            Command::CommitLeft(offsets) => self.commit_left(now, offsets),
            Command::EnforceRebalance(reason) => {
                self.membership.enforce_rebalance(now, &reason);
            }
            Command::Commit {
                offsets,
                origin,
                deadline,
                reply,
            } => {
                self.commit(now, offsets, origin, deadline, reply);
                // In this order, so that each counts all the time.
                self.note_waiting();
                self.group.note_taken();
            }
        }
    }

    /// Does what the membership and the commit queue ask for.
    fn act(&mut self) {
        self.act_once();
        // A commit may have begun a search for the coordinator, which is to be carried out in this step.
        while self.end_changes() || self.membership.has_action() {
            self.act_once();
        }
    }

    fn act_once(&mut self) {
        self.end_locked_out();
        while let Some(action) = self.membership.next_action(now()) {
            let shared = Arc::clone(&self.shared);
            match action {
                Action::FindCoordinator => {
                    let group = self.membership.group().to_string();
                    self.tasks.spawn(async move {
                        Done::Coordinator(exchange::coordinator(&shared.client, &group).await)
                    });
                }
                Action::Send(call) => {
                    self.coordinator = Some(call.node);
                    self.tasks.spawn(async move {
                        let id = call.id;
                        Done::Answer(id, exchange::send(&shared.client, call).await)
                    });
                }
                Action::ResolveTopics { names, ids } => self.resolve(names, ids),
                Action::Assign(work) => {
                    // An assignor may be the application's, and may take long.
                    self.tasks
                        .spawn_blocking(move || Done::Assigned(work.id, work.run()));
                }
            }
        }
        let cluster = self.shared.client.cluster();
        while let Some(call) = self.next_commit(&cluster) {
            self.coordinator = Some(call.node);
            let client = self.shared.client.clone();
            self.tasks.spawn(async move {
                let id = call.id;
                Done::Commit(id, exchange::commit(&client, call).await)
            });
        }
        let doubted = self.commits.take_doubted();
        if !doubted.is_empty() {
            let doubted: Vec<&str> = doubted.iter().map(|topic| &**topic).collect();
            self.shared.client.want_topics(&doubted);
            self.shared.client.refresh_topics(&doubted);
        }
        while let Some(outcome) = self.commits.next_outcome() {
            if outcome.committed().next().is_some() {
                self.group.status.lock().committed_at = Some(now());
            }
            let outcome = self.explained(outcome);
            self.shared.note_ended(&outcome);
            // Look-ups of committed offsets wait for commits.
            self.shared.touch();
            let reply = self.replies.remove(&outcome.id);
            let is_unheard = reply.as_ref().is_none_or(Reply::is_unheard);
            self.unheard
                .note(self.membership.group(), &outcome, is_unheard);
            let callbacks = &mut self.callbacks;
            match reply {
                Some(reply @ (Reply::Last(_) | Reply::Left)) => {
                    let result = outcome.unless_gone();
                    if let (Ok(()), Err(error)) = (&result, &outcome.result) {
                        tracing::warn!(target: "kafkars::group", client = %self.shared.client.name(), %error, "the last positions in a topic that was deleted were not committed");
                    }
                    commit_tracking::answer(
                        &self.shared,
                        callbacks,
                        reply,
                        outcome.offsets,
                        result,
                    );
                }
                Some(reply) => {
                    let CommitOutcome {
                        offsets, result, ..
                    } = outcome;
                    commit_tracking::answer(&self.shared, callbacks, reply, offsets, result);
                }
                None => {}
            }
        }
        self.note_waiting();
    }

    fn note(&mut self, done: Done) {
        let now = now();
        match done {
            Done::Coordinator(answer) => self.membership.coordinator_answered(now, answer),
            Done::Answer(id, Ok(response)) => self.membership.answered(now, id, response),
            Done::Answer(id, Err(failure)) => self.membership.failed(now, id, failure),
            Done::Commit(id, Ok(response)) => {
                self.commits
                    .answered(now, &mut self.membership, id, &response);
            }
            Done::Commit(id, Err(failure)) => {
                self.commits.failed(now, &mut self.membership, id, failure);
            }
            Done::Assigned(id, outcome) => self.membership.assignor_finished(now, id, outcome),
            Done::Topics(topics) => self.listed(topics),
            Done::Resolved => {
                let cluster = self.shared.client.cluster();
                self.membership.cluster_changed(now, &cluster);
            }
        }
    }

    fn tell(&mut self, event: GroupEvent) {
        match event {
            GroupEvent::Change(change) => {
                tracing::info!(target: "kafkars::group", client = %self.shared.client.name(), group = %self.membership.group(), kind = commit_tracking::kind(&change.kind), partitions = change.partitions.len(), "the member's partitions change");
                self.shared.push_event(ConsumerEvent::Change(change));
            }
            GroupEvent::PollIntervalExceeded(error) => {
                tracing::warn!(target: "kafkars::group", client = %self.shared.client.name(), %error, "left the group: not polled for max_poll_interval_ms");
                self.shared.push_event(ConsumerEvent::Failed(error));
            }
            GroupEvent::Failed(error) => {
                tracing::warn!(target: "kafkars::group", client = %self.shared.client.name(), %error, "the coordinator has refused the member; the next poll raises why");
                if error.kind() == ErrorKind::Fatal {
                    self.group.status.lock().end = Some(error.clone());
                }
                self.shared.push_event(ConsumerEvent::Failed(error));
            }
            GroupEvent::Left => {
                let left = self.leaves.pop_front();
                if self.leaves.is_empty() {
                    self.commits_end_at = None;
                    self.release_at = None;
                    let kept = std::mem::take(&mut self.shared.inner.lock().ending.offsets);
                    self.shared.note_queued(&kept, None);
                }
                if let Some(id) = left {
                    self.shared.push_event(ConsumerEvent::Left(id));
                }
            }
        }
    }

    /// Publishes the status of the membership to the handle.
    fn show(&self) {
        let mut status = self.group.status.lock();
        let Status {
            state,
            identity,
            heard_at,
            subscription,
            commit_cause,
            coordinator,
            ..
        } = &mut *status;
        *state = self.membership.state();
        *identity = self.membership.identity();
        *heard_at = self.membership.heard_at();
        *coordinator = self.coordinator;
        *commit_cause = self.commits.waits_for().cloned();
        if subscription.is_none() {
            status.subscribed_at = None;
        }
    }
}

/// When commits made before a leave with this `deadline` are given up: time must be left to report it.
fn commits_end_at(now: Instant, deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(now);
    now + left - (left / 4).min(TELL_WITHIN)
}

fn leave(reason: &str) -> Leave {
    Leave {
        reason: Some(reason.to_owned()),
        ..Leave::default()
    }
}

//! The task around [`Membership`] and [`CommitQueue`]: carries their requests, tells the application, never waits for
//! it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::cluster::Cluster;
use kafkars_core::group::assignor::{self, Assignor};
use kafkars_core::group::{
    Action, AssignorOutcome, ChangeId, CommitError, CommitId, CommitOutcome, CommitQueue, Event,
    Failure, GroupResponse, Leave, Membership, MembershipState, Offsets, OutgoingCommit, RequestId,
    Subscription,
};
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::offset_commit::OffsetCommitResponse;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::ending::{ChangeDone, Unfinished};
use super::events::ConsumerEvent;
use super::pattern::Pattern;
use super::poll_watchdog::PollWatchdog;
use super::{
    Command, Group, LeaveId, Origin, Reply, Status, SubscriptionRequest, SubscriptionView, commits,
    exchange,
};
use crate::client::{AwaitedTopics, RefusalWatch, silence};
use crate::consumer::shared::Shared;
use crate::net::ConnectionKind;
use crate::{after, now};

/// Longest that the end of a consumer waits for the coordinator to take note.
const LEAVE_WITHIN: Duration = Duration::from_secs(5);

/// How much of that is kept for telling what came of commits.
const TELL_WITHIN: Duration = Duration::from_secs(1);

/// What the task is started with.
pub(in crate::consumer) struct Start {
    pub(super) group: Arc<Group>,
    pub(super) assignors: Vec<Arc<dyn Assignor>>,
    pub(super) commands: mpsc::UnboundedReceiver<Command>,
}

impl Start {
    /// Runs until the consumer is closed, then leaves the group and closes the client.
    pub(in crate::consumer) async fn run(self, shared: Arc<Shared>) {
        let seed = exchange::seed();
        let mut assignors = self.assignors;
        if assignors.is_empty() {
            assignors = assignor::default_assignors();
        }
        let mut task = GroupTask {
            membership: Membership::new(self.group.config.clone(), assignors, seed),
            commits: CommitQueue::new(&self.group.config, seed),
            refusals: shared.client.refusals(),
            coordinator: None,
            leaves_since: None,
            watch: PollWatchdog::new(&self.group.config),
            replies: HashMap::new(),
            held_changes: Vec::new(),
            commits_end_at: None,
            is_closing: false,
            release_at: None,
            leaves: VecDeque::new(),
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
    shared: Arc<Shared>,
    group: Arc<Group>,
    membership: Membership,
    commits: CommitQueue,
    // Whether commits are to be ended because no broker, or not the coordinator, lets this client in.
    refusals: RefusalWatch,
    // The coordinator that was asked last.
    coordinator: Option<i32>,
    // While the group is being left: since when.
    leaves_since: Option<Instant>,
    watch: PollWatchdog,
    // Who waits for which commit.
    replies: HashMap<CommitId, Reply>,
    // Changes that are done once this commit is, and all before it.
    held_changes: Vec<(CommitId, ChangeId)>,
    // While the group is being left: commits are given up then, so that who made them hears of it in time.
    commits_end_at: Option<Instant>,
    // `close()` was heard of: `commits_end_at` is its own, not that of an `unsubscribe()` before it.
    is_closing: bool,
    // While the group is being left: from then on changes that the application has not heard of do not wait for it.
    release_at: Option<Instant>,
    // Who waits for [`Event::Left`], one event after the other.
    leaves: VecDeque<LeaveId>,
    // What is being looked up.
    resolving: Option<(Vec<Uuid>, AbortHandle)>,
    pattern: Option<LocalPattern>,
    /// What is subscribed by name may be made later.
    awaited: Option<AwaitedTopics>,
    /// Since when topics are subscribed by name of which nobody was told yet that they do not exist.
    untold_since: Option<Instant>,
    tasks: JoinSet<Done>,
}

/// A pattern that is matched here, and when the topics are listed again.
struct LocalPattern {
    pattern: Pattern,
    list_at: Instant,
    is_listing: bool,
}

/// What a task brings back.
pub(super) enum Done {
    Coordinator(Result<i32, Failure>),
    Answer(RequestId, Result<GroupResponse, Failure>),
    Commit(RequestId, Result<OffsetCommitResponse, Failure>),
    Assigned(RequestId, AssignorOutcome),
    Topics(Option<Vec<String>>),
    Resolved,
}

impl GroupTask {
    async fn run(&mut self, commands: &mut mpsc::UnboundedReceiver<Command>) {
        let shared = Arc::clone(&self.shared);
        let mut changed = shared.changed.subscribe();
        let mut cluster = shared.client.cluster_changed();
        self.membership
            .cluster_changed(now(), &shared.client.cluster());
        while !shared.is_closed() {
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
                    Some(command) => self.obey(command),
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
                    self.membership.cluster_changed(now(), &shared.client.cluster());
                }
                _ = changed.changed() => {}
                true = self.refusals.changed() => {}
                () = timer => {}
            }
        }
    }

    /// The consumer is closed: leaves without asking the application, which is gone. Commits that it made before are
    /// made first.
    async fn finish(&mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        let deadline = after(now(), LEAVE_WITHIN);
        self.commits.end_automatic();
        commands.close();
        while let Ok(command) = commands.try_recv() {
            match command {
                Command::Commit { .. } | Command::CommitLeft(_) | Command::ChangeDone(_) => {
                    self.obey(command);
                }
                Command::Leave { last, .. } => {
                    self.commit_last(now(), last.unwrap_or_default(), deadline);
                }
                Command::Subscribe(_) | Command::EnforceRebalance(_) | Command::GiveUp(_) => {}
            }
        }
        let commits_end_at = commits_end_at(now(), deadline);
        self.commits.end_by(commits_end_at);
        if !self.membership.may_have_place() && self.commits.is_idle() {
            return;
        }
        self.leaves_since = Some(now());
        self.membership
            .leave(now(), leave("the consumer is closed"));
        let (unfinished, mut finished) = {
            let ending = &mut self.shared.inner.lock().ending;
            let unfinished = std::mem::take(&mut ending.unfinished);
            (unfinished, std::mem::take(&mut ending.offsets))
        };
        for change in unfinished {
            self.change_done(now(), change.end(&mut finished));
        }
        let mut has_left = false;
        while !has_left {
            self.act();
            let mut is_moving = false;
            while let Some(event) = self.membership.next_event() {
                is_moving = true;
                match event {
                    Event::Change(change) => {
                        let done = Unfinished::from(change).end(&mut finished);
                        self.change_done(now(), done);
                    }
                    Event::Left => has_left = true,
                    Event::PollIntervalExceeded(_) | Event::Failed(_) => {}
                }
            }
            self.commits.end_by(commits_end_at);
            if is_moving && !has_left {
                continue; // events may have asked for more
            }
            let wake_at = [self.membership.wake_at(), self.commits.wake_at()];
            let wake_at = wake_at.into_iter().flatten().fold(deadline, Instant::min);
            tokio::select! {
                Some(done) = self.tasks.join_next(), if !has_left && !self.tasks.is_empty() => {
                    if let Ok(done) = done {
                        self.note(done);
                    }
                }
                true = self.refusals.changed(), if !has_left => {}
                () = tokio::time::sleep_until(wake_at.into()), if !has_left => {}
                else => {}
            }
            if now() >= deadline {
                tracing::info!(target: "kafkars::group", group = %self.membership.group(), "closed before the coordinator took note");
                break;
            }
        }
        self.tasks.shutdown().await;
    }

    /// Carries out everything that is due. Returns when to look again.
    fn step(&mut self) -> Option<Instant> {
        let watch_at = self.watch.look(&self.shared, &mut self.membership);
        let has_ended = self.commits_end_at.is_some_and(|ends_at| ends_at <= now());
        match has_ended {
            // It would fail in this very step. What is finished is committed when it is revoked.
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
            // A listener may ask at once who it runs for.
            self.show();
            let mut is_moving = false;
            while let Some(event) = self.membership.next_event() {
                is_moving = true;
                self.tell(event);
            }
            // Events may have asked for more.
            if !self.release() && !is_moving {
                break;
            }
        }
        self.watch.arm(&self.shared, &self.membership);
        self.show();
        let list_at = self.pattern.as_ref().map(|pattern| pattern.list_at);
        [
            self.membership.wake_at(),
            self.commits.wake_at(),
            list_at,
            look_at,
            tell_at,
            watch_at,
            self.release_at.filter(|at| *at > now()),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn obey(&mut self, command: Command) {
        let now = now();
        match command {
            Command::Subscribe(wish) => self.subscribe(now, wish),
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
                if last.is_some() && !self.is_closing {
                    self.is_closing = true;
                    // Who has asked nobody for long has to ask, to know whether anybody is there.
                    self.shared.client.refresh_metadata();
                }
                self.commit_last(now, last.unwrap_or_default(), deadline);
                // One that is leaving already leaves once for both.
                if self.membership.state() == MembershipState::Leaving {
                    self.leaves.pop_back();
                }
                self.leaves.push_back(id);
                self.membership.leave(now, leave(reason));
            }
            // Another may have begun by now.
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
            } => self.commit(now, offsets, origin, deadline, reply),
        }
    }

    /// Commits what is left of partitions that were assigned by hand. They were never the membership's.
    fn commit_left(&mut self, now: Instant, offsets: Offsets) {
        let limit = after(now, self.group.config.request_timeout);
        let asked = offsets.clone();
        let (commits, membership) = (&mut self.commits, &mut self.membership);
        let queued = commits.commit(now, membership, offsets, limit);
        self.shared
            .note_queued(&asked, queued.as_ref().ok().copied());
        match queued {
            Ok(id) => {
                self.commits.note_last(id);
                self.commits.note_awaited(id);
                self.replies.insert(id, Reply::Left);
            }
            Err(error) => commits::answer(&self.shared, Reply::Left, asked, Err(error)),
        }
    }

    fn commit(
        &mut self,
        now: Instant,
        offsets: Offsets,
        origin: Origin,
        deadline: Instant,
        reply: Reply,
    ) {
        match self.queue_commit(now, offsets.clone(), origin, deadline) {
            Ok(id) => {
                if matches!(reply, Reply::Last(_)) {
                    self.commits.note_awaited(id);
                }
                self.replies.insert(id, reply);
            }
            Err(error) => commits::answer(&self.shared, reply, offsets, Err(error)),
        }
    }

    /// The application has carried out a change. Partitions go when what was committed of them before has ended: their
    /// new owners start from there. Others wait for that, so it has a limit.
    fn change_done(&mut self, now: Instant, done: ChangeDone) {
        let ChangeDone { id, goes, commit } = done;
        let config = &self.group.config;
        let within = config.request_timeout.min(config.rebalance_timeout() / 2);
        let limit = after(now, within);
        if !commit.is_empty() {
            self.commit_going(now, commit, limit);
        }
        match self.commits.newest().filter(|_| goes) {
            Some(newest) => {
                self.commits.end_by(limit);
                self.held_changes.push((newest, id));
            }
            None => self.membership.change_done(now, id),
        }
    }

    /// Commits what is finished of partitions that go. They are the group's, whatever the application has assigned
    /// since.
    fn commit_going(&mut self, now: Instant, offsets: Offsets, limit: Instant) {
        let last = self.shared.inner.lock().ending.last.clone();
        let (commits, membership) = (&mut self.commits, &mut self.membership);
        let queued = commits.commit_positions(now, membership, offsets.clone(), limit);
        self.shared
            .note_queued(&offsets, queued.as_ref().ok().copied());
        match queued {
            Ok(id) => {
                self.commits.note_awaited(id);
                // Until `close()` itself is heard of, the time is over that an `unsubscribe()` before it had.
                if !self.is_closing {
                    self.commits.note_last(id);
                }
                if let Some(last) = last {
                    self.replies.insert(id, Reply::Last(last));
                }
            }
            Err(error) => {
                tracing::warn!(target: "kafkars::group", %error, "positions are not committed before the partitions go");
                if let Some(last) = last {
                    last.end(&offsets, Err(error));
                }
            }
        }
    }

    /// Carries out what the application has not heard of, where the group is being left and nobody waits for it any
    /// more. Returns whether there was something.
    fn release(&mut self) -> bool {
        if self.release_at.is_none_or(|at| at > now()) {
            return false;
        }
        // Whoever made commits before has heard of them; what is committed now has time of its own.
        self.commits_end_at = None;
        let changes = self.shared.release_changes();
        let is_any = !changes.is_empty();
        for done in changes {
            self.change_done(now(), done);
        }
        is_any
    }

    /// Ends the changes whose commits have ended. Returns whether there was one.
    fn end_changes(&mut self) -> bool {
        let commits = &self.commits;
        let is_held = |held: &mut (CommitId, ChangeId)| !commits.waits_up_to(held.0);
        let done: Vec<_> = self.held_changes.extract_if(.., is_held).collect();
        let is_any = !done.is_empty();
        for (_, change) in done {
            self.membership.change_done(now(), change);
        }
        is_any
    }

    fn commit_last(&mut self, now: Instant, offsets: Offsets, deadline: Instant) {
        let last = self.shared.inner.lock().ending.last.clone();
        if let Some(last) = last.filter(|_| !offsets.is_empty()) {
            self.commit(now, offsets, Origin::Positions, deadline, Reply::Last(last));
        }
    }

    /// Commits what the handle has asked for.
    fn queue_commit(
        &mut self,
        now: Instant,
        offsets: Offsets,
        origin: Origin,
        deadline: Instant,
    ) -> Result<CommitId, CommitError> {
        let asked = offsets.clone();
        let queued = self.try_queue(now, offsets, origin, deadline);
        if queued.is_err() {
            self.shared.note_unwanted(&asked);
        }
        self.shared
            .note_queued(&asked, queued.as_ref().ok().copied());
        queued
    }

    /// Commits, unless partitions among these are lost and the application has only not heard of it: the membership
    /// takes them for strangers then, whose offsets anybody may set.
    fn try_queue(
        &mut self,
        now: Instant,
        offsets: Offsets,
        origin: Origin,
        deadline: Instant,
    ) -> Result<CommitId, CommitError> {
        let is_by_hand = self.shared.is_assigned_by_hand();
        let lost = self.shared.lost_among(&offsets);
        if !lost.is_empty() && !is_by_hand {
            return Err(CommitError::Fenced {
                group: Arc::clone(self.membership.group()),
                partitions: lost,
            });
        }
        let (commits, membership) = (&mut self.commits, &mut self.membership);
        match origin {
            // What is assigned by hand belongs to no membership.
            _ if is_by_hand => commits.commit(now, membership, offsets, deadline),
            Origin::Positions => commits.commit_positions(now, membership, offsets, deadline),
            Origin::Application => commits.commit_owned(now, membership, offsets, deadline),
            Origin::Unchecked => commits.commit(now, membership, offsets, deadline),
        }
    }

    fn subscribe(&mut self, now: Instant, wish: SubscriptionRequest) {
        self.pattern = None;
        self.awaited = None;
        self.untold_since = None;
        self.commits
            .end_outside_by(after(now, self.group.config.request_timeout));
        let subscription = match wish {
            SubscriptionRequest::Topics(topics) => {
                let names: Vec<&str> = topics.iter().map(|topic| &**topic).collect();
                self.shared.client.want_topics(&names);
                self.awaited = Some(self.shared.client.await_topics(topics.iter().cloned()));
                self.untold_since = Some(now);
                Subscription::Topics(topics)
            }
            SubscriptionRequest::Remote(pattern) => Subscription::Pattern(pattern),
            SubscriptionRequest::Local(pattern) => {
                self.pattern = Some(LocalPattern {
                    pattern,
                    list_at: now,
                    is_listing: false,
                });
                return;
            }
        };
        self.join(now, subscription);
    }

    fn join(&mut self, now: Instant, subscription: Subscription) {
        if let Err(error) = self.membership.subscribe(now, subscription) {
            self.shared.push_news(ConsumerEvent::Failed(error));
        }
    }

    /// Says once of a subscription that it names topics that do not exist: whoever reads the others, or nothing, would
    /// not find out. Returns when to look.
    fn tell_unknown_topics(&mut self) -> Option<Instant> {
        let awaited = self.awaited.as_ref()?;
        let client = &self.shared.client;
        let look_at = after(
            self.untold_since?,
            client.config().topic_metadata_propagation_max,
        );
        if look_at > now() {
            return Some(look_at);
        }
        let unknown = client.unknown_among(awaited.names());
        if client.cluster().version > 0 {
            self.untold_since = None;
        }
        if !unknown.is_empty() {
            tracing::warn!(
                target: "kafkars::group",
                group = %self.group.config.group_id,
                topics = %unknown.join(", "),
                "subscribed topics do not exist; they are read once they are made"
            );
        }
        None
    }

    /// Asks for the names of all topics when a pattern wants them.
    fn list_topics(&mut self) {
        let Some(pattern) = &mut self.pattern else {
            return;
        };
        if pattern.is_listing || pattern.list_at > now() {
            return;
        }
        pattern.is_listing = true;
        let client = self.shared.client.clone();
        pattern.list_at = after(now(), client.config().metadata_max_age);
        self.tasks.spawn(async move {
            let deadline = after(now(), client.config().request_timeout);
            let topics = client.topics(deadline).await;
            Done::Topics(topics.ok())
        });
    }

    fn listed(&mut self, topics: Option<Vec<String>>) {
        let retry_at = after(now(), self.shared.client.config().retry_backoff_max);
        let Some(local) = &mut self.pattern else {
            return;
        };
        local.is_listing = false;
        let Some(topics) = topics else {
            local.list_at = retry_at;
            return;
        };
        let matching = local
            .pattern
            .select(topics.iter().map(String::as_str))
            .collect();
        self.join(now(), Subscription::Topics(matching));
    }

    /// Ends what the end of the consumer waits for where no broker has answered for long: commits, and saying goodbye.
    /// Returns when to look again.
    fn end_unheard(&mut self) -> Option<Instant> {
        let began = self.leaves_since.filter(|_| self.is_closing)?;
        let client = &self.shared.client;
        if !self.commits.is_idle() {
            if client.is_unheard(began, silence::COMMIT) {
                self.commits.end_by(now());
            }
        } else if self.membership.state() == MembershipState::Leaving
            && client.is_unheard(began, silence::GOODBYE)
        {
            self.membership.leave_unsaid(now());
        }
        Some(after(now(), silence::LOOK_INTERVAL))
    }

    /// Ends what waits for a coordinator that does not let this client in: commits, and saying goodbye.
    fn end_locked_out(&mut self) {
        let is_leaving = self.membership.state() == MembershipState::Leaving;
        let leaves_since = self.leaves_since.filter(|_| is_leaving);
        if (self.commits.is_idle() && leaves_since.is_none()) || !self.refusals.take() {
            return;
        }
        let (client, coordinator) = (&self.shared.client, self.coordinator);
        let needs = |node| (Some(node) == coordinator).then_some(ConnectionKind::Coordinator);
        // Nothing comes after the end, so it is worth a second try.
        let is_ending = leaves_since.is_some() || self.commits_end_at.is_some();
        if is_ending && !client.is_refused_again(needs) {
            return;
        }
        let refusal = |began| client.refusal_since(began, needs)?.security();
        if leaves_since.and_then(refusal).is_some() {
            self.membership.leave_unsaid(now());
        }
        self.commits
            .end_locked_out(now(), &mut self.membership, refusal);
    }

    /// Carries out what membership and commits ask for.
    fn act(&mut self) {
        self.act_once();
        while self.end_changes() {
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
                Action::Send(outgoing) => {
                    self.coordinator = Some(outgoing.node);
                    self.tasks.spawn(async move {
                        let id = outgoing.id;
                        Done::Answer(id, exchange::send(&shared.client, outgoing).await)
                    });
                }
                Action::ResolveTopics { names, ids } => self.resolve(names, ids),
                Action::Assign(work) => {
                    // An assignor may be the application's, and take its time.
                    self.tasks
                        .spawn_blocking(move || Done::Assigned(work.id, work.run()));
                }
            }
        }
        let cluster = self.shared.client.cluster();
        while let Some(outgoing) = self.next_commit(&cluster) {
            self.coordinator = Some(outgoing.node);
            let client = self.shared.client.clone();
            self.tasks.spawn(async move {
                let id = outgoing.id;
                Done::Commit(id, exchange::commit(&client, outgoing).await)
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
            match self.replies.remove(&outcome.id) {
                Some(reply @ (Reply::Last(_) | Reply::Left)) => {
                    let result = outcome.unless_gone();
                    if let (Ok(()), Err(error)) = (&result, &outcome.result) {
                        tracing::warn!(target: "kafkars::group", %error, "the last positions in a topic that was deleted are not committed");
                    }
                    commits::answer(&self.shared, reply, outcome.offsets, result);
                }
                Some(reply) => {
                    commits::answer(&self.shared, reply, outcome.offsets, outcome.result);
                }
                None => {
                    if let Err(error) = outcome.result {
                        tracing::warn!(target: "kafkars::group", %error, "automatic commit failed");
                    }
                }
            }
        }
    }

    /// A commit that was not done in time says who is silent, where somebody is.
    fn explained(&self, mut outcome: CommitOutcome) -> CommitOutcome {
        if let Err(CommitError::TimedOut { waited, cause, .. }) = &mut outcome.result
            && let Some(silence) = commits::silence(&self.shared.client, self.coordinator, *waited)
        {
            *cause = silence;
        }
        outcome
    }

    /// Looks topics up, unless the same are being looked up: the membership asks again until it knows them.
    fn resolve(&mut self, names: Vec<Arc<str>>, ids: Vec<Uuid>) {
        if let Some((asked, task)) = self.resolving.take() {
            if asked == ids && names.is_empty() && !task.is_finished() {
                self.resolving = Some((asked, task));
                return;
            }
            task.abort();
        }
        let (client, wanted) = (self.shared.client.clone(), ids.clone());
        let task = self.tasks.spawn(async move {
            exchange::resolve(&client, names, wanted).await;
            Done::Resolved
        });
        self.resolving = Some((ids, task));
    }

    fn next_commit(&mut self, cluster: &Cluster) -> Option<OutgoingCommit> {
        self.commits
            .next_request(now(), &mut self.membership, cluster)
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

    fn tell(&mut self, event: Event) {
        match event {
            Event::Change(change) => {
                tracing::info!(target: "kafkars::group", group = %self.membership.group(), kind = commits::kind(&change.kind), partitions = change.partitions.len(), "assignment changes");
                self.shared.push_news(ConsumerEvent::Change(change));
            }
            Event::PollIntervalExceeded(error) => {
                tracing::warn!(target: "kafkars::group", %error, "left the group");
                self.shared.push_news(ConsumerEvent::Failed(error));
            }
            Event::Failed(error) => {
                tracing::warn!(target: "kafkars::group", %error, "membership failed");
                self.shared.push_news(ConsumerEvent::Failed(error));
            }
            Event::Left => {
                let left = self.leaves.pop_front();
                if self.leaves.is_empty() {
                    self.commits_end_at = None;
                    self.release_at = None;
                    let kept = std::mem::take(&mut self.shared.inner.lock().ending.offsets);
                    self.shared.note_queued(&kept, None);
                }
                if let Some(id) = left {
                    self.shared.push_news(ConsumerEvent::Left(id));
                }
            }
        }
    }

    fn commit_automatically(&mut self) {
        let shared = &self.shared;
        let mut asked = Offsets::new();
        let finished = || {
            asked = shared.take_finished();
            asked.clone()
        };
        let queued = self
            .commits
            .commit_automatically(now(), &mut self.membership, finished);
        let taken = queued.and_then(|id| self.commits.offsets(id).cloned());
        let taken = taken.unwrap_or_default();
        shared.note_queued(&taken, queued);
        shared.inner.lock().supersede(&taken);
        // What is not the member's any more was left out.
        asked.retain(|partition, _| !taken.contains_key(partition));
        shared.note_queued(&asked, None);
    }

    /// Lets the handle see how far the membership is.
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

/// When commits are given up that were made before an end at `deadline`: there must be time left to tell.
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

impl SubscriptionView {
    /// Whether a pattern is subscribed.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        matches!(self, Self::Pattern(_))
    }
}

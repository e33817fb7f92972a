//! Fetches from one broker: the next request leaves as soon as an answer is in, before that answer is opened.
//!
//! There are two connections: while one waits in a long poll, the other carries partitions that become fetchable (a
//! seek, a resume, a new assignment), so that they do not wait for it. `PollWait` keeps one of them free or about to
//! be. Connections are made in the background: nothing here waits for one.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::cluster::Cluster;
use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::buffer::FetchTarget;
use kafkars_core::fetch::cursor::Cursor;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::poll_wait::PollWait;
use kafkars_core::fetch::refusal::is_retried;
use kafkars_core::fetch::retry::{RetryPace, RetryState};
use kafkars_core::fetch::session::SessionPartition;
use kafkars_protocol::messages::fetch::{FetchRequest, FetchResponse};
use kafkars_protocol::{ErrorCode, Uuid};

use super::fetch_answer;
use super::fetch_connection::{Asked, EmptyResponsePause, FetchConnection, FetchConnectionEvent};
use super::opening;
use super::request::fetch_request;
use super::shared::ConsumerShared;
use crate::error::AttemptError;
use crate::net::ConnectionKind;
use crate::now;

const OPERATION: &str = "fetch";

/// Runs a fetcher until the consumer is closed.
pub(super) async fn run(shared: Arc<ConsumerShared>, node: i32) {
    BrokerFetcher::new(shared, node).run().await;
}

pub(super) struct BrokerFetcher {
    shared: Arc<ConsumerShared>,
    node: i32,
    pace: RetryPace,
    random: Random,
    // When the broker may be asked again, after answers that refused a whole request, or no answer.
    retry: RetryState,
    empty_response_pause: EmptyResponsePause,
    connections: [FetchConnection; 2],
    // When a second request was last sent while one was under way.
    split_at: Option<Instant>,
}

impl BrokerFetcher {
    pub(super) fn new(shared: Arc<ConsumerShared>, node: i32) -> Self {
        let config = shared.client.config();
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        let seed = u64::from(node.unsigned_abs());
        Self {
            node,
            pace: RetryPace::new(backoff, seed),
            random: Random::new(seed),
            retry: RetryState::default(),
            empty_response_pause: EmptyResponsePause::default(),
            connections: [ConnectionKind::Fetch, ConnectionKind::FetchSecond]
                .map(FetchConnection::new),
            split_at: None,
            shared,
        }
    }

    async fn run(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut changed = shared.changed.subscribe();
        let mut cluster = shared.client.cluster_changed();
        loop {
            if shared.is_closed() {
                return;
            }
            let wake_at = self.dispatch();
            let timer = async {
                match wake_at {
                    Some(instant) => tokio::time::sleep_until(instant.into()).await,
                    None => std::future::pending().await,
                }
            };
            let [first, second] = &mut self.connections;
            tokio::select! {
                biased;
                event = first.event() => self.handle(0, event),
                event = second.event() => self.handle(1, event),
                result = changed.changed() => {
                    if result.is_err() {
                        return;
                    }
                }
                result = cluster.changed() => {
                    if result.is_err() {
                        return;
                    }
                }
                () = timer => {}
            }
        }
    }

    fn handle(&mut self, index: usize, event: FetchConnectionEvent) {
        match event {
            FetchConnectionEvent::Connected => {}
            FetchConnectionEvent::Failed(targets, error) => self.failed(&targets, &error),
            FetchConnectionEvent::Answered(asked, response) => {
                self.answered(index, asked, response)
            }
        }
    }

    /// Sends a fetch for everything that may be fetched, if a connection is free. Returns when to look again.
    pub(super) fn dispatch(&mut self) -> Option<Instant> {
        let now = now();
        let pause = self
            .retry
            .wake_at(now)
            .max(self.empty_response_pause.wake_at(now));
        if pause.is_some() {
            return pause;
        }
        let index = self.free_connection()?;
        let cluster = self.shared.client.cluster();
        let (targets, wake_at) = self.take_targets(&cluster, now);
        if targets.is_empty() {
            return wake_at;
        }
        if !self.connections[index].is_connected() {
            self.give_back(&targets);
            self.connect(index, targets);
            return wake_at;
        }
        match self.wait(index, now) {
            PollWait::Hold(until) => {
                self.give_back(&targets);
                Some(wake_at.map_or(until, |at| at.min(until)))
            }
            PollWait::Send(wait) => {
                if let Err(error) = self.send(index, &targets, &cluster, wait) {
                    self.connections[index].lost();
                    self.failed(&targets, &error);
                    return self.retry.wake_at(now);
                }
                wake_at
            }
        }
    }

    /// Returns a connection with no request under way, preferably one that is connected. Returns none while a
    /// connection is being made and the other one is not connected either: one is enough.
    fn free_connection(&self) -> Option<usize> {
        let free = |index: &usize| self.connections[*index].is_free();
        let connected = |index: &usize| free(index) && self.connections[*index].is_connected();
        let is_connecting = self.connections.iter().any(FetchConnection::is_connecting);
        (0..2)
            .find(connected)
            .or_else(|| (0..2).find(free).filter(|_| !is_connecting))
    }

    fn connect(&mut self, index: usize, targets: Vec<FetchTarget>) {
        let fetch_connection = &mut self.connections[index];
        let (client, node, kind) = (self.shared.client.clone(), self.node, fetch_connection.kind);
        let deadline = now() + client.config().request_timeout;
        let connecting = async move { client.connection(node, kind, deadline).await };
        fetch_connection.connect(targets, Box::pin(connecting));
    }

    pub(super) fn take_targets(
        &self,
        cluster: &Cluster,
        now: Instant,
    ) -> (Vec<FetchTarget>, Option<Instant>) {
        let mut inner = self.shared.inner.lock();
        if !inner.buffer.has_credit() {
            inner.starved = true;
            return (Vec::new(), None);
        }
        let is_manager_wanted = Cell::new(false);
        let targets = inner.buffer.take_targets(now, |cursor| {
            let waits = waits_for_manager(cursor, cluster);
            is_manager_wanted.set(is_manager_wanted.get() || waits);
            !waits && reads_from(cursor, cluster, now) == Some(self.node)
        });
        // It may have looked while a request for the partition was under way, or its pause was not over.
        if is_manager_wanted.get() {
            self.shared.manager_wanted.notify_one();
        }
        inner.left_out |= inner.buffer.has_left_out();
        (targets, inner.buffer.next_wake(now))
    }

    pub(super) fn give_back(&self, targets: &[FetchTarget]) {
        self.shared.inner.lock().buffer.landed(targets);
        self.hand_over(targets);
    }

    /// Decides how long the next request on a connection may wait at the broker.
    fn wait(&mut self, index: usize, now: Instant) -> PollWait {
        let other_ends_at = self.connections[1 - index].ends_at();
        let longest = self.shared.config.fetch_max_wait;
        if other_ends_at.is_none() {
            self.split_at = None;
        } else if self.split_at.is_none() {
            self.split_at = Some(now);
        }
        let changed_at = self.shared.inner.lock().changed_at;
        PollWait::choose(now, changed_at.max(self.split_at), other_ends_at, longest)
    }

    fn send(
        &mut self,
        index: usize,
        targets: &[FetchTarget],
        cluster: &Cluster,
        wait: std::time::Duration,
    ) -> Result<(), AttemptError> {
        let client = &self.shared.client;
        let fetch_connection = &mut self.connections[index];
        let Some(connection) = &fetch_connection.connection else {
            return Err(AttemptError::UnknownNode(self.node));
        };
        let version = connection.versions().highest::<FetchRequest>()?;
        let wanted = targets
            .iter()
            .map(|target| (target.partition.clone(), session_partition(target, cluster)))
            .collect();
        let session = &mut fetch_connection.session;
        // A partition that was given up and is back: its watermarks were told before, and would be left out.
        if targets
            .iter()
            .any(|target| target.is_unheard_of && session.has(&target.partition))
        {
            session.renew();
        }
        let session = session.request(wanted);
        let request = fetch_request(&self.shared.config, session, version, wait);
        let sent_at = now();
        let deadline = sent_at + client.config().request_timeout + wait;
        let answer = connection.start_version(&request, version, deadline)?;
        fetch_connection.asked(targets.to_vec(), Box::pin(answer), sent_at, wait);
        Ok(())
    }

    /// Wakes the fetcher that reads these partitions from now on. It was woken when their leader moved, but found them
    /// still in flight here, so without this it would sleep until something else happens.
    fn hand_over(&self, targets: &[FetchTarget]) {
        let (cluster, now) = (self.shared.client.cluster(), now());
        let mut inner = self.shared.inner.lock();
        let moved = targets.iter().any(|target| {
            let cursor = inner.buffer.cursor_at(target.id, target.epoch);
            cursor.is_some_and(|cursor| {
                waits_for_manager(cursor, &cluster)
                    || reads_from(cursor, &cluster, now) != Some(self.node)
            })
        });
        drop(inner);
        if moved {
            self.shared.touch();
        }
    }

    fn answered(&mut self, index: usize, asked: Asked, response: FetchResponse) {
        let now = now();
        self.shared.counters.fetches.fetch_add(1, Ordering::Relaxed);
        let code = ErrorCode::from_i16(response.error_code);
        let fetch_connection = &mut self.connections[index];
        if !fetch_connection.session.response(code, response.session_id) {
            self.refused(&asked.targets, code);
            return;
        }
        drop(self.retry.succeeded());
        let has_changes = fetch_answer::note(&self.shared, self.node, &asked.targets, response);
        let random = self.random.next();
        self.empty_response_pause
            .answered(&asked, !has_changes, now, random);
        self.hand_over(&asked.targets);
        if has_changes {
            // Small batches are opened at once: the application waits for them, and sending a request takes longer.
            opening::open(&self.shared, &asked.targets);
        }
    }

    /// Handles a request that the broker refused as a whole. An unknown fetch session is opened anew at once; where
    /// that does not help, and for all other errors, there is a pause.
    fn refused(&mut self, targets: &[FetchTarget], code: ErrorCode) {
        let now = now();
        let cause: Arc<str> = code.explained().into();
        tracing::debug!(target: "kafkars::fetch", client = %self.shared.client.name(), broker = self.node, error = code.name(), "a fetch request was refused; it is tried again");
        let is_session = matches!(
            code,
            ErrorCode::FetchSessionIdNotFound
                | ErrorCode::InvalidFetchSessionEpoch
                | ErrorCode::FetchSessionTopicIdError
        );
        if is_session {
            let (retry, pace) = (&mut self.retry, &mut self.pace);
            retry.redirected(now, pace, OPERATION, Arc::clone(&cause));
        } else {
            let (retry, pace) = (&mut self.retry, &mut self.pace);
            retry.failed(now, pace, OPERATION, Arc::clone(&cause));
            self.shared.client.refresh_metadata();
        }
        let passes = is_session || is_retried(code);
        self.unanswered(targets, &cause, |target| {
            (!passes).then(|| FetchError::Broker {
                code,
                partition: target.partition.clone(),
                node: self.node,
            })
        });
    }

    /// Handles a request that got no answer, or none that can be read.
    fn failed(&mut self, targets: &[FetchTarget], error: &AttemptError) {
        let cause: Arc<str> = error.to_string().into();
        let (retry, pace) = (&mut self.retry, &mut self.pace);
        retry.failed(now(), pace, OPERATION, Arc::clone(&cause));
        // That the client was closed is no failure, and nothing will be tried again.
        if !matches!(error, AttemptError::Closed) {
            tracing::debug!(target: "kafkars::fetch", client = %self.shared.client.name(), broker = self.node, %error, "a fetch request got no answer; it is tried again");
        }
        self.shared.client.refresh_metadata();
        self.unanswered(targets, &cause, |target| self.lasting(target, error));
    }

    /// The error to raise for an answer that no retry will make readable; everything else is retried quietly.
    fn lasting(&self, target: &FetchTarget, error: &AttemptError) -> Option<FetchError> {
        let (partition, node) = (target.partition.clone(), self.node);
        match error {
            // A poll itself raises that a broker does not trust us (`Consumer::trouble`).
            error if error.retriable() || error.security().is_some() => None,
            AttemptError::Closed => None,
            AttemptError::Unsupported { .. } => Some(FetchError::Unsupported {
                partition,
                node,
                cause: error.to_string().into(),
            }),
            _ => Some(FetchError::Protocol {
                operation: OPERATION,
                cause: format!("{partition}, from broker {node}: {error}").into(),
            }),
        }
    }

    /// Notes that nothing was learnt about these partitions: the next request goes to the leader where a follower was
    /// asked, and the application gets `error`, once for them all.
    fn unanswered(
        &self,
        targets: &[FetchTarget],
        cause: &Arc<str>,
        error: impl Fn(&FetchTarget) -> Option<FetchError>,
    ) {
        let now = now();
        self.shared.update(|buffer| {
            buffer.unanswered(targets, now, cause);
            for target in targets {
                fetch_answer::leave_follower(buffer, target, self.node);
            }
            let current = targets.iter().find(|target| {
                let cursor = buffer.cursor_at(target.id, target.epoch);
                // The error of a paused partition would be raised only once it is resumed.
                cursor.is_some_and(|cursor| !cursor.paused)
            });
            if let Some((target, error)) = current.and_then(|target| Some((target, error(target)?)))
            {
                buffer.fail(target.id, target.epoch, error);
            }
        });
        self.shared.report_troubles();
        self.hand_over(targets);
    }
}

/// The node to fetch a partition from, once it may be fetched.
fn reads_from(cursor: &Cursor, cluster: &Cluster, now: Instant) -> Option<i32> {
    let TopicPartition { topic, partition } = &cursor.partition;
    let preferred = cursor
        .preferred_replica
        .filter(|(node, until)| *until > now && cluster.broker(*node).is_some());
    match preferred {
        Some((node, _)) => Some(node),
        None => cluster.leader(topic, *partition).map(|leader| leader.node),
    }
}

/// True if the manager must first note in which topic the position was reached, or ask whether the log still holds what
/// was read.
fn waits_for_manager(cursor: &Cursor, cluster: &Cluster) -> bool {
    let TopicPartition { topic, partition } = &cursor.partition;
    let metadata = cluster.topic(topic);
    let leader = cluster.leader(topic, *partition);
    metadata.is_some_and(|topic| !cursor.is_of(topic.id))
        || leader.is_some_and(|leader| cursor.needs_validation(leader.epoch))
}

fn session_partition(target: &FetchTarget, cluster: &Cluster) -> SessionPartition {
    let TopicPartition { topic, partition } = &target.partition;
    SessionPartition {
        topic_id: match target.topic_id.is_zero() {
            true => cluster.topic(topic).map_or(Uuid::ZERO, |topic| topic.id),
            false => target.topic_id,
        },
        offset: target.from.offset,
        leader_epoch: cluster
            .leader(topic, *partition)
            .map_or(-1, |leader| leader.epoch),
        last_epoch: target.from.leader_epoch,
    }
}

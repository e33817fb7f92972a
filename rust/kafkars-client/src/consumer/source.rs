//! Fetching from one broker: the next request leaves as soon as an answer is in, before that answer is opened.
//!
//! Two lanes: the second carries partitions that become fetchable (a seek, a resume, a new assignment) while the first
//! waits in a long poll, so that they do not wait for it. When both wait, one is cut.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::cluster::Cluster;
use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::buffer::{EpochEnd, FetchBuffer, FetchTarget, PartitionStatus};
use kafkars_core::fetch::cursor::Cursor;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::open::{AbortedTransaction, OpenJob};
use kafkars_core::fetch::session::{FetchSession, SessionPartition};
use kafkars_protocol::messages::fetch::{FetchRequest, FetchResponse, PartitionData};
use kafkars_protocol::{ErrorCode, Uuid};

use super::opening;
use super::request::fetch_request;
use super::shared::Shared;
use crate::error::AttemptError;
use crate::net::{Connection, Lane};
use crate::now;

/// Runs until the consumer is closed.
pub(super) async fn run(shared: Arc<Shared>, node: i32) {
    let config = shared.client.config();
    let mut source = Source {
        node,
        backoff: Backoff::new(config.retry_backoff, config.retry_backoff_max),
        random: Random::new(node.unsigned_abs().into()),
        failures: 0,
        not_before: None,
        lanes: [Lane::Fetch, Lane::FetchSecond].map(FetchLane::new),
        shared,
    };
    source.run().await;
}

struct Source {
    shared: Arc<Shared>,
    node: i32,
    backoff: Backoff,
    random: Random,
    failures: u32,
    not_before: Option<Instant>,
    lanes: [FetchLane; 2],
}

/// One connection and the request under way on it.
struct FetchLane {
    lane: Lane,
    session: FetchSession,
    connection: Option<Connection>,
    pending: Option<Pending>,
}

struct Pending {
    targets: Vec<FetchTarget>,
    answer: Answer,
}

type Answer = Pin<Box<dyn Future<Output = Result<FetchResponse, AttemptError>> + Send>>;

impl FetchLane {
    fn new(lane: Lane) -> Self {
        Self {
            lane,
            session: FetchSession::new(),
            connection: None,
            pending: None,
        }
    }

    fn is_connected(&self) -> bool {
        let connection = self.connection.as_ref();
        connection.is_some_and(|connection| !connection.is_closed())
    }

    /// The answer to the request under way; never, when there is none.
    async fn answered(&mut self) -> Result<FetchResponse, AttemptError> {
        match &mut self.pending {
            Some(pending) => pending.answer.as_mut().await,
            None => std::future::pending().await,
        }
    }
}

impl Source {
    async fn run(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut changed = shared.changed.subscribe();
        let mut cluster = shared.client.cluster_changed();
        loop {
            if shared.is_closed() {
                return;
            }
            let wake_at = self.dispatch().await;
            let timer = async {
                match wake_at {
                    Some(instant) => tokio::time::sleep_until(instant.into()).await,
                    None => std::future::pending().await,
                }
            };
            let [first, second] = &mut self.lanes;
            tokio::select! {
                biased;
                answer = first.answered() => self.answered(0, answer).await,
                answer = second.answered() => self.answered(1, answer).await,
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

    /// Sends a fetch for everything that may be fetched, if a lane is free. Returns when to look again.
    async fn dispatch(&mut self) -> Option<Instant> {
        let now = now();
        if let Some(until) = self.not_before.filter(|until| *until > now) {
            return Some(until);
        }
        let cluster = self.shared.client.cluster();
        let (mut targets, wake_at) = self.take_targets(&cluster, now);
        if targets.is_empty() {
            return wake_at;
        }
        let place = match self.free_lane() {
            Some(place) => place,
            None => {
                let place = self.give_up_lane();
                targets.extend(self.take_targets(&cluster, now).0);
                place
            }
        };
        if let Err(error) = self.send(place, targets, &cluster).await {
            self.failed(&error);
        }
        self.not_before
    }

    /// A lane without request under way, a connected one first.
    fn free_lane(&self) -> Option<usize> {
        let free = |place: &usize| self.lanes[*place].pending.is_none();
        let connected = |place: &usize| free(place) && self.lanes[*place].is_connected();
        (0..2).find(connected).or_else(|| (0..2).find(free))
    }

    /// Both lanes wait in long polls while something else is to be fetched: cuts the one that carries fewest partitions,
    /// which after a seek carries none that is still wanted. Nothing is lost: what it asked for is asked for again.
    fn give_up_lane(&mut self) -> usize {
        let mut inner = self.shared.inner.lock();
        let mut carried = [0, 1].map(|place: usize| {
            let targets = self.lanes[place]
                .pending
                .iter()
                .flat_map(|pending| &pending.targets);
            let current =
                targets.filter(|target| inner.buffer.cursor_at(target.id, target.epoch).is_some());
            (current.count(), place)
        });
        carried.sort_unstable();
        let (_, place) = carried[0];
        let lane = &mut self.lanes[place];
        if let Some(connection) = lane.connection.take() {
            connection.close(&AttemptError::Closed);
        }
        lane.session.lost();
        if let Some(pending) = lane.pending.take() {
            inner.buffer.landed(&pending.targets);
        }
        place
    }

    fn take_targets(&self, cluster: &Cluster, now: Instant) -> (Vec<FetchTarget>, Option<Instant>) {
        let mut inner = self.shared.inner.lock();
        if !inner.buffer.has_credit() {
            inner.starved = true;
            return (Vec::new(), None);
        }
        let targets = inner.buffer.take_targets(now, |cursor| {
            reads_from(cursor, cluster, now) == Some(self.node)
        });
        (targets, inner.buffer.next_wake(now))
    }

    async fn send(
        &mut self,
        place: usize,
        targets: Vec<FetchTarget>,
        cluster: &Cluster,
    ) -> Result<(), AttemptError> {
        let client = &self.shared.client;
        let lane = &mut self.lanes[place];
        let result = async {
            if !lane.is_connected() {
                lane.session.lost();
                let deadline = now() + client.config().request_timeout;
                lane.connection = Some(client.connection(self.node, lane.lane, deadline).await?);
            }
            let Some(connection) = &lane.connection else {
                return Err(AttemptError::UnknownNode(self.node));
            };
            let wanted = targets
                .iter()
                .map(|target| (target.partition.clone(), session_partition(target, cluster)))
                .collect();
            let session = lane.session.request(wanted);
            let config = &self.shared.config;
            let deadline = now() + client.config().request_timeout + config.fetch_max_wait;
            let version = connection.versions().highest::<FetchRequest>()?;
            let request = fetch_request(config, session, version);
            let answer: Answer = Box::pin(connection.start_version(&request, version, deadline)?);
            Ok(answer)
        }
        .await;
        match result {
            Ok(answer) => {
                lane.pending = Some(Pending { targets, answer });
                Ok(())
            }
            Err(error) => {
                lane.connection = None;
                lane.session.lost();
                self.unanswered(&targets);
                Err(error)
            }
        }
    }

    /// Wakes the source that reads these partitions from now on. It was woken when their leader moved, but found them
    /// still in flight here, so without this it would sleep until something else happens.
    fn hand_over(&self, targets: &[FetchTarget]) {
        let (cluster, now) = (self.shared.client.cluster(), now());
        let mut inner = self.shared.inner.lock();
        let moved = targets.iter().any(|target| {
            let cursor = inner.buffer.cursor_at(target.id, target.epoch);
            cursor.is_some_and(|cursor| reads_from(cursor, &cluster, now) != Some(self.node))
        });
        drop(inner);
        if moved {
            self.shared.touch();
        }
    }

    async fn answered(&mut self, place: usize, answer: Result<FetchResponse, AttemptError>) {
        let lane = &mut self.lanes[place];
        let Some(Pending { targets, .. }) = lane.pending.take() else {
            return;
        };
        let response = match answer {
            Ok(response) => response,
            Err(error) => {
                lane.connection = None;
                lane.session.lost();
                self.unanswered(&targets);
                self.raise(&targets, &error);
                self.failed(&error);
                return;
            }
        };
        self.failures = 0;
        self.not_before = None;
        let heard_at = now();
        self.shared
            .update(|buffer| buffer.heard(&targets, heard_at));
        self.shared.counters.fetches.fetch_add(1, Ordering::Relaxed);
        let code = ErrorCode::from_i16(response.error_code);
        if !lane.session.response(code, response.session_id) {
            tracing::debug!(target: "kafkars::fetch", broker = self.node, error = code.name(), "fetch session starts over");
            self.shared.update(|buffer| buffer.landed(&targets));
            self.hand_over(&targets);
            return;
        }
        self.note(&targets, response);
        self.hand_over(&targets);
        opening::open(&self.shared, &targets);
        // The broker works on the next answer while a large one is opened; only a lost connection is made anew afterwards.
        if self.lanes[place].is_connected() {
            self.dispatch().await;
        }
    }

    /// Takes note of every partition in the response.
    fn note(&self, targets: &[FetchTarget], response: FetchResponse) {
        let by_name: HashMap<(&str, i32), &FetchTarget> = targets
            .iter()
            .map(|target| {
                (
                    (&*target.partition.topic, target.partition.partition),
                    target,
                )
            })
            .collect();
        let cluster = self.shared.client.cluster();
        let mut stale = false;
        self.shared.update(|buffer| {
            buffer.landed(targets);
            for topic in response.responses {
                let name = match topic.topic.as_str() {
                    "" => match cluster.topic_by_id(topic.topic_id) {
                        Some(metadata) => metadata.name.clone(),
                        None => continue,
                    },
                    name => name.to_owned(),
                };
                for data in topic.partitions {
                    let Some(target) = by_name.get(&(name.as_str(), data.partition_index)) else {
                        continue;
                    };
                    let code = ErrorCode::from_i16(data.error_code);
                    if code == ErrorCode::None {
                        self.note_data(buffer, target, data);
                    } else {
                        stale |= self.note_error(buffer, target, code);
                    }
                }
            }
        });
        if stale {
            self.shared.client.refresh_metadata();
        }
    }

    fn note_data(&self, buffer: &mut FetchBuffer, target: &FetchTarget, data: PartitionData) {
        let status = PartitionStatus {
            high_watermark: data.high_watermark,
            last_stable_offset: data.last_stable_offset,
            log_start_offset: data.log_start_offset,
        };
        if data.preferred_read_replica >= 0
            && let Some(cursor) = buffer.cursor_at(target.id, target.epoch)
        {
            let until = now() + self.shared.client.config().metadata_max_age;
            tracing::debug!(target: "kafkars::fetch", partition = %target.partition, leader = self.node, replica = data.preferred_read_replica, "reads from the nearest replica");
            cursor.preferred_replica = Some((data.preferred_read_replica, until));
        }
        if data.diverging_epoch.epoch >= 0
            && let Some(cursor) = buffer.cursor_at(target.id, target.epoch)
            && cursor.fetch_from() == target.from
        {
            let end = EpochEnd {
                leader_epoch: data.diverging_epoch.epoch,
                end_offset: data.diverging_epoch.end_offset,
            };
            tracing::warn!(target: "kafkars::fetch", broker = self.node, partition = %target.partition, offset = target.from.offset, diverging_offset = end.end_offset, "the log was truncated");
            buffer.truncated(target.id, target.epoch, target.from, end);
            return;
        }
        let job = data
            .records
            .filter(|records| !records.is_empty())
            .map(|records| {
                let length = records.len() as u64;
                self.shared
                    .counters
                    .bytes
                    .fetch_add(length, Ordering::Relaxed);
                OpenJob {
                    partition: target.partition.clone(),
                    from: target.from,
                    records,
                    aborted: data
                        .aborted_transactions
                        .unwrap_or_default()
                        .iter()
                        .map(|aborted| AbortedTransaction {
                            producer_id: aborted.producer_id,
                            first_offset: aborted.first_offset,
                        })
                        .collect(),
                    isolation: self.shared.config.isolation_level,
                }
            });
        buffer.note(target, status);
        let Some(job) = job else {
            return;
        };
        if job.next() == target.from {
            // Nothing of this is new, and asking again at once would bring the same.
            let pause = self.shared.client.config().retry_backoff;
            buffer.back_off(target.id, target.epoch, now(), pause);
        }
        buffer.admit(target, job);
    }

    /// True when metadata may be stale.
    fn note_error(&self, buffer: &mut FetchBuffer, target: &FetchTarget, code: ErrorCode) -> bool {
        let now = now();
        let pause = self.shared.client.config().retry_backoff;
        tracing::debug!(target: "kafkars::fetch", broker = self.node, partition = %target.partition, offset = target.from.offset, error = code.name(), "fetch refused");
        if self.leave_follower(buffer, target) {
            // The leader is asked at once; a follower's log may end before the position while the leader's does not.
            self.shared.touch();
            return code.invalid_metadata();
        }
        buffer.back_off(target.id, target.epoch, now, pause);
        match code {
            ErrorCode::OffsetOutOfRange => {
                buffer.out_of_range(target);
                // The manager looks the new position up.
                self.shared.touch();
                false
            }
            code if code.retriable() || code.invalid_metadata() => code.invalid_metadata(),
            code => {
                let partition = target.partition.clone();
                buffer.fail(
                    target.id,
                    target.epoch,
                    FetchError::Broker { code, partition },
                );
                false
            }
        }
    }

    /// A follower that cannot serve us: the leader can (KIP-392). True when this node was asked as a follower.
    fn leave_follower(&self, buffer: &mut FetchBuffer, target: &FetchTarget) -> bool {
        let Some(cursor) = buffer.cursor_at(target.id, target.epoch) else {
            return false;
        };
        let preferred = cursor.preferred_replica.take();
        preferred.is_some_and(|(node, _)| node == self.node)
    }

    /// No answer came for these.
    fn unanswered(&self, targets: &[FetchTarget]) {
        self.shared.update(|buffer| {
            buffer.landed(targets);
            for target in targets {
                self.leave_follower(buffer, target);
            }
        });
        self.hand_over(targets);
    }

    /// An answer that no retry will make readable reaches the application; everything else is retried quietly.
    fn raise(&self, targets: &[FetchTarget], error: &AttemptError) {
        if error.retriable() || matches!(error, AttemptError::Closed) {
            return;
        }
        let Some(target) = targets.first() else {
            return;
        };
        self.shared.update(|buffer| {
            let error = FetchError::Protocol {
                operation: "fetch",
                cause: error.to_string().into(),
            };
            buffer.fail(target.id, target.epoch, error)
        });
    }

    fn failed(&mut self, error: &AttemptError) {
        self.failures += 1;
        let pause = self.backoff.delay(self.failures, self.random.next());
        self.not_before = Some(now() + pause.max(Duration::from_millis(1)));
        // The end of the client is no failure, and nothing will be tried again.
        if !matches!(error, AttemptError::Closed) {
            tracing::info!(target: "kafkars::fetch", broker = self.node, %error, failures = self.failures, "fetch failed, will be tried again");
        }
        self.shared.client.refresh_metadata();
    }
}

/// The node to fetch a partition from.
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

fn session_partition(target: &FetchTarget, cluster: &Cluster) -> SessionPartition {
    let TopicPartition { topic, partition } = &target.partition;
    SessionPartition {
        topic_id: cluster
            .topic(topic)
            .map_or(Uuid::default(), |topic| topic.id),
        offset: target.from.offset,
        leader_epoch: cluster
            .leader(topic, *partition)
            .map_or(-1, |leader| leader.epoch),
        last_epoch: target.from.leader_epoch,
    }
}

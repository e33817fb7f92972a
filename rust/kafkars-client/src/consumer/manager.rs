//! What must run for one consumer: a source per broker that leads something, and position look-ups.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::buffer::CursorId;
use kafkars_core::fetch::cursor::{Cursor, CursorState, Place, StartAt};
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::offset_reset::{LATEST_TIMESTAMP, timestamp_for};
use kafkars_protocol::ErrorCode;
use tokio::task::JoinSet;

use super::shared::Shared;
use super::{OffsetAndTimestamp, group, offsets, source, truncation};
use crate::error::ClientError;
use crate::now;

/// A topic that brokers do not know for this long is reported: it may be on its way into existence until then.
const UNKNOWN_TOPIC_GRACE: Duration = Duration::from_secs(2);
/// Pause before a failed position look-up is made again.
const RESET_PAUSE: Duration = Duration::from_millis(500);

/// Runs until the consumer is closed.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut manager = Manager {
        sources: HashSet::new(),
        tasks: JoinSet::new(),
        wanted: HashSet::new(),
        unknown: HashMap::new(),
        shared,
    };
    manager.run().await;
}

struct Manager {
    shared: Arc<Shared>,
    // Nodes with a source task.
    sources: HashSet<i32>,
    // Sources and position look-ups.
    tasks: JoinSet<()>,
    // Topics already asked for.
    wanted: HashSet<Arc<str>>,
    // Assigned topics that brokers do not know, and since when.
    unknown: HashMap<Arc<str>, Instant>,
}

impl Manager {
    async fn run(&mut self) {
        let mut changed = self.shared.changed.subscribe();
        let mut cluster = self.shared.client.cluster_changed();
        loop {
            if self.shared.is_closed() {
                self.tasks.abort_all();
                return;
            }
            let wake_at = self.look();
            let timer = async {
                match wake_at {
                    Some(instant) => tokio::time::sleep_until(instant.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = changed.changed() => {}
                result = cluster.changed() => {
                    if result.is_err() {
                        return;
                    }
                }
                Some(_) = self.tasks.join_next(), if !self.tasks.is_empty() => {}
                () = timer => {}
            }
        }
    }

    /// Starts what is missing. Returns when to look again.
    fn look(&mut self) -> Option<Instant> {
        let assigned = self.shared.inner.lock().buffer.assignment();
        if assigned.is_empty() {
            return None;
        }
        self.want_topics(&assigned);
        if self.shared.client.cluster().version == 0 {
            return None; // the metadata task goes on trying, and tells when it has got through
        }
        truncation::look(&self.shared, &mut self.tasks);
        self.start_sources(&assigned);
        let unknown_at = self.report_unknown(&assigned);
        let reset_at = self.reset_unset();
        [unknown_at, reset_at].into_iter().flatten().min()
    }

    fn want_topics(&mut self, assigned: &[TopicPartition]) {
        let missing: Vec<_> = assigned
            .iter()
            .map(|partition| &partition.topic)
            .filter(|topic| self.wanted.insert(Arc::clone(topic)))
            .collect();
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|topic| &***topic).collect();
            self.shared.client.want_topics(&names);
        }
    }

    fn start_sources(&mut self, assigned: &[TopicPartition]) {
        let cluster = self.shared.client.cluster();
        let mut nodes: HashSet<i32> = assigned
            .iter()
            .filter_map(|partition| cluster.leader(&partition.topic, partition.partition))
            .map(|leader| leader.node)
            .collect();
        {
            let inner = self.shared.inner.lock();
            let preferred = inner.buffer.cursors();
            nodes.extend(preferred.filter_map(|(_, cursor)| Some(cursor.preferred_replica?.0)));
        }
        for node in nodes {
            if self.sources.insert(node) {
                let shared = Arc::clone(&self.shared);
                self.tasks.spawn(async move {
                    source::run(shared, node).await;
                });
            }
        }
    }

    /// Raises an error for assigned topics that do not exist, once per grace period.
    fn report_unknown(&mut self, assigned: &[TopicPartition]) -> Option<Instant> {
        let cluster = self.shared.client.cluster();
        let topics: HashSet<&Arc<str>> =
            assigned.iter().map(|partition| &partition.topic).collect();
        self.unknown.retain(|topic, _| topics.contains(topic));
        let now = now();
        let mut wake_at = None;
        for topic in topics {
            let code = match cluster.topic(topic) {
                Some(metadata) => metadata.error,
                None => continue,
            };
            let Some(code) = code else {
                self.unknown.remove(topic);
                continue;
            };
            let since = *self.unknown.entry(Arc::clone(topic)).or_insert(now);
            let due = since + UNKNOWN_TOPIC_GRACE;
            if code.retriable() && now < due {
                wake_at = [wake_at, Some(due)].into_iter().flatten().min();
                self.shared.client.refresh_metadata();
                continue;
            }
            self.unknown.insert(Arc::clone(topic), now);
            self.fail_topic(topic, code);
            wake_at = [wake_at, Some(now + UNKNOWN_TOPIC_GRACE)]
                .into_iter()
                .flatten()
                .min();
        }
        wake_at
    }

    fn fail_topic(&self, topic: &Arc<str>, code: ErrorCode) {
        self.shared.update(|buffer| {
            let first = buffer
                .cursors()
                .find(|(_, cursor)| cursor.partition.topic == *topic)
                .filter(|(_, cursor)| cursor.state != CursorState::Failed)
                .map(|(id, cursor)| (id, cursor.epoch));
            if let Some((id, epoch)) = first {
                let topic = Arc::clone(topic);
                buffer.fail(id, epoch, FetchError::Topic { topic, code });
            }
        });
    }

    /// Starts look-ups for cursors without position, one task per topic so that one topic's trouble is its own.
    fn reset_unset(&mut self) -> Option<Instant> {
        let now = now();
        let now_ms = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0));
        let cluster = self.shared.client.cluster();
        let mut by_topic: HashMap<Arc<str>, Vec<Lookup>> = HashMap::new();
        let mut committed: Vec<Lookup> = Vec::new();
        let mut wake_at = None;
        self.shared.update(|buffer| {
            let policy = buffer.policy();
            let unset: Vec<_> = buffer.cursors().filter_map(unset).collect();
            for mut lookup in unset {
                if let Some(until) = lookup.not_before.filter(|instant| *instant > now) {
                    wake_at = [wake_at, Some(until)].into_iter().flatten().min();
                    continue;
                }
                if lookup.start == StartAt::Committed && self.shared.group.is_some() {
                    if let Some(cursor) = buffer.cursor_at(lookup.id, lookup.epoch) {
                        cursor.in_flight = true;
                        committed.push(lookup);
                    }
                    continue;
                }
                let topic = Arc::clone(&lookup.partition.topic);
                match timestamp_for(lookup.start, policy, now_ms, &lookup.partition) {
                    Err(error) => drop(buffer.fail(lookup.id, lookup.epoch, error)),
                    Ok(timestamp) => {
                        // A topic that is not there yet is asked about when metadata has it.
                        let known = cluster
                            .topic(&topic)
                            .is_some_and(|topic| topic.error.is_none());
                        if known && let Some(cursor) = buffer.cursor_at(lookup.id, lookup.epoch) {
                            cursor.in_flight = true;
                            lookup.timestamp = timestamp;
                            by_topic.entry(topic).or_default().push(lookup);
                        }
                    }
                }
            }
        });
        if !committed.is_empty() {
            let shared = Arc::clone(&self.shared);
            self.tasks.spawn(async move {
                start_from_committed(&shared, committed).await;
            });
        }
        for (_, lookups) in by_topic {
            let shared = Arc::clone(&self.shared);
            self.tasks.spawn(async move {
                reset(&shared, lookups).await;
            });
        }
        wake_at
    }
}

/// A position to be found.
struct Lookup {
    id: CursorId,
    epoch: u64,
    partition: TopicPartition,
    start: StartAt,
    timestamp: i64,
    not_before: Option<Instant>,
}

fn unset((id, cursor): (CursorId, &Cursor)) -> Option<Lookup> {
    match cursor.state {
        CursorState::Unset(start) if !cursor.in_flight => Some(Lookup {
            id,
            epoch: cursor.epoch,
            partition: cursor.partition.clone(),
            start,
            timestamp: LATEST_TIMESTAMP,
            not_before: cursor.not_before,
        }),
        _ => None,
    }
}

async fn reset(shared: &Arc<Shared>, lookups: Vec<Lookup>) {
    let times = lookups
        .iter()
        .map(|lookup| (lookup.partition.clone(), lookup.timestamp))
        .collect();
    let mut found = find(shared, times).await;
    // No record is that new: the end is where the next one will be.
    let at_end: Vec<_> = found
        .iter()
        .filter(|(_, answer)| answer.as_ref().is_ok_and(|found| found.offset < 0))
        .map(|(partition, _)| (partition.clone(), LATEST_TIMESTAMP))
        .collect();
    if !at_end.is_empty() {
        found.extend(find(shared, at_end).await);
    }
    let now = now();
    shared.update(|buffer| {
        for lookup in lookups {
            let Some(cursor) = buffer.cursor_at(lookup.id, lookup.epoch) else {
                continue;
            };
            cursor.in_flight = false;
            match found.remove(&lookup.partition) {
                Some(Ok(found)) => {
                    tracing::debug!(target: "kafkars::consumer", partition = %lookup.partition, offset = found.offset, "position set");
                    let place = Place {
                        offset: found.offset,
                        leader_epoch: found.leader_epoch,
                    };
                    buffer.set_position(lookup.id, lookup.epoch, place);
                }
                Some(Err(error @ FetchError::TimedOut { .. })) => {
                    tracing::warn!(target: "kafkars::consumer", partition = %lookup.partition, %error, "no position yet");
                    buffer.back_off(lookup.id, lookup.epoch, now, RESET_PAUSE);
                }
                Some(Err(error)) => {
                    buffer.back_off(lookup.id, lookup.epoch, now, RESET_PAUSE);
                    buffer.fail(lookup.id, lookup.epoch, error);
                }
                None => buffer.back_off(lookup.id, lookup.epoch, now, RESET_PAUSE),
            }
        }
    });
    shared.touch();
}

/// Sets positions to what the group has committed; where it has nothing the policy decides.
async fn start_from_committed(shared: &Arc<Shared>, lookups: Vec<Lookup>) {
    let partitions = lookups
        .iter()
        .map(|lookup| lookup.partition.clone())
        .collect();
    let deadline = now() + shared.client.config().request_timeout;
    let found = group::fetch_committed(shared, partitions, deadline).await;
    let now = now();
    shared.update(|buffer| {
        for lookup in lookups {
            let Some(cursor) = buffer.cursor_at(lookup.id, lookup.epoch) else {
                continue;
            };
            cursor.in_flight = false;
            match &found {
                Ok(found) => match found.get(&lookup.partition) {
                    Some(committed) => {
                        tracing::debug!(target: "kafkars::consumer", partition = %lookup.partition, offset = committed.offset, "starts from the committed offset");
                        let place = Place {
                            offset: committed.offset,
                            leader_epoch: committed.leader_epoch,
                        };
                        buffer.set_position(lookup.id, lookup.epoch, place);
                        buffer.note_committed(&lookup.partition, place.offset);
                    }
                    None => buffer.start_by_policy(lookup.id, lookup.epoch),
                },
                Err(FetchError::Closed) => {}
                Err(error @ FetchError::TimedOut { .. }) => {
                    tracing::warn!(target: "kafkars::consumer", partition = %lookup.partition, %error, "no committed offset yet");
                    buffer.back_off(lookup.id, lookup.epoch, now, RESET_PAUSE);
                }
                Err(error) => {
                    buffer.back_off(lookup.id, lookup.epoch, now, RESET_PAUSE);
                    buffer.fail(lookup.id, lookup.epoch, error.clone());
                }
            }
        }
    });
    shared.touch();
}

async fn find(
    shared: &Arc<Shared>,
    times: Vec<(TopicPartition, i64)>,
) -> HashMap<TopicPartition, Result<OffsetAndTimestamp, FetchError>> {
    let deadline = now() + shared.client.config().request_timeout;
    let found = offsets::list(shared, "position look-up", times, deadline).await;
    found.into_iter().collect()
}

/// A cluster that cannot be reached, as readers see it.
pub(super) fn unreachable(operation: &'static str, error: &ClientError) -> FetchError {
    match error.bootstrap_causes() {
        Some(causes) => FetchError::Bootstrap { causes },
        None => FetchError::Failed {
            operation,
            cause: error.to_string().into(),
        },
    }
}

//! Runs the tasks of one consumer: a fetcher for each broker that leads an assigned partition, and position look-ups.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::cursor::CursorState;
use kafkars_core::fetch::error::FetchError;
use kafkars_protocol::ErrorCode;
use tokio::task::JoinSet;

use super::shared::ConsumerShared;
use super::unread_partitions::UnreadPartitions;
use super::{broker_fetcher, look_up, truncation};
use crate::now;

/// A topic that brokers do not know for this long is reported: until then it may be on its way of being created.
const UNKNOWN_TOPIC_GRACE: Duration = Duration::from_secs(2);

/// Runs the manager until the consumer is closed.
pub(super) async fn run(shared: Arc<ConsumerShared>) {
    Manager::new(shared).run().await;
}

pub(super) struct Manager {
    shared: Arc<ConsumerShared>,
    // Nodes that have a fetcher.
    fetchers: HashSet<i32>,
    // Fetchers and position look-ups.
    tasks: JoinSet<()>,
    // Topics of the assignment when it was looked at last.
    used: HashSet<Arc<str>>,
    // Topics whose metadata was asked for.
    wanted: HashSet<Arc<str>>,
    // Assigned topics that brokers do not know, and since when.
    unknown: HashMap<Arc<str>, Instant>,
    unread: UnreadPartitions,
}

impl Manager {
    pub(super) fn new(shared: Arc<ConsumerShared>) -> Self {
        Self {
            fetchers: HashSet::new(),
            tasks: JoinSet::new(),
            used: HashSet::new(),
            wanted: HashSet::new(),
            unknown: HashMap::new(),
            unread: UnreadPartitions::default(),
            shared,
        }
    }

    async fn run(&mut self) {
        let mut changed = self.shared.changed.subscribe();
        let mut cluster = self.shared.client.cluster_changed();
        loop {
            if self.shared.is_closed() {
                self.tasks.abort_all();
                return;
            }
            let wake_at = self.look(now());
            let timer = async {
                match wake_at {
                    Some(instant) => tokio::time::sleep_until(instant.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = changed.changed() => {}
                () = self.shared.manager_wanted.notified() => {}
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

    /// Starts the tasks that are missing. Returns when to look again.
    ///
    /// All of it happens at one moment: a pause that ends between two readings of the clock would hold a partition back
    /// at the first, and be over at the second, so that nobody would look again.
    pub(super) fn look(&mut self, now: Instant) -> Option<Instant> {
        let assigned = self.shared.inner.lock().buffer.assignment();
        self.use_topics(&assigned);
        if assigned.is_empty() {
            return None;
        }
        self.want_topics(&assigned);
        if self.shared.client.cluster().version == 0 {
            return None; // the metadata task goes on trying, and its success wakes this one
        }
        self.note_topics();
        truncation::look(&self.shared, &mut self.tasks, now);
        self.start_fetchers(&assigned);
        let unknown_at = self.report_unknown(&assigned, now);
        let absent_at = self.unread.look(&self.shared, &assigned, now);
        look_up::start(&self.shared, &mut self.tasks, now);
        let retry_at = self.shared.inner.lock().buffer.next_wake(now);
        [unknown_at, absent_at, retry_at]
            .into_iter()
            .flatten()
            .min()
    }

    fn use_topics(&mut self, assigned: &[TopicPartition]) {
        let topics = assigned
            .iter()
            .map(|partition| Arc::clone(&partition.topic));
        let used: HashSet<_> = topics.collect();
        if used != self.used {
            self.shared.client.use_topics(used.clone());
            self.used = used;
        }
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

    /// Tells the buffer which topic ids there are now: a position is of the topic in which it was reached, so one of a
    /// topic that was created anew is dropped.
    fn note_topics(&self) {
        let cluster = self.shared.client.cluster();
        let noted = self.shared.update(|buffer| {
            buffer.note_topics(|partition| {
                let topic = cluster.topic(&partition.topic)?;
                topic.error.is_none().then_some(topic.id)
            })
        });
        for partition in &noted.made_again {
            tracing::warn!(target: "kafkars::consumer", client = %self.shared.client.name(), %partition, "the topic was deleted and made again; reading begins anew");
        }
        if noted.has_changes {
            // Fetchers wait for this.
            self.shared.touch();
        }
    }

    fn start_fetchers(&mut self, assigned: &[TopicPartition]) {
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
            if self.fetchers.insert(node) {
                let shared = Arc::clone(&self.shared);
                self.tasks.spawn(async move {
                    broker_fetcher::run(shared, node).await;
                });
            }
        }
    }

    /// Raises an error for assigned topics that do not exist, once per grace period.
    fn report_unknown(&mut self, assigned: &[TopicPartition], now: Instant) -> Option<Instant> {
        let cluster = self.shared.client.cluster();
        let topics: HashSet<&Arc<str>> =
            assigned.iter().map(|partition| &partition.topic).collect();
        let had_unknown = !self.unknown.is_empty();
        self.unknown.retain(|topic, _| topics.contains(topic));
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
            let is_new = !self.unknown.contains_key(topic);
            let since = *self.unknown.entry(Arc::clone(topic)).or_insert(now);
            let due = since + UNKNOWN_TOPIC_GRACE;
            if now >= due || (is_new && !code.retriable()) {
                self.unknown.insert(Arc::clone(topic), now);
                self.fail_topic(topic, code);
            }
            if is_new || now >= due || code.retriable() {
                // Other errors too, such as a missing permission, end only with new metadata.
                self.shared.client.refresh_topics(&[topic]);
            }
            let next = self
                .unknown
                .get(topic)
                .map(|since| *since + UNKNOWN_TOPIC_GRACE);
            wake_at = [wake_at, next].into_iter().flatten().min();
        }
        if had_unknown && self.unknown.is_empty() {
            self.shared.inner.lock().absent_topics.are_back();
        }
        wake_at
    }

    fn fail_topic(&self, topic: &Arc<str>, code: ErrorCode) {
        self.shared.update(|buffer| {
            // The error of a paused partition would be raised only once it is resumed.
            let first = buffer
                .cursors()
                .filter(|(_, cursor)| cursor.partition.topic == *topic && !cursor.is_stopped())
                .min_by_key(|(_, cursor)| cursor.paused)
                .filter(|(_, cursor)| cursor.state != CursorState::Failed)
                .map(|(id, cursor)| (id, cursor.epoch));
            if let Some((id, epoch)) = first {
                let topic = Arc::clone(topic);
                buffer.fail(id, epoch, FetchError::Topic { topic, code });
            }
        });
    }
}

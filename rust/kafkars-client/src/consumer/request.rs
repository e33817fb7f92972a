//! Turns what a fetch session asks for into a Fetch request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::ConsumerConfig;
use kafkars_core::fetch::session::SessionRequest;
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::fetch::{FetchPartition, FetchRequest, FetchTopic, ForgottenTopic};

/// Fetch names topics by id from this version on; earlier ones know names only.
const TOPIC_IDS_SINCE: i16 = 13;

/// Fetch carries the epoch of the last fetched record from this version on (KIP-595).
const LAST_EPOCH_SINCE: i16 = 12;

/// Builds the request in `version`, which decides how topics are named; the broker may hold it for at most `wait`.
pub(super) fn fetch_request(
    config: &ConsumerConfig,
    session: SessionRequest,
    version: i16,
    wait: Duration,
) -> FetchRequest {
    let by_name = version < TOPIC_IDS_SINCE;
    let mut topics: HashMap<Arc<str>, FetchTopic> = HashMap::new();
    for (target, sent) in session.changed {
        let topic = topics
            .entry(Arc::clone(&target.topic))
            .or_insert_with(|| FetchTopic {
                topic: if by_name {
                    target.topic.to_string()
                } else {
                    String::new()
                },
                topic_id: if by_name {
                    Uuid::default()
                } else {
                    sent.topic_id
                },
                ..FetchTopic::default()
            });
        topic.partitions.push(FetchPartition {
            partition: target.partition,
            current_leader_epoch: sent.leader_epoch,
            fetch_offset: sent.offset,
            last_fetched_epoch: if version < LAST_EPOCH_SINCE {
                FetchPartition::default().last_fetched_epoch
            } else {
                sent.last_epoch
            },
            log_start_offset: -1,
            partition_max_bytes: config.max_partition_fetch_bytes,
            ..FetchPartition::default()
        });
    }
    let mut forgotten: HashMap<Arc<str>, ForgottenTopic> = HashMap::new();
    for (target, id) in session.forgotten {
        let topic = forgotten
            .entry(Arc::clone(&target.topic))
            .or_insert_with(|| ForgottenTopic {
                topic: if by_name {
                    target.topic.to_string()
                } else {
                    String::new()
                },
                topic_id: if by_name { Uuid::default() } else { id },
                ..ForgottenTopic::default()
            });
        topic.partitions.push(target.partition);
    }
    FetchRequest {
        replica_id: -1,
        max_wait_ms: i32::try_from(wait.as_millis()).unwrap_or(i32::MAX),
        min_bytes: config.fetch_min_bytes,
        max_bytes: config.fetch_max_bytes,
        isolation_level: config.isolation_level.as_i8(),
        session_id: session.session_id,
        session_epoch: session.session_epoch,
        topics: topics.into_values().collect(),
        forgotten_topics_data: forgotten.into_values().collect(),
        rack_id: config.client_rack.clone(),
        ..FetchRequest::default()
    }
}

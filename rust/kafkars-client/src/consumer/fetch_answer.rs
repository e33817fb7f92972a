//! Reads a fetch response, partition by partition.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use kafkars_core::cluster::Cluster;
use kafkars_core::fetch::buffer::{EpochEnd, FetchBuffer, FetchTarget, PartitionStatus};
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::open::{AbortedTransaction, OpenJob};
use kafkars_core::fetch::refusal::is_retried;
use kafkars_core::fetch::response_memory::ResponseMemory;
use kafkars_protocol::messages::fetch::{FetchResponse, PartitionData};
use kafkars_protocol::{ErrorCode, Uuid};

use super::shared::ConsumerShared;
use crate::now;

const OPERATION: &str = "fetch";

/// The least memory that a response holds: connections cut small ones out of a shared buffer of this size.
const LEAST_BUFFER: usize = 16 << 10;

/// The result of one partition's part of a response.
enum PartitionOutcome {
    Records,
    Nothing,
    /// Another node to ask, another position, or an error; `is_stale` if metadata must be refreshed.
    Changed {
        is_stale: bool,
    },
}

/// Takes note of every partition in the response. Returns true if anything was learnt from it.
pub(super) fn note(
    shared: &ConsumerShared,
    node: i32,
    targets: &[FetchTarget],
    response: FetchResponse,
) -> bool {
    let by_name: HashMap<(&str, i32), &FetchTarget> = targets
        .iter()
        .map(|target| {
            (
                (&*target.partition.topic, target.partition.partition),
                target,
            )
        })
        .collect();
    // A broker may answer for a topic that metadata no longer has.
    let by_id: HashMap<Uuid, &str> = targets
        .iter()
        .map(|target| (target.topic_id, &*target.partition.topic))
        .collect();
    let cluster = shared.client.cluster();
    let now = now();
    let (mut is_stale, mut has_changes, mut has_records) = (false, false, false);
    let mut named = HashSet::new();
    let memory = ResponseMemory::new(record_bytes(&response).max(LEAST_BUFFER));
    shared.update(|buffer| {
        buffer.landed(targets);
        for topic in response.responses {
            let name = match topic.topic.as_str() {
                "" => match by_id.get(&topic.topic_id) {
                    Some(name) => *name,
                    None => continue,
                },
                name => name,
            };
            for data in topic.partitions {
                let Some(target) = by_name.get(&(name, data.partition_index)) else {
                    continue;
                };
                named.insert((target.id, target.epoch));
                let answer = PartitionAnswer {
                    shared,
                    cluster: &cluster,
                    node,
                    target,
                    memory: &memory,
                };
                let outcome = match ErrorCode::from_i16(data.error_code) {
                    ErrorCode::None => answer.data(buffer, data),
                    code => answer.error(buffer, code),
                };
                match outcome {
                    PartitionOutcome::Records => has_records = true,
                    PartitionOutcome::Nothing => {}
                    PartitionOutcome::Changed { is_stale: stale } => {
                        has_changes = true;
                        is_stale |= stale;
                    }
                }
            }
        }
        // An incremental session leaves out partitions without records or changes.
        for target in targets {
            if !named.contains(&(target.id, target.epoch)) {
                buffer.heard(target, now);
            }
        }
    });
    if is_stale {
        shared.client.refresh_metadata();
    }
    if has_changes {
        shared.report_troubles();
    }
    has_changes || has_records
}

/// Bytes of all records in a response, which is about the memory that it takes.
fn record_bytes(response: &FetchResponse) -> usize {
    let topics = response.responses.iter();
    let partitions = topics.flat_map(|topic| &topic.partitions);
    let records = partitions.filter_map(|partition| partition.records.as_ref());
    records.map(Bytes::len).sum()
}

/// Forgets the follower that cannot serve a partition, so that the leader is asked (KIP-392). Returns true if `node`
/// was asked as that follower.
pub(super) fn leave_follower(buffer: &mut FetchBuffer, target: &FetchTarget, node: i32) -> bool {
    let Some(cursor) = buffer.cursor_at(target.id, target.epoch) else {
        return false;
    };
    let preferred = cursor.preferred_replica.take();
    preferred.is_some_and(|(follower, _)| follower == node)
}

/// One partition's part of a response, and what is needed to read it.
struct PartitionAnswer<'a> {
    shared: &'a ConsumerShared,
    cluster: &'a Cluster,
    node: i32,
    target: &'a FetchTarget,
    memory: &'a Arc<ResponseMemory>,
}

impl PartitionAnswer<'_> {
    fn data(&self, buffer: &mut FetchBuffer, data: PartitionData) -> PartitionOutcome {
        let (target, now) = (self.target, now());
        let status = PartitionStatus {
            high_watermark: data.high_watermark,
            last_stable_offset: data.last_stable_offset,
            log_start_offset: data.log_start_offset,
            redirects: data.preferred_read_replica >= 0,
        };
        let is_stale = status.redirects && !self.follow(buffer, data.preferred_read_replica);
        if data.diverging_epoch.epoch >= 0
            && let Some(cursor) = buffer.cursor_at(target.id, target.epoch)
            && cursor.fetch_from() == target.from
        {
            let end = EpochEnd {
                leader_epoch: data.diverging_epoch.epoch,
                end_offset: data.diverging_epoch.end_offset,
            };
            // This is logged once, however often it is met before reading goes on.
            if cursor.trouble().is_none() {
                tracing::warn!(target: "kafkars::fetch", client = %self.shared.client.name(), broker = self.node, partition = %target.partition, offset = target.from.offset, diverging_offset = end.end_offset, "records that were read are not in the partition any more: a leader without them was elected");
            }
            buffer.truncated(target.id, target.epoch, target.from, end, now);
            // The manager looks up a position that the broker does not know.
            self.shared.touch();
            return PartitionOutcome::Changed { is_stale: false };
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
                    response: Arc::clone(self.memory),
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
        buffer.note(target, status, job.is_some(), now);
        match job {
            Some(job) => {
                if job.next() == target.from {
                    // The records end where the position is already: the same answer would come again, and at once.
                    let offset = target.from.offset;
                    let cause = format!("the answer holds no record from offset {offset} on");
                    buffer.refused(target.id, target.epoch, now, OPERATION, cause);
                }
                buffer.admit(target, job);
                PartitionOutcome::Records
            }
            None if status.redirects => {
                // Without a pause, a broker that redirects us to a replica that does not serve us either would be asked
                // without end.
                let replica = data.preferred_read_replica;
                let cause = format!("broker {} says to read from broker {replica}", self.node);
                buffer.redirected(target.id, target.epoch, now, OPERATION, cause);
                PartitionOutcome::Changed { is_stale }
            }
            None => PartitionOutcome::Nothing,
        }
    }

    /// Reads from this replica from now on. False if metadata does not know its address yet: then the leader is asked
    /// until it does.
    fn follow(&self, buffer: &mut FetchBuffer, replica: i32) -> bool {
        let (target, is_known) = (self.target, self.cluster.broker(replica).is_some());
        if let Some(cursor) = buffer.cursor_at(target.id, target.epoch) {
            tracing::debug!(target: "kafkars::fetch", client = %self.shared.client.name(), partition = %target.partition, leader = self.node, replica, is_known, "reads from the nearest replica");
            let until = now() + self.shared.client.config().metadata_max_age;
            cursor.preferred_replica = is_known.then_some((replica, until));
        }
        is_known
    }

    fn error(&self, buffer: &mut FetchBuffer, code: ErrorCode) -> PartitionOutcome {
        let (target, now) = (self.target, now());
        tracing::debug!(target: "kafkars::fetch", client = %self.shared.client.name(), broker = self.node, partition = %target.partition, offset = target.from.offset, error = code.name(), "a fetch of one partition was refused; it is tried again");
        let cause = format!(
            "broker {}: {}: {}",
            self.node,
            code.name(),
            code.description()
        );
        let is_stale = code.invalid_metadata();
        if leave_follower(buffer, target, self.node) {
            // The leader is asked at once: a follower's log may end before the position while the leader's does not.
            buffer.redirected(target.id, target.epoch, now, OPERATION, cause);
            self.shared.touch();
        } else if code == ErrorCode::OffsetOutOfRange {
            buffer.out_of_range(target, now);
            // The manager looks the new position up.
            self.shared.touch();
        } else if is_retried(code) {
            buffer.refused(target.id, target.epoch, now, OPERATION, cause);
        } else {
            let error = FetchError::Broker {
                code,
                partition: target.partition.clone(),
                node: self.node,
            };
            buffer.refused_for_good(target.id, target.epoch, now, OPERATION, error);
        }
        PartitionOutcome::Changed { is_stale }
    }
}

//! Looks up positions: the group's committed offset, an offset by timestamp, the start or the end of the log. A look-up
//! is repeated until it succeeds.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::buffer::{FetchBuffer, LookUp, LookUpSource};
use kafkars_core::fetch::cursor::StartAt;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::offset_reset::{LATEST_TIMESTAMP, timestamp_for};
use kafkars_core::fetch::position::FetchPosition;
use tokio::task::JoinSet;

use super::group::offset_fetch::{self, OffsetFetchFailure};
use super::offsets::{self, ListOffsetsOutcome, OffsetAndTimestamp};
use super::shared::ConsumerShared;
use crate::client::TryFailure;
use crate::{now, wall_clock_ms};

const OPERATION: &str = "position look-up";
const COMMITTED: &str = "look-up of the committed offset";

/// Starts look-ups for cursors without position, one task for each source, so that a silent broker delays none of what
/// others are asked for.
pub(super) fn start(shared: &Arc<ConsumerShared>, tasks: &mut JoinSet<()>, now: Instant) {
    let now_ms = wall_clock_ms();
    let cluster = shared.client.cluster();
    let has_group = shared.group.is_some();
    let mut by_source: HashMap<LookUpSource, Vec<(LookUp, i64)>> = HashMap::new();
    let mut committed: Vec<LookUp> = Vec::new();
    shared.update(|buffer| {
        let policy = buffer.policy();
        let look_ups = buffer.take_look_ups(now, |partition, start| {
            if start == StartAt::Committed && has_group {
                return Some(LookUpSource::Coordinator);
            }
            if timestamp_for(start, policy, now_ms, partition).is_err() {
                return Some(LookUpSource::Policy);
            }
            // A topic that does not exist yet is asked about once metadata has it.
            let topic = cluster.topic(&partition.topic);
            topic.filter(|topic| topic.error.is_none())?;
            let leader = cluster.leader(&partition.topic, partition.partition);
            Some(match leader {
                Some(leader) => LookUpSource::Leader(leader.node),
                None => LookUpSource::NoLeader(Arc::clone(&partition.topic)),
            })
        });
        for look_up in look_ups {
            if look_up.source == LookUpSource::Coordinator {
                committed.push(look_up);
                continue;
            }
            match timestamp_for(look_up.start, policy, now_ms, &look_up.partition) {
                Err(error) => refused(buffer, &look_up, now, OPERATION, error),
                Ok(timestamp) => by_source
                    .entry(look_up.source.clone())
                    .or_default()
                    .push((look_up, timestamp)),
            }
        }
    });
    if !committed.is_empty() {
        tasks.spawn(start_from_committed(Arc::clone(shared), committed));
    }
    for (_, look_ups) in by_source {
        tasks.spawn(look_up(Arc::clone(shared), look_ups));
    }
}

async fn look_up(shared: Arc<ConsumerShared>, look_ups: Vec<(LookUp, i64)>) {
    let times = look_ups
        .iter()
        .map(|(look_up, timestamp)| (look_up.partition.clone(), *timestamp))
        .collect();
    let mut found = find(&shared, times).await;
    // No record has this timestamp or a later one, so the position is the end of the log.
    let at_end: Vec<_> = found
        .iter()
        .filter(|(_, outcome)| {
            matches!(outcome, ListOffsetsOutcome::Found(OffsetAndTimestamp { offset, .. }) if *offset < 0)
        })
        .map(|(partition, _)| (partition.clone(), LATEST_TIMESTAMP))
        .collect();
    if !at_end.is_empty() {
        found.extend(find(&shared, at_end).await);
    }
    let now = now();
    let mut is_stale = false;
    shared.update(|buffer| {
        for (look_up, _) in look_ups {
            let outcome = found.remove(&look_up.partition);
            let again = || ListOffsetsOutcome::Again(TryFailure::NoAnswer("nobody answered".into()));
            match outcome.unwrap_or_else(again) {
                ListOffsetsOutcome::Found(found) => {
                    tracing::debug!(target: "kafkars::consumer", client = %shared.client.name(), partition = %look_up.partition, offset = found.offset, "reading begins at an offset that was looked up");
                    let position = FetchPosition {
                        offset: found.offset,
                        leader_epoch: found.leader_epoch,
                    };
                    buffer.set_position(&look_up, position);
                }
                ListOffsetsOutcome::Again(met) => {
                    is_stale = true;
                    if buffer.ended(&look_up).is_some() {
                        buffer.refused(look_up.id, look_up.epoch, now, OPERATION, met.text());
                    }
                }
                ListOffsetsOutcome::Refused(FetchError::Closed) => {}
                ListOffsetsOutcome::Refused(error) => refused(buffer, &look_up, now, OPERATION, error),
            }
        }
    });
    if is_stale {
        shared.client.refresh_metadata();
    }
    shared.report_troubles();
    shared.touch();
}

/// Sets positions to the offsets that the group has committed; without one `auto_offset_reset` decides.
async fn start_from_committed(shared: Arc<ConsumerShared>, look_ups: Vec<LookUp>) {
    let partitions: Vec<TopicPartition> = look_ups
        .iter()
        .map(|look_up| look_up.partition.clone())
        .collect();
    // Whoever has an open transaction with offsets of a partition may have processed records behind the last ones: to
    // read these again would process them twice. So the offsets are asked for until they are stable.
    let outcome = offset_fetch::try_fetch(&shared, &partitions).await;
    let now = now();
    shared.update(|buffer| {
        for look_up in look_ups {
            // One partition's refusal says nothing of the others.
            let told = outcome.as_ref().and_then(|answers| answers.of(&look_up.partition));
            match told {
                Err(failure) => not_told(buffer, &look_up, now, failure),
                Ok(Some(committed)) => {
                    tracing::debug!(target: "kafkars::consumer", client = %shared.client.name(), partition = %look_up.partition, offset = committed.offset, "reading begins at the committed offset");
                    let position = FetchPosition {
                        offset: committed.offset,
                        leader_epoch: committed.leader_epoch,
                    };
                    if buffer.ended(&look_up).is_some() {
                        buffer.set_position(&look_up, position);
                        buffer.note_found(&look_up.partition, position.offset);
                    }
                }
                Ok(None) => buffer.start_by_policy(&look_up),
            }
        }
    });
    shared.report_troubles();
    shared.touch();
}

/// Notes that the coordinator has not told a committed offset.
fn not_told(
    buffer: &mut FetchBuffer,
    look_up: &LookUp,
    now: Instant,
    failure: &OffsetFetchFailure,
) {
    match failure {
        OffsetFetchFailure::Again(met) => {
            if buffer.ended(look_up).is_some() {
                let cause = met.clone().text();
                buffer.refused(look_up.id, look_up.epoch, now, COMMITTED, cause);
            }
        }
        OffsetFetchFailure::Refused(FetchError::Closed) => {}
        OffsetFetchFailure::Refused(error) => {
            refused(buffer, look_up, now, COMMITTED, error.clone());
        }
    }
}

/// Reports an error that no retry will mend. The look-up is tried again when the application goes on.
fn refused(
    buffer: &mut FetchBuffer,
    look_up: &LookUp,
    now: Instant,
    operation: &'static str,
    error: FetchError,
) {
    if buffer.ended(look_up).is_some() {
        buffer.refused_for_good(look_up.id, look_up.epoch, now, operation, error);
    }
}

async fn find(
    shared: &Arc<ConsumerShared>,
    times: Vec<(TopicPartition, i64)>,
) -> HashMap<TopicPartition, ListOffsetsOutcome> {
    let found = offsets::try_list(shared, OPERATION, times).await;
    found.into_iter().collect()
}

//! Detects log truncation: asks new leaders whether their log still holds what was read under older ones
//! (OffsetForLeaderEpoch, KIP-320).
//!
//! Every fetch carries the epoch of the last record as well, so a leader that changes in between is noticed too.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::fetch::buffer::{EpochEnd, Validation};
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::refusal::is_retried;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_for_leader_epoch::{
    OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, OffsetForLeaderPartition,
    OffsetForLeaderTopic,
};
use tokio::task::JoinSet;

use super::shared::ConsumerShared;
use crate::error::AttemptError;
use crate::net::ConnectionKind;
use crate::now;

/// The replica id of consumers in this request.
const CONSUMER: i32 = -1;

const OPERATION: &str = "epoch check";

/// Starts a validation of each position whose partition has a new leader.
pub(super) fn look(shared: &Arc<ConsumerShared>, tasks: &mut JoinSet<()>, now: Instant) {
    let cluster = shared.client.cluster();
    let (validations, is_sooner) = shared.update(|buffer| {
        let before = buffer.next_wake(now);
        let validations = buffer.take_validations(now, |partition| {
            let leader = cluster.leader(&partition.topic, partition.partition)?;
            Some((leader.node, leader.epoch))
        });
        (validations, buffer.next_wake(now) != before)
    });
    if is_sooner {
        shared.touch();
    }
    let mut by_node: HashMap<i32, Vec<Validation>> = HashMap::new();
    for validation in validations {
        by_node.entry(validation.node).or_default().push(validation);
    }
    for (node, validations) in by_node {
        tasks.spawn(ask(Arc::clone(shared), node, validations));
    }
}

async fn ask(shared: Arc<ConsumerShared>, node: i32, validations: Vec<Validation>) {
    let deadline = now() + shared.client.config().request_timeout;
    let request = request(&validations);
    let answer = shared
        .client
        .request(node, ConnectionKind::Data, request, deadline)
        .await;
    let (now, mut is_stale) = (now(), false);
    let ends = match answer {
        Ok(response) => Ok(ends(&response)),
        // A broker without this API checks the epoch of each fetch, or knows no epochs at all.
        Err(AttemptError::Unsupported { .. }) => Ok(HashMap::new()),
        Err(error) => {
            tracing::debug!(target: "kafkars::fetch", client = %shared.client.name(), broker = node, %error, "no answer to the question where the records of the last leader end; it is asked again");
            Err(Arc::<str>::from(error.to_string()))
        }
    };
    shared.update(|buffer| {
        for validation in &validations {
            let key = (
                validation.partition.topic.to_string(),
                validation.partition.partition,
            );
            let answer = match &ends {
                Ok(ends) => ends.get(&key).copied(),
                Err(cause) => {
                    is_stale = true;
                    buffer.validated(validation, None, now);
                    let cause = Arc::clone(cause);
                    buffer.refused(validation.id, validation.epoch, now, OPERATION, cause);
                    continue;
                }
            };
            let code = match answer {
                Some(Ok(end)) => {
                    buffer.validated(validation, Some(end), now);
                    continue;
                }
                None => {
                    buffer.validated(validation, Some(unchanged(validation)), now);
                    continue;
                }
                Some(Err(code)) => code,
            };
            buffer.validated(validation, None, now);
            let (id, epoch) = (validation.id, validation.epoch);
            is_stale |= is_retried(code);
            if is_retried(code) {
                let cause = format!("broker {node}: {}: {}", code.name(), code.description());
                buffer.refused(id, epoch, now, OPERATION, cause);
            } else {
                let error = FetchError::Broker {
                    code,
                    partition: validation.partition.clone(),
                    node,
                };
                buffer.refused_for_good(id, epoch, now, OPERATION, error);
            }
        }
    });
    if is_stale {
        shared.client.refresh_metadata();
    }
    shared.report_troubles();
    shared.touch();
}

fn request(validations: &[Validation]) -> OffsetForLeaderEpochRequest {
    let mut topics: HashMap<&Arc<str>, Vec<OffsetForLeaderPartition>> = HashMap::new();
    for validation in validations {
        topics
            .entry(&validation.partition.topic)
            .or_default()
            .push(OffsetForLeaderPartition {
                partition: validation.partition.partition,
                current_leader_epoch: validation.leader_epoch,
                leader_epoch: validation.from.leader_epoch,
            });
    }
    OffsetForLeaderEpochRequest {
        replica_id: CONSUMER,
        topics: topics
            .into_iter()
            .map(|(topic, partitions)| OffsetForLeaderTopic {
                topic: topic.to_string(),
                partitions,
            })
            .collect(),
    }
}

fn ends(
    response: &OffsetForLeaderEpochResponse,
) -> HashMap<(String, i32), Result<EpochEnd, ErrorCode>> {
    let mut ends = HashMap::new();
    for topic in &response.topics {
        for partition in &topic.partitions {
            let end = match ErrorCode::from_i16(partition.error_code) {
                ErrorCode::None => Ok(EpochEnd {
                    leader_epoch: partition.leader_epoch,
                    end_offset: partition.end_offset,
                }),
                code => Err(code),
            };
            ends.insert((topic.topic.clone(), partition.partition), end);
        }
    }
    ends
}

/// The answer that confirms a position.
fn unchanged(validation: &Validation) -> EpochEnd {
    EpochEnd {
        leader_epoch: validation.from.leader_epoch,
        end_offset: validation.from.offset,
    }
}

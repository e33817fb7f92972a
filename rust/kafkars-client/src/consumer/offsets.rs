//! Lists offsets of partitions (ListOffsets) from their leaders, with retries until a deadline.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::cluster::TopicMetadata;
use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::offset_reset::{EARLIEST_TIMESTAMP, LATEST_TIMESTAMP};
use kafkars_core::fetch::refusal::is_retried;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsResponse, ListOffsetsTopic,
};
use tokio::task::JoinSet;

use super::errors::unreachable;
use super::shared::ConsumerShared;
use crate::client::TryFailure;
use crate::error::{AttemptError, ClientError};
use crate::net::ConnectionKind;
use crate::now;

/// An offset found by timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetAndTimestamp {
    /// The first offset whose record has the given timestamp or a later one.
    pub offset: i64,
    /// That record's timestamp in ms.
    pub timestamp: i64,
    /// Leader epoch of that record, or -1.
    pub leader_epoch: i32,
}

type FoundOffset = Result<OffsetAndTimestamp, FetchError>;

/// A partition whose offset is still to be listed.
#[derive(Clone)]
struct Question {
    partition: TopicPartition,
    timestamp: i64,
}

/// Lists the offset of each partition at its timestamp (or at one of Kafka's special ones), each with its own outcome,
/// in no order. Retriable errors are retried until `deadline`, unless a handshake with a leader fails for good.
pub(super) async fn list(
    shared: &Arc<ConsumerShared>,
    operation: &'static str,
    times: Vec<(TopicPartition, i64)>,
    deadline: Instant,
) -> Result<Vec<(TopicPartition, FoundOffset)>, FetchError> {
    let partitions: Vec<TopicPartition> = times.iter().map(|(one, _)| one.clone()).collect();
    let leads = |node| {
        let each = partitions.iter().map(|one| (&one.topic, one.partition));
        let is_leader = shared.client.leaders(each).contains(&node);
        is_leader.then_some(ConnectionKind::Data)
    };
    let listed = list_until(shared, operation, times, deadline);
    let listed = shared.client.unless_refused(leads, listed).await;
    listed.map_err(|refusal| unreachable(operation, &refusal))
}

async fn list_until(
    shared: &Arc<ConsumerShared>,
    operation: &'static str,
    times: Vec<(TopicPartition, i64)>,
    deadline: Instant,
) -> Vec<(TopicPartition, FoundOffset)> {
    let mut retries = shared.client.retries(deadline);
    let mut open: Vec<Question> = times
        .into_iter()
        .map(|(partition, timestamp)| Question {
            partition,
            timestamp,
        })
        .collect();
    let mut done = Vec::new();
    let mut cause: Option<Arc<str>> = None;
    while !open.is_empty() && !shared.is_closed() {
        retries.begin();
        let (asked, refused) = by_leader(shared, std::mem::take(&mut open), deadline).await;
        done.extend(refused);
        for (question, outcome) in ask_all(shared, operation, asked, deadline).await {
            match outcome {
                ListOffsetsOutcome::Found(found) => done.push((question.partition, Ok(found))),
                ListOffsetsOutcome::Refused(error) => done.push((question.partition, Err(error))),
                ListOffsetsOutcome::Again(met) => {
                    cause = Some(retries.cause(met, cause.take()));
                    open.push(question);
                }
            }
        }
        if open.is_empty() {
            break;
        }
        let Some(pause) = retries.pause() else {
            break;
        };
        shared.client.refresh_metadata();
        tokio::time::sleep(pause).await;
    }
    let late = match shared.is_closed() {
        true => FetchError::Closed,
        false => FetchError::TimedOut {
            operation,
            waited: retries.waited(),
            cause: cause.unwrap_or_else(|| "no broker answered".into()),
        },
    };
    done.extend(
        open.into_iter()
            .map(|question| (question.partition, Err(late.clone()))),
    );
    done
}

/// The outcome of one try for one partition.
pub(super) enum ListOffsetsOutcome {
    Found(OffsetAndTimestamp),
    /// Another try may succeed.
    Again(TryFailure),
    Refused(FetchError),
}

/// As [`list`], but each partition is asked about once: the caller paces its retries.
pub(super) async fn try_list(
    shared: &Arc<ConsumerShared>,
    operation: &'static str,
    times: Vec<(TopicPartition, i64)>,
) -> Vec<(TopicPartition, ListOffsetsOutcome)> {
    let deadline = now() + shared.client.config().request_timeout;
    refresh_where_older(
        shared,
        times.iter().map(|(partition, _)| partition),
        deadline,
    )
    .await;
    let cluster = shared.client.cluster();
    let mut asked: HashMap<i32, Vec<Question>> = HashMap::new();
    let mut done = Vec::new();
    for (partition, timestamp) in times {
        let metadata = cluster.topic(&partition.topic);
        match metadata.map(|metadata| leader_of(metadata, &partition)) {
            None => {
                let met = TryFailure::Refusal("metadata does not know the topic".into());
                done.push((partition, ListOffsetsOutcome::Again(met)));
            }
            // The group's coordinator may know of a partition before the broker that was asked does.
            Some(Err(error)) if !shared.is_assigned_by_hand() => {
                let met = TryFailure::Refusal(error.to_string().into());
                done.push((partition, ListOffsetsOutcome::Again(met)));
            }
            Some(Err(error)) => done.push((partition, ListOffsetsOutcome::Refused(error))),
            Some(Ok(None)) => {
                let met = TryFailure::Refusal("the partition has no leader".into());
                done.push((partition, ListOffsetsOutcome::Again(met)));
            }
            Some(Ok(Some(leader))) => asked.entry(leader).or_default().push(Question {
                partition,
                timestamp,
            }),
        }
    }
    let answers = ask_all(shared, operation, asked, deadline).await;
    done.extend(
        answers
            .into_iter()
            .map(|(question, outcome)| (question.partition, outcome)),
    );
    done
}

/// Asks all nodes at the same time.
async fn ask_all(
    shared: &Arc<ConsumerShared>,
    operation: &'static str,
    asked: HashMap<i32, Vec<Question>>,
    deadline: Instant,
) -> Vec<(Question, ListOffsetsOutcome)> {
    let mut requests = JoinSet::new();
    for (node, questions) in asked {
        let request = ask(Arc::clone(shared), node, questions, deadline);
        requests.spawn(async move { (node, request.await) });
    }
    let mut outcomes = Vec::new();
    while let Some(answer) = requests.join_next().await {
        let Ok((node, (questions, answer))) = answer else {
            continue;
        };
        match answer {
            Ok(response) => outcomes.extend(sort(node, response, questions)),
            Err(error) => outcomes.extend(questions.into_iter().map(|question| {
                let outcome = failed(operation, node, &question.partition, &error);
                (question, outcome)
            })),
        }
    }
    outcomes
}

fn failed(
    operation: &'static str,
    node: i32,
    partition: &TopicPartition,
    error: &AttemptError,
) -> ListOffsetsOutcome {
    let cause: Arc<str> = error.to_string().into();
    match error {
        // As with fetches: a poll itself raises that a broker does not trust us, and the look-up is retried.
        error if error.retriable() || error.security().is_some() => {
            ListOffsetsOutcome::Again(TryFailure::NoAnswer(cause))
        }
        AttemptError::Closed => ListOffsetsOutcome::Refused(FetchError::Closed),
        AttemptError::Unsupported { .. } => ListOffsetsOutcome::Refused(FetchError::Unsupported {
            partition: partition.clone(),
            node,
            cause,
        }),
        _ => ListOffsetsOutcome::Refused(FetchError::Protocol {
            operation,
            cause: format!("{partition}, from broker {node}: {cause}").into(),
        }),
    }
}

/// Groups partitions by their leaders. Unknown topics fail when waiting for them does, unknown partitions once metadata
/// was asked for again.
async fn by_leader(
    shared: &Arc<ConsumerShared>,
    questions: Vec<Question>,
    deadline: Instant,
) -> (
    HashMap<i32, Vec<Question>>,
    Vec<(TopicPartition, FoundOffset)>,
) {
    let partitions = questions.iter().map(|question| &question.partition);
    refresh_where_older(shared, partitions, deadline).await;
    let mut asked: HashMap<i32, Vec<Question>> = HashMap::new();
    let mut refused = Vec::new();
    let mut leaderless = Vec::new();
    for question in questions {
        let topic = &question.partition.topic;
        let metadata = match shared.client.topic(topic, deadline).await {
            Ok(metadata) => metadata,
            Err(error) => {
                let error = topic_error(topic, error);
                refused.push((question.partition, Err(error)));
                continue;
            }
        };
        match leader_of(&metadata, &question.partition) {
            Err(error) => refused.push((question.partition, Err(error))),
            Ok(None) => leaderless.push(question),
            Ok(Some(leader)) => asked.entry(leader).or_default().push(question),
        }
    }
    // These have no leader now: a request to the node -1, which does not exist, fails as a retriable error.
    if !leaderless.is_empty() {
        asked.entry(-1).or_default().extend(leaderless);
    }
    (asked, refused)
}

/// Asks for the metadata of topics anew if a partition is named that the snapshot lacks: it may have been added since.
async fn refresh_where_older(
    shared: &Arc<ConsumerShared>,
    partitions: impl Iterator<Item = &TopicPartition>,
    deadline: Instant,
) {
    let cluster = shared.client.cluster();
    let is_older = |partition: &&TopicPartition| {
        let known = cluster.topic(&partition.topic);
        known.is_some_and(|topic| topic.error.is_none() && leader_of(topic, partition).is_err())
    };
    let older: HashSet<&str> = partitions.filter(is_older).map(|one| &*one.topic).collect();
    for topic in older {
        // The outcome is read from the metadata that is known afterwards.
        let _told = shared.client.topic_anew(topic, deadline).await;
    }
}

/// The leader of the partition, if it has one now.
pub(super) fn leader_of(
    metadata: &TopicMetadata,
    partition: &TopicPartition,
) -> Result<Option<i32>, FetchError> {
    let index = usize::try_from(partition.partition).ok();
    match index.and_then(|index| metadata.partitions.get(index)) {
        Some(partition) => Ok(partition.leader),
        None => Err(FetchError::InvalidArgument {
            problem: format!(
                "topic {:?} has {} partitions, so there is no partition {}",
                partition.topic,
                metadata.partitions.len(),
                partition.partition
            )
            .into(),
        }),
    }
}

/// The error of a consumer whose topic has no usable metadata.
pub(super) fn topic_error(topic: &Arc<str>, error: ClientError) -> FetchError {
    match error {
        ClientError::Broker { code, .. } => FetchError::Topic {
            topic: Arc::clone(topic),
            code,
        },
        ClientError::Closed => FetchError::Closed,
        ClientError::TimedOut { waited, cause, .. } => FetchError::TimedOut {
            operation: "metadata",
            waited,
            cause,
        },
        other => unreachable("metadata", &other),
    }
}

async fn ask(
    shared: Arc<ConsumerShared>,
    node: i32,
    questions: Vec<Question>,
    deadline: Instant,
) -> (Vec<Question>, Result<ListOffsetsResponse, AttemptError>) {
    let cluster = shared.client.cluster();
    let mut topics: HashMap<Arc<str>, Vec<ListOffsetsPartition>> = HashMap::new();
    for question in &questions {
        let TopicPartition { topic, partition } = &question.partition;
        let epoch = cluster
            .leader(topic, *partition)
            .map_or(-1, |leader| leader.epoch);
        topics
            .entry(Arc::clone(topic))
            .or_default()
            .push(ListOffsetsPartition {
                partition_index: *partition,
                current_leader_epoch: epoch,
                timestamp: question.timestamp,
            });
    }
    let request = ListOffsetsRequest {
        replica_id: -1,
        isolation_level: shared.config.isolation_level.as_i8(),
        topics: topics
            .into_iter()
            .map(|(name, partitions)| ListOffsetsTopic {
                name: name.to_string(),
                partitions,
            })
            .collect(),
        ..ListOffsetsRequest::default()
    };
    let deadline = deadline.min(now() + shared.client.config().request_timeout);
    let answer = shared
        .client
        .request(node, ConnectionKind::Data, request, deadline)
        .await;
    (questions, answer)
}

/// Sorts a response's partitions into found, refused and to be asked again.
fn sort(
    node: i32,
    response: ListOffsetsResponse,
    questions: Vec<Question>,
) -> Vec<(Question, ListOffsetsOutcome)> {
    let mut answers = HashMap::new();
    for topic in &response.topics {
        for partition in &topic.partitions {
            answers.insert((topic.name.as_str(), partition.partition_index), partition);
        }
    }
    let outcome = |question: &Question| {
        let key = (&*question.partition.topic, question.partition.partition);
        let Some(answer) = answers.get(&key) else {
            let text = format!("broker {node} left the partition out");
            return ListOffsetsOutcome::Again(TryFailure::Refusal(text.into()));
        };
        match ErrorCode::from_i16(answer.error_code) {
            ErrorCode::None if answer.offset < lowest(question.timestamp) => {
                ListOffsetsOutcome::Refused(impossible(question, answer.offset))
            }
            ErrorCode::None => ListOffsetsOutcome::Found(OffsetAndTimestamp {
                offset: answer.offset,
                timestamp: answer.timestamp,
                leader_epoch: answer.leader_epoch,
            }),
            code if is_retried(code) => {
                let text = format!("broker {node}: {}: {}", code.name(), code.description());
                ListOffsetsOutcome::Again(TryFailure::Refusal(text.into()))
            }
            code => ListOffsetsOutcome::Refused(FetchError::Broker {
                code,
                partition: question.partition.clone(),
                node,
            }),
        }
    };
    questions
        .into_iter()
        .map(|question| {
            let outcome = outcome(&question);
            (question, outcome)
        })
        .collect()
}

/// The lowest offset that a broker may answer for a timestamp: -1 says that there is no such record, but every log has
/// a start and an end.
fn lowest(timestamp: i64) -> i64 {
    match timestamp {
        EARLIEST_TIMESTAMP | LATEST_TIMESTAMP => 0,
        _ => -1,
    }
}

fn impossible(question: &Question, offset: i64) -> FetchError {
    FetchError::Protocol {
        operation: "offset look-up",
        cause: format!(
            "the leader of {} answers the question for timestamp {} with offset {offset}; offsets are not negative",
            question.partition, question.timestamp
        )
        .into(),
    }
}

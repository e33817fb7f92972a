//! Asking partition leaders for offsets (ListOffsets), with retries until a deadline.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::offset_reset::{EARLIEST_TIMESTAMP, LATEST_TIMESTAMP};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsResponse, ListOffsetsTopic,
};
use tokio::task::JoinSet;

use super::OffsetAndTimestamp;
use super::shared::Shared;
use crate::error::{AttemptError, ClientError};
use crate::net::Lane;
use crate::now;

type Answer = Result<OffsetAndTimestamp, FetchError>;

/// A partition still to be asked about.
#[derive(Clone)]
struct Question {
    partition: TopicPartition,
    timestamp: i64,
}

/// The offset of each partition at its timestamp (or at one of Kafka's special ones), each with its own outcome, in no
/// order. Retriable errors are retried until `deadline`.
pub(super) async fn list(
    shared: &Arc<Shared>,
    operation: &'static str,
    times: Vec<(TopicPartition, i64)>,
    deadline: Instant,
) -> Vec<(TopicPartition, Answer)> {
    let started = now();
    let config = shared.client.config();
    let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
    let mut random = Random::new(started.elapsed().subsec_nanos().into());
    let mut open: Vec<Question> = times
        .into_iter()
        .map(|(partition, timestamp)| Question {
            partition,
            timestamp,
        })
        .collect();
    let mut done = Vec::new();
    let mut cause: Arc<str> = "no broker answered".into();
    let mut failures = 0;
    while !open.is_empty() && !shared.is_closed() {
        let (asked, refused) = by_leader(shared, std::mem::take(&mut open), deadline).await;
        done.extend(refused);
        let mut requests = JoinSet::new();
        for (node, questions) in asked {
            requests.spawn(ask(Arc::clone(shared), node, questions, deadline));
        }
        while let Some(answer) = requests.join_next().await {
            let Ok((questions, answer)) = answer else {
                continue;
            };
            match answer {
                Ok(response) => sort(response, questions, &mut done, &mut open, &mut cause),
                Err(error) if error.retriable() => {
                    cause = error.to_string().into();
                    open.extend(questions);
                }
                Err(error) => {
                    let error = FetchError::Protocol {
                        operation,
                        cause: error.to_string().into(),
                    };
                    done.extend(
                        questions
                            .into_iter()
                            .map(|question| (question.partition, Err(error.clone()))),
                    );
                }
            }
        }
        if open.is_empty() {
            break;
        }
        failures += 1;
        let pause = backoff.delay(failures, random.next());
        if now() + pause >= deadline {
            break;
        }
        shared.client.refresh_metadata();
        tokio::time::sleep(pause).await;
    }
    let late = FetchError::TimedOut {
        operation,
        waited: started.elapsed(),
        cause,
    };
    done.extend(
        open.into_iter()
            .map(|question| (question.partition, Err(late.clone()))),
    );
    done
}

/// Groups questions by the node that can answer; those about unknown topics or partitions are refused at the deadline.
async fn by_leader(
    shared: &Arc<Shared>,
    questions: Vec<Question>,
    deadline: Instant,
) -> (HashMap<i32, Vec<Question>>, Vec<(TopicPartition, Answer)>) {
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
        let place = usize::try_from(question.partition.partition).ok();
        let partition = place.and_then(|place| metadata.partitions.get(place));
        match partition.map(|partition| partition.leader) {
            None => {
                let problem = format!(
                    "topic {topic:?} has {} partitions, so there is no partition {}",
                    metadata.partitions.len(),
                    question.partition.partition
                );
                let error = FetchError::InvalidArgument {
                    problem: problem.into(),
                };
                refused.push((question.partition, Err(error)));
            }
            Some(None) => leaderless.push(question),
            Some(Some(leader)) => asked.entry(leader).or_default().push(question),
        }
    }
    // Nobody leads these now: asking the node that answers to no id fails in the ordinary, retriable way.
    if !leaderless.is_empty() {
        asked.entry(-1).or_default().extend(leaderless);
    }
    (asked, refused)
}

/// What a topic's unavailability means to a reader.
pub(super) fn topic_error(topic: &Arc<str>, error: ClientError) -> FetchError {
    match error {
        ClientError::Broker { code, .. } => FetchError::Topic {
            topic: Arc::clone(topic),
            code,
        },
        ClientError::Closed => FetchError::Closed,
        other => super::manager::unreachable("metadata", &other),
    }
}

async fn ask(
    shared: Arc<Shared>,
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
        .request(node, Lane::Data, request, deadline)
        .await;
    (questions, answer)
}

/// Sorts a response's partitions into answered, refused and to be asked again.
fn sort(
    response: ListOffsetsResponse,
    questions: Vec<Question>,
    done: &mut Vec<(TopicPartition, Answer)>,
    open: &mut Vec<Question>,
    cause: &mut Arc<str>,
) {
    let mut answers = HashMap::new();
    for topic in &response.topics {
        for partition in &topic.partitions {
            answers.insert((topic.name.as_str(), partition.partition_index), partition);
        }
    }
    for question in questions {
        let key = (&*question.partition.topic, question.partition.partition);
        let Some(answer) = answers.get(&key) else {
            open.push(question);
            continue;
        };
        match ErrorCode::from_i16(answer.error_code) {
            ErrorCode::None if answer.offset < lowest(question.timestamp) => {
                done.push((
                    question.partition.clone(),
                    Err(impossible(&question, answer.offset)),
                ));
            }
            ErrorCode::None => {
                let found = OffsetAndTimestamp {
                    offset: answer.offset,
                    timestamp: answer.timestamp,
                    leader_epoch: answer.leader_epoch,
                };
                done.push((question.partition, Ok(found)));
            }
            code if code.retriable() => {
                *cause = format!("{}: {}", code.name(), code.description()).into();
                open.push(question);
            }
            code => {
                let partition = question.partition.clone();
                done.push((
                    question.partition,
                    Err(FetchError::Broker { code, partition }),
                ));
            }
        }
    }
}

/// The lowest offset that answers a question about this timestamp: -1 says that there is no such record, but every log has
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

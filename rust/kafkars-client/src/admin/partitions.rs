//! Requests that only the leader of a partition can serve: deleting records, listing offsets.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kafkars_core::config::{IsolationLevel, TopicPartition};
use kafkars_protocol::messages::delete_records::{
    DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic,
};
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic,
};
use kafkars_protocol::{ApiKey, ErrorCode, Request};

use super::group_offsets::{by_topic, refused};
use super::handle::Admin;
use super::outcome::{Outcomes, all_failed, in_order, outcome};
use super::routing::broker_timeout;
use crate::client::{Retries, TryFailure};
use crate::error::{AttemptError, ClientError};
use crate::first_ended::first_ended;

/// ListOffsets finds the record with the largest timestamp from this version on (KIP-734).
const MAX_TIMESTAMP_SINCE: i16 = 7;

/// Selects the offset of a partition to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffsetSpec {
    /// The log start offset.
    Earliest,
    /// The offset of the next record; with `ReadCommitted` the last stable offset.
    Latest,
    /// The offset of the record with the largest timestamp (Kafka 3.0 and newer).
    MaxTimestamp,
    /// The offset of the first record with this timestamp in ms or a later one.
    Timestamp(i64),
}

impl OffsetSpec {
    fn as_i64(self) -> i64 {
        match self {
            Self::Earliest => -2,
            Self::Latest => -1,
            Self::MaxTimestamp => -3,
            Self::Timestamp(timestamp) => timestamp,
        }
    }
}

/// The offset that was found for a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedOffset {
    /// The offset; `None` if no record matches.
    pub offset: Option<i64>,
    /// The record's timestamp in ms, where the offset was found by timestamp.
    pub timestamp: Option<i64>,
    /// Leader epoch of the record, where known.
    pub leader_epoch: Option<i32>,
}

impl Admin {
    /// Deletes the records before an offset of each partition; -1 stands for all records. Returns the new log start
    /// offsets.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a partition that was refused has its error in its own outcome.
    pub async fn delete_records(
        &self,
        before: Vec<(TopicPartition, i64)>,
        deadline: Instant,
    ) -> Result<Outcomes<TopicPartition, i64>, ClientError> {
        let offsets: HashMap<TopicPartition, i64> = before.iter().cloned().collect();
        let keys: Vec<TopicPartition> = before.into_iter().map(|(of, _)| of).collect();
        let build = |partitions: &[TopicPartition], _| {
            let one = |of: &TopicPartition| {
                let partition = DeleteRecordsPartition {
                    partition_index: of.partition,
                    offset: offsets.get(of).copied().unwrap_or_default(),
                };
                (Arc::clone(&of.topic), partition)
            };
            let topics = by_topic(partitions.iter().map(one)).into_iter();
            let topics = topics.map(|(name, partitions)| DeleteRecordsTopic {
                name: name.to_string(),
                partitions,
            });
            DeleteRecordsRequest {
                topics: topics.collect(),
                timeout_ms: broker_timeout(deadline),
            }
        };
        let read = |response: <DeleteRecordsRequest as Request>::Response| -> Vec<Answered<i64>> {
            let topics = response.topics.into_iter();
            let answered = topics.flat_map(|topic| {
                let name: Arc<str> = topic.name.into();
                topic.partitions.into_iter().map(move |one| Answered {
                    of: TopicPartition {
                        topic: Arc::clone(&name),
                        partition: one.partition_index,
                    },
                    code: one.error_code,
                    message: None,
                    found: one.low_watermark,
                })
            });
            answered.collect()
        };
        self.ask_leaders(keys, build, read, deadline).await
    }

    /// Lists an offset of each partition.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`], and [`ClientError::Broker`] if a broker is too old for an offset that is
    /// asked for; a partition that was refused has its error in its own outcome.
    pub async fn list_offsets(
        &self,
        wanted: Vec<(TopicPartition, OffsetSpec)>,
        isolation: IsolationLevel,
        deadline: Instant,
    ) -> Result<Outcomes<TopicPartition, ListedOffset>, ClientError> {
        let specs: HashMap<TopicPartition, OffsetSpec> = wanted.iter().cloned().collect();
        let keys: Vec<TopicPartition> = wanted.into_iter().map(|(of, _)| of).collect();
        let is_new = specs.values().any(|spec| *spec == OffsetSpec::MaxTimestamp);
        let too_old = AtomicBool::new(false);
        let build = |partitions: &[TopicPartition], version| {
            // Older brokers would take the number for a timestamp.
            too_old.fetch_or(is_new && version < MAX_TIMESTAMP_SINCE, Ordering::Relaxed);
            let one = |of: &TopicPartition| {
                let spec = specs.get(of).copied().unwrap_or(OffsetSpec::Latest);
                let partition = ListOffsetsPartition {
                    partition_index: of.partition,
                    current_leader_epoch: -1,
                    timestamp: spec.as_i64(),
                };
                (Arc::clone(&of.topic), partition)
            };
            let topics = by_topic(partitions.iter().map(one)).into_iter();
            let topics = topics.map(|(name, partitions)| ListOffsetsTopic {
                name: name.to_string(),
                partitions,
            });
            ListOffsetsRequest {
                replica_id: -1,
                isolation_level: isolation.as_i8(),
                topics: topics.collect(),
                ..ListOffsetsRequest::default()
            }
        };
        let read =
            |response: <ListOffsetsRequest as Request>::Response| -> Vec<Answered<ListedOffset>> {
                let topics = response.topics.into_iter();
                let answered = topics.flat_map(|topic| {
                    let name: Arc<str> = topic.name.into();
                    topic.partitions.into_iter().map(move |one| Answered {
                        of: TopicPartition {
                            topic: Arc::clone(&name),
                            partition: one.partition_index,
                        },
                        code: one.error_code,
                        message: None,
                        found: ListedOffset {
                            offset: Some(one.offset).filter(|offset| *offset >= 0),
                            timestamp: Some(one.timestamp).filter(|time| *time >= 0),
                            leader_epoch: Some(one.leader_epoch).filter(|epoch| *epoch >= 0),
                        },
                    })
                });
                answered.collect()
            };
        let listed = self.ask_leaders(keys, build, read, deadline).await?;
        if too_old.into_inner() {
            return Err(ClientError::Broker {
                code: ErrorCode::UnsupportedVersion,
                topic: None,
                partition: None,
                subject: None,
                message: Some("max_timestamp needs Kafka 3.0 or newer (KIP-734)".into()),
            });
        }
        Ok(listed)
    }

    /// Asks the leader of each partition, and the new leader where it has moved, until the deadline.
    pub(super) async fn ask_leaders<R, T, B>(
        &self,
        keys: Vec<TopicPartition>,
        build: B,
        read: impl Fn(R::Response) -> Vec<Answered<T>>,
        deadline: Instant,
    ) -> Result<Outcomes<TopicPartition, T>, ClientError>
    where
        R: Request + Send + Sync,
        B: Fn(&[TopicPartition], i16) -> R + Send + Sync,
    {
        let retries = self.client.retries(deadline);
        let mut open = keys.clone();
        open.sort_unstable();
        open.dedup();
        let leaders = self.leaders(open, deadline).await?;
        let whole = Part {
            leaders,
            retries,
            causes: HashMap::new(),
        };
        // Each leader on its own: one that does not answer holds up no other.
        let start = |part| ((), Box::pin(self.ask_part(part, &build, &read, deadline)));
        let mut under_way: Vec<_> = whole.by_leader().into_iter().map(start).collect();
        let mut done = Outcomes::new();
        while !under_way.is_empty() {
            let ((), (answered, rest)) = first_ended(&mut under_way).await;
            done.extend(answered);
            let rest = rest.into_iter().flat_map(Part::by_leader);
            under_way.extend(rest.map(start));
        }
        Ok(in_order(&keys, done))
    }

    /// Asks one leader about its partitions, once, and finds out who leads those now that it has not answered about.
    async fn ask_part<R, T, B>(
        &self,
        part: Part,
        build: &B,
        read: &impl Fn(R::Response) -> Vec<Answered<T>>,
        deadline: Instant,
    ) -> (Outcomes<TopicPartition, T>, Option<Part>)
    where
        R: Request + Send + Sync,
        B: Fn(&[TopicPartition], i16) -> R + Send + Sync,
    {
        let Part {
            leaders,
            mut retries,
            mut causes,
        } = part;
        let refused = leaders.refused.into_iter();
        let mut done: Outcomes<_, T> = refused.map(|(of, error)| (of, Err(error))).collect();
        let mut again = leaders.nobody;
        for (node, partitions) in leaders.by_node {
            let build = |version| build(&partitions, version);
            match self.ask_once(node, build, deadline).await {
                Ok(response) => {
                    for answered in read(response) {
                        match ErrorCode::from_i16(answered.code) {
                            code if is_elsewhere(code) => {
                                let met = TryFailure::Refusal(code.explained().into());
                                again.push((answered.of, met));
                            }
                            _ => done.push(answered.into_outcome()),
                        }
                    }
                }
                // There may be another leader by now.
                Err(ClientError::Attempt(error)) if error.retriable() => {
                    self.client.refresh_metadata();
                    let met = TryFailure::NoAnswer(error.to_string().into());
                    again.extend(partitions.into_iter().map(|of| (of, met.clone())));
                }
                Err(error) => done.extend(all_failed(partitions, &error)),
            }
        }
        if again.is_empty() {
            return (done, None);
        }
        let again = again.into_iter().map(|(of, met)| {
            let cause = retries.cause(met, causes.remove(&of));
            (of, cause)
        });
        let causes: HashMap<TopicPartition, Arc<str>> = again.collect();
        let Some(pause) = retries.pause() else {
            done.extend(late(R::API_KEY, &retries, causes));
            return (done, None);
        };
        tokio::time::sleep(pause).await;
        retries.begin();
        let mut open: Vec<TopicPartition> = causes.keys().cloned().collect();
        open.sort_unstable();
        match self.leaders(open.clone(), deadline).await {
            Ok(leaders) => {
                let rest = Part {
                    leaders,
                    retries,
                    causes,
                };
                return (done, Some(rest));
            }
            Err(ClientError::TimedOut { cause, .. }) => {
                let met = TryFailure::NoAnswer(cause);
                let causes = causes.into_iter();
                let causes = causes.map(|(of, before)| {
                    let cause = retries.cause(met.clone(), Some(before));
                    (of, cause)
                });
                done.extend(late(R::API_KEY, &retries, causes));
            }
            Err(error) => done.extend(all_failed(open, &error)),
        }
        (done, None)
    }

    /// Finds the current leaders of these partitions. Asking creates no topic.
    async fn leaders(
        &self,
        partitions: Vec<TopicPartition>,
        deadline: Instant,
    ) -> Result<Leaders, ClientError> {
        let mut names: Vec<String> = partitions.iter().map(|of| of.topic.to_string()).collect();
        names.dedup();
        let described = self.describe_topics(Some(names), false, deadline).await?;
        let described: HashMap<String, _> = described.into_iter().collect();
        let mut leaders = Leaders::default();
        for of in partitions {
            let topic = match described.get(&*of.topic) {
                Some(Ok(topic)) => topic,
                Some(Err(error)) => {
                    leaders.refused.push((of, error.clone()));
                    continue;
                }
                None => {
                    let missing = "the answer leaves out a topic that was asked for";
                    let error = AttemptError::Protocol(missing.into());
                    leaders.refused.push((of, error.into()));
                    continue;
                }
            };
            let index = usize::try_from(of.partition).ok();
            match index.and_then(|index| topic.metadata.partitions.get(index)) {
                Some(partition) => match partition.leader {
                    Some(node) => leaders.by_node.entry(node).or_default().push(of),
                    None => leaders.nobody.push((
                        of,
                        TryFailure::Refusal(ErrorCode::LeaderNotAvailable.explained().into()),
                    )),
                },
                None => {
                    let code = ErrorCode::UnknownTopicOrPartition.code();
                    let error = refused(&of, code, None).and_then(|()| outcome(code, None, None));
                    leaders.refused.extend(error.err().map(|error| (of, error)));
                }
            }
        }
        Ok(leaders)
    }
}

/// Partitions that are asked about, and what was met with them so far.
struct Part {
    leaders: Leaders,
    retries: Retries,
    causes: HashMap<TopicPartition, Arc<str>>,
}

impl Part {
    /// One for each leader, and one for the others.
    fn by_leader(self) -> Vec<Self> {
        let Self {
            mut leaders,
            retries,
            mut causes,
        } = self;
        let by_node = mem::take(&mut leaders.by_node).into_iter();
        let led = by_node.map(|led| Leaders {
            by_node: BTreeMap::from([led]),
            ..Leaders::default()
        });
        let led: Vec<Leaders> = led.collect();
        let one = |leaders: Leaders| {
            let partitions = leaders.by_node.values().flatten();
            let nobody = leaders.nobody.iter().map(|(of, _)| of);
            let each = partitions.chain(nobody);
            let causes = each.filter_map(|of| causes.remove_entry(of)).collect();
            Self {
                leaders,
                retries: retries.clone(),
                causes,
            }
        };
        let others =
            Some(leaders).filter(|rest| !rest.refused.is_empty() || !rest.nobody.is_empty());
        led.into_iter().chain(others).map(one).collect()
    }
}

/// Partitions for whose answers there was no time, with what was met.
fn late<T>(
    api: ApiKey,
    retries: &Retries,
    causes: impl IntoIterator<Item = (TopicPartition, Arc<str>)>,
) -> Outcomes<TopicPartition, T> {
    let one = |(of, cause)| (of, Err(retries.late(api.name().to_owned(), cause)));
    causes.into_iter().map(one).collect()
}

#[derive(Default)]
struct Leaders {
    by_node: BTreeMap<i32, Vec<TopicPartition>>,
    refused: Vec<(TopicPartition, ClientError)>,
    /// Those that nobody leads, and what the cluster says of it.
    nobody: Vec<(TopicPartition, TryFailure)>,
}

/// A partition in an answer.
pub(super) struct Answered<T> {
    pub(super) of: TopicPartition,
    pub(super) code: i16,
    pub(super) message: Option<String>,
    pub(super) found: T,
}

impl<T> Answered<T> {
    /// Returns the partition, with what was found or why nothing was.
    pub(super) fn into_outcome(self) -> (TopicPartition, Result<T, ClientError>) {
        let refused = refused(&self.of, self.code, self.message);
        (self.of, refused.map(|()| self.found))
    }
}

/// True if another broker, or this one a moment later, may serve the request.
fn is_elsewhere(code: ErrorCode) -> bool {
    let codes = [
        ErrorCode::NotLeaderOrFollower,
        ErrorCode::LeaderNotAvailable,
        ErrorCode::OffsetNotAvailable,
        ErrorCode::FencedLeaderEpoch,
        ErrorCode::UnknownLeaderEpoch,
        ErrorCode::ReplicaNotAvailable,
    ];
    codes.contains(&code)
}

//! Fetches the group's committed offsets from its coordinator (OffsetFetch), with retries until a deadline.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_core::coordinator::CoordinatorKind;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::{
    CommitError, CommitErrorAction, GroupMemberIdentity, OffsetAndMetadata, Offsets, error_action,
};
use kafkars_protocol::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
    OffsetFetchResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::handle::GroupHandle;
use crate::client::{RepeatableRequest, TryFailure, any_broker};
use crate::consumer::errors;
use crate::consumer::shared::ConsumerShared;
use crate::error::{AttemptError, ClientError};
use crate::net::ConnectionKind;
use crate::now;

/// OffsetFetch names groups in a list from this version on.
const GROUPS_SINCE: i16 = 8;
/// OffsetFetch carries the member id and epoch from this version on (KIP-848).
const MEMBER_SINCE: i16 = 9;
/// OffsetFetch names topics by id from this version on, which is not used here: names are enough.
const BY_ID_SINCE: i16 = 10;
/// OffsetFetch can wait for open transactions to end from this version on (KIP-447).
const STABLE_SINCE: i16 = 7;

/// Fetches the committed offset of each partition; partitions without one are left out. With `require_stable` it waits
/// until no open transaction has offsets of them.
pub(in crate::consumer) async fn fetch(
    shared: &Arc<ConsumerShared>,
    partitions: Vec<TopicPartition>,
    require_stable: bool,
    deadline: Instant,
) -> Result<Offsets, FetchError> {
    let Some(group) = &shared.group else {
        return Ok(Offsets::new());
    };
    if partitions.is_empty() {
        return Ok(Offsets::new());
    }
    // The coordinator is looked up on the way, and any broker may refuse this client then.
    let fetched = fetch_until(shared, group, partitions, require_stable, deadline);
    let fetched = shared.client.unless_refused(any_broker, fetched).await;
    fetched.map_err(|refusal| unreachable(&group.config.group_id, refusal))?
}

async fn fetch_until(
    shared: &Arc<ConsumerShared>,
    group: &GroupHandle,
    partitions: Vec<TopicPartition>,
    require_stable: bool,
    deadline: Instant,
) -> Result<Offsets, FetchError> {
    let mut retries = shared.client.retries(deadline);
    let mut coordinator = None;
    let mut before: Option<Arc<str>> = None;
    while !shared.is_closed() {
        retries.begin();
        let asked = attempt(
            shared,
            group,
            &mut coordinator,
            &partitions,
            require_stable,
            deadline,
        );
        let (met, is_over) = match asked.await.and_then(whole) {
            Ok(offsets) => return Ok(offsets),
            Err(OffsetFetchFailure::Again(met)) => (met, false),
            // The coordinator was not found in time.
            Err(OffsetFetchFailure::Refused(FetchError::TimedOut { cause, .. })) => {
                (TryFailure::NoAnswer(cause), true)
            }
            Err(OffsetFetchFailure::Refused(error)) => return Err(error),
        };
        let cause = retries.cause(met, before.take());
        match retries.pause().filter(|_| !is_over) {
            Some(pause) => tokio::time::sleep(pause).await,
            None => {
                tracing::debug!(target: "kafkars::group", client = %shared.client.name(), %cause, "the coordinator has not told the committed offsets in time");
                return Err(FetchError::TimedOut {
                    operation: "committed offsets",
                    waited: retries.waited(),
                    cause,
                });
            }
        }
        before = Some(cause);
    }
    Err(FetchError::Closed)
}

/// The outcome of one try: an answer for each partition by itself, or one failure of all.
pub(in crate::consumer) type OffsetFetchOutcome = Result<OffsetFetchAnswers, OffsetFetchFailure>;

/// What a coordinator has told. Partitions that are in neither have no committed offset.
#[derive(Default)]
pub(in crate::consumer) struct OffsetFetchAnswers {
    offsets: Offsets,
    failures: HashMap<TopicPartition, OffsetFetchFailure>,
}

impl OffsetFetchAnswers {
    /// The committed offset of a partition, if there is one.
    pub(in crate::consumer) fn of(
        &self,
        partition: &TopicPartition,
    ) -> Result<Option<&OffsetAndMetadata>, &OffsetFetchFailure> {
        match self.failures.get(partition) {
            Some(failure) => Err(failure),
            None => Ok(self.offsets.get(partition)),
        }
    }
}

/// Why there is no answer.
pub(in crate::consumer) enum OffsetFetchFailure {
    /// Another try may succeed.
    Again(TryFailure),
    Refused(FetchError),
}

impl OffsetFetchFailure {
    fn is_again(&self) -> bool {
        matches!(self, Self::Again(_))
    }
}

/// The offsets, unless one partition has failed: what is refused for good comes first.
fn whole(answers: OffsetFetchAnswers) -> Result<Offsets, OffsetFetchFailure> {
    let mut found = None;
    for failure in answers.failures.into_values() {
        if !failure.is_again() {
            return Err(failure);
        }
        found = Some(failure);
    }
    found.map_or(Ok(answers.offsets), Err)
}

/// As [`fetch`] with `require_stable`, but the coordinator is asked once: the caller paces its retries. One that has
/// answered, whatever it said of the offsets, is not looked for again while it is the coordinator and connected.
pub(in crate::consumer) async fn try_fetch(
    shared: &Arc<ConsumerShared>,
    partitions: &[TopicPartition],
) -> OffsetFetchOutcome {
    let Some(group) = &shared.group else {
        return Ok(OffsetFetchAnswers::default());
    };
    let deadline = now() + shared.client.config().request_timeout;
    let is_connected = |node: &i32| {
        let kind = ConnectionKind::Coordinator;
        shared.client.is_connected(*node, kind)
    };
    let mut coordinator = group.known_coordinator().filter(is_connected);
    let asked = attempt(shared, group, &mut coordinator, partitions, true, deadline);
    let refused =
        |refusal| OffsetFetchFailure::Refused(unreachable(&group.config.group_id, refusal));
    let asked = shared.client.unless_refused(any_broker, asked).await;
    let outcome = asked.map_err(refused).flatten();
    group.note_coordinator(coordinator);
    match outcome {
        // The coordinator was not found in time.
        Err(OffsetFetchFailure::Refused(error @ FetchError::TimedOut { .. })) => {
            let met = TryFailure::NoAnswer(error.to_string().into());
            Err(OffsetFetchFailure::Again(met))
        }
        outcome => outcome,
    }
}

/// Asks `coordinator` once, or the one that is found first; leaves in it whom to ask next.
async fn attempt(
    shared: &Arc<ConsumerShared>,
    group: &GroupHandle,
    coordinator: &mut Option<i32>,
    partitions: &[TopicPartition],
    require_stable: bool,
    deadline: Instant,
) -> OffsetFetchOutcome {
    let group_id = group.config.group_id.as_str();
    let node = match *coordinator {
        Some(node) => node,
        None => {
            let client = &shared.client;
            let found = client.find_coordinator(CoordinatorKind::Group, group_id, deadline);
            let refused = |error| OffsetFetchFailure::Refused(unreachable(group_id, error));
            found.await.map_err(refused)?
        }
    };
    *coordinator = Some(node);
    let identity = group.status.lock().identity.clone();
    let build = |version| {
        request(
            group_id,
            identity.as_ref(),
            partitions,
            require_stable,
            version,
        )
    };
    match ask(shared, node, build, deadline).await {
        Ok(response) => {
            let mut failure = |code: ErrorCode, partition| match error_action(code) {
                CommitErrorAction::Done | CommitErrorAction::Refused => {
                    OffsetFetchFailure::Refused(FetchError::Commit(CommitError::Refused {
                        group: group_id.into(),
                        code,
                        partition,
                    }))
                }
                action => {
                    if matches!(action, CommitErrorAction::FindCoordinator) {
                        *coordinator = None;
                    }
                    OffsetFetchFailure::Again(TryFailure::Refusal(code.explained().into()))
                }
            };
            let (offsets, codes) = sort(&response).map_err(|code| failure(code, None))?;
            let failed = |(at, code): (TopicPartition, _)| (at.clone(), failure(code, Some(at)));
            let failures = codes.into_iter().map(failed).collect();
            Ok(OffsetFetchAnswers { offsets, failures })
        }
        Err(error) if error.retriable() => {
            *coordinator = None;
            let met = TryFailure::NoAnswer(error.to_string().into());
            Err(OffsetFetchFailure::Again(met))
        }
        Err(error) => {
            let protocol = || FetchError::Protocol {
                operation: "committed offsets",
                cause: error.to_string().into(),
            };
            let error = error.security().map_or_else(protocol, FetchError::Security);
            Err(OffsetFetchFailure::Refused(error))
        }
    }
}

async fn ask(
    shared: &ConsumerShared,
    node: i32,
    build: impl Fn(i16) -> OffsetFetchRequest + Send + Sync,
    deadline: Instant,
) -> Result<OffsetFetchResponse, AttemptError> {
    // Version 10 answers with topic ids, which are of no use here.
    let request = RepeatableRequest::new(build).before(BY_ID_SINCE);
    let kind = ConnectionKind::Coordinator;
    shared.client.ask(node, kind, &request, deadline).await?;
    request.into_response().map_err(|_| AttemptError::Closed)
}

fn request(
    group: &str,
    identity: Option<&GroupMemberIdentity>,
    partitions: &[TopicPartition],
    require_stable: bool,
    version: i16,
) -> OffsetFetchRequest {
    let mut by_topic: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for partition in partitions {
        by_topic
            .entry(&partition.topic)
            .or_default()
            .push(partition.partition);
    }
    let require_stable = require_stable && version >= STABLE_SINCE;
    if version < GROUPS_SINCE {
        let topics =
            by_topic
                .into_iter()
                .map(|(name, partition_indexes)| OffsetFetchRequestTopic {
                    name: name.to_owned(),
                    partition_indexes,
                });
        return OffsetFetchRequest {
            group_id: group.to_owned(),
            topics: Some(topics.collect()),
            require_stable,
            ..OffsetFetchRequest::default()
        };
    }
    let topics = by_topic
        .into_iter()
        .map(|(name, partition_indexes)| OffsetFetchRequestTopics {
            name: name.to_owned(),
            topic_id: Uuid::ZERO,
            partition_indexes,
        });
    let identity = identity.filter(|_| version >= MEMBER_SINCE);
    let asked = OffsetFetchRequestGroup {
        group_id: group.to_owned(),
        member_id: identity.map(|identity| identity.member_id.to_string()),
        member_epoch: identity.map_or(-1, |identity| identity.generation),
        topics: Some(topics.collect()),
    };
    OffsetFetchRequest {
        groups: vec![asked],
        require_stable,
        ..OffsetFetchRequest::default()
    }
}

/// One partition's answer, from either form of the response.
struct OffsetFetchPartition<'a> {
    offset: i64,
    leader_epoch: i32,
    metadata: Option<&'a str>,
    error_code: i16,
}

type RefusedPartitions = Vec<(TopicPartition, ErrorCode)>;

/// The offsets of partitions that have one and the errors of others, or the error of the whole group.
fn sort(response: &OffsetFetchResponse) -> Result<(Offsets, RefusedPartitions), ErrorCode> {
    ErrorCode::check(response.error_code)?;
    let mut found: HashMap<(&str, i32), OffsetFetchPartition<'_>> = HashMap::new();
    for topic in &response.topics {
        for one in &topic.partitions {
            found.insert(
                (&topic.name, one.partition_index),
                OffsetFetchPartition {
                    offset: one.committed_offset,
                    leader_epoch: one.committed_leader_epoch,
                    metadata: one.metadata.as_deref(),
                    error_code: one.error_code,
                },
            );
        }
    }
    for group in &response.groups {
        ErrorCode::check(group.error_code)?;
        for topic in &group.topics {
            for one in &topic.partitions {
                found.insert(
                    (&topic.name, one.partition_index),
                    OffsetFetchPartition {
                        offset: one.committed_offset,
                        leader_epoch: one.committed_leader_epoch,
                        metadata: one.metadata.as_deref(),
                        error_code: one.error_code,
                    },
                );
            }
        }
    }
    let (mut offsets, mut refused) = (Offsets::new(), Vec::new());
    for ((topic, partition), one) in found {
        let partition = TopicPartition {
            topic: topic.into(),
            partition,
        };
        if let Err(code) = ErrorCode::check(one.error_code) {
            refused.push((partition, code));
            continue;
        }
        if one.offset >= 0 {
            let committed = OffsetAndMetadata {
                leader_epoch: one.leader_epoch,
                metadata: one.metadata.unwrap_or_default().into(),
                ..OffsetAndMetadata::new(one.offset)
            };
            offsets.insert(partition, committed);
        }
    }
    Ok((offsets, refused))
}

fn unreachable(group: &str, error: ClientError) -> FetchError {
    match error {
        ClientError::Broker { code, .. } => FetchError::Commit(CommitError::Refused {
            group: group.into(),
            code,
            partition: None,
        }),
        ClientError::Closed => FetchError::Closed,
        ClientError::TimedOut { waited, cause, .. } => FetchError::TimedOut {
            operation: "committed offsets",
            waited,
            cause,
        },
        other => errors::unreachable("committed offsets", &other),
    }
}

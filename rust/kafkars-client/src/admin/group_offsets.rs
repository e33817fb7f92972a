//! Committed offsets of groups: listing them, and changing them while a group has no members.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_core::coordinator::CoordinatorKind;
use kafkars_core::group::OffsetAndMetadata;
use kafkars_protocol::ApiKey;
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use kafkars_protocol::messages::offset_delete::{
    OffsetDeleteRequest, OffsetDeleteRequestPartition, OffsetDeleteRequestTopic,
};
use kafkars_protocol::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
    OffsetFetchResponse,
};

use super::coordinated::Coordinated;
use super::handle::Admin;
use super::outcome::{Outcomes, in_order, outcome, outcome_of};
use super::routing::{Target, not_coordinator};
use crate::error::ClientError;

/// OffsetFetch names groups in a list from this version on. From [`BY_ID_SINCE`] on OffsetFetch and OffsetCommit name
/// topics by id, and the offsets of a deleted topic have none.
const GROUPS_SINCE: i16 = 8;
const BY_ID_SINCE: i16 = 10;
/// OffsetFetch can ask for all partitions from this version on.
const ALL_SINCE: i16 = 2;

type Committed = Vec<(TopicPartition, OffsetAndMetadata)>;

impl Admin {
    /// Lists the offsets that each group has committed, for these partitions or for all of them, in order.
    ///
    /// # Errors
    /// Never as a whole: each group has its own outcome.
    pub async fn list_group_offsets(
        &self,
        groups: Vec<(String, Option<Vec<TopicPartition>>)>,
        deadline: Instant,
    ) -> Result<Outcomes<String, Committed>, ClientError> {
        let (names, partitions): (Vec<String>, Vec<_>) = groups.into_iter().unzip();
        let ask = |index: usize, group| {
            let partitions = partitions.get(index).and_then(Option::as_deref);
            self.group_offsets(group, partitions, deadline)
        };
        let (kind, api) = (CoordinatorKind::Group, ApiKey::OffsetFetch);
        let listed = self.ask_coordinators(kind, api, &names, ask, deadline);
        Ok(listed.await)
    }

    async fn group_offsets(
        &self,
        group: Coordinated<'_>,
        partitions: Option<&[TopicPartition]>,
        deadline: Instant,
    ) -> Result<Committed, ClientError> {
        let build = |version| asking(group.name, partitions, version);
        let asked = self.ask_once_before(BY_ID_SINCE, group.by, build, deadline);
        told(asked.await?)
    }

    /// Commits offsets for a group that has no members.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a partition that was refused has its error in its own outcome.
    pub async fn alter_group_offsets(
        &self,
        group: String,
        offsets: Committed,
        deadline: Instant,
    ) -> Result<Outcomes<TopicPartition, ()>, ClientError> {
        let keys: Vec<TopicPartition> = offsets.iter().map(|(key, _)| key.clone()).collect();
        let committed = |(of, offset): &(TopicPartition, OffsetAndMetadata)| {
            let partition = OffsetCommitRequestPartition {
                partition_index: of.partition,
                committed_offset: offset.offset,
                committed_leader_epoch: offset.leader_epoch,
                committed_metadata: Some(offset.metadata.to_string()),
            };
            (Arc::clone(&of.topic), partition)
        };
        let topics = by_topic(offsets.iter().map(committed)).into_iter();
        let topics = topics.map(|(name, partitions)| OffsetCommitRequestTopic {
            name: name.to_string(),
            partitions,
            ..OffsetCommitRequestTopic::default()
        });
        // Without member and generation the coordinator accepts it as long as the group has no members.
        let request = OffsetCommitRequest {
            group_id: group.clone(),
            generation_id_or_member_epoch: -1,
            topics: topics.collect(),
            ..OffsetCommitRequest::default()
        };
        let response = self
            .ask_before(
                BY_ID_SINCE,
                Target::Coordinator(CoordinatorKind::Group, &group),
                |_| request.clone(),
                |response| {
                    let topics = response.topics.iter();
                    let partitions = topics.flat_map(|topic| &topic.partitions);
                    not_coordinator(partitions.map(|partition| partition.error_code))
                },
                deadline,
            )
            .await?;
        let answered = response.topics.into_iter().flat_map(|topic| {
            let name: Arc<str> = topic.name.into();
            let partitions = topic.partitions.into_iter();
            partitions.map(move |one| judged(&name, one.partition_index, one.error_code))
        });
        Ok(in_order(&keys, answered.collect()))
    }

    /// Deletes committed offsets. The coordinator refuses it for topics that members of the group are subscribed to.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`], and [`ClientError::Broker`] if the coordinator refuses the request; a
    /// partition that was refused has its error in its own outcome.
    pub async fn delete_group_offsets(
        &self,
        group: String,
        partitions: Vec<TopicPartition>,
        deadline: Instant,
    ) -> Result<Outcomes<TopicPartition, ()>, ClientError> {
        let forgotten = |of: &TopicPartition| {
            let partition_index = of.partition;
            let partition = OffsetDeleteRequestPartition { partition_index };
            (Arc::clone(&of.topic), partition)
        };
        let topics = by_topic(partitions.iter().map(forgotten)).into_iter();
        let topics = topics.map(|(name, partitions)| OffsetDeleteRequestTopic {
            name: name.to_string(),
            partitions,
        });
        let request = OffsetDeleteRequest {
            group_id: group.clone(),
            topics: topics.collect(),
        };
        let response = self
            .ask(
                Target::Coordinator(CoordinatorKind::Group, &group),
                |_| request.clone(),
                |response| not_coordinator([response.error_code]),
                deadline,
            )
            .await?;
        let named = || CoordinatorKind::Group.naming(&group);
        outcome_of(response.error_code, None, named)?;
        let answered = response.topics.into_iter().flat_map(|topic| {
            let name: Arc<str> = topic.name.into();
            let partitions = topic.partitions.into_iter();
            partitions.map(move |one| judged(&name, one.partition_index, one.error_code))
        });
        Ok(in_order(&partitions, answered.collect()))
    }
}

/// Groups values by topic.
pub(super) fn by_topic<T>(
    each: impl IntoIterator<Item = (Arc<str>, T)>,
) -> BTreeMap<Arc<str>, Vec<T>> {
    let mut topics: BTreeMap<Arc<str>, Vec<T>> = BTreeMap::new();
    for (topic, one) in each {
        topics.entry(topic).or_default().push(one);
    }
    topics
}

fn judged(
    topic: &Arc<str>,
    partition: i32,
    code: i16,
) -> (TopicPartition, Result<(), ClientError>) {
    let of = TopicPartition {
        topic: Arc::clone(topic),
        partition,
    };
    (of.clone(), refused(&of, code, None))
}

/// Turns a partition's error code into a result.
pub(super) fn refused(
    of: &TopicPartition,
    code: i16,
    message: Option<String>,
) -> Result<(), ClientError> {
    let refusal = outcome(code, Some(&of.topic), message);
    refusal.map_err(|error| match error {
        ClientError::Broker {
            code,
            topic,
            message,
            ..
        } => ClientError::Broker {
            code,
            topic,
            partition: Some(of.partition),
            subject: None,
            message,
        },
        other => other,
    })
}

fn asking(group: &str, partitions: Option<&[TopicPartition]>, version: i16) -> OffsetFetchRequest {
    let topics = partitions.map(|partitions| {
        let pairs = partitions.iter();
        by_topic(pairs.map(|of| (Arc::clone(&of.topic), of.partition)))
    });
    let group_id = group.to_owned();
    if version >= GROUPS_SINCE {
        let one = |(name, partition_indexes): (Arc<str>, Vec<i32>)| OffsetFetchRequestTopics {
            name: name.to_string(),
            partition_indexes,
            ..OffsetFetchRequestTopics::default()
        };
        let asked = OffsetFetchRequestGroup {
            group_id,
            member_epoch: -1,
            topics: topics.map(|topics| topics.into_iter().map(one).collect()),
            ..OffsetFetchRequestGroup::default()
        };
        return OffsetFetchRequest {
            groups: vec![asked],
            ..OffsetFetchRequest::default()
        };
    }
    let one = |(name, partition_indexes): (Arc<str>, Vec<i32>)| OffsetFetchRequestTopic {
        name: name.to_string(),
        partition_indexes,
    };
    let topics = topics.map(|topics| topics.into_iter().map(one).collect());
    OffsetFetchRequest {
        group_id,
        topics: if version < ALL_SINCE {
            Some(topics.unwrap_or_default())
        } else {
            topics
        },
        ..OffsetFetchRequest::default()
    }
}

/// Reads an answer to OffsetFetch. Partitions without a committed offset are left out.
fn told(response: OffsetFetchResponse) -> Result<Committed, ClientError> {
    outcome(response.error_code, None, None)?;
    let mut found = Committed::new();
    let mut add = |topic: &str, partition, offset, leader_epoch, metadata: Option<String>, code| {
        let of = TopicPartition {
            topic: topic.into(),
            partition,
        };
        refused(&of, code, None)?;
        if offset >= 0 {
            let metadata = metadata.unwrap_or_default().into();
            let committed = OffsetAndMetadata {
                leader_epoch,
                metadata,
                ..OffsetAndMetadata::new(offset)
            };
            found.push((of, committed));
        }
        Ok::<(), ClientError>(())
    };
    for topic in response.topics {
        for one in topic.partitions {
            add(
                &topic.name,
                one.partition_index,
                one.committed_offset,
                one.committed_leader_epoch,
                one.metadata,
                one.error_code,
            )?;
        }
    }
    for group in response.groups {
        outcome(group.error_code, None, None)?;
        for topic in group.topics {
            for one in topic.partitions {
                add(
                    &topic.name,
                    one.partition_index,
                    one.committed_offset,
                    one.committed_leader_epoch,
                    one.metadata,
                    one.error_code,
                )?;
            }
        }
    }
    found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

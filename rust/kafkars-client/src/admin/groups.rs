//! Groups: listing, describing, deleting.

use std::time::Instant;

use bytes::Bytes;
use kafkars_core::config::TopicPartition;
use kafkars_core::coordinator::CoordinatorKind;
use kafkars_protocol::messages::consumer_group_describe::{
    Assignment, ConsumerGroupDescribeRequest, DescribedGroup as ConsumerGroup,
};
use kafkars_protocol::messages::consumer_protocol_assignment::ConsumerProtocolAssignment;
use kafkars_protocol::messages::delete_groups::DeleteGroupsRequest;
use kafkars_protocol::messages::describe_groups::{
    DescribeGroupsRequest, DescribedGroup as ClassicGroup,
};
use kafkars_protocol::messages::list_groups::ListGroupsRequest;
use kafkars_protocol::{ApiKey, ErrorCode, Message, Reader};

use super::coordinated::Coordinated;
use super::handle::Admin;
use super::outcome::{Outcomes, in_order, outcome, outcome_of, told_operations};
use super::routing::{Target, not_coordinator};
use super::together;
use crate::error::{AttemptError, ClientError};

/// Brokers filter by state from this version on (KIP-518), and by type from the next constant's (KIP-848).
const STATES_SINCE: i16 = 4;
const TYPES_SINCE: i16 = 5;
/// DescribeGroups returns authorized operations from this version on (KIP-430).
const AUTHORIZED_SINCE: i16 = 3;

/// A group in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupListing {
    /// Its id.
    pub group_id: String,
    /// The protocol type, such as "consumer" or "connect"; empty for a group that only has offsets.
    pub protocol_type: String,
    /// Its state, where the broker returns it (2.6 and newer).
    pub state: Option<String>,
    /// "Classic", "Consumer", "Share" or "Streams", where the broker returns it (3.8 and newer).
    pub group_type: Option<String>,
}

/// A group with its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupDescription {
    /// "Classic" or "Consumer".
    pub group_type: &'static str,
    /// The group's state in Kafka's words.
    pub state: String,
    /// The protocol type, such as "consumer".
    pub protocol_type: String,
    /// The assignor: the protocol that the members agreed on, or the server-side assignor.
    pub assignor: String,
    /// The group's members.
    pub members: Vec<MemberDescription>,
    /// The node id of the broker that coordinates it, which has answered.
    pub coordinator: i32,
    /// The operations authorized for this client, as a bit field of Kafka's `AclOperation`, where they were asked for.
    pub authorized_operations: Option<i32>,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberDescription {
    /// Its id.
    pub member_id: String,
    /// Its `group.instance.id`, if it is a static member (KIP-345).
    pub group_instance_id: Option<String>,
    /// Its `client.id`.
    pub client_id: String,
    /// The host it connects from.
    pub client_host: String,
    /// The partitions assigned to it.
    pub assignment: Vec<TopicPartition>,
    /// The partitions it is to have (KIP-848); `None` in groups of the classic protocol.
    pub target_assignment: Option<Vec<TopicPartition>>,
}

impl Admin {
    /// Lists the groups of every broker, in order of their ids. `states` and `types` narrow the list; empty means all.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; [`ClientError::Broker`] if one of the brokers refuses the request.
    pub async fn list_groups(
        &self,
        states: Vec<String>,
        types: Vec<String>,
        deadline: Instant,
    ) -> Result<Vec<GroupListing>, ClientError> {
        let cluster = self.describe_cluster(false, deadline).await?;
        let brokers = cluster.brokers.iter().map(|broker| broker.id).collect();
        self.groups_of(brokers, states, types, deadline).await
    }

    /// Lists the groups that some brokers coordinate. No other broker is asked.
    ///
    /// # Errors
    /// As for [`Admin::list_groups`]; [`AttemptError::UnknownNode`] for a broker that metadata does not name.
    pub async fn groups_of(
        &self,
        brokers: Vec<i32>,
        states: Vec<String>,
        types: Vec<String>,
        deadline: Instant,
    ) -> Result<Vec<GroupListing>, ClientError> {
        let asked = brokers.into_iter();
        let asked = asked.map(|broker| self.groups_of_one(broker, &states, &types, deadline));
        let listed = together::all_succeed(asked).await?;
        let mut listed: Vec<GroupListing> = listed.into_iter().flatten().collect();
        listed.sort_unstable_by(|one, other| one.group_id.cmp(&other.group_id));
        Ok(listed)
    }

    /// As [`Admin::list_groups`], broker by broker: one that does not answer keeps back only its own groups.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; each broker has its own outcome.
    pub async fn groups_by_broker(
        &self,
        states: Vec<String>,
        types: Vec<String>,
        deadline: Instant,
    ) -> Result<Outcomes<i32, Vec<GroupListing>>, ClientError> {
        let cluster = self.describe_cluster(false, deadline).await?;
        let asked = cluster.brokers.iter().map(async |broker| {
            let listed = self.groups_of_one(broker.id, &states, &types, deadline);
            (broker.id, listed.await)
        });
        Ok(together::all(asked).await)
    }

    async fn groups_of_one(
        &self,
        broker: i32,
        states: &[String],
        types: &[String],
        deadline: Instant,
    ) -> Result<Vec<GroupListing>, ClientError> {
        let build = |version: i16| ListGroupsRequest {
            states_filter: if version >= STATES_SINCE {
                states.to_vec()
            } else {
                Vec::new()
            },
            types_filter: if version >= TYPES_SINCE {
                types.to_vec()
            } else {
                Vec::new()
            },
        };
        let response = self
            .ask(
                Target::Node(broker),
                build,
                |response| not_coordinator([response.error_code]),
                deadline,
            )
            .await?;
        outcome_of(response.error_code, None, || format!("broker {broker}"))?;
        let listed = response.groups.into_iter().map(|group| GroupListing {
            group_id: group.group_id,
            protocol_type: group.protocol_type,
            state: told(group.group_state),
            group_type: told(group.group_type).map(|name| capitalised(&name)),
        });
        // Brokers too old to filter list everything.
        let wanted = |filter: &[String], told: Option<&String>| {
            filter.is_empty()
                || told.is_none_or(|told| filter.iter().any(|one| one.eq_ignore_ascii_case(told)))
        };
        let listed = listed.filter(|group| {
            wanted(states, group.state.as_ref()) && wanted(types, group.group_type.as_ref())
        });
        Ok(listed.collect())
    }

    /// Describes groups with their members, of the classic protocol and of KIP-848.
    ///
    /// # Errors
    /// Never as a whole: each group has its own outcome.
    pub async fn describe_groups(
        &self,
        groups: Vec<String>,
        include_authorized_operations: bool,
        deadline: Instant,
    ) -> Result<Outcomes<String, GroupDescription>, ClientError> {
        let ask = |_, group| self.describe_group(group, include_authorized_operations, deadline);
        let (kind, api) = (CoordinatorKind::Group, ApiKey::DescribeGroups);
        let described = self.ask_coordinators(kind, api, &groups, ask, deadline);
        Ok(described.await)
    }

    /// What DescribeGroups answers of each group in a version below `end`, for libraries that show the answer as it is.
    /// In versions below 6, which brokers before 4.0 have only, a group that is not there is "Dead" and no error.
    ///
    /// # Errors
    /// Never as a whole: each group has its own outcome.
    pub async fn classic_answers(
        &self,
        groups: Vec<String>,
        end: i16,
        deadline: Instant,
    ) -> Result<Outcomes<String, ClassicGroup>, ClientError> {
        let ask = |_, group| self.classic_answer(group, end, true, deadline);
        let (kind, api) = (CoordinatorKind::Group, ApiKey::DescribeGroups);
        let answers = self.ask_coordinators(kind, api, &groups, ask, deadline);
        Ok(answers.await)
    }

    /// Deletes groups that have no members, with their committed offsets.
    ///
    /// # Errors
    /// Never as a whole: each group has its own outcome.
    pub async fn delete_groups(
        &self,
        groups: Vec<String>,
        deadline: Instant,
    ) -> Result<Outcomes<String, ()>, ClientError> {
        let ask = |_, group| self.delete_group(group, deadline);
        let (kind, api) = (CoordinatorKind::Group, ApiKey::DeleteGroups);
        let deleted = self.ask_coordinators(kind, api, &groups, ask, deadline);
        Ok(deleted.await)
    }

    async fn delete_group(
        &self,
        group: Coordinated<'_>,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let request = DeleteGroupsRequest {
            groups_names: vec![group.name.to_owned()],
        };
        let asked = self.ask_once(group.by, |_| request.clone(), deadline);
        let response = asked.await?;
        let results = response.results.into_iter();
        let answered = results.map(|one| (one.group_id, outcome(one.error_code, None, None)));
        only(in_order(&[group.name.to_owned()], answered.collect()))
    }

    /// Describes one group. ConsumerGroupDescribe is sent first: it fails for a classic group, whereas DescribeGroups
    /// answers with an empty group for one that does not exist.
    async fn describe_group(
        &self,
        group: Coordinated<'_>,
        include_authorized_operations: bool,
        deadline: Instant,
    ) -> Result<GroupDescription, ClientError> {
        let request = ConsumerGroupDescribeRequest {
            group_ids: vec![group.name.to_owned()],
            include_authorized_operations,
        };
        let asked = self.ask_once(group.by, |_| request.clone(), deadline);
        let found = match asked.await {
            Ok(response) => response.groups.into_iter().next(),
            Err(ClientError::Attempt(AttemptError::Unsupported { .. })) => None,
            Err(error) => return Err(error),
        };
        let elsewhere = [ErrorCode::GroupIdNotFound, ErrorCode::UnsupportedVersion];
        match found {
            Some(found) if !elsewhere.contains(&ErrorCode::from_i16(found.error_code)) => {
                consumer_group(found, group.by)
            }
            _ => {
                self.describe_classic(group, include_authorized_operations, deadline)
                    .await
            }
        }
    }

    async fn describe_classic(
        &self,
        group: Coordinated<'_>,
        include_authorized_operations: bool,
        deadline: Instant,
    ) -> Result<GroupDescription, ClientError> {
        let end = i16::MAX;
        let answer = self.classic_answer(group, end, include_authorized_operations, deadline);
        classic_group(answer.await?, group.by)
    }

    async fn classic_answer(
        &self,
        group: Coordinated<'_>,
        end: i16,
        include_authorized_operations: bool,
        deadline: Instant,
    ) -> Result<ClassicGroup, ClientError> {
        let request = DescribeGroupsRequest {
            groups: vec![group.name.to_owned()],
            include_authorized_operations: false,
        };
        let build = |version| DescribeGroupsRequest {
            include_authorized_operations: include_authorized_operations
                && version >= AUTHORIZED_SINCE,
            ..request.clone()
        };
        let asked = self.ask_once_before(end, group.by, build, deadline);
        let groups = asked.await?.groups.into_iter();
        let answered = groups.map(|one| {
            let refused = not_coordinator([one.error_code]);
            let told = refused.map_or(Ok(()), |code| outcome(code, None, None));
            (one.group_id.clone(), told.map(|()| one))
        });
        only(in_order(&[group.name.to_owned()], answered.collect()))
    }
}

fn only<T>(mut outcomes: Outcomes<String, T>) -> Result<T, ClientError> {
    match outcomes.pop() {
        Some((_, outcome)) => outcome,
        None => Err(ClientError::Attempt(AttemptError::Protocol(
            "the answer leaves out what was asked for".into(),
        ))),
    }
}

fn told(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn consumer_group(group: ConsumerGroup, coordinator: i32) -> Result<GroupDescription, ClientError> {
    outcome(group.error_code, None, group.error_message)?;
    let members = group.members.into_iter().map(|member| MemberDescription {
        member_id: member.member_id,
        group_instance_id: member.instance_id,
        client_id: member.client_id,
        client_host: member.client_host,
        assignment: partitions(member.assignment),
        target_assignment: Some(partitions(member.target_assignment)),
    });
    Ok(GroupDescription {
        group_type: "Consumer",
        state: group.group_state,
        protocol_type: "consumer".to_owned(),
        assignor: group.assignor_name,
        members: members.collect(),
        coordinator,
        authorized_operations: told_operations(group.authorized_operations),
    })
}

fn partitions(assignment: Assignment) -> Vec<TopicPartition> {
    let topics = assignment.topic_partitions.into_iter();
    sorted(topics.map(|topic| (topic.topic_name, topic.partitions)))
}

fn classic_group(group: ClassicGroup, coordinator: i32) -> Result<GroupDescription, ClientError> {
    outcome(group.error_code, None, group.error_message)?;
    // Brokers before 4.0 answer this for a group that does not exist.
    if group.group_state == "Dead" {
        outcome(ErrorCode::GroupIdNotFound.code(), None, None)?;
    }
    let members = group.members.into_iter().map(|member| MemberDescription {
        member_id: member.member_id,
        group_instance_id: member.group_instance_id,
        client_id: member.client_id,
        client_host: member.client_host,
        assignment: decoded(member.member_assignment),
        target_assignment: None,
    });
    Ok(GroupDescription {
        group_type: "Classic",
        state: group.group_state,
        members: members.collect(),
        coordinator,
        protocol_type: group.protocol_type,
        assignor: group.protocol_data,
        authorized_operations: told_operations(group.authorized_operations),
    })
}

/// The partitions of an assignment in the consumers' own format. Other protocol types have formats of their own, which
/// are not decoded.
fn decoded(assignment: Bytes) -> Vec<TopicPartition> {
    let mut reader = Reader::new(assignment);
    let Ok(version) = reader.i16("version") else {
        return Vec::new();
    };
    let version = version.min(ConsumerProtocolAssignment::VERSIONS.max);
    match ConsumerProtocolAssignment::decode(&mut reader, version) {
        Ok(decoded) => {
            let topics = decoded.assigned_partitions.into_iter();
            sorted(topics.map(|topic| (topic.topic, topic.partitions)))
        }
        Err(_) => Vec::new(),
    }
}

fn sorted(topics: impl Iterator<Item = (String, Vec<i32>)>) -> Vec<TopicPartition> {
    let mut partitions: Vec<TopicPartition> = topics
        .flat_map(|(topic, partitions)| {
            let topic: std::sync::Arc<str> = topic.into();
            partitions.into_iter().map(move |partition| TopicPartition {
                topic: std::sync::Arc::clone(&topic),
                partition,
            })
        })
        .collect();
    partitions.sort_unstable();
    partitions
}

/// A group's type as Kafka's tools write it: ListGroups tells it in small letters, DescribeGroups not at all.
fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

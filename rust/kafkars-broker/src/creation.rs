//! The creation of topics: Kafka's controller checks them, and partitions are spread over the nodes.

use kafkars_protocol::ErrorCode;

use crate::cluster::RunningCluster;
use crate::config::{MAX_PARTITIONS, NewTopic};
use crate::failover::NO_LEADER;
use crate::ids::random_uuid;
use crate::partition::Partition;
use crate::refusal::{RefusedRequest, refuse_with};
use crate::settings::topic::TopicConfig;
use crate::state::ClusterState;
use crate::topic::Topic;
use crate::topic_name;

/// Checks a topic that is asked for and gives it as it would be, not yet part of the cluster.
///
/// `assignment` has the replicas of each partition, leaders first; without one the partitions are spread over the
/// nodes.
pub(crate) fn plan(
    cluster: &RunningCluster,
    state: &ClusterState,
    wanted: &NewTopic,
    assignment: Option<Vec<Vec<i32>>>,
) -> Result<Topic, RefusedRequest> {
    let name = wanted.name.as_str();
    topic_name::require_legal(name)?;
    if state.topic(name).is_some() {
        return refuse_with(
            ErrorCode::TopicAlreadyExists,
            format!("Topic '{name}' already exists."),
        );
    }
    if let Some(other) = state
        .topics()
        .find(|topic| topic_name::collide(&topic.name, name))
    {
        let reason = format!(
            "Topic '{name}' collides with existing topic: {}",
            other.name
        );
        return refuse_with(ErrorCode::InvalidTopicException, reason);
    }
    let config = match TopicConfig::new(state.settings.topic_defaults(), &wanted.configs) {
        Ok(config) => config,
        Err(problem) => {
            return refuse_with(ErrorCode::InvalidConfig, problem.to_string());
        }
    };
    let replicas = match assignment {
        Some(replicas) => checked_assignment(cluster, wanted, replicas)?,
        None => {
            let partitions = wanted
                .partitions
                .unwrap_or(cluster.config.user.default_partitions);
            let factor = wanted
                .replication_factor
                .unwrap_or(cluster.config.default_replication_factor);
            let numbers = check_numbers(cluster, partitions, factor)?;
            spread(cluster, state.topics_created(), 0, numbers)
        }
    };
    let partitions = replicas
        .into_iter()
        .map(|nodes| partition(cluster, nodes, &config))
        .collect();
    Ok(Topic {
        name: name.to_owned(),
        id: random_uuid(),
        config,
        partitions,
    })
}

/// Gives the partitions that a topic needs to have `count` of them.
pub(crate) fn plan_more(
    cluster: &RunningCluster,
    topic: &Topic,
    count: i32,
    assignment: Option<Vec<Vec<i32>>>,
) -> Result<Vec<Partition>, RefusedRequest> {
    let invalid = |reason: String| refuse_with(ErrorCode::InvalidPartitions, reason);
    let present = topic.partitions.len();
    if count <= present as i32 {
        return invalid(format!(
            "The topic currently has {present} partition(s); {count} would not be an increase."
        ));
    }
    let more = count - present as i32;
    let factor = topic.replication_factor();
    let numbers = check_numbers(cluster, count, factor)?;
    let replicas = match assignment {
        Some(replicas) if replicas.len() != more as usize => {
            let reason = format!(
                "{more} partitions are added but {} are assigned.",
                replicas.len()
            );
            return refuse_with(ErrorCode::InvalidReplicaAssignment, reason);
        }
        Some(replicas) => {
            check_replicas(cluster, &replicas)?;
            replicas
        }
        None => spread(cluster, 0, present, numbers),
    };
    Ok(replicas
        .into_iter()
        .map(|nodes| partition(cluster, nodes, &topic.config))
        .collect())
}

struct TopicNumbers {
    partitions: usize,
    factor: usize,
}

fn check_numbers(
    cluster: &RunningCluster,
    partitions: i32,
    factor: i16,
) -> Result<TopicNumbers, RefusedRequest> {
    if partitions < 1 {
        return refuse_with(
            ErrorCode::InvalidPartitions,
            "Number of partitions must be larger than 0.",
        );
    }
    if partitions > MAX_PARTITIONS {
        let reason = format!(
            "Excessively large number of partitions: {partitions}, at most {MAX_PARTITIONS}."
        );
        return refuse_with(ErrorCode::PolicyViolation, reason);
    }
    let nodes = cluster.nodes.all().len();
    match usize::try_from(factor) {
        Ok(factor) if (1..=nodes).contains(&factor) => Ok(TopicNumbers {
            partitions: partitions as usize,
            factor,
        }),
        _ => {
            let reason = format!(
                "Unable to replicate the partition {factor} time(s): there are {nodes} broker(s)."
            );
            refuse_with(ErrorCode::InvalidReplicationFactor, reason)
        }
    }
}

/// Spreads replicas round robin over the nodes, each topic beginning one further, so that leaders are spread evenly and
/// predictably. Nodes that are fenced come last: they lead nothing until they are back.
fn spread(
    cluster: &RunningCluster,
    start: usize,
    first_partition: usize,
    numbers: TopicNumbers,
) -> Vec<Vec<i32>> {
    let nodes = cluster.nodes.all();
    let (fenced, alive): (Vec<_>, Vec<_>) = nodes.iter().partition(|node| node.is_fenced());
    let replicas = |partition: usize| {
        let first = (start + partition) % alive.len().max(1);
        let (before, from) = alive.split_at(first);
        let order = from.iter().chain(before).chain(&fenced);
        order.take(numbers.factor).map(|node| node.id).collect()
    };
    (first_partition..numbers.partitions)
        .map(replicas)
        .collect()
}

/// Makes a partition that is led by the first of its replicas whose node is alive; those that are alive are in sync.
fn partition(cluster: &RunningCluster, replicas: Vec<i32>, config: &TopicConfig) -> Partition {
    let mut partition = Partition::new(replicas, config);
    let alive: Vec<i32> = partition
        .replicas
        .iter()
        .copied()
        .filter(|id| cluster.is_alive(*id))
        .collect();
    partition.leader = alive.first().copied().unwrap_or(NO_LEADER);
    if !alive.is_empty() {
        partition.in_sync = alive;
    }
    partition
}

fn checked_assignment(
    cluster: &RunningCluster,
    wanted: &NewTopic,
    replicas: Vec<Vec<i32>>,
) -> Result<Vec<Vec<i32>>, RefusedRequest> {
    if wanted.partitions.is_some() || wanted.replication_factor.is_some() {
        let reason = "Numbers of partitions and replicas must be -1 when partitions are assigned.";
        return Err(RefusedRequest::invalid(reason));
    }
    check_replicas(cluster, &replicas)?;
    Ok(replicas)
}

fn check_replicas(cluster: &RunningCluster, assignment: &[Vec<i32>]) -> Result<(), RefusedRequest> {
    let invalid = |reason: String| refuse_with(ErrorCode::InvalidReplicaAssignment, reason);
    if assignment.len() > MAX_PARTITIONS as usize {
        return invalid(format!(
            "Excessively large number of partitions, at most {MAX_PARTITIONS}."
        ));
    }
    for replicas in assignment {
        if replicas.is_empty() || replicas.len() != assignment[0].len() {
            return invalid(
                "Every partition must have the same number of replicas, at least one.".to_owned(),
            );
        }
        for (index, node) in replicas.iter().enumerate() {
            if cluster.node(*node).is_none() {
                return invalid(format!("Unknown broker id {node}."));
            }
            if replicas[..index].contains(node) {
                return invalid(format!("Broker {node} is assigned twice."));
            }
        }
    }
    Ok(())
}

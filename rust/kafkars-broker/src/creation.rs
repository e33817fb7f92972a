//! How topics come to be: what Kafka's controller checks, and which nodes get which partitions.

use kafkars_protocol::ErrorCode;

use crate::cluster::Cluster;
use crate::config::{MAX_PARTITIONS, NewTopic};
use crate::failover::NO_LEADER;
use crate::ids::random_uuid;
use crate::partition::Partition;
use crate::refusal::Refusal;
use crate::settings::topic::TopicConfig;
use crate::state::State;
use crate::topic::Topic;
use crate::topic_name;

/// Checks a topic that is asked for and gives it as it would be, not yet part of the cluster.
///
/// `assignment` has the replicas of each partition, leaders first; without one the partitions are spread over the
/// nodes.
pub(crate) fn plan(
    cluster: &Cluster,
    state: &State,
    wanted: &NewTopic,
    assignment: Option<Vec<Vec<i32>>>,
) -> Result<Topic, Refusal> {
    let name = wanted.name.as_str();
    if let Err(problem) = topic_name::check(name) {
        return Err(Refusal::new(ErrorCode::InvalidTopicException, problem));
    }
    if state.topic(name).is_some() {
        return Err(Refusal::new(
            ErrorCode::TopicAlreadyExists,
            format!("Topic '{name}' already exists."),
        ));
    }
    if let Some(other) = state
        .topics()
        .find(|topic| topic_name::collide(&topic.name, name))
    {
        let reason = format!(
            "Topic '{name}' collides with existing topic: {}",
            other.name
        );
        return Err(Refusal::new(ErrorCode::InvalidTopicException, reason));
    }
    let config = match TopicConfig::new(state.settings.topic_defaults(), &wanted.configs) {
        Ok(config) => config,
        Err(problem) => return Err(Refusal::new(ErrorCode::InvalidConfig, problem.to_string())),
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

/// Adds partitions to a topic until it has `count`.
pub(crate) fn plan_more(
    cluster: &Cluster,
    topic: &Topic,
    count: i32,
    assignment: Option<Vec<Vec<i32>>>,
) -> Result<Vec<Partition>, Refusal> {
    let invalid = |reason: String| Err(Refusal::new(ErrorCode::InvalidPartitions, reason));
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
            return Err(Refusal::new(ErrorCode::InvalidReplicaAssignment, reason));
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

struct Numbers {
    partitions: usize,
    factor: usize,
}

fn check_numbers(cluster: &Cluster, partitions: i32, factor: i16) -> Result<Numbers, Refusal> {
    if partitions < 1 {
        return Err(Refusal::new(
            ErrorCode::InvalidPartitions,
            "Number of partitions must be larger than 0.",
        ));
    }
    if partitions > MAX_PARTITIONS {
        let reason = format!(
            "Excessively large number of partitions: {partitions}, at most {MAX_PARTITIONS}."
        );
        return Err(Refusal::new(ErrorCode::PolicyViolation, reason));
    }
    let nodes = cluster.nodes.all().len();
    match usize::try_from(factor) {
        Ok(factor) if (1..=nodes).contains(&factor) => Ok(Numbers {
            partitions: partitions as usize,
            factor,
        }),
        _ => {
            let reason = format!(
                "Unable to replicate the partition {factor} time(s): there are {nodes} broker(s)."
            );
            Err(Refusal::new(ErrorCode::InvalidReplicationFactor, reason))
        }
    }
}

/// Round robin over the nodes, each topic beginning one further, so that leaders are spread evenly and predictably.
/// Nodes that are fenced come last: they lead nothing until they are back.
fn spread(
    cluster: &Cluster,
    start: usize,
    first_partition: usize,
    numbers: Numbers,
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

/// A new partition is led by the first of its replicas whose node is alive, and those alone are in sync.
fn partition(cluster: &Cluster, replicas: Vec<i32>, config: &TopicConfig) -> Partition {
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
    cluster: &Cluster,
    wanted: &NewTopic,
    replicas: Vec<Vec<i32>>,
) -> Result<Vec<Vec<i32>>, Refusal> {
    if wanted.partitions.is_some() || wanted.replication_factor.is_some() {
        let reason = "Numbers of partitions and replicas must be -1 when partitions are assigned.";
        return Err(Refusal::new(ErrorCode::InvalidRequest, reason));
    }
    check_replicas(cluster, &replicas)?;
    Ok(replicas)
}

fn check_replicas(cluster: &Cluster, assignment: &[Vec<i32>]) -> Result<(), Refusal> {
    let invalid = |reason: String| Err(Refusal::new(ErrorCode::InvalidReplicaAssignment, reason));
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

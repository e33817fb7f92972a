//! A broker that starts puts back what its directory holds.

use std::path::Path;

use kafkars_protocol::{ErrorCode, Uuid};
use kafkars_records::TransactionMarker;

use super::snapshot::{PartitionSnapshot, Snapshot, TopicSnapshot};
use super::{Storage, failure};
use crate::error::EmbeddedBrokerError;
use crate::log::file::PartitionFile;
use crate::nodes::Nodes;
use crate::partition::Partition;
use crate::scram::ScramCredential;
use crate::settings::topic::TopicConfig;
use crate::state::ClusterState;
use crate::topic::Topic;
use crate::transactions::ProducerIds;

/// Makes the state what it was. Members of groups and sessions of clients are not kept: they join and start anew.
pub(crate) fn restore(
    state: &mut ClusterState,
    nodes: &Nodes,
    storage: &mut Storage,
    snapshot: Option<Snapshot>,
    now: i64,
) -> Result<(), EmbeddedBrokerError> {
    if let Some(snapshot) = snapshot {
        put_back(state, nodes, storage, snapshot, now)?;
    }
    state.logs = Some(storage.logs.clone());
    end_left_behind(state, now);
    let saved = storage.save(state);
    saved.map_err(|error| failure(&storage.folder, error.to_string()))
}

fn put_back(
    state: &mut ClusterState,
    nodes: &Nodes,
    storage: &Storage,
    snapshot: Snapshot,
    now: i64,
) -> Result<(), EmbeddedBrokerError> {
    let folder = &storage.folder;
    let refused =
        |what: &str, code: ErrorCode| failure(folder, format!("{what}: {}", code.description()));
    state.producer_ids = ProducerIds::starting_at(snapshot.next_producer_id);
    state.settings.set_dynamic(None, snapshot.broker_settings);
    for (node, values) in snapshot.node_settings {
        state.settings.set_dynamic(Some(node), values);
    }
    for (group, settings) in &snapshot.group_settings {
        for (name, value) in settings {
            let set = state.groups.configs.set(group, name, Some(value));
            set.map_err(|problem| failure(folder, format!("group {group}: {problem}")))?;
        }
    }
    for (name, subscription) in snapshot.client_metrics {
        state.client_metrics.set(&name, subscription);
    }
    for topic in &snapshot.topics {
        let topic = read_topic(state, nodes, storage, topic)?;
        state.insert_topic(topic);
    }
    for entry in snapshot.offsets {
        let (group, topic, partition) = (&entry.group, &entry.topic, entry.partition);
        let kept = match entry.producer_id {
            None => state
                .groups
                .restore_offset(group, topic, partition, entry.committed, now),
            Some(id) => {
                state
                    .groups
                    .offsets
                    .commit_pending(id, group, topic, partition, entry.committed)
            }
        };
        kept.map_err(|code| refused(&format!("offsets of group {group}"), code))?;
    }
    for share in snapshot.shares {
        let Some(topic) = Uuid::parse(&share.topic_id) else {
            let reason = format!("share group {}: {:?} is no id", share.group, share.topic_id);
            return Err(failure(folder, reason));
        };
        let partition = (topic, share.partition);
        let group = &share.group;
        let made = state.groups.make_share_group(group, now);
        let begun = made.map_err(|refused| refused.code);
        let begun = begun.and_then(|()| state.shares.reset(group, partition, share.start_offset));
        begun.map_err(|code| refused(&format!("share group {group}"), code))?;
    }
    for (id, transaction) in snapshot.transactions {
        state.transactions.restore(id, transaction);
    }
    for quota in snapshot.quotas {
        for (key, limit) in &quota.limits {
            state.quotas.set(&quota.entity, key, Some(*limit));
        }
    }
    for kept in snapshot.scram_credentials {
        let credential = ScramCredential::new(
            kept.iterations,
            kept.salt.into(),
            kept.salted_password.into(),
        );
        let set = state.scram.set(&kept.user, kept.mechanism, credential);
        set.map_err(|refusal| {
            refused(&format!("credentials of user {}", kept.user), refusal.code)
        })?;
    }
    for rule in snapshot.acls {
        // A broker that is started without access control this time forgets them.
        if let Some(authorizer) = &state.authorizer {
            authorizer
                .add(rule)
                .map_err(|reason| failure(folder, reason))?;
        }
    }
    if let Some(features) = snapshot.features {
        state.features.restore(&features.levels, features.epoch);
    }
    Ok(())
}

fn read_topic(
    state: &ClusterState,
    nodes: &Nodes,
    storage: &Storage,
    kept: &TopicSnapshot,
) -> Result<Topic, EmbeddedBrokerError> {
    let name = &kept.name;
    let damaged = |reason: String| {
        failure(
            &storage.folder.join(super::STATE),
            format!("topic {name}: {reason}"),
        )
    };
    let id = kept
        .uuid()
        .ok_or_else(|| damaged(format!("{:?} is no id", kept.id)))?;
    let settings: Vec<(String, String)> = kept.settings.clone().into_iter().collect();
    let config = TopicConfig::new(state.settings.topic_defaults(), &settings)
        .map_err(|problem| damaged(problem.to_string()))?;
    let mut partitions = Vec::new();
    for (index, partition) in kept.partitions.iter().enumerate() {
        if let Some(missing) = partition
            .replicas
            .iter()
            .find(|id| nodes.node(**id).is_none())
        {
            return Err(damaged(format!(
                "it has a replica on node {missing}, and the cluster is started with {} nodes; start it with as many as it had",
                nodes.all().len()
            )));
        }
        let path = storage.logs.path(id, index);
        partitions.push(read_partition(&path, partition, &config)?);
    }
    Ok(Topic {
        name: name.clone(),
        id,
        config,
        partitions,
    })
}

fn read_partition(
    path: &Path,
    kept: &PartitionSnapshot,
    config: &TopicConfig,
) -> Result<Partition, EmbeddedBrokerError> {
    let loaded = PartitionFile::load(path.to_owned()).map_err(|error| {
        failure(
            path,
            format!("{error}; delete the file to go on without the records of this partition"),
        )
    })?;
    if loaded.cut > 0 {
        tracing::warn!(file = %path.display(), bytes = loaded.cut, "a batch that was not written whole is cut off");
    }
    let mut partition = Partition::new(kept.replicas.clone(), config);
    for batch in loaded.batches {
        partition
            .restore(batch)
            .map_err(|error| failure(path, error.to_string()))?;
    }
    partition.restore_bounds(kept.start_offset, kept.end_offset);
    // Whoever read before the restart learns that there has been one.
    partition.leader_epoch = partition.leader_epoch.max(kept.leader_epoch) + 1;
    partition.file = Some(loaded.file);
    Ok(partition)
}

/// Aborts transactions whose records are there and that the coordinator does not know of: it had no time to write them
/// down.
fn end_left_behind(state: &mut ClusterState, now: i64) {
    let mut open = Vec::new();
    for topic in state.topics() {
        for (index, partition) in topic.partitions.iter().enumerate() {
            let active = partition.active_producers().into_iter();
            open.extend(
                active
                    .filter(|producer| producer.transaction_start.is_some())
                    .map(|producer| (topic.name.clone(), index as i32, producer)),
            );
        }
    }
    for (topic, index, producer) in open {
        if let Some(transaction) = state.transactions.ongoing_of(producer.id) {
            transaction.partitions.insert((topic, index));
            continue;
        }
        let marker = TransactionMarker {
            committed: false,
            producer_id: producer.id,
            producer_epoch: producer.epoch,
            coordinator_epoch: producer.coordinator_epoch.max(0),
            timestamp: now,
        };
        let partition = state
            .topic_mut(&topic)
            .and_then(|topic| topic.partition_mut(index));
        if let Some(Err(code)) =
            partition.map(|partition| partition.end_transaction(&marker, false))
        {
            tracing::warn!(
                topic,
                partition = index,
                code = code.name(),
                "a transaction left behind is not ended"
            );
        }
    }
}

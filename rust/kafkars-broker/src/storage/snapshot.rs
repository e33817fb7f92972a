//! A snapshot is everything but records, as `state.json` holds it.

use std::collections::BTreeMap;

use kafkars_protocol::Uuid;
use serde::{Deserialize, Serialize};

use crate::features::Features;
use crate::groups::offsets::CommittedOffset;
use crate::partition::Partition;
use crate::quotas::Entity;
use crate::scram::ScramCredential;
use crate::security::Acl;
use crate::state::ClusterState;
use crate::topic::Topic;
use crate::transactions::Transaction;

/// The format of the file, raised when an older broker could not read it.
pub(super) const FORMAT: u32 = 1;

type SnapshotValues = BTreeMap<String, String>;

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    pub(super) format: u32,
    pub(super) cluster_id: String,
    pub(super) next_producer_id: i64,
    pub(super) topics: Vec<TopicSnapshot>,
    pub(super) broker_settings: SnapshotValues,
    pub(super) node_settings: BTreeMap<i32, SnapshotValues>,
    pub(super) group_settings: BTreeMap<String, SnapshotValues>,
    pub(super) client_metrics: BTreeMap<String, SnapshotValues>,
    pub(super) offsets: Vec<OffsetSnapshot>,
    pub(super) transactions: BTreeMap<String, Transaction>,
    #[serde(default)]
    pub(super) shares: Vec<ShareSnapshot>,
    #[serde(default)]
    pub(super) quotas: Vec<QuotaSnapshot>,
    #[serde(default)]
    pub(super) scram_credentials: Vec<ScramSnapshot>,
    #[serde(default)]
    pub(super) acls: Vec<Acl>,
    /// The levels of features, only where they have been changed.
    #[serde(default)]
    pub(super) features: Option<FeaturesSnapshot>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QuotaSnapshot {
    pub(super) entity: Entity,
    pub(super) limits: BTreeMap<String, f64>,
}

/// A credential as it came: what there is of the password is salted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ScramSnapshot {
    pub(super) user: String,
    pub(super) mechanism: i8,
    pub(super) iterations: i32,
    pub(super) salt: Vec<u8>,
    pub(super) salted_password: Vec<u8>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FeaturesSnapshot {
    pub(super) epoch: i64,
    pub(super) levels: BTreeMap<String, i16>,
}

/// The offset at which a share group goes on in a partition. What it has in flight there is given out again.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ShareSnapshot {
    pub(super) group: String,
    pub(super) topic_id: String,
    pub(super) partition: i32,
    pub(super) start_offset: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TopicSnapshot {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) settings: SnapshotValues,
    pub(super) partitions: Vec<PartitionSnapshot>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PartitionSnapshot {
    pub(super) replicas: Vec<i32>,
    pub(super) leader_epoch: i32,
    pub(super) start_offset: i64,
    /// The end of the log, which counts where the log is empty; else the log knows better.
    pub(super) end_offset: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OffsetSnapshot {
    pub(super) group: String,
    pub(super) topic: String,
    pub(super) partition: i32,
    /// The producer whose transaction commits it, while that has not ended.
    pub(super) producer_id: Option<i64>,
    pub(super) committed: CommittedOffset,
}

impl Snapshot {
    pub(super) fn of(cluster_id: &str, state: &ClusterState) -> Self {
        let offsets = &state.groups.offsets;
        let committed = offsets
            .snapshot()
            .map(|(group, topic, partition, committed)| (None, group, topic, partition, committed));
        let pending = offsets
            .pending()
            .map(|(producer, group, topic, partition, committed)| {
                (Some(producer), group, topic, partition, committed)
            });
        Self {
            format: FORMAT,
            cluster_id: cluster_id.to_owned(),
            next_producer_id: state.producer_ids.next(),
            topics: state.topics().map(topic).collect(),
            broker_settings: state.settings.dynamic(None),
            node_settings: state
                .settings
                .of_nodes()
                .map(|(node, values)| (node, values.clone()))
                .collect(),
            group_settings: state
                .groups
                .configs
                .groups()
                .map(|group| (group.to_owned(), state.groups.configs.set_for(group)))
                .collect(),
            client_metrics: state
                .client_metrics
                .names()
                .map(|name| (name.clone(), state.client_metrics.of(name)))
                .collect(),
            offsets: committed
                .chain(pending)
                .map(
                    |(producer_id, group, topic, partition, committed)| OffsetSnapshot {
                        group: group.to_owned(),
                        topic: topic.to_owned(),
                        partition,
                        producer_id,
                        committed: committed.clone(),
                    },
                )
                .collect(),
            transactions: state
                .transactions
                .iter()
                .map(|(id, transaction)| (id.to_owned(), transaction.clone()))
                .collect(),
            shares: state.shares.snapshot().map(share).collect(),
            quotas: state
                .quotas
                .entities()
                .into_iter()
                .map(|(entity, limits)| QuotaSnapshot { entity, limits })
                .collect(),
            scram_credentials: state.scram.all().map(credential).collect(),
            acls: state
                .authorizer
                .as_ref()
                .map(|authorizer| authorizer.all())
                .unwrap_or_default(),
            features: features(&state.features),
        }
    }
}

impl TopicSnapshot {
    pub(super) fn uuid(&self) -> Option<Uuid> {
        Uuid::parse(&self.id)
    }
}

pub(super) fn share(
    (group, topic_id, partition, start_offset): (&str, Uuid, i32, i64),
) -> ShareSnapshot {
    ShareSnapshot {
        group: group.to_owned(),
        topic_id: topic_id.to_string(),
        partition,
        start_offset,
    }
}

fn credential((user, mechanism, credential): (&str, i8, &ScramCredential)) -> ScramSnapshot {
    let [salt, salted_password] = credential.secret();
    ScramSnapshot {
        user: user.to_owned(),
        mechanism,
        iterations: credential.iterations,
        salt: salt.to_vec(),
        salted_password: salted_password.to_vec(),
    }
}

/// The levels of features; none where nobody has changed them: the cluster is then at those of its release, whichever
/// that is next time.
fn features(features: &Features) -> Option<FeaturesSnapshot> {
    let levels = features.all().iter();
    features.are_changed().then(|| FeaturesSnapshot {
        epoch: features.epoch(),
        levels: levels.map(|it| (it.name.to_owned(), it.level)).collect(),
    })
}

fn topic(topic: &Topic) -> TopicSnapshot {
    let settings = topic.config.overrides();
    TopicSnapshot {
        name: topic.name.clone(),
        id: topic.id.to_string(),
        settings: settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        partitions: topic.partitions.iter().map(partition).collect(),
    }
}

fn partition(partition: &Partition) -> PartitionSnapshot {
    PartitionSnapshot {
        replicas: partition.replicas.clone(),
        leader_epoch: partition.leader_epoch,
        start_offset: partition.log.start_offset(),
        end_offset: partition.log.end_offset(),
    }
}

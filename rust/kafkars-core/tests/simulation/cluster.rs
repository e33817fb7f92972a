//! A model of the brokers: leaders, logs with idempotent sequence checks, and what readers see.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use kafkars_protocol::{ErrorCode, Uuid};

use crate::coordinator::{Coordinator, Group};
use crate::world::World;

pub(crate) const NODES: u64 = 3;
pub(crate) const TOPICS: usize = 3;
pub(crate) const PARTITIONS: usize = 2;

/// A partition of a topic as one number.
pub(crate) type PartitionIndex = usize;

/// A batch as it travels.
#[derive(Debug, Clone)]
pub(crate) struct WireBatch {
    pub(crate) place: PartitionIndex,
    /// The topic's id as the request has it.
    pub(crate) topic_id: Uuid,
    pub(crate) producer: i64,
    pub(crate) epoch: i16,
    pub(crate) sequence: i32,
    pub(crate) transactional: bool,
    pub(crate) values: Vec<u64>,
}

pub(crate) struct Cluster {
    pub(crate) partitions: Vec<Partition>,
    pub(crate) topics: Vec<Topic>,
    /// Whether requests name topics by their ids.
    pub(crate) by_id: bool,
    /// Whether leaders refuse some batches for good because of their content.
    pub(crate) is_picky: bool,
    /// Nodes that take no connection.
    pub(crate) unreachable: BTreeSet<i32>,
    /// Logs of topics that were deleted.
    pub(crate) former: Vec<(PartitionIndex, Vec<(i64, u64)>)>,
    pub(crate) coordinator: Coordinator,
    pub(crate) group: Group,
}

/// A topic as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Topic {
    pub(crate) id: Uuid,
    pub(crate) partitions: usize,
    pub(crate) exists: bool,
}

#[derive(Default)]
pub(crate) struct Partition {
    pub(crate) leader: i32,
    log: Vec<Entry>,
    // Entries that all replicas have; a new leader may lack the others.
    committed: usize,
    producers: BTreeMap<i64, ProducerState>,
    // Producers with an open transaction here, and the epochs that opened them.
    ongoing: BTreeMap<i64, i16>,
}

#[derive(Debug, Clone)]
enum Entry {
    Batch(WireBatch),
    Marker {
        producer: i64,
        epoch: i16,
        committed: bool,
    },
}

/// What a leader remembers of a producer: the last five batches.
#[derive(Default)]
struct ProducerState {
    epoch: i16,
    last: Option<i32>,
    recent: VecDeque<(i32, i32, i64)>,
}

/// A leader's answer for one batch.
pub(crate) struct Appended {
    pub(crate) code: ErrorCode,
    pub(crate) base_offset: i64,
    pub(crate) leader_hint: Option<i32>,
}

impl From<ErrorCode> for Appended {
    fn from(code: ErrorCode) -> Self {
        Self {
            code,
            base_offset: -1,
            leader_hint: None,
        }
    }
}

enum Check {
    Fits,
    Duplicate(i64),
    Refused(ErrorCode),
}

impl Cluster {
    pub(crate) fn new(level: i16) -> Self {
        let leaders = (0..TOPICS * PARTITIONS).map(|place| Partition {
            leader: (place as u64 % NODES) as i32,
            ..Partition::default()
        });
        Self {
            partitions: leaders.collect(),
            topics: (1..=TOPICS as u8)
                .map(|number| Topic {
                    id: Uuid([number; 16]),
                    partitions: PARTITIONS,
                    exists: true,
                })
                .collect(),
            by_id: false,
            is_picky: false,
            unreachable: BTreeSet::new(),
            former: Vec::new(),
            coordinator: Coordinator::new(level),
            group: Group::default(),
        }
    }

    /// What a reader of committed records gets from a partition, with offsets.
    pub(crate) fn visible(&self, place: PartitionIndex) -> Vec<(i64, u64)> {
        self.partitions[place].visible()
    }

    /// Producers whose transaction never ended on some partition: readers would wait for ever.
    pub(crate) fn hanging(&self) -> bool {
        let mut partitions = self.partitions.iter();
        partitions.any(|partition| !partition.ongoing.is_empty())
    }
}

impl World {
    /// Appends a batch that arrives at a node; the partition of a `newer` batch joins the transaction by itself
    /// (KIP-890).
    pub(crate) fn append(&mut self, node: i32, batch: WireBatch, newer: bool) -> Appended {
        let place = batch.place;
        let topic = self.cluster.topics[place / PARTITIONS];
        if self.cluster.by_id && batch.topic_id != topic.id {
            return ErrorCode::UnknownTopicId.into();
        }
        if !topic.exists || place % PARTITIONS >= topic.partitions {
            return ErrorCode::UnknownTopicOrPartition.into();
        }
        let leader = self.cluster.partitions[place].leader;
        if leader != node {
            let hint = self.chance(500).then_some(leader);
            return Appended {
                leader_hint: hint,
                ..ErrorCode::NotLeaderOrFollower.into()
            };
        }
        if self.fault(20) {
            return ErrorCode::NotEnoughReplicas.into();
        }
        if self.cluster.is_picky && self.fault(30) {
            return ErrorCode::InvalidRecord.into();
        }
        let partition = &self.cluster.partitions[place];
        if batch.transactional && partition.ongoing.get(&batch.producer) != Some(&batch.epoch) {
            let verdict = if newer {
                self.join(batch.producer, batch.epoch, &[place], false)
            } else {
                self.verify(batch.producer, batch.epoch, place)
            };
            if verdict != ErrorCode::None {
                return verdict.into();
            }
        }
        let slow_replicas = self.fault(60);
        let partition = &mut self.cluster.partitions[place];
        let base_offset = match partition.check(&batch) {
            Check::Fits => partition.push(batch),
            Check::Duplicate(base_offset) => base_offset,
            Check::Refused(code) => return code.into(),
        };
        if slow_replicas {
            let code = if self.chance(500) {
                ErrorCode::NotEnoughReplicasAfterAppend
            } else {
                ErrorCode::RequestTimedOut
            };
            return code.into();
        }
        let partition = &mut self.cluster.partitions[place];
        partition.committed = partition.log.len();
        Appended {
            base_offset,
            ..ErrorCode::None.into()
        }
    }

    /// Moves the leader of a partition; entries that not all replicas have may be lost.
    pub(crate) fn move_leader(&mut self, place: PartitionIndex) {
        let leader = self.between(0, NODES) as i32;
        let truncates = self.chance(500);
        let partition = &mut self.cluster.partitions[place];
        partition.leader = leader;
        if truncates {
            partition.log.truncate(partition.committed);
            partition.rebuild();
        }
        partition.committed = partition.log.len();
    }

    /// A topic is deleted.
    pub(crate) fn delete_topic(&mut self, topic: usize) {
        for partition in 0..PARTITIONS {
            let place = topic * PARTITIONS + partition;
            let log = self.cluster.visible(place);
            self.cluster.former.push((place, log));
            self.cluster.partitions[place] = Partition::default();
        }
        self.cluster.topics[topic].exists = false;
    }

    /// Creates a topic again, with another id.
    pub(crate) fn make_topic(&mut self, topic: usize, partitions: usize) {
        let Uuid(mut id) = self.cluster.topics[topic].id;
        id[0] += 1;
        for partition in 0..PARTITIONS {
            let leader = self.between(0, NODES) as i32;
            self.cluster.partitions[topic * PARTITIONS + partition].leader = leader;
        }
        self.cluster.topics[topic] = Topic {
            id: Uuid(id),
            partitions,
            exists: true,
        };
    }

    /// A transaction ends on a partition.
    pub(crate) fn write_marker(
        &mut self,
        place: PartitionIndex,
        producer: i64,
        epoch: i16,
        commit: bool,
    ) {
        let partition = &mut self.cluster.partitions[place];
        let marker = Entry::Marker {
            producer,
            epoch,
            committed: commit,
        };
        partition.learn(&marker, 0);
        partition.log.push(marker);
        partition.committed = partition.log.len();
    }
}

impl Partition {
    fn check(&self, batch: &WireBatch) -> Check {
        if batch.producer < 0 {
            return Check::Fits;
        }
        let Some(state) = self.producers.get(&batch.producer) else {
            return Check::Fits;
        };
        if batch.epoch < state.epoch {
            return Check::Refused(ErrorCode::InvalidProducerEpoch);
        }
        let expected = match state.last {
            Some(last) if batch.epoch == state.epoch => last + 1,
            _ => 0,
        };
        if batch.epoch == state.epoch {
            let last = batch.sequence + batch.values.len() as i32 - 1;
            let known = state
                .recent
                .iter()
                .find(|(first, end, _)| (*first, *end) == (batch.sequence, last));
            if let Some((_, _, offset)) = known {
                return Check::Duplicate(*offset);
            }
        }
        if batch.sequence == expected {
            Check::Fits
        } else {
            Check::Refused(ErrorCode::OutOfOrderSequenceNumber)
        }
    }

    fn push(&mut self, batch: WireBatch) -> i64 {
        let offset = self.log.iter().map(Entry::size).sum();
        let entry = Entry::Batch(batch);
        self.learn(&entry, offset);
        self.log.push(entry);
        offset
    }

    fn learn(&mut self, entry: &Entry, offset: i64) {
        match entry {
            Entry::Batch(batch) if batch.producer < 0 => {}
            Entry::Batch(batch) => {
                let state = self.producers.entry(batch.producer).or_default();
                if batch.epoch != state.epoch {
                    *state = ProducerState::default();
                }
                let last = batch.sequence + batch.values.len() as i32 - 1;
                state.epoch = batch.epoch;
                state.last = Some(last);
                state.recent.push_back((batch.sequence, last, offset));
                if state.recent.len() > 5 {
                    state.recent.pop_front();
                }
                if batch.transactional {
                    self.ongoing.insert(batch.producer, batch.epoch);
                }
            }
            Entry::Marker {
                producer, epoch, ..
            } => {
                let state = self.producers.entry(*producer).or_default();
                if *epoch > state.epoch {
                    *state = ProducerState {
                        epoch: *epoch,
                        ..ProducerState::default()
                    };
                }
                self.ongoing.remove(producer);
            }
        }
    }

    fn rebuild(&mut self) {
        self.producers.clear();
        self.ongoing.clear();
        let log = std::mem::take(&mut self.log);
        let mut offset = 0;
        for entry in &log {
            self.learn(entry, offset);
            offset += entry.size();
        }
        self.log = log;
    }

    fn visible(&self) -> Vec<(i64, u64)> {
        let mut kept = Vec::new();
        let mut open: BTreeMap<i64, Vec<(i64, u64)>> = BTreeMap::new();
        let mut offset = 0;
        for entry in &self.log {
            match entry {
                Entry::Batch(batch) => {
                    let values = batch.values.iter().enumerate();
                    let records = values.map(|(index, value)| (offset + index as i64, *value));
                    if batch.transactional {
                        open.entry(batch.producer).or_default().extend(records);
                    } else {
                        kept.extend(records);
                    }
                }
                Entry::Marker {
                    producer,
                    committed,
                    ..
                } => {
                    let records = open.remove(producer).unwrap_or_default();
                    if *committed {
                        kept.extend(records);
                    }
                }
            }
            offset += entry.size();
        }
        kept.sort_unstable();
        kept
    }
}

impl Entry {
    fn size(&self) -> i64 {
        match self {
            Self::Batch(batch) => batch.values.len() as i64,
            Self::Marker { .. } => 1,
        }
    }
}

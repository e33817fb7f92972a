//! ListOffsets, versions 1 to 11.
//!
//! Kept: earliest, latest, by time, and the record with the largest timestamp (version 7, KIP-734); the isolation level
//! (2), under which nothing lies beyond the last stable offset; leader epochs (4).
//! Version 8 added the earliest local offset (KIP-405), which is the earliest; 9 and 11 ask for tiered storage, which
//! has nothing.

use bytes::Bytes;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse,
    ListOffsetsTopic, ListOffsetsTopicResponse,
};
use kafkars_records::{ReadLimits, RecordView, batches};

use super::{Handled, Peer, Serve};
use crate::log::Log;
use crate::partition::Partition;
use crate::state::State;
use crate::topic::TopicKey;

/// First version with leader epochs.
const EPOCHS_SINCE: i16 = 4;

const READ_COMMITTED: i8 = 1;

const LATEST: i64 = -1;
const EARLIEST: i64 = -2;
const MAX_TIMESTAMP: i64 = -3;
const EARLIEST_LOCAL: i64 = -4;
const LATEST_TIERED: i64 = -5;
const EARLIEST_PENDING_UPLOAD: i64 = -6;

impl Serve for ListOffsetsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<ListOffsetsResponse> {
        let mut state = peer.cluster.state();
        let read_committed = self.isolation_level == READ_COMMITTED;
        let mut topic = |topic: ListOffsetsTopic| {
            let key = TopicKey::Name(topic.name.clone());
            let partition = |data: &ListOffsetsPartition| {
                let found = look_up(&mut state, &key, peer.node, data, read_committed);
                let mut answer = found.unwrap_or_else(|code| failure(data.partition_index, code));
                if version < EPOCHS_SINCE {
                    answer.leader_epoch = -1;
                }
                answer
            };
            ListOffsetsTopicResponse {
                name: topic.name,
                partitions: topic.partitions.iter().map(partition).collect(),
            }
        };
        let topics = self.topics.into_iter().map(&mut topic).collect();
        Handled::Now(ListOffsetsResponse {
            throttle_time_ms: 0,
            topics,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ListOffsetsResponse {
        let topic = |topic: &ListOffsetsTopic| ListOffsetsTopicResponse {
            name: topic.name.clone(),
            partitions: topic
                .partitions
                .iter()
                .map(|data| failure(data.partition_index, code))
                .collect(),
        };
        ListOffsetsResponse {
            throttle_time_ms: 0,
            topics: self.topics.iter().map(topic).collect(),
        }
    }
}

fn look_up(
    state: &mut State,
    key: &TopicKey,
    node: i32,
    data: &ListOffsetsPartition,
    read_committed: bool,
) -> Result<ListOffsetsPartitionResponse, ErrorCode> {
    let partition = state.find_partition(key, data.partition_index)?;
    if partition.leader != node {
        return Err(ErrorCode::NotLeaderOrFollower);
    }
    partition.check_epoch(data.current_leader_epoch)?;
    let end = if read_committed {
        partition.last_stable_offset()
    } else {
        partition.log.end_offset()
    };
    let found = find(partition, data.timestamp, end);
    Ok(ListOffsetsPartitionResponse {
        partition_index: data.partition_index,
        error_code: 0,
        timestamp: found.timestamp,
        offset: found.offset,
        leader_epoch: found.leader_epoch,
    })
}

/// An offset with its timestamp and epoch; -1 for what there is not.
struct Found {
    timestamp: i64,
    offset: i64,
    leader_epoch: i32,
}

const NOTHING: Found = Found {
    timestamp: -1,
    offset: -1,
    leader_epoch: -1,
};

impl Found {
    /// Nothing, when it lies beyond what may be read.
    fn before(self, end: i64) -> Self {
        if self.offset < end { self } else { NOTHING }
    }
}

fn find(partition: &mut Partition, timestamp: i64, end: i64) -> Found {
    let log = &mut partition.log;
    match timestamp {
        LATEST => Found {
            offset: end,
            leader_epoch: partition.leader_epoch,
            ..NOTHING
        },
        EARLIEST | EARLIEST_LOCAL => {
            let leader_epoch = log
                .entries()
                .next()
                .map_or(partition.leader_epoch, |entry| entry.leader_epoch);
            Found {
                offset: log.start_offset(),
                leader_epoch,
                ..NOTHING
            }
        }
        MAX_TIMESTAMP => {
            let largest = log.entries().map(|entry| entry.max_timestamp).max();
            largest.map_or(NOTHING, |largest| first_from(log, largest).before(end))
        }
        LATEST_TIERED | EARLIEST_PENDING_UPLOAD => NOTHING,
        time => first_from(log, time).before(end),
    }
}

/// The first record whose timestamp is `time` or later.
fn first_from(log: &mut Log, time: i64) -> Found {
    let start = log.start_offset();
    let mut from = start;
    // A batch whose latest records were deleted or compacted may hold none any more, so the search goes on in the next.
    loop {
        let mut later = log.entries_from(from);
        let Some(entry) = later.find(|entry| entry.max_timestamp >= time).copied() else {
            return NOTHING;
        };
        drop(later);
        let bytes = log.read_entry(&entry);
        let matches = |record: &RecordView| record.timestamp >= time && record.offset >= start;
        if let Some(record) = first_record(bytes, matches) {
            return Found {
                timestamp: record.timestamp,
                offset: record.offset,
                leader_epoch: entry.leader_epoch,
            };
        }
        from = entry.last_offset + 1;
    }
}

fn first_record(batch: Bytes, matches: impl Fn(&RecordView) -> bool) -> Option<RecordView> {
    let batch = batches(batch)
        .next()?
        .ok()?
        .open(&ReadLimits::default())
        .ok()?;
    batch.records().find(matches)
}

fn failure(partition_index: i32, code: ErrorCode) -> ListOffsetsPartitionResponse {
    ListOffsetsPartitionResponse {
        partition_index,
        error_code: code.code(),
        timestamp: -1,
        offset: -1,
        leader_epoch: -1,
    }
}

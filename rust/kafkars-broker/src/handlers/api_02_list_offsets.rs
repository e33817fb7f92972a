//! ListOffsets, versions 1 to 11.
//!
//! Kept: earliest, latest, by time, and the record with the largest timestamp (version 7, KIP-734); the isolation level
//! (2), under which nothing lies beyond the last stable offset; leader epochs (4).
//! Version 8 added the earliest local offset (KIP-405), which is the earliest; 9 and 11 ask for tiered storage, which
//! has nothing.

use std::collections::HashSet;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse,
    ListOffsetsTopic, ListOffsetsTopicResponse,
};

use super::{Handled, Peer, Serve};
use crate::log::search::FoundRecord;
use crate::partition::Partition;
use crate::state::ClusterState;
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
        let twice = named_twice(&self);
        Handled::Now(respond(&self, |key, data| {
            if !twice.is_empty() && twice.contains(&(key.clone(), data.partition_index)) {
                return Err(ErrorCode::InvalidRequest);
            }
            let mut found = look_up(&mut state, key, peer.node, data, read_committed)?;
            if version < EPOCHS_SINCE {
                found.leader_epoch = -1;
            }
            Ok(found)
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ListOffsetsResponse {
        respond(self, |_, _| Err(code))
    }
}

/// The partitions that a request names more than once, which Kafka refuses.
fn named_twice(request: &ListOffsetsRequest) -> HashSet<(TopicKey, i32)> {
    let mut named = HashSet::new();
    let places = request.topics.iter().flat_map(|topic| {
        let partitions = topic.partitions.iter();
        partitions.map(|data| (TopicKey::Name(topic.name.clone()), data.partition_index))
    });
    places
        .filter(|place| !named.insert(place.clone()))
        .collect()
}

fn respond(
    request: &ListOffsetsRequest,
    mut each: impl FnMut(
        &TopicKey,
        &ListOffsetsPartition,
    ) -> Result<ListOffsetsPartitionResponse, ErrorCode>,
) -> ListOffsetsResponse {
    let mut topic = |topic: &ListOffsetsTopic| {
        let key = TopicKey::Name(topic.name.clone());
        let partition = |data: &ListOffsetsPartition| {
            each(&key, data).unwrap_or_else(|code| failure(data.partition_index, code))
        };
        ListOffsetsTopicResponse {
            name: topic.name.clone(),
            partitions: topic.partitions.iter().map(partition).collect(),
        }
    };
    ListOffsetsResponse {
        throttle_time_ms: 0,
        topics: request.topics.iter().map(&mut topic).collect(),
    }
}

fn look_up(
    state: &mut ClusterState,
    key: &TopicKey,
    node: i32,
    data: &ListOffsetsPartition,
    read_committed: bool,
) -> Result<ListOffsetsPartitionResponse, ErrorCode> {
    let partition = state.led_partition(key, data.partition_index, node)?;
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

const NOTHING: FoundRecord = FoundRecord {
    timestamp: -1,
    offset: -1,
    leader_epoch: -1,
};

/// Finds nothing where the record lies beyond what may be read.
fn before(found: Option<FoundRecord>, end: i64) -> FoundRecord {
    found.filter(|found| found.offset < end).unwrap_or(NOTHING)
}

fn find(partition: &mut Partition, timestamp: i64, end: i64) -> FoundRecord {
    let log = &mut partition.log;
    match timestamp {
        LATEST => FoundRecord {
            offset: end,
            leader_epoch: partition.leader_epoch,
            ..NOTHING
        },
        EARLIEST | EARLIEST_LOCAL => {
            let leader_epoch = log
                .entries()
                .next()
                .map_or(partition.leader_epoch, |entry| entry.leader_epoch);
            FoundRecord {
                offset: log.start_offset(),
                leader_epoch,
                ..NOTHING
            }
        }
        MAX_TIMESTAMP => {
            let largest = log.entries().map(|entry| entry.max_timestamp).max();
            let first = largest.and_then(|largest| log.first_record_since(largest));
            before(first, end)
        }
        LATEST_TIERED | EARLIEST_PENDING_UPLOAD => NOTHING,
        time => before(log.first_record_since(time), end),
    }
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

//! DescribeShareGroupOffsets, versions 0 and 1 (KIP-932).
//!
//! Kept: where a group goes on reading each partition, and how much is left (version 1); -1 where it has not begun.

use std::collections::BTreeMap;

use kafkars_protocol::messages::describe_share_group_offsets::{
    DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic, DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup, DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::{Handled, Peer, Serve, coordination};
use crate::refusal::RefusedRequest;
use crate::shares::SharedLog;
use crate::state::ClusterState;

impl Serve for DescribeShareGroupOffsetsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DescribeShareGroupOffsetsResponse> {
        let now = peer.cluster.clock.now();
        let mut state = peer.cluster.state();
        let groups = self.groups.into_iter().map(|wanted| {
            let id = wanted.group_id.clone();
            let found = coordination::check_group(peer, &id).map_err(RefusedRequest::from);
            let found = found.and_then(|()| describe(&mut state, wanted, now));
            found.unwrap_or_else(|refused| failure(id, refused))
        });
        Handled::Now(DescribeShareGroupOffsetsResponse {
            throttle_time_ms: 0,
            groups: groups.collect(),
        })
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> DescribeShareGroupOffsetsResponse {
        let groups = self.groups.iter();
        DescribeShareGroupOffsetsResponse {
            throttle_time_ms: 0,
            groups: groups
                .map(|wanted| failure(wanted.group_id.clone(), code.into()))
                .collect(),
        }
    }
}

fn describe(
    state: &mut ClusterState,
    wanted: DescribeShareGroupOffsetsRequestGroup,
    now: i64,
) -> Result<DescribeShareGroupOffsetsResponseGroup, RefusedRequest> {
    // A group that nobody knows has simply not begun anywhere.
    state.groups.check_share_group(&wanted.group_id, now)?;
    let topics = match wanted.topics {
        Some(topics) => topics,
        None => every_topic(state, &wanted.group_id),
    };
    let topics = topics.into_iter().map(|topic| {
        let topic_id = state.topic(&topic.topic_name).map(|found| found.id);
        let partitions = topic.partitions.into_iter().map(|index| match topic_id {
            Some(id) => describe_one(state, &wanted.group_id, (id, index)),
            None => unknown(index),
        });
        let partitions = partitions.collect();
        DescribeShareGroupOffsetsResponseTopic {
            topic_name: topic.topic_name,
            topic_id: topic_id.unwrap_or(Uuid::ZERO),
            partitions,
        }
    });
    Ok(DescribeShareGroupOffsetsResponseGroup {
        topics: topics.collect(),
        group_id: wanted.group_id,
        ..DescribeShareGroupOffsetsResponseGroup::default()
    })
}

/// The partitions that a group has begun to read.
fn every_topic(state: &ClusterState, group: &str) -> Vec<DescribeShareGroupOffsetsRequestTopic> {
    let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for (id, index) in state.shares.partitions(group) {
        if let Some(topic) = state.topic_by_id(id) {
            topics.entry(&topic.name).or_default().push(index);
        }
    }
    let topic = |(name, partitions): (&str, Vec<i32>)| DescribeShareGroupOffsetsRequestTopic {
        topic_name: name.to_owned(),
        partitions,
    };
    topics.into_iter().map(topic).collect()
}

fn describe_one(
    state: &mut ClusterState,
    group: &str,
    partition: (Uuid, i32),
) -> DescribeShareGroupOffsetsResponsePartition {
    let Ok(SharedLog { shares, log, .. }) = state.shared_log(partition) else {
        return unknown(partition.1);
    };
    let found = shares.find(group, partition);
    DescribeShareGroupOffsetsResponsePartition {
        partition_index: partition.1,
        start_offset: found.as_ref().map_or(-1, |shared| shared.start()),
        leader_epoch: if found.is_some() { log.leader_epoch } else { 0 },
        lag: found.map_or(-1, |shared| shared.lag(log.log.end_offset())),
        ..DescribeShareGroupOffsetsResponsePartition::default()
    }
}

fn unknown(partition_index: i32) -> DescribeShareGroupOffsetsResponsePartition {
    let code = ErrorCode::UnknownTopicOrPartition;
    DescribeShareGroupOffsetsResponsePartition {
        partition_index,
        start_offset: -1,
        lag: -1,
        error_code: code.code(),
        error_message: Some(code.description().to_owned()),
        ..DescribeShareGroupOffsetsResponsePartition::default()
    }
}

fn failure(group_id: String, refused: RefusedRequest) -> DescribeShareGroupOffsetsResponseGroup {
    DescribeShareGroupOffsetsResponseGroup {
        group_id,
        error_code: refused.code.code(),
        error_message: refused.message,
        ..DescribeShareGroupOffsetsResponseGroup::default()
    }
}

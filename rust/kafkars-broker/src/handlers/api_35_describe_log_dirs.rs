//! DescribeLogDirs, versions 1 to 5.
//!
//! Kept: the one directory that a node of this broker has by name, with the sizes of the logs that the node has
//! replicas of; all topics or those asked for. The size of its volume (version 4, KIP-827) is "unknown".

use std::collections::HashSet;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_log_dirs::{
    DescribeLogDirsPartition, DescribeLogDirsRequest, DescribeLogDirsResponse,
    DescribeLogDirsResult, DescribeLogDirsTopic,
};

use super::{Handled, Peer, Serve};
use crate::topic::Topic;

/// The name of the one directory, which is in memory.
pub(super) const LOG_DIR: &str = "/memory";
const UNKNOWN_SIZE: i64 = -1;

impl Serve for DescribeLogDirsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DescribeLogDirsResponse> {
        let state = peer.cluster.state();
        let named = self.topics.iter().flatten();
        let named: HashSet<(&str, i32)> = named
            .flat_map(|topic| {
                let partitions = topic.partitions.iter();
                partitions.map(|index| (topic.topic.as_str(), *index))
            })
            .collect();
        let asked = |topic: &Topic, index: i32| {
            self.topics.is_none() || named.contains(&(topic.name.as_str(), index))
        };
        let describe = |topic: &Topic| {
            let partitions = (0_i32..).zip(&topic.partitions);
            let partitions: Vec<_> = partitions
                .filter(|(index, partition)| {
                    partition.replicas.contains(&peer.node) && asked(topic, *index)
                })
                .map(|(partition_index, partition)| DescribeLogDirsPartition {
                    partition_index,
                    partition_size: i64::try_from(partition.log.size()).unwrap_or(i64::MAX),
                    ..DescribeLogDirsPartition::default()
                })
                .collect();
            (!partitions.is_empty()).then(|| DescribeLogDirsTopic {
                name: topic.name.clone(),
                partitions,
            })
        };
        let result = DescribeLogDirsResult {
            log_dir: LOG_DIR.to_owned(),
            topics: state.topics().filter_map(describe).collect(),
            total_bytes: UNKNOWN_SIZE,
            usable_bytes: UNKNOWN_SIZE,
            ..DescribeLogDirsResult::default()
        };
        Handled::Now(DescribeLogDirsResponse {
            results: vec![result],
            ..DescribeLogDirsResponse::default()
        })
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> DescribeLogDirsResponse {
        /// First version with an error of the whole answer.
        const ERROR_SINCE: i16 = 3;
        if version >= ERROR_SINCE {
            return DescribeLogDirsResponse {
                error_code: code.code(),
                ..DescribeLogDirsResponse::default()
            };
        }
        let result = DescribeLogDirsResult {
            error_code: code.code(),
            log_dir: LOG_DIR.to_owned(),
            total_bytes: UNKNOWN_SIZE,
            usable_bytes: UNKNOWN_SIZE,
            ..DescribeLogDirsResult::default()
        };
        DescribeLogDirsResponse {
            results: vec![result],
            ..DescribeLogDirsResponse::default()
        }
    }
}

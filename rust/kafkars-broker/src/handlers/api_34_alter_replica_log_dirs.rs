//! AlterReplicaLogDirs, versions 1 and 2.
//!
//! Kept: a node has one directory, where everything is already; every other is LOG_DIR_NOT_FOUND.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_replica_log_dirs::{
    AlterReplicaLogDirPartitionResult, AlterReplicaLogDirTopicResult, AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
};

use super::api_35_describe_log_dirs::LOG_DIR;
use super::{Handled, Peer, Serve};

impl Serve for AlterReplicaLogDirsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<AlterReplicaLogDirsResponse> {
        let state = peer.cluster.state();
        Handled::Now(respond(&self, |directory, topic, index| {
            if directory != LOG_DIR {
                return ErrorCode::LogDirNotFound.code();
            }
            let found = state.topic(topic).and_then(|topic| topic.partition(index));
            let here = found.is_some_and(|partition| partition.replicas.contains(&peer.node));
            if here {
                0
            } else {
                ErrorCode::UnknownTopicOrPartition.code()
            }
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> AlterReplicaLogDirsResponse {
        respond(self, |_, _, _| code.code())
    }
}

fn respond(
    request: &AlterReplicaLogDirsRequest,
    each: impl Fn(&str, &str, i32) -> i16,
) -> AlterReplicaLogDirsResponse {
    let mut results = Vec::new();
    for directory in &request.dirs {
        for topic in &directory.topics {
            let result = |index: &i32| AlterReplicaLogDirPartitionResult {
                partition_index: *index,
                error_code: each(&directory.path, &topic.name, *index),
            };
            results.push(AlterReplicaLogDirTopicResult {
                topic_name: topic.name.clone(),
                partitions: topic.partitions.iter().map(result).collect(),
            });
        }
    }
    AlterReplicaLogDirsResponse {
        throttle_time_ms: 0,
        results,
    }
}

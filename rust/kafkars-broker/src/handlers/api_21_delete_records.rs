//! DeleteRecords, versions 0 to 2.
//!
//! Kept: everything. The log starts at the offset given (KIP-107); -1 is the high watermark.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::delete_records::{
    DeleteRecordsPartition, DeleteRecordsPartitionResult, DeleteRecordsRequest,
    DeleteRecordsResponse, DeleteRecordsTopic, DeleteRecordsTopicResult,
};

use super::{Handled, Peer, Serve};
use crate::refusal::code_of;
use crate::state::ClusterState;
use crate::topic::TopicKey;

const HIGH_WATERMARK: i64 = -1;

impl Serve for DeleteRecordsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DeleteRecordsResponse> {
        let mut state = peer.cluster.state();
        let mut each = |key: &TopicKey, data: &DeleteRecordsPartition| {
            delete(&mut state, key, peer.node, data)
        };
        Handled::Now(respond(&self, &mut each))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DeleteRecordsResponse {
        respond(self, &mut |_, _| Err(code))
    }
}

fn respond(
    request: &DeleteRecordsRequest,
    each: &mut dyn FnMut(&TopicKey, &DeleteRecordsPartition) -> Result<i64, ErrorCode>,
) -> DeleteRecordsResponse {
    let mut topic = |topic: &DeleteRecordsTopic| {
        let key = TopicKey::Name(topic.name.clone());
        let mut partition = |data: &DeleteRecordsPartition| {
            let result = each(&key, data);
            DeleteRecordsPartitionResult {
                partition_index: data.partition_index,
                low_watermark: result.unwrap_or(-1),
                error_code: code_of(&result),
            }
        };
        DeleteRecordsTopicResult {
            name: topic.name.clone(),
            partitions: topic.partitions.iter().map(&mut partition).collect(),
        }
    };
    let topics = request.topics.iter().map(&mut topic).collect();
    DeleteRecordsResponse {
        throttle_time_ms: 0,
        topics,
    }
}

fn delete(
    state: &mut ClusterState,
    key: &TopicKey,
    node: i32,
    data: &DeleteRecordsPartition,
) -> Result<i64, ErrorCode> {
    let partition = state.led_partition(key, data.partition_index, node)?;
    let end = partition.log.end_offset();
    let offset = if data.offset == HIGH_WATERMARK {
        end
    } else {
        data.offset
    };
    if !(0..=end).contains(&offset) {
        return Err(ErrorCode::OffsetOutOfRange);
    }
    Ok(partition.delete_before(offset))
}

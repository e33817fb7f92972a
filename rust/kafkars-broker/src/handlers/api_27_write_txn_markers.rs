//! WriteTxnMarkers, versions 1 and 2.
//!
//! Kept: what coordinators send to leaders, and administrators to abort a transaction that hangs (KIP-664): a marker in
//! each partition, refused when its epochs are older than what the partition knows. Version 2 names the transaction
//! version (KIP-1228): from 2 on the marker must be of a later epoch than the records it ends.
//!
//! The coordinator of this broker writes its markers itself.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::write_txn_markers::{
    WritableTxnMarker, WritableTxnMarkerPartitionResult, WritableTxnMarkerResult,
    WritableTxnMarkerTopic, WritableTxnMarkerTopicResult, WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
};
use kafkars_records::TransactionMarker;

use super::{Handled, Peer, Serve};
use crate::refusal::code_of;
use crate::topic::TopicKey;

/// First transaction version in which every end starts a new epoch.
const BUMPS_SINCE: i8 = 2;

impl Serve for WriteTxnMarkersRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<WriteTxnMarkersResponse> {
        let timestamp = peer.cluster.now();
        let mut state = peer.cluster.state();
        Handled::Now(respond(&self, |wanted, topic, index| {
            let marker = TransactionMarker {
                committed: wanted.transaction_result,
                producer_id: wanted.producer_id,
                producer_epoch: wanted.producer_epoch,
                coordinator_epoch: wanted.coordinator_epoch,
                timestamp,
            };
            let key = TopicKey::Name(topic.to_owned());
            let partition = state.led_partition(&key, index, peer.node)?;
            partition.end_transaction(&marker, wanted.transaction_version >= BUMPS_SINCE)
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> WriteTxnMarkersResponse {
        respond(self, |_, _, _| Err(code))
    }
}

fn respond(
    request: &WriteTxnMarkersRequest,
    mut each: impl FnMut(&WritableTxnMarker, &str, i32) -> Result<(), ErrorCode>,
) -> WriteTxnMarkersResponse {
    let mut markers = Vec::with_capacity(request.markers.len());
    for marker in &request.markers {
        let mut topic = |topic: &WritableTxnMarkerTopic| {
            let partition = |index: &i32| WritableTxnMarkerPartitionResult {
                partition_index: *index,
                error_code: code_of(&each(marker, &topic.name, *index)),
            };
            WritableTxnMarkerTopicResult {
                name: topic.name.clone(),
                partitions: topic.partition_indexes.iter().map(partition).collect(),
            }
        };
        markers.push(WritableTxnMarkerResult {
            producer_id: marker.producer_id,
            topics: marker.topics.iter().map(&mut topic).collect(),
        });
    }
    WriteTxnMarkersResponse { markers }
}

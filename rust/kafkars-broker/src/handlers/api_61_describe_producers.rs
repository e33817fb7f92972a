//! DescribeProducers, version 0 (KIP-664).
//!
//! Kept: everything. The producers that a partition remembers, with the start of the transaction that each has open.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_producers::{
    DescribeProducersRequest, DescribeProducersResponse, PartitionResponse, ProducerState,
    TopicRequest, TopicResponse,
};

use super::{Handled, Peer, Serve};
use crate::producers::DescribedProducer;
use crate::topic::TopicKey;

impl Serve for DescribeProducersRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DescribeProducersResponse> {
        let mut state = peer.cluster.state();
        Handled::Now(respond(&self, |topic, index| {
            let key = TopicKey::Name(topic.to_owned());
            let partition = state.led_partition(&key, index, peer.node)?;
            Ok(partition.active_producers())
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DescribeProducersResponse {
        respond(self, |_, _| Err(code))
    }
}

fn respond(
    request: &DescribeProducersRequest,
    mut each: impl FnMut(&str, i32) -> Result<Vec<DescribedProducer>, ErrorCode>,
) -> DescribeProducersResponse {
    let mut topic = |topic: &TopicRequest| {
        let partition = |index: &i32| {
            let found = each(&topic.name, *index);
            PartitionResponse {
                partition_index: *index,
                error_code: found.as_ref().err().map_or(0, |code| code.code()),
                error_message: found
                    .as_ref()
                    .err()
                    .map(|code| code.description().to_owned()),
                active_producers: found.unwrap_or_default().iter().map(describe).collect(),
            }
        };
        TopicResponse {
            name: topic.name.clone(),
            partitions: topic.partition_indexes.iter().map(partition).collect(),
        }
    };
    DescribeProducersResponse {
        throttle_time_ms: 0,
        topics: request.topics.iter().map(&mut topic).collect(),
    }
}

fn describe(producer: &DescribedProducer) -> ProducerState {
    ProducerState {
        producer_id: producer.id,
        producer_epoch: i32::from(producer.epoch),
        last_sequence: producer.last_sequence,
        last_timestamp: producer.timestamp,
        coordinator_epoch: producer.coordinator_epoch,
        current_txn_start_offset: producer.transaction_start.unwrap_or(-1),
    }
}

//! A transactional producer of a few lines, for the tests of transactions.

use kafkars_broker::EmbeddedBroker;
use kafkars_protocol::messages::add_offsets_to_txn::AddOffsetsToTxnRequest;
use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnRequest, AddPartitionsToTxnTopic,
};
use kafkars_protocol::messages::end_txn::EndTxnRequest;
use kafkars_protocol::messages::fetch::PartitionData;
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic,
};
use kafkars_protocol::messages::produce::ProduceRequest;
use kafkars_protocol::messages::txn_offset_commit::{
    TxnOffsetCommitRequest, TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic,
};
use kafkars_records::{Compression, ProducerFields, batches};

use crate::support::*;

/// Versions of the first protocol of transactions, and of the second (KIP-890).
pub(crate) const FIRST: Protocol = Protocol {
    produce: 11,
    end: 4,
};
pub(crate) const SECOND: Protocol = Protocol {
    produce: 12,
    end: 5,
};

#[derive(Clone, Copy)]
pub(crate) struct Protocol {
    pub(crate) produce: i16,
    pub(crate) end: i16,
}

pub(crate) struct Producer {
    pub(crate) wire: Wire,
    pub(crate) id: String,
    pub(crate) producer_id: i64,
    pub(crate) epoch: i16,
    pub(crate) sequence: i32,
    pub(crate) protocol: Protocol,
}

impl Producer {
    /// A producer that has its identity.
    pub(crate) fn new(broker: &EmbeddedBroker, id: &str, protocol: Protocol) -> Self {
        let mut producer = Self {
            wire: Wire::to(broker),
            id: id.to_owned(),
            producer_id: -1,
            epoch: -1,
            sequence: 0,
            protocol,
        };
        assert_eq!(producer.init(60_000), 0);
        producer
    }

    /// Asks for an identity, as a producer that has none.
    pub(crate) fn init(&mut self, timeout_ms: i32) -> i16 {
        self.init_from(timeout_ms, -1, -1)
    }

    pub(crate) fn init_from(&mut self, timeout_ms: i32, producer_id: i64, epoch: i16) -> i16 {
        let request = InitProducerIdRequest {
            transactional_id: Some(self.id.clone()),
            transaction_timeout_ms: timeout_ms,
            producer_id,
            producer_epoch: epoch,
        };
        let answer = self.wire.call(&request, 5);
        if answer.error_code == 0 {
            (self.producer_id, self.epoch) = (answer.producer_id, answer.producer_epoch);
            self.sequence = 0;
        }
        answer.error_code
    }

    pub(crate) fn add(&mut self, topic: &str) -> i16 {
        let topic = AddPartitionsToTxnTopic {
            name: topic.to_owned(),
            partitions: vec![0],
        };
        let request = AddPartitionsToTxnRequest {
            v3_and_below_transactional_id: self.id.clone(),
            v3_and_below_producer_id: self.producer_id,
            v3_and_below_producer_epoch: self.epoch,
            v3_and_below_topics: vec![topic],
            ..Default::default()
        };
        let answer = self.wire.call(&request, 3).results_by_topic_v3_and_below;
        answer[0].results_by_partition[0].partition_error_code
    }

    pub(crate) fn add_group(&mut self, group: &str) -> i16 {
        let request = AddOffsetsToTxnRequest {
            transactional_id: self.id.clone(),
            producer_id: self.producer_id,
            producer_epoch: self.epoch,
            group_id: group.to_owned(),
        };
        self.wire.call(&request, 4).error_code
    }

    pub(crate) fn commit_offset(&mut self, group: &str, offset: i64, version: i16) -> i16 {
        let partition = TxnOffsetCommitRequestPartition {
            partition_index: 0,
            committed_offset: offset,
            committed_leader_epoch: -1,
            committed_metadata: None,
        };
        let topic = TxnOffsetCommitRequestTopic {
            name: "t".to_owned(),
            partitions: vec![partition],
        };
        let request = TxnOffsetCommitRequest {
            transactional_id: self.id.clone(),
            group_id: group.to_owned(),
            producer_id: self.producer_id,
            producer_epoch: self.epoch,
            generation_id: -1,
            topics: vec![topic],
            ..Default::default()
        };
        self.wire.call(&request, version).topics[0].partitions[0].error_code
    }

    /// Sends one batch to partition 0 of `t`.
    pub(crate) fn send(&mut self, values: &[&str]) -> i16 {
        let fields = ProducerFields {
            producer_id: self.producer_id,
            producer_epoch: self.epoch,
            base_sequence: self.sequence,
            transactional: true,
        };
        let records = sealed(now(), values, Compression::default(), fields);
        let request = ProduceRequest {
            transactional_id: Some(self.id.clone()),
            ..produce_request("t", 0, records)
        };
        let answer = self.wire.call(&request, self.protocol.produce);
        let code = answer.responses[0].partition_responses[0].error_code;
        if code == 0 {
            self.sequence += values.len() as i32;
        }
        code
    }

    /// Adds the partition where the protocol wants that, and sends a batch.
    pub(crate) fn write(&mut self, values: &[&str]) {
        if self.protocol.produce < SECOND.produce {
            assert_eq!(self.add("t"), 0);
        }
        assert_eq!(self.send(values), 0);
    }

    pub(crate) fn end(&mut self, committed: bool) -> i16 {
        let request = EndTxnRequest {
            transactional_id: self.id.clone(),
            producer_id: self.producer_id,
            producer_epoch: self.epoch,
            committed,
        };
        let answer = self.wire.call(&request, self.protocol.end);
        if answer.error_code == 0 && self.protocol.end >= SECOND.end {
            (self.producer_id, self.epoch) = (answer.producer_id, answer.producer_epoch);
            self.sequence = 0;
        }
        answer.error_code
    }
}

/// Reads what readers of committed records get of `t`.
pub(crate) fn fetch_committed(wire: &mut Wire, offset: i64) -> PartitionData {
    let mut request = fetch_request("t", 0, offset);
    request.isolation_level = 1;
    only(&wire.call(&request, FETCH)).clone()
}

/// Gives of every batch of `t` the offset, whether it is a marker, and the epoch.
pub(crate) fn log(wire: &mut Wire) -> Vec<(i64, bool, i16)> {
    let records = wire.fetch("t", 0, 0).records.unwrap();
    batches(records)
        .map(|batch| batch.unwrap().header)
        .map(|header| {
            (
                header.base_offset,
                header.attributes.is_control(),
                header.producer_epoch,
            )
        })
        .collect()
}

pub(crate) fn list_offset(wire: &mut Wire, timestamp: i64, isolation_level: i8) -> i64 {
    let partition = ListOffsetsPartition {
        partition_index: 0,
        current_leader_epoch: -1,
        timestamp,
    };
    let topic = ListOffsetsTopic {
        name: "t".to_owned(),
        partitions: vec![partition],
    };
    let request = ListOffsetsRequest {
        replica_id: -1,
        isolation_level,
        topics: vec![topic],
        ..Default::default()
    };
    wire.call(&request, 7).topics[0].partitions[0].offset
}

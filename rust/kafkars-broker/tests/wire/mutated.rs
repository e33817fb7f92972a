//! Requests of every API and version with damage in random places: nothing on the broker's thread may panic.

use std::io::Write;
use std::net::Shutdown;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kafkars_protocol::messages::alter_client_quotas::{
    AlterClientQuotasRequest, EntityData, EntryData, OpData,
};
use kafkars_protocol::messages::alter_partition_reassignments::{
    AlterPartitionReassignmentsRequest, ReassignablePartition, ReassignableTopic,
};
use kafkars_protocol::messages::alter_user_scram_credentials::{
    AlterUserScramCredentialsRequest, ScramCredentialUpsertion,
};
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsRequest, CreatePartitionsTopic,
};
use kafkars_protocol::messages::create_topics::{CreatableTopic, CreateTopicsRequest};
use kafkars_protocol::messages::delete_records::{
    DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic,
};
use kafkars_protocol::messages::describe_topic_partitions::{
    Cursor, DescribeTopicPartitionsRequest,
};
use kafkars_protocol::messages::elect_leaders::ElectLeadersRequest;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::incremental_alter_configs::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic,
};
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataRequestTopic};
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use kafkars_protocol::messages::offset_for_leader_epoch::{
    OffsetForLeaderEpochRequest, OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use kafkars_protocol::{Request, encode_request};

use crate::support::*;

/// Damaged forms of each version of each request.
const ROUNDS: usize = 25;

/// A sequence that is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

struct Attack {
    broker: kafkars_broker::EmbeddedBroker,
    random: Random,
}

impl Attack {
    fn with<R: Request>(&mut self, request: &R) {
        for version in R::VERSIONS.iter() {
            let Ok(frame) = encode_request(request, version, 1, Some("x")) else {
                continue;
            };
            for _ in 0..ROUNDS {
                let mut damaged = frame.to_bytes().to_vec();
                for _ in 0..=self.random.below(3) {
                    // The length, the API and its version stay, so that the damage reaches the handler.
                    let position = 8 + self.random.below(damaged.len() - 8);
                    damaged[position] = [0x00, 0x01, 0x7f, 0x80, 0xff][self.random.below(5)];
                }
                let mut wire = Wire::to(&self.broker);
                let _ = wire.stream.write_all(&damaged);
                let _ = wire.stream.shutdown(Shutdown::Write);
            }
        }
    }
}

#[test]
fn damaged_requests_never_panic() {
    let panics = Arc::new(AtomicUsize::new(0));
    let (counted, previous) = (Arc::clone(&panics), panic::take_hook());
    panic::set_hook(Box::new(move |info| {
        if thread::current().name() == Some("kafkars-broker") {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        previous(info);
    }));
    let mut attack = Attack {
        broker: broker(),
        random: Random(42),
    };
    let topic = || "t".to_owned();
    attack.with(&produce_request("t", 0, batch(&["a", "b"])));
    attack.with(&idempotent_produce());
    attack.with(&fetch_request("t", 0, 0));
    attack.with(&ListOffsetsRequest {
        topics: vec![ListOffsetsTopic {
            name: topic(),
            partitions: vec![ListOffsetsPartition::default()],
        }],
        ..Default::default()
    });
    attack.with(&MetadataRequest {
        topics: Some(vec![MetadataRequestTopic {
            name: Some(topic()),
            ..Default::default()
        }]),
        allow_auto_topic_creation: true,
        ..Default::default()
    });
    attack.with(&OffsetCommitRequest {
        group_id: topic(),
        retention_time_ms: -1,
        topics: vec![OffsetCommitRequestTopic {
            name: topic(),
            partitions: vec![OffsetCommitRequestPartition::default()],
            ..Default::default()
        }],
        ..Default::default()
    });
    attack.with(&FindCoordinatorRequest {
        key: topic(),
        ..Default::default()
    });
    attack.with(&CreateTopicsRequest {
        topics: vec![CreatableTopic {
            name: "u".to_owned(),
            num_partitions: 2,
            replication_factor: 1,
            ..Default::default()
        }],
        ..Default::default()
    });
    attack.with(&DeleteRecordsRequest {
        topics: vec![DeleteRecordsTopic {
            name: topic(),
            partitions: vec![DeleteRecordsPartition::default()],
        }],
        ..Default::default()
    });
    attack.with(&InitProducerIdRequest::default());
    attack.with(&OffsetForLeaderEpochRequest {
        topics: vec![OffsetForLeaderTopic {
            topic: topic(),
            partitions: vec![OffsetForLeaderPartition::default()],
        }],
        ..Default::default()
    });
    attack.with(&CreatePartitionsRequest {
        topics: vec![CreatePartitionsTopic {
            name: topic(),
            count: 3,
            assignments: None,
        }],
        ..Default::default()
    });
    assert_eq!(
        Wire::to(&attack.broker).fetch("t", 0, -1).partition_index,
        0
    );
    // What these change may keep clients from reading, so they get a broker of their own.
    attack.broker = broker();
    attack_as_administrator(&mut attack);
    Wire::to(&attack.broker).metadata(&["t"]);
    assert_eq!(panics.load(Ordering::Relaxed), 0);
}

fn attack_as_administrator(attack: &mut Attack) {
    let text = || "t".to_owned();
    attack.with(&AlterClientQuotasRequest {
        entries: vec![EntryData {
            entity: vec![EntityData {
                entity_type: "client-id".to_owned(),
                entity_name: Some(text()),
            }],
            ops: vec![OpData {
                key: "producer_byte_rate".to_owned(),
                value: 1e6,
                remove: false,
            }],
        }],
        validate_only: false,
    });
    attack.with(&IncrementalAlterConfigsRequest {
        resources: vec![AlterConfigsResource {
            resource_type: 2,
            resource_name: text(),
            configs: vec![AlterableConfig {
                name: "retention.ms".to_owned(),
                config_operation: 0,
                value: Some("1".to_owned()),
            }],
        }],
        validate_only: false,
    });
    attack.with(&AlterPartitionReassignmentsRequest {
        topics: vec![ReassignableTopic {
            name: text(),
            partitions: vec![ReassignablePartition {
                partition_index: 0,
                replicas: Some(vec![1]),
            }],
        }],
        ..Default::default()
    });
    attack.with(&ElectLeadersRequest::default());
    attack.with(&DescribeTopicPartitionsRequest {
        cursor: Some(Cursor {
            topic_name: text(),
            partition_index: 1,
        }),
        ..Default::default()
    });
    attack.with(&AlterUserScramCredentialsRequest {
        upsertions: vec![ScramCredentialUpsertion {
            name: text(),
            mechanism: 1,
            iterations: 4096,
            ..Default::default()
        }],
        ..Default::default()
    });
}

fn idempotent_produce() -> kafkars_protocol::messages::produce::ProduceRequest {
    produce_request("t", 0, idempotent(5, 0, 0, &["a", "b"]))
}

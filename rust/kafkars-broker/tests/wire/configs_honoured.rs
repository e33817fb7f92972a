//! Settings of topics decide what becomes of their records.

use kafkars_broker::{BrokerConfig, NewTopic};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::produce::ProduceRequest;
use kafkars_records::{Codec, Compression, ProducerFields, batches};

use crate::configs::{SET, TOPIC, alter};
use crate::support::*;

#[test]
fn the_codec_of_a_topic_replaces_that_of_the_producer() {
    let names = [
        ("uncompressed", Codec::None),
        ("gzip", Codec::Gzip),
        ("snappy", Codec::Snappy),
        ("lz4", Codec::Lz4),
        ("zstd", Codec::Zstd),
    ];
    for (name, codec) in names {
        let broker = broker_with("compression.type", name);
        let mut wire = Wire::to(&broker);
        for (_, sent) in names {
            let compression = Compression::new(sent, None).unwrap();
            let fields = ProducerFields {
                producer_id: 7,
                producer_epoch: 0,
                base_sequence: 0,
                transactional: false,
            };
            let records = sealed(5, &["x", "y"], compression, fields);
            let fields = batches(records.clone()).next().unwrap().unwrap().header;
            let placed = wire.produce("t", 0, records);
            assert_eq!(placed.error_code, 0);
            if placed.base_offset > 0 {
                continue;
            }
            let fetched = wire.fetch("t", 0, 0).records;
            let expected = [(0, "x".to_owned()), (1, "y".to_owned())];
            assert_eq!(read(&fetched), expected, "{sent} to {codec}");
            let header = batches(fetched.unwrap()).next().unwrap().unwrap().header;
            assert_eq!(header.codec().unwrap(), codec);
            let of = |header: kafkars_records::BatchHeader| {
                let range = (header.base_timestamp, header.max_timestamp);
                (range, header.producer_id, header.last_offset_delta)
            };
            assert_eq!(of(header), of(fields));
        }
    }
}

#[test]
fn each_codec_is_replaced_by_each_other() {
    for name in ["uncompressed", "gzip", "snappy", "lz4", "zstd"] {
        let broker = broker_with("compression.type", name);
        let mut wire = Wire::to(&broker);
        for (index, sent) in [
            Codec::None,
            Codec::Gzip,
            Codec::Snappy,
            Codec::Lz4,
            Codec::Zstd,
        ]
        .into_iter()
        .enumerate()
        {
            let compression = Compression::new(sent, None).unwrap();
            let records = sealed(now(), &["x"], compression, ProducerFields::default());
            assert_eq!(wire.produce("t", 0, records).base_offset, index as i64);
        }
        assert_eq!(read(&wire.fetch("t", 0, 0).records).len(), 5);
    }
}

#[test]
fn acks_of_all_needs_enough_replicas_in_sync() {
    let configs = vec![("min.insync.replicas".to_owned(), "2".to_owned())];
    let topic = NewTopic {
        replication_factor: Some(2),
        configs,
        ..NewTopic::new("t", 1)
    };
    let broker = start(BrokerConfig {
        nodes: 2,
        topics: vec![topic],
        ..BrokerConfig::default()
    });
    let leader = broker.leader("t", 0).unwrap();
    let mut wire = Wire::to_node(&broker, leader);
    let mut produce = |acks| {
        let request = ProduceRequest {
            acks,
            ..produce_request("t", 0, batch(&["a"]))
        };
        let answer = wire.call(&request, PRODUCE);
        answer.responses[0].partition_responses[0].error_code
    };
    assert_eq!(produce(-1), 0);
    broker.stop_node(3 - leader).unwrap();
    let too_few = ErrorCode::NotEnoughReplicas.code();
    assert_eq!((produce(-1), produce(1)), (too_few, 0));
    broker.start_node(3 - leader).unwrap();
    assert_eq!(produce(-1), 0);
}

#[test]
fn the_kind_of_timestamp_changes_with_the_setting() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    assert_eq!(
        wire.produce("t", 0, batch_at(5, &["a"])).log_append_time_ms,
        -1
    );
    let changes = [("message.timestamp.type", SET, "LogAppendTime")];
    assert_eq!(alter(&broker, (TOPIC, "t"), &changes), 0);
    assert!(wire.produce("t", 0, batch_at(5, &["a"])).log_append_time_ms > 5);
}

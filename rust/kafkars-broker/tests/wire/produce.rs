use bytes::{Bytes, BytesMut};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::produce::{ProduceRequest, TopicProduceData};
use kafkars_records::{Codec, Compression, ProducerFields, batches};

use crate::support::*;

fn init_producer_id() -> InitProducerIdRequest {
    InitProducerIdRequest {
        transactional_id: None,
        ..Default::default()
    }
}

#[test]
fn records_get_consecutive_offsets() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let first = wire.produce("t", 0, batch(&["a", "b"]));
    let second = wire.produce("t", 0, batch(&["c"]));
    assert_eq!(
        (
            first.error_code,
            first.base_offset,
            first.log_append_time_ms
        ),
        (0, 0, -1)
    );
    assert_eq!(
        (
            second.error_code,
            second.base_offset,
            second.log_start_offset
        ),
        (0, 2, 0)
    );
    let expected = [
        (0, "a".to_owned()),
        (1, "b".to_owned()),
        (2, "c".to_owned()),
    ];
    assert_eq!(read(&wire.fetch("t", 0, 0).records), expected);
}

#[test]
fn every_codec_is_kept_as_it_came() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    for codec in [
        Codec::None,
        Codec::Gzip,
        Codec::Snappy,
        Codec::Lz4,
        Codec::Zstd,
    ] {
        let compression = Compression::new(codec, None).unwrap();
        let sent = sealed(now(), &["x", "y"], compression, ProducerFields::default());
        let offset = wire.produce("t", 0, sent.clone()).base_offset;
        let records = wire.fetch("t", 0, offset).records.unwrap();
        // Base offset and leader epoch are the leader's; length, magic, CRC and everything after are the producer's.
        assert_eq!(
            (&records[8..12], &records[16..]),
            (&sent[8..12], &sent[16..]),
            "{codec}"
        );
    }
}

#[test]
fn acks_zero_gets_no_answer_and_acks_one_does() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.send(
        &ProduceRequest {
            acks: 0,
            ..produce_request("t", 0, batch(&["a"]))
        },
        PRODUCE,
    );
    let response = wire.call(
        &ProduceRequest {
            acks: 1,
            ..produce_request("t", 0, batch(&["b"]))
        },
        PRODUCE,
    );
    assert_eq!(response.responses[0].partition_responses[0].base_offset, 1);
}

#[test]
fn an_error_under_acks_zero_closes_the_connection() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.send(
        &ProduceRequest {
            acks: 0,
            ..produce_request("nowhere", 0, batch(&["a"]))
        },
        PRODUCE,
    );
    wire.assert_closed();
}

#[test]
fn other_acks_are_refused() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let response = wire.call(
        &ProduceRequest {
            acks: 2,
            ..produce_request("t", 0, batch(&["a"]))
        },
        PRODUCE,
    );
    let partition = &response.responses[0].partition_responses[0];
    assert_eq!(partition.error_code, ErrorCode::InvalidRequiredAcks.code());
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 0));
}

#[test]
fn unknown_topics_and_partitions_are_told() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let unknown = ErrorCode::UnknownTopicOrPartition.code();
    assert_eq!(
        wire.produce("nowhere", 0, batch(&["a"])).error_code,
        unknown
    );
    for partition in [1, -1, i32::MAX] {
        assert_eq!(
            wire.produce("t", partition, batch(&["a"])).error_code,
            unknown
        );
    }
}

#[test]
fn topics_are_named_by_id_since_version_13() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let id = wire.topic_id("t");
    let mut request = produce_request("", 0, batch(&["a"]));
    request.topic_data[0].topic_id = id;
    let topic = &wire.call(&request, 13).responses[0];
    assert_eq!(
        (topic.topic_id, topic.partition_responses[0].error_code),
        (id, 0)
    );
    request.topic_data[0].topic_id.0[3] ^= 1;
    let topic = &wire.call(&request, 13).responses[0];
    assert_eq!(
        topic.partition_responses[0].error_code,
        ErrorCode::UnknownTopicId.code()
    );
}

#[test]
fn a_damaged_batch_is_refused() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let mut bytes = BytesMut::from(&batch(&["a"])[..]);
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    assert_eq!(
        wire.produce("t", 0, bytes.freeze()).error_code,
        ErrorCode::CorruptMessage.code()
    );
    let whole = batch(&["a"]);
    let cut = whole.slice(..whole.len() - 1);
    assert_eq!(
        wire.produce("t", 0, cut).error_code,
        ErrorCode::CorruptMessage.code()
    );
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 0));
}

#[test]
fn a_partition_takes_exactly_one_batch() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let invalid = ErrorCode::InvalidRecord.code();
    let two = [batch(&["a"]), batch(&["b"])].concat();
    assert_eq!(wire.produce("t", 0, two.into()).error_code, invalid);
    assert_eq!(wire.produce("t", 0, Bytes::new()).error_code, invalid);
    let mut none = produce_request("t", 0, Bytes::new());
    none.topic_data[0].partition_data[0].records = None;
    let response = wire.call(&none, PRODUCE);
    assert_eq!(
        response.responses[0].partition_responses[0].error_code,
        invalid
    );
}

#[test]
fn a_batch_above_max_message_bytes_is_refused_and_one_at_it_is_taken() {
    let fits = batch(&["12345"]);
    let broker = broker_with("max.message.bytes", &fits.len().to_string());
    let mut wire = Wire::to(&broker);
    assert_eq!(wire.produce("t", 0, fits).error_code, 0);
    let refused = wire.produce("t", 0, batch(&["123456"]));
    assert_eq!(refused.error_code, ErrorCode::MessageTooLarge.code());
    assert!(refused.error_message.unwrap().contains("max.message.bytes"));
}

#[test]
fn log_append_time_replaces_the_timestamps() {
    let broker = broker_with("message.timestamp.type", "LogAppendTime");
    let mut wire = Wire::to(&broker);
    let before = now();
    let response = wire.produce("t", 0, batch_at(1000, &["a", "b"]));
    assert!((before..=now()).contains(&response.log_append_time_ms));
    let records = wire.fetch("t", 0, 0).records.unwrap();
    let stored = batches(records).next().unwrap().unwrap();
    stored.verify_crc().unwrap();
    assert_eq!(stored.header.max_timestamp, response.log_append_time_ms);
    assert_eq!(
        stored.header.attributes.timestamp_type(),
        kafkars_records::TimestampType::LogAppendTime
    );
}

#[test]
fn timestamps_far_ahead_are_refused_with_the_records_to_blame() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let refused = wire.produce("t", 0, batch_at(now() + 2 * 3_600_000, &["a", "b"]));
    assert_eq!(refused.error_code, ErrorCode::InvalidTimestamp.code());
    let blamed: Vec<i32> = refused
        .record_errors
        .iter()
        .map(|error| error.batch_index)
        .collect();
    assert_eq!(blamed, [0, 1]);
}

#[test]
fn a_batch_sent_twice_is_appended_once() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let response = wire.call(&init_producer_id(), 4);
    assert_eq!((response.error_code, response.producer_epoch), (0, 0));
    let id = response.producer_id;
    let sent = idempotent(id, 0, 0, &["a", "b"]);
    assert_eq!(wire.produce("t", 0, sent.clone()).base_offset, 0);
    assert_eq!(
        wire.produce("t", 0, idempotent(id, 0, 2, &["c"]))
            .base_offset,
        2
    );
    let again = wire.produce("t", 0, sent);
    assert_eq!((again.error_code, again.base_offset), (0, 0));
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 3));
    let gap = wire.produce("t", 0, idempotent(id, 0, 4, &["e"]));
    assert_eq!(gap.error_code, ErrorCode::OutOfOrderSequenceNumber.code());
}

#[test]
fn every_idempotent_producer_gets_an_id_of_its_own() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let first = wire.call(&init_producer_id(), 4).producer_id;
    let second = wire.call(&init_producer_id(), 0).producer_id;
    assert_ne!(first, second);
}

#[test]
fn a_compacted_topic_wants_keys() {
    let broker = broker_with("cleanup.policy", "compact");
    let mut wire = Wire::to(&broker);
    assert_eq!(wire.produce("t", 0, batch(&["a"])).error_code, 0);
    let mut builder = kafkars_records::BatchBuilder::new(0);
    builder.append(now(), None, Some(b"a"), &[]);
    let keyless = builder
        .seal(Compression::default(), ProducerFields::default())
        .unwrap()
        .bytes;
    assert_eq!(
        wire.produce("t", 0, keyless).error_code,
        ErrorCode::InvalidRecord.code()
    );
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let sent: Vec<i32> = (0..100)
        .map(|_| wire.send(&produce_request("t", 0, batch(&["a"])), PRODUCE))
        .collect();
    for (offset, sent) in sent.into_iter().enumerate() {
        let (answered, response) = wire.receive::<ProduceRequest>(PRODUCE);
        assert_eq!(answered, sent);
        assert_eq!(
            response.responses[0].partition_responses[0].base_offset,
            offset as i64
        );
    }
}

#[test]
fn many_topics_and_partitions_fit_one_request() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let mut request = produce_request("t", 0, batch(&["a"]));
    request.topic_data.push(TopicProduceData {
        name: "nowhere".to_owned(),
        ..request.topic_data[0].clone()
    });
    let response = wire.call(&request, PRODUCE);
    let codes: Vec<i16> = response
        .responses
        .iter()
        .map(|topic| topic.partition_responses[0].error_code)
        .collect();
    assert_eq!(codes, [0, ErrorCode::UnknownTopicOrPartition.code()]);
}

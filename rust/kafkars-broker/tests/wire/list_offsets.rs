use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::delete_records::{
    DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic,
};
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsTopic,
};

use crate::support::*;

fn list(wire: &mut Wire, timestamp: i64, version: i16) -> ListOffsetsPartitionResponse {
    let partition = ListOffsetsPartition {
        timestamp,
        current_leader_epoch: -1,
        ..Default::default()
    };
    let topic = ListOffsetsTopic {
        name: "t".to_owned(),
        partitions: vec![partition],
    };
    let request = ListOffsetsRequest {
        replica_id: -1,
        topics: vec![topic],
        ..Default::default()
    };
    wire.call(&request, version).topics[0].partitions[0].clone()
}

/// The offset and the timestamp that the broker answers.
fn found(wire: &mut Wire, timestamp: i64) -> (i64, i64) {
    let answer = list(wire, timestamp, 7);
    assert_eq!(answer.error_code, 0);
    (answer.offset, answer.timestamp)
}

#[test]
fn a_partition_that_is_named_twice_is_refused() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["a"]));
    let partition = |partition_index| ListOffsetsPartition {
        partition_index,
        timestamp: -1,
        current_leader_epoch: -1,
    };
    let topic = ListOffsetsTopic {
        name: "t".to_owned(),
        partitions: vec![partition(0), partition(0)],
    };
    let request = ListOffsetsRequest {
        replica_id: -1,
        topics: vec![topic],
        ..Default::default()
    };
    let answer = wire.call(&request, 7);
    let codes: Vec<i16> = answer.topics[0]
        .partitions
        .iter()
        .map(|each| each.error_code)
        .collect();
    assert_eq!(codes, [ErrorCode::InvalidRequest.code(); 2]);
}

fn delete_before(wire: &mut Wire, offset: i64) -> (i16, i64) {
    let partition = DeleteRecordsPartition {
        partition_index: 0,
        offset,
    };
    let topic = DeleteRecordsTopic {
        name: "t".to_owned(),
        partitions: vec![partition],
    };
    let answer = wire.call(
        &DeleteRecordsRequest {
            topics: vec![topic],
            timeout_ms: 1000,
        },
        2,
    );
    let partition = &answer.topics[0].partitions[0];
    (partition.error_code, partition.low_watermark)
}

#[test]
fn the_ends_of_the_log_are_known_in_every_version() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["a", "b"]));
    for version in 1..=11 {
        let (latest, earliest) = (list(&mut wire, -1, version), list(&mut wire, -2, version));
        assert_eq!((latest.offset, latest.timestamp), (2, -1));
        assert_eq!((earliest.offset, earliest.timestamp), (0, -1));
    }
}

#[test]
fn a_time_finds_the_first_record_at_or_after_it() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch_at(1000, &["a", "b", "c"]));
    wire.produce("t", 0, batch_at(2000, &["d", "e"]));
    assert_eq!(found(&mut wire, 0), (0, 1000));
    assert_eq!(found(&mut wire, 1001), (1, 1001));
    assert_eq!(found(&mut wire, 1500), (3, 2000));
    assert_eq!(found(&mut wire, 2001), (4, 2001));
    assert_eq!(found(&mut wire, 2002), (-1, -1));
}

#[test]
fn the_largest_timestamp_is_found() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    assert_eq!(found(&mut wire, -3), (-1, -1));
    wire.produce("t", 0, batch_at(5000, &["a", "b"]));
    wire.produce("t", 0, batch_at(2000, &["c"]));
    assert_eq!(found(&mut wire, -3), (1, 5001));
}

#[test]
fn deleted_records_are_gone() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch_at(1000, &["a", "b", "c"]));
    wire.produce("t", 0, batch_at(2000, &["d"]));
    assert_eq!(delete_before(&mut wire, 2), (0, 2));
    assert_eq!(found(&mut wire, -2), (2, -1));
    assert_eq!(found(&mut wire, 1000), (2, 1002));
    assert_eq!(
        wire.fetch("t", 0, 1).error_code,
        ErrorCode::OffsetOutOfRange.code()
    );
    assert_eq!(wire.fetch("t", 0, 2).log_start_offset, 2);
    assert_eq!(
        delete_before(&mut wire, 5),
        (ErrorCode::OffsetOutOfRange.code(), -1)
    );
    assert_eq!(delete_before(&mut wire, -1), (0, 4));
    assert_eq!(wire.produce("t", 0, batch(&["e"])).base_offset, 4);
    assert_eq!(read(&wire.fetch("t", 0, 4).records), [(4, "e".to_owned())]);
}

#[test]
fn retention_bytes_drops_the_oldest() {
    let broker = broker_with("retention.bytes", "100000");
    let mut wire = Wire::to(&broker);
    let value = "v".repeat(5000);
    for _ in 0..200 {
        wire.produce("t", 0, batch(&[&value]));
    }
    let (start, end) = broker.offsets("t", 0).unwrap();
    assert_eq!(end, 200);
    assert!((1..=180).contains(&start), "{start}");
    assert_eq!(read(&wire.fetch("t", 0, start).records)[0].0, start);
}

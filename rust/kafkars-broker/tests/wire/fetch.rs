use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::delete_topics::DeleteTopicsRequest;
use kafkars_protocol::messages::fetch::FetchRequest;

use crate::support::*;

fn waiting(offset: i64, min_bytes: i32, max_wait: Duration) -> FetchRequest {
    FetchRequest {
        max_wait_ms: max_wait.as_millis() as i32,
        min_bytes,
        ..fetch_request("t", 0, offset)
    }
}

#[test]
fn an_empty_partition_answers_empty_records() {
    let broker = broker();
    let answer = Wire::to(&broker).fetch("t", 0, 0);
    assert_eq!(
        (
            answer.error_code,
            answer.high_watermark,
            answer.last_stable_offset
        ),
        (0, 0, 0)
    );
    assert_eq!(answer.records.as_deref(), Some(&[][..]));
}

#[test]
fn offsets_outside_the_log_are_out_of_range() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["a"]));
    for offset in [-1, 2, i64::MAX, i64::MIN] {
        let answer = wire.fetch("t", 0, offset);
        assert_eq!(
            (answer.error_code, answer.high_watermark),
            (ErrorCode::OffsetOutOfRange.code(), -1),
            "{offset}"
        );
    }
    assert_eq!(wire.fetch("t", 0, 1).error_code, 0);
}

#[test]
fn an_offset_inside_a_batch_gets_the_whole_batch() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["a", "b", "c"]));
    wire.produce("t", 0, batch(&["d"]));
    let offsets: Vec<i64> = read(&wire.fetch("t", 0, 1).records)
        .into_iter()
        .map(|(offset, _)| offset)
        .collect();
    assert_eq!(offsets, [0, 1, 2, 3]);
    assert_eq!(read(&wire.fetch("t", 0, 3).records), [(3, "d".to_owned())]);
}

#[test]
fn a_fetch_that_waits_ends_when_records_come() {
    let broker = broker();
    let mut reader = Wire::to(&broker);
    // Longer than the time limit of `receive`.
    reader.send(&waiting(0, 1, Duration::from_secs(60)), FETCH);
    reader.assert_silent();
    Wire::to(&broker).produce("t", 0, batch(&["a"]));
    let (_, answer) = reader.receive::<FetchRequest>(FETCH);
    assert_eq!(read(&only(&answer).records), [(0, "a".to_owned())]);
}

#[test]
fn a_fetch_that_waits_ends_empty_after_max_wait() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let started = Instant::now();
    let answer = wire.call(&waiting(0, 1, Duration::from_millis(80)), FETCH);
    assert!(only(&answer).records.as_ref().unwrap().is_empty());
    assert!(started.elapsed() >= Duration::from_millis(80));
}

#[test]
fn a_fetch_waits_for_min_bytes_in_several_appends() {
    let broker = broker();
    let mut reader = Wire::to(&broker);
    let mut writer = Wire::to(&broker);
    let one = batch(&["a"]);
    writer.produce("t", 0, one.clone());
    reader.send(
        &waiting(0, one.len() as i32 * 3, Duration::from_secs(4)),
        FETCH,
    );
    writer.produce("t", 0, one.clone());
    reader.assert_silent();
    writer.produce("t", 0, one);
    let (_, answer) = reader.receive::<FetchRequest>(FETCH);
    assert_eq!(read(&only(&answer).records).len(), 3);
}

#[test]
fn a_long_poll_holds_up_its_own_connection_only() {
    let broker = broker();
    let mut reader = Wire::to(&broker);
    reader.send(&waiting(0, 1, Duration::from_millis(100)), FETCH);
    reader.send(&fetch_request("t", 0, 0), FETCH);
    assert_eq!(Wire::to(&broker).fetch("t", 0, 0).error_code, 0);
    assert_eq!(reader.receive::<FetchRequest>(FETCH).0, 1);
    assert_eq!(reader.receive::<FetchRequest>(FETCH).0, 2);
}

#[test]
fn limits_cut_between_batches() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let one = batch(&["a"]);
    for _ in 0..5 {
        wire.produce("t", 0, one.clone());
    }
    let mut request = fetch_request("t", 0, 0);
    request.topics[0].partitions[0].partition_max_bytes = one.len() as i32 * 3 - 1;
    assert_eq!(read(&only(&wire.call(&request, FETCH)).records).len(), 2);
    request.topics[0].partitions[0].partition_max_bytes = i32::MAX;
    request.max_bytes = one.len() as i32 * 4;
    assert_eq!(read(&only(&wire.call(&request, FETCH)).records).len(), 4);
}

#[test]
fn the_first_batch_comes_whatever_its_size_and_only_that() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["a"]));
    wire.produce("t", 0, batch(&["b"]));
    let mut request = fetch_request("t", 0, 0);
    request.topics[0].partitions[0].partition_max_bytes = 1;
    assert_eq!(
        read(&only(&wire.call(&request, FETCH)).records),
        [(0, "a".to_owned())]
    );
    request.topics[0].partitions[0].partition_max_bytes = 1 << 20;
    request.max_bytes = 1;
    request.topics.push(request.topics[0].clone());
    let answer = wire.call(&request, FETCH);
    let sizes: Vec<usize> = answer
        .responses
        .iter()
        .flat_map(|topic| &topic.partitions)
        .map(|data| read(&data.records).len())
        .collect();
    assert_eq!(sizes, [1, 0]);
}

#[test]
fn unknown_topics_are_told_at_once() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let request = FetchRequest {
        max_wait_ms: 60_000,
        ..fetch_request("nowhere", 0, 0)
    };
    let answer = wire.call(&request, FETCH);
    assert_eq!(
        only(&answer).error_code,
        ErrorCode::UnknownTopicOrPartition.code()
    );
}

#[test]
fn topics_are_named_by_id_since_version_13() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["a"]));
    let id = wire.topic_id("t");
    let mut request = fetch_request("", 0, 0);
    request.topics[0].topic_id = id;
    for version in 13..=18 {
        let answer = wire.call(&request, version);
        assert_eq!(answer.responses[0].topic_id, id);
        assert_eq!(read(&only(&answer).records).len(), 1);
    }
    request.topics[0].topic_id.0[0] ^= 1;
    assert_eq!(
        only(&wire.call(&request, 17)).error_code,
        ErrorCode::UnknownTopicId.code()
    );
}

#[test]
fn a_fetch_that_waits_is_told_of_the_deletion_of_its_topic() {
    let broker = broker();
    let mut reader = Wire::to(&broker);
    reader.send(&waiting(0, 1, Duration::from_secs(60)), FETCH);
    let request = DeleteTopicsRequest {
        topic_names: vec!["t".to_owned()],
        timeout_ms: 1000,
        ..Default::default()
    };
    assert_eq!(
        Wire::to(&broker).call(&request, 5).responses[0].error_code,
        0
    );
    let (_, answer) = reader.receive::<FetchRequest>(FETCH);
    assert_eq!(
        only(&answer).error_code,
        ErrorCode::UnknownTopicOrPartition.code()
    );
}

#[test]
fn large_logs_are_read_back_in_order() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let value = "v".repeat(10_000);
    let values = vec![value.as_str(); 20];
    // More than the chunks a log is kept in, with a reader that follows closely for a part of it.
    for round in 0..60 {
        wire.produce("t", 0, batch(&values));
        if round % 7 == 0 {
            wire.fetch("t", 0, round * 20);
        }
    }
    let mut offset = 0;
    while offset < 1200 {
        let found = read(&wire.fetch("t", 0, offset).records);
        assert!(!found.is_empty());
        for (at, found) in found {
            assert_eq!((at, found.len()), (offset, 10_000));
            offset += 1;
        }
    }
}

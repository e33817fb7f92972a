//! Retention deletes old records, and compaction keeps the latest of each key.

use std::time::Duration;

use kafkars_broker::{BrokerConfig, ClockMode, EmbeddedBroker, NewTopic};
use kafkars_protocol::ErrorCode;
use kafkars_records::{BatchBuilder, Compression, ProducerFields, ReadLimits, batches};

use crate::support::*;
use crate::transactional::{Producer, SECOND, fetch_committed, list_offset};

const DAY: Duration = Duration::from_secs(86_400);
/// `ListOffsets` asks for the beginning by this timestamp.
const EARLIEST: i64 = -2;

fn cleaned(configs: &[(&str, &str)], cleanup_interval: Option<Duration>) -> EmbeddedBroker {
    let config = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    start(BrokerConfig {
        clock: ClockMode::Manual,
        topics: vec![NewTopic {
            configs: configs.iter().map(config).collect(),
            ..NewTopic::new("t", 1)
        }],
        cleanup_interval,
        ..BrokerConfig::default()
    })
}

fn compacted() -> EmbeddedBroker {
    cleaned(&[("cleanup.policy", "compact")], None)
}

/// One batch of keys and values; no value is a tombstone.
fn pairs(records: &[(&str, Option<&str>)]) -> bytes::Bytes {
    let mut builder = BatchBuilder::new(0);
    for (key, value) in records {
        let value = value.map(str::as_bytes);
        builder.append(now(), Some(key.as_bytes()), value, &[]);
    }
    let compression = Compression::NONE;
    builder
        .seal(compression, ProducerFields::default())
        .unwrap()
        .bytes
}

/// Gives offset and key of every record, none for a batch without any.
fn keys(wire: &mut Wire) -> Vec<(i64, String)> {
    let mut found = Vec::new();
    for raw in batches(wire.fetch("t", 0, 0).records.unwrap_or_default()) {
        let batch = raw.unwrap().open(&ReadLimits::default()).unwrap();
        for record in batch.records() {
            let key = record.key.map(|key| batch.slice(key)).unwrap_or_default();
            found.push((record.offset, String::from_utf8_lossy(key).into_owned()));
        }
    }
    found
}

fn owned(expected: &[(i64, &str)]) -> Vec<(i64, String)> {
    let pair = |(offset, text): &(i64, &str)| (*offset, (*text).to_owned());
    expected.iter().map(pair).collect()
}

#[test]
fn records_go_when_their_time_is_over() {
    let broker = cleaned(&[("retention.ms", "60000")], None);
    let mut wire = Wire::to(&broker);
    let started = broker.clock().now();
    wire.produce("t", 0, batch_at(started, &["1", "2"]));
    broker.clock().advance(Duration::from_secs(50));
    wire.produce("t", 0, batch_at(started + 50_000, &["3"]));
    assert_eq!(broker.run_retention(None).unwrap(), 0);
    broker.clock().advance(Duration::from_secs(20));
    assert_eq!(broker.run_retention(Some("t")).unwrap(), 2);
    assert_eq!(broker.offsets("t", 0).unwrap(), (2, 3));
    assert_eq!(list_offset(&mut wire, EARLIEST, 0), 2);
    let out_of_range = wire.fetch("t", 0, 1).error_code;
    assert_eq!(out_of_range, ErrorCode::OffsetOutOfRange.code());
    broker.clock().advance(DAY);
    assert_eq!(broker.run_retention(None).unwrap(), 1);
    assert_eq!(broker.offsets("t", 0).unwrap(), (3, 3));
    assert_eq!(wire.produce("t", 0, batch(&["4"])).base_offset, 3);
    assert!(broker.run_retention(Some("nowhere")).is_err());
}

#[test]
fn the_oldest_go_while_there_is_enough_without_them() {
    let size = batch(&["1"]).len();
    let keep = (2 * size).to_string();
    let broker = cleaned(&[("retention.bytes", &keep), ("retention.ms", "-1")], None);
    let mut wire = Wire::to(&broker);
    for value in ["1", "2", "3", "4"] {
        wire.produce("t", 0, batch(&[value]));
    }
    assert_eq!(broker.run_retention(None).unwrap(), 2);
    assert_eq!(broker.run_retention(None).unwrap(), 0);
    let left = wire.fetch("t", 0, 2).records;
    assert_eq!(read(&left), owned(&[(2, "3"), (3, "4")]));
}

#[test]
fn compacted_topics_are_not_deleted_from_and_others_not_compacted() {
    let broker = compacted();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch_at(1, &["1"]));
    assert_eq!(broker.run_retention(None).unwrap(), 0);
    broker.create_topic(&NewTopic::new("u", 1)).unwrap();
    wire.produce("u", 0, batch(&["1"]));
    wire.produce("u", 0, batch(&["2"]));
    assert_eq!(broker.compact(Some("u")).unwrap(), 0);
    assert_eq!(broker.offsets("u", 0).unwrap(), (0, 2));
}

#[test]
fn the_latest_of_each_key_stays_under_its_offset() {
    let broker = compacted();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, pairs(&[("a", Some("1")), ("b", Some("1"))]));
    wire.produce("t", 0, pairs(&[("a", Some("2")), ("c", Some("1"))]));
    wire.produce("t", 0, pairs(&[("c", Some("2"))]));
    wire.produce("t", 0, pairs(&[("c", Some("3")), ("a", Some("3"))]));
    assert_eq!(broker.compact(None).unwrap(), 4);
    assert_eq!(keys(&mut wire), owned(&[(1, "b"), (5, "c"), (6, "a")]));
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 7));
    assert_eq!(list_offset(&mut wire, EARLIEST, 0), 0);
    assert_eq!(read(&wire.fetch("t", 0, 2).records)[0].0, 5);
    assert_eq!(broker.compact(None).unwrap(), 0);
    wire.produce("t", 0, pairs(&[("b", Some("2"))]));
    assert_eq!(broker.compact(None).unwrap(), 1);
    assert_eq!(keys(&mut wire), owned(&[(5, "c"), (6, "a"), (7, "b")]));
}

#[test]
fn tombstones_stay_until_readers_had_the_time_to_see_them() {
    let broker = compacted();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, pairs(&[("a", Some("1")), ("b", Some("1"))]));
    wire.produce("t", 0, pairs(&[("a", None)]));
    assert_eq!(broker.compact(None).unwrap(), 1);
    assert_eq!(keys(&mut wire), owned(&[(1, "b"), (2, "a")]));
    broker.clock().advance(DAY - Duration::from_secs(1));
    assert_eq!(broker.compact(None).unwrap(), 0);
    broker.clock().advance(Duration::from_secs(1));
    assert_eq!(broker.compact(None).unwrap(), 1);
    assert_eq!(keys(&mut wire), owned(&[(1, "b")]));
    let end = wire.fetch("t", 0, 2);
    assert_eq!((end.error_code, read(&end.records)), (0, vec![]));
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 3));
}

#[test]
fn aborted_records_go_and_open_transactions_stay() {
    let broker = compacted();
    let mut wire = Wire::to(&broker);
    let mut aborted = Producer::new(&broker, "aborted", SECOND);
    let mut open = Producer::new(&broker, "open", SECOND);
    wire.produce("t", 0, batch(&["before"]));
    aborted.write(&["1", "2"]);
    assert_eq!(aborted.end(false), 0);
    aborted.write(&["3"]);
    assert_eq!(aborted.end(true), 0);
    open.write(&["4"]);
    // All have the same key: without the abort the second would be the latest of the first three.
    assert_eq!(broker.compact(None).unwrap(), 3);
    let committed = fetch_committed(&mut wire, 0);
    let values: Vec<_> = read(&committed.records)
        .into_iter()
        .map(|found| found.0)
        .collect();
    // The markers at 3 and 5, and between them the only value that is left.
    assert_eq!(values, [3, 4, 5]);
    assert_eq!(committed.last_stable_offset, 6);
    assert_eq!(open.end(true), 0);
    assert_eq!(broker.compact(None).unwrap(), 1);
    assert_eq!(open.send(&["5"]), 0);
}

/// A fetch returns at least one batch, however large, but none that its reader must not see yet.
#[test]
fn what_is_compacted_away_shows_nobody_an_open_transaction() {
    let broker = compacted();
    let mut wire = Wire::to(&broker);
    let mut aborted = Producer::new(&broker, "aborted", SECOND);
    let mut open = Producer::new(&broker, "open", SECOND);
    aborted.write(&["1"]);
    open.write(&["2"]);
    assert_eq!(aborted.end(false), 0);
    assert_eq!(broker.compact(None).unwrap(), 1);
    let committed = fetch_committed(&mut wire, 0);
    assert_eq!(committed.last_stable_offset, 1);
    assert_eq!(read(&committed.records), vec![]);
    assert_eq!(
        wire.fetch("t", 0, 0).records.map(|bytes| bytes.is_empty()),
        Some(false)
    );
    assert_eq!(open.end(true), 0);
    assert_eq!(read(&fetch_committed(&mut wire, 0).records).len(), 3);
}

#[test]
fn markers_that_end_nothing_go_when_their_time_is_over() {
    let broker = compacted();
    let mut wire = Wire::to(&broker);
    let mut producer = Producer::new(&broker, "p", SECOND);
    producer.write(&["1"]);
    assert_eq!(producer.end(false), 0);
    producer.write(&["2"]);
    assert_eq!(producer.end(true), 0);
    // The first run drops the records, the second finds a marker without any and the third has waited for it.
    assert_eq!(broker.compact(None).unwrap(), 1);
    assert_eq!(broker.compact(None).unwrap(), 0);
    assert_eq!(
        fetch_committed(&mut wire, 0).aborted_transactions.unwrap(),
        []
    );
    broker.clock().advance(DAY);
    assert_eq!(broker.compact(None).unwrap(), 1);
    assert_eq!(read(&fetch_committed(&mut wire, 0).records).len(), 2);
}

#[test]
fn what_is_young_is_not_compacted() {
    let lag = ("min.compaction.lag.ms", "60000");
    let broker = cleaned(&[("cleanup.policy", "compact"), lag], None);
    let mut wire = Wire::to(&broker);
    let started = broker.clock().now();
    for age in [0, 10_000, 50_000] {
        wire.produce("t", 0, batch_at(started + age, &["x"]));
    }
    assert_eq!(broker.compact(None).unwrap(), 0);
    broker.clock().advance(Duration::from_secs(71));
    assert_eq!(broker.compact(None).unwrap(), 1);
    broker.clock().advance(Duration::from_secs(60));
    assert_eq!(broker.compact(None).unwrap(), 1);
}

#[test]
fn the_clock_runs_both_where_an_interval_is_set() {
    let policy = [
        ("cleanup.policy", "compact,delete"),
        ("retention.ms", "60000"),
    ];
    let broker = cleaned(&policy, Some(Duration::from_secs(30)));
    let mut wire = Wire::to(&broker);
    let started = broker.clock().now();
    wire.produce("t", 0, batch_at(started, &["1"]));
    wire.produce("t", 0, batch_at(started, &["2"]));
    eventually("compaction", || {
        broker.clock().advance(Duration::from_millis(500));
        read(&wire.fetch("t", 0, 0).records) == owned(&[(1, "2")])
    });
    eventually("retention", || {
        broker.clock().advance(Duration::from_millis(500));
        broker.offsets("t", 0).unwrap() == (2, 2)
    });
}

#[test]
fn a_large_log_is_read_after_compaction() {
    let broker = compacted();
    let mut wire = Wire::to(&broker);
    let value = "v".repeat(5_000);
    for index in 0..100 {
        let key = format!("{}", index % 60);
        wire.produce(
            "t",
            0,
            pairs(&[(&key, Some(&value)), ("same", Some(&value))]),
        );
    }
    assert_eq!(broker.compact(None).unwrap(), 40 + 99);
    let (mut offset, mut found) = (0, 0);
    while offset < 200 {
        let records = wire.fetch("t", 0, offset).records.unwrap_or_default();
        let headers: Vec<_> = batches(records).map(|raw| raw.unwrap().header).collect();
        offset = headers.last().unwrap().next_offset();
        found += headers
            .iter()
            .map(|header| header.record_count)
            .sum::<i32>();
    }
    assert_eq!(found, 61);
    assert_eq!(wire.produce("t", 0, pairs(&[("0", None)])).base_offset, 200);
}

//! Transactions end: by their producers, twice, by time, and with offsets.

use std::time::Duration;

use kafkars_broker::{BrokerConfig, ClockMode, NewTopic};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_fetch::{OffsetFetchRequest, OffsetFetchRequestTopic};
use kafkars_protocol::messages::write_txn_markers::{
    WritableTxnMarker, WritableTxnMarkerTopic, WriteTxnMarkersRequest,
};

use crate::support::*;
use crate::transactional::*;

const INVALID_STATE: i16 = ErrorCode::InvalidTxnState.code();

#[test]
fn committed_records_become_readable_and_aborted_ones_are_named() {
    let broker = broker();
    for protocol in [FIRST, SECOND] {
        let start = broker.offsets("t", 0).unwrap().1;
        let mut producer = Producer::new(&broker, &format!("x{}", protocol.end), protocol);
        producer.write(&["a", "b"]);
        assert_eq!(producer.end(true), 0);
        producer.write(&["c"]);
        assert_eq!(producer.end(false), 0);
        let seen = fetch_committed(&mut producer.wire, start);
        assert_eq!(seen.last_stable_offset, start + 5);
        let aborted: Vec<i64> = seen
            .aborted_transactions
            .unwrap()
            .iter()
            .map(|transaction| transaction.first_offset)
            .collect();
        assert_eq!(aborted, [start + 3]);
        let later = fetch_committed(&mut producer.wire, start + 5);
        assert_eq!(later.aborted_transactions.unwrap(), []);
    }
}

#[test]
fn markers_carry_the_epoch_of_the_protocol() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", FIRST);
    producer.write(&["a"]);
    producer.end(true);
    producer.protocol = SECOND;
    producer.write(&["b"]);
    producer.end(true);
    let expected = [(0, false, 0), (1, true, 0), (2, false, 0), (3, true, 1)];
    assert_eq!(log(&mut producer.wire), expected);
    assert_eq!(producer.epoch, 1);
}

#[test]
fn in_the_first_protocol_sequences_go_on_in_the_second_they_start_anew() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", FIRST);
    producer.write(&["a"]);
    producer.end(true);
    producer.add("t");
    producer.sequence = 0;
    let gap = ErrorCode::OutOfOrderSequenceNumber.code();
    assert_eq!(
        broker.offsets("t", 0).unwrap().1,
        2,
        "one record and its marker"
    );
    producer.sequence = 2;
    assert_eq!(producer.send(&["b"]), gap);
    producer.sequence = 1;
    assert_eq!(producer.send(&["b"]), 0);
    producer.protocol = SECOND;
    producer.end(true);
    producer.sequence = 2;
    assert_eq!(producer.send(&["c"]), gap);
    producer.sequence = 0;
    assert_eq!(producer.send(&["c"]), 0);
}

#[test]
fn an_end_may_be_asked_for_again_but_not_the_other_one() {
    let broker = broker();
    let mut first = Producer::new(&broker, "x", FIRST);
    first.write(&["a"]);
    assert_eq!((first.end(true), first.end(true)), (0, 0));
    assert_eq!(first.end(false), INVALID_STATE);

    let mut second = Producer::new(&broker, "y", SECOND);
    second.write(&["a"]);
    assert_eq!(second.end(true), 0);
    // As if the answer had got lost.
    second.epoch -= 1;
    assert_eq!(second.end(false), INVALID_STATE);
    assert_eq!(second.end(true), 0);
    assert_eq!(second.epoch, 1);
    // Nothing has happened since: there is nothing to commit, but one may abort.
    assert_eq!(second.end(true), INVALID_STATE);
    assert_eq!(second.end(false), 0);
    assert_eq!(second.epoch, 2);
    second.epoch = 0;
    assert_eq!(second.end(true), ErrorCode::ProducerFenced.code());
    assert_eq!(broker.offsets("t", 0).unwrap().1, 4);
}

#[test]
fn without_a_transaction_there_is_nothing_to_end() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", FIRST);
    assert_eq!(producer.end(true), INVALID_STATE);
    assert_eq!(producer.end(false), INVALID_STATE);
}

#[test]
fn a_producer_whose_epochs_run_out_gets_a_new_id() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", SECOND);
    let id = producer.producer_id;
    while producer.epoch < i16::MAX - 1 {
        let epoch = producer.epoch;
        assert_eq!(producer.end(false), 0);
        assert_eq!(producer.epoch, epoch + 1);
    }
    producer.write(&["a"]);
    assert_eq!(producer.end(true), 0);
    assert_ne!(producer.producer_id, id);
    assert_eq!(producer.epoch, 0);
    let next = producer.producer_id;
    (producer.producer_id, producer.epoch) = (id, i16::MAX - 1);
    assert_eq!(producer.end(true), 0);
    assert_eq!((producer.producer_id, producer.epoch), (next, 0));
    producer.write(&["b"]);
    assert_eq!(producer.end(true), 0);
}

fn stopped_clock() -> kafkars_broker::EmbeddedBroker {
    start(BrokerConfig {
        clock: ClockMode::Manual,
        topics: vec![NewTopic::new("t", 1)],
        ..BrokerConfig::default()
    })
}

#[test]
fn a_transaction_that_is_not_ended_in_time_is_aborted() {
    let broker = stopped_clock();
    for protocol in [FIRST, SECOND] {
        let mut producer = Producer::new(&broker, &format!("x{}", protocol.end), protocol);
        assert_eq!(producer.init(5000), 0);
        producer.write(&["a"]);
        let open = broker.offsets("t", 0).unwrap().1;
        // It looks a second later, as Kafka does from time to time.
        broker.clock().advance(Duration::from_millis(5999));
        producer.wire.fetch("t", 0, 0);
        assert_eq!(broker.offsets("t", 0).unwrap().1, open);
        broker.clock().advance(Duration::from_millis(1));
        eventually("the abort", || {
            broker.offsets("t", 0).unwrap().1 == open + 1
        });
        let last = *log(&mut producer.wire).last().unwrap();
        assert_eq!(last, (open, true, producer.epoch + 1));
        assert_eq!(producer.send(&["b"]), 47);
        let late = producer.end(true);
        let expected = match protocol.end {
            5 => INVALID_STATE,
            _ => ErrorCode::ProducerFenced.code(),
        };
        assert_eq!(late, expected);
        let (id, epoch) = (producer.producer_id, producer.epoch);
        assert_eq!(producer.init_from(5000, id, epoch), 0);
        assert_eq!(producer.epoch, epoch + 1);
    }
}

#[test]
fn a_transaction_that_ends_in_time_is_left_alone() {
    let broker = stopped_clock();
    let mut producer = Producer::new(&broker, "x", SECOND);
    producer.write(&["a"]);
    assert_eq!(producer.end(true), 0);
    broker.clock().advance(Duration::from_secs(30));
    producer.write(&["b"]);
    // The first deadline passes, the second does not.
    broker.clock().advance(Duration::from_secs(35));
    producer.wire.fetch("t", 0, 0);
    assert_eq!(producer.end(true), 0);
    assert_eq!(broker.offsets("t", 0).unwrap().1, 4);
}

#[test]
fn markers_wait_for_a_leader() {
    let broker = start(BrokerConfig {
        nodes: 2,
        topics: vec![NewTopic::new("t", 1)],
        ..BrokerConfig::default()
    });
    let id = (0..100)
        .map(|number| format!("x{number}"))
        .find(|id| {
            broker
                .coordinator(kafkars_broker::CoordinatorType::Transaction, id)
                .unwrap()
                == Some(2)
        })
        .unwrap();
    assert_eq!(broker.leader("t", 0).unwrap(), 1);
    let mut producer = Producer {
        wire: Wire::to_node(&broker, 2),
        id,
        producer_id: -1,
        epoch: -1,
        sequence: 0,
        protocol: FIRST,
    };
    assert_eq!(producer.init(60_000), 0);
    assert_eq!(producer.add("t"), 0);
    broker.stop_node(1).unwrap();
    assert_eq!(producer.end(true), 0);
    assert_eq!(producer.add("t"), ErrorCode::ConcurrentTransactions.code());
    broker.start_node(1).unwrap();
    eventually("the marker", || broker.offsets("t", 0).unwrap().1 == 1);
    assert_eq!(producer.add("t"), 0);
}

fn committed(wire: &mut Wire, require_stable: bool) -> (i16, i64) {
    let topic = OffsetFetchRequestTopic {
        name: "t".to_owned(),
        partition_indexes: vec![0],
    };
    let request = OffsetFetchRequest {
        group_id: "g".to_owned(),
        topics: Some(vec![topic]),
        require_stable,
        ..Default::default()
    };
    let answer = wire.call(&request, 7);
    let partition = &answer.topics[0].partitions[0];
    (partition.error_code, partition.committed_offset)
}

#[test]
fn offsets_hold_when_their_transaction_is_committed() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let mut producer = Producer::new(&broker, "x", SECOND);
    assert_eq!(producer.commit_offset("g", 5, 3), INVALID_STATE);
    let abortable = ErrorCode::TransactionAbortable.code();
    assert_eq!(producer.commit_offset("g", 5, 4), abortable);
    assert_eq!(producer.commit_offset("g", 5, 5), 0);
    let unstable = ErrorCode::UnstableOffsetCommit.code();
    assert_eq!(committed(&mut wire, true), (unstable, -1));
    assert_eq!(committed(&mut wire, false), (0, -1));
    assert_eq!(producer.end(true), 0);
    assert_eq!(committed(&mut wire, true), (0, 5));
    assert_eq!(producer.add_group("g"), 0);
    assert_eq!(producer.commit_offset("g", 9, 3), 0);
    assert_eq!(producer.end(false), 0);
    assert_eq!(committed(&mut wire, true), (0, 5));
    assert_eq!(
        producer.commit_offset("", 9, 5),
        ErrorCode::InvalidGroupId.code()
    );
    producer.epoch -= 1;
    assert_eq!(
        producer.commit_offset("g", 9, 5),
        ErrorCode::InvalidProducerEpoch.code()
    );
}

#[test]
fn an_administrator_ends_a_transaction_that_hangs() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", FIRST);
    producer.write(&["a"]);
    let marker = |epoch: i16, coordinator_epoch: i32, transaction_version: i8| {
        let topic = WritableTxnMarkerTopic {
            name: "t".to_owned(),
            partition_indexes: vec![0],
        };
        let marker = WritableTxnMarker {
            producer_id: producer.producer_id,
            producer_epoch: epoch,
            transaction_result: false,
            topics: vec![topic],
            coordinator_epoch,
            transaction_version,
        };
        WriteTxnMarkersRequest {
            markers: vec![marker],
        }
    };
    let mut wire = Wire::to(&broker);
    let mut write = |request: WriteTxnMarkersRequest| {
        wire.call(&request, 2).markers[0].topics[0].partitions[0].error_code
    };
    let stale = ErrorCode::InvalidProducerEpoch.code();
    assert_eq!(write(marker(-1, 0, 0)), stale);
    assert_eq!(write(marker(0, 0, 2)), stale);
    assert_eq!(write(marker(0, 3, 0)), 0);
    assert_eq!(
        write(marker(0, 2, 0)),
        ErrorCode::TransactionCoordinatorFenced.code()
    );
    assert_eq!(fetch_committed(&mut wire, 0).last_stable_offset, 2);
}

//! Transactions before their end: producers get identities and are fenced, partitions and groups take part, and readers
//! see what they may meanwhile.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_producers::{DescribeProducersRequest, TopicRequest};
use kafkars_protocol::messages::describe_transactions::DescribeTransactionsRequest;
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::list_transactions::ListTransactionsRequest;
use kafkars_protocol::messages::produce::ProduceRequest;

use crate::support::*;
use crate::transactional::*;

#[test]
fn a_transactional_id_keeps_its_producer_id_and_counts_epochs() {
    let broker = broker();
    let mut first = Producer::new(&broker, "x", FIRST);
    let second = Producer::new(&broker, "x", FIRST);
    assert_eq!((first.epoch, second.epoch), (0, 1));
    assert_eq!(first.producer_id, second.producer_id);
    assert_ne!(
        Producer::new(&broker, "y", FIRST).producer_id,
        second.producer_id
    );
    assert_eq!(first.add("t"), ErrorCode::ProducerFenced.code());
    assert_eq!(first.add_group("g"), ErrorCode::ProducerFenced.code());
    assert_eq!(first.end(true), ErrorCode::ProducerFenced.code());
}

#[test]
fn identities_that_make_no_sense_are_refused() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", FIRST);
    let bad_timeout = ErrorCode::InvalidTransactionTimeout.code();
    assert_eq!(producer.init(0), bad_timeout);
    assert_eq!(producer.init(900_001), bad_timeout);
    producer.id = String::new();
    assert_eq!(producer.init(60_000), ErrorCode::InvalidRequest.code());
    let mut unknown = Producer::new(&broker, "y", FIRST);
    unknown.id = "z".to_owned();
    let mapping = ErrorCode::InvalidProducerIdMapping.code();
    assert_eq!(unknown.add("t"), mapping);
    assert_eq!(unknown.end(true), mapping);
    unknown.id = "y".to_owned();
    unknown.producer_id += 5;
    assert_eq!(unknown.add("t"), mapping);
}

/// A producer that asks again because the answer got lost gets the same answer; one that was replaced is fenced
/// (KIP-360).
#[test]
fn a_producer_that_names_its_identity_gets_the_next_epoch_once() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", FIRST);
    let (id, epoch) = (producer.producer_id, producer.epoch);
    assert_eq!(producer.init_from(60_000, id, epoch), 0);
    assert_eq!(producer.epoch, epoch + 1);
    assert_eq!(producer.init_from(60_000, id, epoch), 0);
    assert_eq!(producer.epoch, epoch + 1);
    assert_eq!(producer.init_from(60_000, id, epoch + 1), 0);
    let fenced = ErrorCode::ProducerFenced.code();
    assert_eq!(producer.init_from(60_000, id, epoch), fenced);
    assert_eq!(producer.init_from(60_000, id + 5, epoch + 2), fenced);
}

#[test]
fn a_successor_aborts_what_its_predecessor_left_open() {
    let broker = broker();
    for protocol in [FIRST, SECOND] {
        let id = format!("x{}", protocol.end);
        let mut first = Producer::new(&broker, &id, protocol);
        first.write(&["a"]);
        let mut second = Producer {
            wire: Wire::to(&broker),
            id,
            ..first
        };
        let concurrent = ErrorCode::ConcurrentTransactions.code();
        assert_eq!(second.init(60_000), concurrent);
        let (old, marker) = (second.epoch, second.epoch + 1);
        assert_eq!(log(&mut second.wire).last().unwrap().2, marker);
        assert_eq!(second.init(60_000), 0);
        assert_eq!(second.epoch, old + 2);
        let end = broker.offsets("t", 0).unwrap().1;
        assert_eq!(fetch_committed(&mut second.wire, 0).last_stable_offset, end);
    }
}

#[test]
fn partitions_that_are_not_there_take_the_others_with_them() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", FIRST);
    let unknown = ErrorCode::UnknownTopicOrPartition.code();
    assert_eq!(producer.add("nowhere"), unknown);
    assert_eq!(producer.end(true), ErrorCode::InvalidTxnState.code());
}

#[test]
fn a_batch_needs_a_transaction_that_its_partition_is_part_of() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", FIRST);
    assert_eq!(
        producer.send(&["a"]),
        ErrorCode::TransactionAbortable.code()
    );
    producer.protocol.produce = 10;
    assert_eq!(producer.send(&["a"]), ErrorCode::InvalidTxnState.code());
    producer.write(&["a"]);
    producer.protocol.produce = 12;
    producer.epoch -= 1;
    let stale = ErrorCode::InvalidProducerEpoch.code();
    assert_eq!(producer.send(&["b"]), stale);
    let nameless = ProduceRequest {
        transactional_id: None,
        ..produce_request("t", 0, transactional_batch(&producer))
    };
    let answer = producer.wire.call(&nameless, PRODUCE);
    assert_eq!(
        answer.responses[0].partition_responses[0].error_code,
        ErrorCode::TransactionalIdAuthorizationFailed.code()
    );
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 1));
}

fn transactional_batch(producer: &Producer) -> bytes::Bytes {
    let fields = kafkars_records::ProducerFields {
        producer_id: producer.producer_id,
        producer_epoch: producer.epoch,
        base_sequence: producer.sequence,
        transactional: true,
    };
    sealed(
        now(),
        &["n"],
        kafkars_records::Compression::default(),
        fields,
    )
}

#[test]
fn the_open_part_of_a_log_is_held_back_from_readers_of_committed_records() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["before"]));
    let mut producer = Producer::new(&broker, "x", SECOND);
    producer.write(&["a", "b"]);
    wire.produce("t", 0, batch(&["after"]));
    let seen = fetch_committed(&mut wire, 0);
    assert_eq!((seen.high_watermark, seen.last_stable_offset), (4, 1));
    assert_eq!(seen.aborted_transactions.as_deref(), Some(&[][..]));
    assert_eq!(read(&seen.records), [(0, "before".to_owned())]);
    let open = fetch_committed(&mut wire, 2);
    assert_eq!((open.error_code, read(&open.records).len()), (0, 0));
    assert_eq!(read(&wire.fetch("t", 0, 0).records).len(), 4);
    assert_eq!(wire.fetch("t", 0, 0).aborted_transactions, None);
    let (uncommitted, committed) = (0, 1);
    assert_eq!(list_offset(&mut wire, -1, uncommitted), 4);
    assert_eq!(list_offset(&mut wire, -1, committed), 1);
    assert_eq!(list_offset(&mut wire, -3, committed), -1);
    assert_eq!(list_offset(&mut wire, 0, committed), 0);
}

#[test]
fn a_long_poll_for_committed_records_ends_with_the_transaction() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", SECOND);
    producer.write(&["a"]);
    let mut reader = Wire::to(&broker);
    let mut request = fetch_request("t", 0, 0);
    request.isolation_level = 1;
    request.max_wait_ms = 4000;
    reader.send(&request, FETCH);
    producer.write(&["b"]);
    reader.assert_silent();
    assert_eq!(producer.end(true), 0);
    let (_, answer) = reader.receive::<FetchRequest>(FETCH);
    assert_eq!(only(&answer).last_stable_offset, 3);
    assert!(!only(&answer).records.as_ref().unwrap().is_empty());
}

#[test]
fn transactions_are_listed_and_described() {
    let broker = broker();
    let mut producer = Producer::new(&broker, "x", SECOND);
    producer.write(&["a", "b"]);
    let mut wire = Wire::to(&broker);
    let list = |wire: &mut Wire, filter: &str| {
        let request = ListTransactionsRequest {
            state_filters: vec![filter.to_owned()],
            ..Default::default()
        };
        let answer = wire.call(&request, 1);
        (
            answer.transaction_states.len(),
            answer.unknown_state_filters.len(),
        )
    };
    assert_eq!(list(&mut wire, "Ongoing"), (1, 0));
    assert_eq!(list(&mut wire, "Empty"), (0, 0));
    assert_eq!(list(&mut wire, "Nonsense"), (0, 1));
    let request = DescribeTransactionsRequest {
        transactional_ids: vec!["x".to_owned(), "y".to_owned()],
    };
    let described = wire.call(&request, 0).transaction_states;
    let (known, unknown) = (&described[0], &described[1]);
    assert_eq!(known.transaction_state, "Ongoing");
    assert_eq!(
        (known.topics[0].topic.as_str(), &known.topics[0].partitions),
        ("t", &vec![0])
    );
    assert_eq!(
        unknown.error_code,
        ErrorCode::TransactionalIdNotFound.code()
    );
    let topic = TopicRequest {
        name: "t".to_owned(),
        partition_indexes: vec![0, 9],
    };
    let request = DescribeProducersRequest {
        topics: vec![topic],
    };
    let partitions = wire.call(&request, 0).topics.remove(0).partitions;
    let active = &partitions[0].active_producers[0];
    assert_eq!(
        (active.last_sequence, active.current_txn_start_offset),
        (1, 0)
    );
    assert_eq!(
        partitions[1].error_code,
        ErrorCode::UnknownTopicOrPartition.code()
    );
}

#[test]
fn every_transactional_id_has_one_coordinator() {
    let broker = start(kafkars_broker::BrokerConfig {
        nodes: 3,
        ..Default::default()
    });
    let request = FindCoordinatorRequest {
        key_type: 1,
        coordinator_keys: vec!["x".to_owned()],
        ..Default::default()
    };
    let home = Wire::to(&broker).call(&request, 4).coordinators[0].node_id;
    for node in broker.nodes() {
        let mut wire = Wire::to_node(&broker, node);
        let request = kafkars_protocol::messages::init_producer_id::InitProducerIdRequest {
            transactional_id: Some("x".to_owned()),
            transaction_timeout_ms: 1000,
            ..Default::default()
        };
        let expected = if node == home {
            0
        } else {
            ErrorCode::NotCoordinator.code()
        };
        assert_eq!(wire.call(&request, 5).error_code, expected);
    }
}

use kafkars_protocol::messages::fetch::{FetchRequest, FetchResponse, ForgottenTopic};
use kafkars_protocol::{ApiKey, ErrorCode};

use kafkars_broker::{BrokerConfig, FaultAction, Intercept, NewTopic};

use crate::support::*;

/// Starts a broker with partitions 0 and 1, and opens a session over both.
fn session() -> (kafkars_broker::EmbeddedBroker, Wire, i32) {
    let broker = start(BrokerConfig {
        topics: vec![NewTopic::new("t", 2)],
        ..BrokerConfig::default()
    });
    let mut wire = Wire::to(&broker);
    let mut request = FetchRequest {
        session_epoch: 0,
        ..fetch_request("t", 0, 0)
    };
    let mut second = request.topics[0].partitions[0].clone();
    second.partition = 1;
    request.topics[0].partitions.push(second);
    let answer = wire.call(&request, FETCH);
    assert_eq!(partitions(&answer), [0, 1]);
    assert_ne!(answer.session_id, 0);
    (broker, wire, answer.session_id)
}

fn next(session_id: i32, session_epoch: i32) -> FetchRequest {
    FetchRequest {
        session_id,
        session_epoch,
        topics: Vec::new(),
        ..fetch_request("t", 0, 0)
    }
}

fn partitions(answer: &FetchResponse) -> Vec<i32> {
    answer
        .responses
        .iter()
        .flat_map(|topic| &topic.partitions)
        .map(|data| data.partition_index)
        .collect()
}

#[test]
fn only_partitions_with_news_are_answered() {
    let (_broker, mut wire, id) = session();
    assert!(wire.call(&next(id, 1), FETCH).responses.is_empty());
    wire.produce("t", 1, batch(&["a"]));
    let answer = wire.call(&next(id, 2), FETCH);
    assert_eq!((answer.session_id, partitions(&answer)), (id, vec![1]));
    assert_eq!(read(&only(&answer).records), [(0, "a".to_owned())]);
}

#[test]
fn positions_are_updated_by_what_the_request_names() {
    let (_broker, mut wire, id) = session();
    wire.produce("t", 0, batch(&["a"]));
    assert_eq!(partitions(&wire.call(&next(id, 1), FETCH)), [0]);
    let request = FetchRequest {
        session_id: id,
        session_epoch: 2,
        ..fetch_request("t", 0, 1)
    };
    assert!(wire.call(&request, FETCH).responses.is_empty());
    wire.produce("t", 0, batch(&["b"]));
    assert_eq!(
        read(&only(&wire.call(&next(id, 3), FETCH)).records),
        [(1, "b".to_owned())]
    );
}

#[test]
fn forgotten_partitions_are_answered_no_more() {
    let (_broker, mut wire, id) = session();
    wire.produce("t", 0, batch(&["a"]));
    wire.produce("t", 1, batch(&["b"]));
    let forgotten = ForgottenTopic {
        topic: "t".to_owned(),
        partitions: vec![0],
        ..Default::default()
    };
    let request = FetchRequest {
        forgotten_topics_data: vec![forgotten],
        ..next(id, 1)
    };
    assert_eq!(partitions(&wire.call(&request, FETCH)), [1]);
}

#[test]
fn partitions_take_turns_under_max_bytes() {
    let (_broker, mut wire, id) = session();
    wire.produce("t", 0, batch(&["a"]));
    wire.produce("t", 1, batch(&["b"]));
    let tight = |epoch| FetchRequest {
        max_bytes: 1,
        ..next(id, epoch)
    };
    let with_records = |answer: FetchResponse| -> Vec<i32> {
        let all = answer
            .responses
            .into_iter()
            .flat_map(|topic| topic.partitions);
        all.filter(|data| !read(&data.records).is_empty())
            .map(|data| data.partition_index)
            .collect()
    };
    assert_eq!(with_records(wire.call(&tight(1), FETCH)), [0]);
    assert_eq!(with_records(wire.call(&tight(2), FETCH)), [1]);
    assert_eq!(with_records(wire.call(&tight(3), FETCH)), [0]);
}

#[test]
fn wrong_epochs_and_unknown_sessions_are_told() {
    let (_broker, mut wire, id) = session();
    let code = |answer: FetchResponse| (answer.error_code, answer.responses.len());
    assert_eq!(
        code(wire.call(&next(id, 5), FETCH)),
        (ErrorCode::InvalidFetchSessionEpoch.code(), 0)
    );
    assert_eq!(
        code(wire.call(&next(id + 1, 1), FETCH)),
        (ErrorCode::FetchSessionIdNotFound.code(), 0)
    );
    assert_eq!(code(wire.call(&next(id, 1), FETCH)), (0, 0));
}

#[test]
fn a_session_is_closed_by_a_last_fetch() {
    let (_broker, mut wire, id) = session();
    let request = FetchRequest {
        session_id: id,
        ..fetch_request("t", 0, 0)
    };
    assert_eq!(wire.call(&request, FETCH).session_id, 0);
    assert_eq!(
        wire.call(&next(id, 1), FETCH).error_code,
        ErrorCode::FetchSessionIdNotFound.code()
    );
}

#[test]
fn a_session_does_not_change_between_names_and_ids() {
    let (_broker, mut wire, id) = session();
    let mut request = FetchRequest {
        session_id: id,
        session_epoch: 1,
        ..fetch_request("", 0, 0)
    };
    request.topics[0].topic_id = wire.topic_id("t");
    assert_eq!(
        wire.call(&request, 13).error_code,
        ErrorCode::FetchSessionTopicIdError.code()
    );
}

#[test]
fn an_error_on_purpose_is_told_for_the_partitions_of_the_session() {
    let (broker, mut wire, id) = session();
    let code = ErrorCode::NotLeaderOrFollower;
    broker.intercept(Intercept::new(ApiKey::Fetch, FaultAction::Error(code)).times(1));
    let answer = wire.call(&next(id, 1), FETCH);
    assert_eq!((answer.error_code, partitions(&answer)), (0, vec![0, 1]));
    assert_eq!(only(&answer).error_code, code.code());
    assert_eq!(partitions(&wire.call(&next(id, 2), FETCH)), [0, 1]);
    assert!(wire.call(&next(id, 3), FETCH).responses.is_empty());
    let lost = ErrorCode::FetchSessionIdNotFound;
    broker.intercept(Intercept::new(ApiKey::Fetch, FaultAction::Error(lost)).times(1));
    assert_eq!(wire.call(&next(id, 4), FETCH).error_code, lost.code());
}

#[test]
fn sessions_do_not_use_up_memory_without_end() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let request = FetchRequest {
        session_epoch: 0,
        ..fetch_request("t", 0, 0)
    };
    let mut granted = 0;
    for _ in 0..1100 {
        granted += i32::from(wire.call(&request, FETCH).session_id != 0);
    }
    assert_eq!(granted, 1000);
}

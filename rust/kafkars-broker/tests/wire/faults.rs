use std::io::Read;
use std::time::{Duration, Instant};

use kafkars_broker::{Corruption, FaultAction, Intercept, SeenRequest};
use kafkars_protocol::messages::api_versions::ApiVersionsRequest;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic,
};
use kafkars_protocol::messages::metadata::MetadataRequest;
use kafkars_protocol::messages::produce::{ProduceRequest, ProduceResponse};
use kafkars_protocol::{ApiKey, DescribedValue, ErrorCode};

use crate::support::*;

#[test]
fn an_error_is_answered_so_many_times_and_has_no_effect() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let code = ErrorCode::NotLeaderOrFollower;
    broker.intercept(Intercept::new(ApiKey::Produce, FaultAction::Error(code)).times(2));
    let codes: Vec<i16> = (0..3)
        .map(|_| wire.produce("t", 0, batch(&["a"])).error_code)
        .collect();
    assert_eq!(codes, [code.code(), code.code(), 0]);
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 1));
}

#[test]
fn errors_reach_every_kind_of_answer() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let code = ErrorCode::UnknownServerError;
    for api in [
        ApiKey::Fetch,
        ApiKey::Metadata,
        ApiKey::ListOffsets,
        ApiKey::ApiVersions,
    ] {
        broker.intercept(Intercept::new(api, FaultAction::Error(code)));
    }
    assert_eq!(wire.fetch("t", 0, 0).error_code, code.code());
    assert_eq!(wire.metadata(&["t"]).topics[0].error_code, code.code());
    let topic = ListOffsetsTopic {
        name: "t".to_owned(),
        partitions: vec![ListOffsetsPartition::default()],
    };
    let request = ListOffsetsRequest {
        topics: vec![topic],
        ..Default::default()
    };
    assert_eq!(
        wire.call(&request, 7).topics[0].partitions[0].error_code,
        code.code()
    );
    assert_eq!(
        wire.call(&ApiVersionsRequest::default(), 0).error_code,
        code.code()
    );
    broker.clear_intercepts();
    assert_eq!(wire.fetch("t", 0, 0).error_code, 0);
}

#[test]
fn a_delay_holds_a_request_and_what_follows_it() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let delay = Duration::from_millis(80);
    broker.intercept(Intercept::new(ApiKey::Produce, FaultAction::Delay(delay)).times(1));
    let started = Instant::now();
    wire.send(&produce_request("t", 0, batch(&["a"])), PRODUCE);
    wire.send(&produce_request("t", 0, batch(&["b"])), PRODUCE);
    wire.receive::<ProduceRequest>(PRODUCE);
    assert!(started.elapsed() >= delay);
    assert_eq!(
        wire.receive::<ProduceRequest>(PRODUCE).1.responses[0].partition_responses[0].base_offset,
        1
    );
}

#[test]
fn a_dropped_request_is_never_answered() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    broker.intercept(Intercept::new(ApiKey::Produce, FaultAction::Drop).times(1));
    wire.send(&produce_request("t", 0, batch(&["a"])), PRODUCE);
    let kept = wire.send(&produce_request("t", 0, batch(&["b"])), PRODUCE);
    let (answered, response) = wire.receive::<ProduceRequest>(PRODUCE);
    assert_eq!(
        (
            answered,
            response.responses[0].partition_responses[0].base_offset
        ),
        (kept, 0)
    );
}

#[test]
fn a_cut_comes_before_the_effect_or_after_it() {
    let broker = broker();
    for (action, end) in [
        (FaultAction::Disconnect, 0),
        (FaultAction::DisconnectAfter, 1),
    ] {
        broker.intercept(Intercept::new(ApiKey::Produce, action).times(1));
        let mut wire = Wire::to(&broker);
        wire.send(&produce_request("t", 0, batch(&["a"])), PRODUCE);
        wire.assert_closed();
        assert_eq!(broker.offsets("t", 0).unwrap(), (0, end));
    }
}

#[test]
fn a_predicate_chooses_among_clients() {
    let broker = broker();
    broker.intercept(
        Intercept::new(ApiKey::Metadata, FaultAction::Disconnect).when(|seen| seen.connection == 2),
    );
    Wire::to(&broker).metadata(&[]);
    let mut second = Wire::to(&broker);
    second.send(&MetadataRequest::default(), 12);
    second.assert_closed();
}

#[test]
fn requests_are_recorded() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.metadata(&["t"]);
    wire.fetch("t", 0, 0);
    let seen: Vec<_> = broker
        .requests_seen()
        .into_iter()
        .map(|seen| (seen.api, seen.version, seen.node, seen.client_id))
        .collect();
    let client = Some("wire".to_owned());
    assert_eq!(
        seen,
        [
            (ApiKey::Metadata, 12, 1, client.clone()),
            (ApiKey::Fetch, FETCH, 1, client)
        ]
    );
    broker.forget_requests_seen();
    assert!(broker.requests_seen().is_empty());
}

#[test]
fn answers_are_damaged_on_their_way_and_the_request_has_its_effect() {
    let broker = broker();
    let corrupt = |corruption| {
        let action = FaultAction::Corrupt(corruption);
        broker.intercept(Intercept::new(ApiKey::Produce, action).times(1));
        let mut wire = Wire::to(&broker);
        let id = wire.send(&produce_request("t", 0, batch(&["a"])), PRODUCE);
        (wire, id)
    };
    let (mut wire, id) = corrupt(Corruption::CorrelationId);
    assert_ne!(wire.receive::<ProduceRequest>(PRODUCE).0, id);

    let (mut wire, _) = corrupt(Corruption::FlipByte(0));
    assert_eq!(wire.receive_frame()[0], 0xff);

    let (mut wire, _) = corrupt(Corruption::FlipByte(usize::MAX));
    assert_eq!(wire.receive_frame().last(), Some(&0xff));

    let (mut wire, _) = corrupt(Corruption::Length(7));
    assert_eq!(wire.receive_frame().len(), 7);

    let (mut wire, _) = corrupt(Corruption::Truncate(5));
    wire.stream.read_exact(&mut [0; 5]).unwrap();
    wire.assert_closed();
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 5));
}

#[test]
fn requests_can_be_looked_into_by_predicates_and_afterwards() {
    let broker = broker();
    let acks = |seen: &SeenRequest| match seen.body() {
        Some(Ok(DescribedValue::Struct(fields))) => fields
            .into_iter()
            .find_map(|(name, value)| (name == "acks").then_some(value)),
        _ => None,
    };
    let action = FaultAction::Error(ErrorCode::RequestTimedOut);
    let only_all = move |seen: &SeenRequest| acks(seen) == Some(DescribedValue::Int(-1));
    let id = broker.intercept(Intercept::new(ApiKey::Produce, action).when(only_all));
    let mut wire = Wire::to(&broker);
    let mut request = produce_request("t", 0, batch(&["a"]));
    request.acks = 1;
    let partition = |answer: ProduceResponse| answer.responses[0].partition_responses[0].clone();
    assert_eq!(partition(wire.call(&request, PRODUCE)).error_code, 0);
    request.acks = -1;
    let refused = partition(wire.call(&request, PRODUCE)).error_code;
    assert_eq!(refused, ErrorCode::RequestTimedOut.code());
    assert_eq!(broker.intercept_hits(id), 1);
    let seen = broker.requests_seen();
    assert_eq!(
        seen.iter().map(acks).collect::<Vec<_>>(),
        [1, -1].map(|acks| Some(DescribedValue::Int(acks)))
    );
    assert_eq!(seen[1].action, Some(action));
    assert!(seen[0].time <= seen[1].time);
}

#[test]
fn requests_can_be_waited_for() {
    let broker = broker();
    let known = broker.wait_for_requests(u64::MAX);
    let mut wire = Wire::to(&broker);
    wire.send(&MetadataRequest::default(), 12);
    eventually("the request", || broker.wait_for_requests(known) > known);
}

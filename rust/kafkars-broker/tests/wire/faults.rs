use std::time::{Duration, Instant};

use kafkars_broker::{Action, Intercept};
use kafkars_protocol::messages::api_versions::ApiVersionsRequest;
use kafkars_protocol::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic,
};
use kafkars_protocol::messages::metadata::MetadataRequest;
use kafkars_protocol::messages::produce::ProduceRequest;
use kafkars_protocol::{ApiKey, ErrorCode};

use crate::support::*;

#[test]
fn an_error_is_answered_so_many_times_and_has_no_effect() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let code = ErrorCode::NotLeaderOrFollower;
    broker.intercept(Intercept::new(ApiKey::Produce, Action::Error(code)).times(2));
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
        broker.intercept(Intercept::new(api, Action::Error(code)));
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
    broker.intercept(Intercept::new(ApiKey::Produce, Action::Delay(delay)).times(1));
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
    broker.intercept(Intercept::new(ApiKey::Produce, Action::Drop).times(1));
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
    for (action, end) in [(Action::Disconnect, 0), (Action::DisconnectAfter, 1)] {
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
        Intercept::new(ApiKey::Metadata, Action::Disconnect).when(|seen| seen.connection == 2),
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

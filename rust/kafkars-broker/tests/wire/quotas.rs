//! Quotas of clients: they are set and described, and a client that uses too much has to pause.

use std::time::Duration;

use kafkars_broker::{BrokerConfig, ClockMode, EmbeddedBroker, NewTopic};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_client_quotas::{
    AlterClientQuotasRequest, EntityData, EntryData, OpData,
};
use kafkars_protocol::messages::create_topics::{CreatableTopic, CreateTopicsRequest};
use kafkars_protocol::messages::describe_client_quotas::{
    ComponentData, DescribeClientQuotasRequest,
};
use kafkars_protocol::messages::metadata::MetadataRequest;

use crate::support::*;

const INVALID: i16 = ErrorCode::InvalidRequest.code();
const EXACT: i8 = 0;
const DEFAULT: i8 = 1;
const ANY: i8 = 2;

type Parts<'a> = &'a [(&'a str, Option<&'a str>)];

fn alter(broker: &EmbeddedBroker, parts: Parts<'_>, quotas: &[(&str, Option<f64>)]) -> i16 {
    let part = |(kind, name): &(&str, Option<&str>)| EntityData {
        entity_type: (*kind).to_owned(),
        entity_name: name.map(str::to_owned),
    };
    let op = |(key, value): &(&str, Option<f64>)| OpData {
        key: (*key).to_owned(),
        value: value.unwrap_or_default(),
        remove: value.is_none(),
    };
    let entry = EntryData {
        entity: parts.iter().map(part).collect(),
        ops: quotas.iter().map(op).collect(),
    };
    let request = AlterClientQuotasRequest {
        entries: vec![entry],
        validate_only: false,
    };
    Wire::to(broker).call(&request, 1).entries[0].error_code
}

/// The entities that a filter finds, in words, or the error.
fn find(
    broker: &EmbeddedBroker,
    filter: &[(&str, i8, Option<&str>)],
    strict: bool,
) -> Result<Vec<String>, i16> {
    let component = |(kind, match_type, name): &(&str, i8, Option<&str>)| ComponentData {
        entity_type: (*kind).to_owned(),
        match_type: *match_type,
        r#match: name.map(str::to_owned),
    };
    let request = DescribeClientQuotasRequest {
        components: filter.iter().map(component).collect(),
        strict,
    };
    let answer = Wire::to(broker).call(&request, 1);
    let Some(entries) = answer.entries else {
        return Err(answer.error_code);
    };
    let found = entries.into_iter().map(|entry| {
        let parts = entry.entity.iter();
        let parts: Vec<_> = parts
            .map(|part| {
                let name = part.entity_name.as_deref().unwrap_or("*");
                format!("{}={name}", part.entity_type)
            })
            .collect();
        let values: Vec<_> = entry
            .values
            .iter()
            .map(|quota| format!("{}:{}", quota.key, quota.value))
            .collect();
        format!("{} {}", parts.join(","), values.join(","))
    });
    Ok(found.collect())
}

/// A broker whose clock stands still.
fn frozen() -> EmbeddedBroker {
    start(BrokerConfig {
        clock: ClockMode::Manual,
        topics: vec![NewTopic::new("t", 1)],
        ..BrokerConfig::default()
    })
}

fn everybody(broker: &EmbeddedBroker, key: &str, value: f64) {
    let set = alter(broker, &[("client-id", None)], &[(key, Some(value))]);
    assert_eq!(set, 0);
}

#[test]
fn quotas_are_set_found_and_taken_back() {
    let broker = broker();
    let (user, client) = (("user", Some("u")), ("client-id", Some("c")));
    assert_eq!(
        alter(&broker, &[client], &[("producer_byte_rate", Some(5.0))]),
        0
    );
    assert_eq!(
        alter(
            &broker,
            &[user, client],
            &[("request_percentage", Some(1.5))]
        ),
        0
    );
    assert_eq!(
        alter(
            &broker,
            &[("user", None)],
            &[("consumer_byte_rate", Some(7.0))]
        ),
        0
    );
    let of_client = "client-id=c producer_byte_rate:5".to_owned();
    let of_both = "user=u,client-id=c request_percentage:1.5".to_owned();
    let of_all = "user=* consumer_byte_rate:7".to_owned();
    let find = |filter: &[_], strict| find(&broker, filter, strict);
    assert_eq!(find(&[], false).unwrap().len(), 3);
    assert_eq!(find(&[], true), Ok(vec![]));
    let client = ("client-id", EXACT, Some("c"));
    assert_eq!(find(&[client], true), Ok(vec![of_client.clone()]));
    assert_eq!(find(&[client], false), Ok(vec![of_client, of_both.clone()]));
    assert_eq!(
        find(&[("user", DEFAULT, None)], false),
        Ok(vec![of_all.clone()])
    );
    assert_eq!(
        find(&[("user", ANY, None)], false),
        Ok(vec![of_all, of_both])
    );
    for bad in [
        &[("user", EXACT, None)][..],
        &[("user", DEFAULT, Some("x"))],
        &[("user", 3, None)],
        &[("", ANY, None)],
        &[("user", ANY, None), ("user", ANY, None)],
        &[("user", ANY, None), ("ip", ANY, None)],
    ] {
        assert_eq!(find(bad, false), Err(INVALID), "{bad:?}");
    }
    let unsupported = ErrorCode::UnsupportedVersion.code();
    assert_eq!(find(&[("planet", ANY, None)], false), Err(unsupported));
    assert_eq!(
        alter(&broker, &[("user", None)], &[("consumer_byte_rate", None)]),
        0
    );
    assert_eq!(find(&[("user", DEFAULT, None)], false), Ok(vec![]));
}

#[test]
fn quotas_that_make_no_sense_are_refused() {
    let broker = broker();
    let rate = [("producer_byte_rate", Some(5.0))];
    let user = ("user", Some("u"));
    let ip = ("ip", Some("127.0.0.1"));
    for parts in [
        &[][..],
        &[("planet", None)],
        &[("user", Some(""))],
        &[ip],
        &[ip, user],
    ] {
        assert_eq!(alter(&broker, parts, &rate), INVALID, "{parts:?}");
    }
    for quota in [
        ("producer_byte_rate", 0.0),
        ("producer_byte_rate", -1.0),
        ("producer_byte_rate", 1.5),
        ("producer_byte_rate", f64::NAN),
        ("connection_creation_rate", 1.0),
        ("no.such", 1.0),
    ] {
        let code = alter(&broker, &[user], &[(quota.0, Some(quota.1))]);
        assert_eq!(code, INVALID, "{quota:?}");
    }
    let nowhere = ("ip", Some("no address"));
    let connections = [("connection_creation_rate", Some(5.0))];
    assert_eq!(alter(&broker, &[nowhere], &connections), INVALID);
    assert_eq!(alter(&broker, &[ip], &connections), 0);
    assert_eq!(find(&broker, &[], false).unwrap().len(), 1);
}

#[test]
fn a_producer_over_its_quota_is_told_to_pause_and_not_read_from() {
    let broker = frozen();
    everybody(&broker, "producer_byte_rate", 1000.0);
    let mut wire = Wire::to(&broker);
    let records = batch(&["v".repeat(20_000).as_str()]);
    let answer = wire.call(&produce_request("t", 0, records), PRODUCE);
    // About 20,000 bytes within 10 seconds, which is twice too much.
    assert!(
        (10_000..11_000).contains(&answer.throttle_time_ms),
        "{answer:?}"
    );
    assert_eq!(answer.responses[0].partition_responses[0].error_code, 0);
    wire.send(&MetadataRequest::default(), 12);
    wire.assert_silent();
    broker.clock().advance(Duration::from_secs(11));
    wire.receive::<MetadataRequest>(12);
    let answer = wire.call(&produce_request("t", 0, batch(&["1"])), PRODUCE);
    assert_eq!(answer.throttle_time_ms, 0);
}

#[test]
fn producers_without_answers_pause_too() {
    let broker = frozen();
    everybody(&broker, "producer_byte_rate", 1000.0);
    let mut wire = Wire::to(&broker);
    let records = batch(&["v".repeat(20_000).as_str()]);
    let mut request = produce_request("t", 0, records);
    request.acks = 0;
    wire.send(&request, PRODUCE);
    wire.send(&MetadataRequest::default(), 12);
    wire.assert_silent();
    broker.clock().advance(Duration::from_secs(11));
    wire.receive::<MetadataRequest>(12);
}

#[test]
fn a_consumer_over_its_quota_gets_nothing_until_it_has_paused() {
    let broker = frozen();
    let mut wire = Wire::to(&broker);
    for _ in 0..3 {
        wire.produce("t", 0, batch(&["v".repeat(6_000).as_str()]));
    }
    everybody(&broker, "consumer_byte_rate", 1000.0);
    let mut request = fetch_request("t", 0, 0);
    request.session_epoch = 0;
    let first = wire.call(&request, FETCH);
    // One batch only: the quota allows 10,000 bytes in all its windows.
    assert_eq!(read(&only(&first).records).len(), 1);
    assert_eq!(first.throttle_time_ms, 0);
    request = fetch_request("t", 0, 1);
    (request.session_id, request.session_epoch) = (first.session_id, 1);
    let second = wire.call(&request, FETCH);
    assert!(
        (2_000..3_000).contains(&second.throttle_time_ms),
        "{second:?}"
    );
    assert_eq!(
        (second.responses.len(), second.session_id),
        (0, first.session_id)
    );
    broker.clock().advance(Duration::from_secs(12));
    request.session_epoch = 2;
    let third = wire.call(&request, FETCH);
    assert_eq!(read(&only(&third).records)[0].0, 1);
}

#[test]
fn time_of_requests_is_limited_too() {
    let broker = frozen();
    everybody(&broker, "request_percentage", 0.000_001);
    let mut wire = Wire::to(&broker);
    let answer = wire.metadata(&["t"]);
    assert_eq!(answer.throttle_time_ms, 1000);
}

#[test]
fn topics_are_not_created_without_end() {
    let broker = frozen();
    everybody(&broker, "controller_mutation_rate", 1.0);
    let create = |name: &str, partitions, version| {
        let topic = CreatableTopic {
            name: name.to_owned(),
            num_partitions: partitions,
            replication_factor: 1,
            ..CreatableTopic::default()
        };
        let request = CreateTopicsRequest {
            topics: vec![topic],
            ..CreateTopicsRequest::default()
        };
        let answer = Wire::to(&broker).call(&request, version);
        (answer.topics[0].error_code, answer.throttle_time_ms)
    };
    assert_eq!(create("a", 15, 7), (0, 0));
    let exceeded = ErrorCode::ThrottlingQuotaExceeded.code();
    assert_eq!(create("b", 1, 7), (exceeded, 4000));
    assert_eq!(create("c", 1, 5), (0, 5000));
    broker.clock().advance(Duration::from_secs(5));
    assert_eq!(create("b", 1, 7), (0, 0));
}

#[test]
fn connections_too_many_for_their_address_are_not_answered_but_closed() {
    let broker = start(BrokerConfig {
        clock: ClockMode::Manual,
        ..BrokerConfig::default()
    });
    let mut first = Wire::to(&broker);
    let here = [("ip", Some("127.0.0.1"))];
    let rate = [("connection_creation_rate", Some(1.0))];
    assert_eq!(alter(&broker, &here, &rate), 0);
    for _ in 0..10 {
        Wire::to(&broker).metadata(&[]);
    }
    Wire::to(&broker).assert_closed();
    // Who is there already may stay.
    first.metadata(&[]);
    broker.clock().advance(Duration::from_secs(12));
    Wire::to(&broker).metadata(&[]);
    broker.set_connection_rate(None, Some(1.0)).unwrap();
    assert_eq!(
        alter(&broker, &here, &[("connection_creation_rate", None)]),
        0
    );
    for _ in 0..11 {
        Wire::connect(broker.address(1).unwrap());
    }
    Wire::to(&broker).assert_closed();
    broker.set_connection_rate(None, None).unwrap();
    Wire::to(&broker).metadata(&[]);
    assert!(broker.set_connection_rate(None, Some(0.5)).is_err());
}

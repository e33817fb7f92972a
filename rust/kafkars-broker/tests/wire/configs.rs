//! Settings that change while the broker runs.

use kafkars_broker::{BrokerConfig, EmbeddedBroker, NewTopic};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_configs::{
    AlterConfigsRequest, AlterConfigsResource as Replaced, AlterableConfig as ReplacedConfig,
};
use kafkars_protocol::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult,
};
use kafkars_protocol::messages::incremental_alter_configs::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use kafkars_protocol::messages::list_config_resources::ListConfigResourcesRequest;

use crate::support::*;

pub(crate) const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const LOGGER: i8 = 8;
const CLIENT_METRICS: i8 = 16;

pub(crate) const SET: i8 = 0;
const DELETE: i8 = 1;
const APPEND: i8 = 2;
const SUBTRACT: i8 = 3;

const INVALID_CONFIG: i16 = ErrorCode::InvalidConfig.code();
const INVALID_REQUEST: i16 = ErrorCode::InvalidRequest.code();

/// An alteration of one resource.
pub(crate) fn alter(
    broker: &EmbeddedBroker,
    resource: (i8, &str),
    changes: &[(&str, i8, &str)],
) -> i16 {
    request(broker, resource, changes, false)
}

fn request(
    broker: &EmbeddedBroker,
    (resource_type, name): (i8, &str),
    changes: &[(&str, i8, &str)],
    validate_only: bool,
) -> i16 {
    let config = |(name, operation, value): &(&str, i8, &str)| AlterableConfig {
        name: (*name).to_owned(),
        config_operation: *operation,
        value: (*operation != DELETE).then(|| (*value).to_owned()),
    };
    let resource = AlterConfigsResource {
        resource_type,
        resource_name: name.to_owned(),
        configs: changes.iter().map(config).collect(),
    };
    let request = IncrementalAlterConfigsRequest {
        resources: vec![resource],
        validate_only,
    };
    Wire::to(broker).call(&request, 1).responses[0].error_code
}

fn replace(broker: &EmbeddedBroker, topic: &str, settings: &[(&str, &str)]) -> i16 {
    let config = |(name, value): &(&str, &str)| ReplacedConfig {
        name: (*name).to_owned(),
        value: Some((*value).to_owned()),
    };
    let resource = Replaced {
        resource_type: TOPIC,
        resource_name: topic.to_owned(),
        configs: settings.iter().map(config).collect(),
    };
    let request = AlterConfigsRequest {
        resources: vec![resource],
        validate_only: false,
    };
    Wire::to(broker).call(&request, 2).responses[0].error_code
}

fn describe(
    broker: &EmbeddedBroker,
    (resource_type, name): (i8, &str),
    setting: &str,
) -> Option<DescribeConfigsResourceResult> {
    let resource = DescribeConfigsResource {
        resource_type,
        resource_name: name.to_owned(),
        configuration_keys: Some(vec![setting.to_owned()]),
    };
    let request = DescribeConfigsRequest {
        resources: vec![resource],
        include_synonyms: true,
        include_documentation: false,
    };
    let mut result = Wire::to(broker).call(&request, 4).results.remove(0);
    assert_eq!(result.error_code, 0);
    result.configs.pop()
}

/// The value of a setting, its source, and its other sources.
fn sources(
    broker: &EmbeddedBroker,
    resource: (i8, &str),
    setting: &str,
) -> (String, i8, Vec<(String, i8)>) {
    let found = describe(broker, resource, setting).unwrap();
    let synonyms = found.synonyms.into_iter();
    (
        found.value.unwrap_or_default(),
        found.config_source,
        synonyms
            .map(|synonym| (synonym.value.unwrap_or_default(), synonym.source))
            .collect(),
    )
}

fn text(values: &[(&str, i8)]) -> Vec<(String, i8)> {
    values
        .iter()
        .map(|(value, source)| ((*value).to_owned(), *source))
        .collect()
}

#[test]
fn a_topic_is_set_and_reset() {
    let broker = broker();
    let topic = (TOPIC, "t");
    assert_eq!(alter(&broker, topic, &[("max.message.bytes", SET, "7")]), 0);
    let expected = ("7".to_owned(), 1, text(&[("7", 1), ("1048588", 5)]));
    assert_eq!(sources(&broker, topic, "max.message.bytes"), expected);
    assert_eq!(
        alter(&broker, topic, &[("max.message.bytes", DELETE, "")]),
        0
    );
    let expected = ("1048588".to_owned(), 5, text(&[("1048588", 5)]));
    assert_eq!(sources(&broker, topic, "max.message.bytes"), expected);
}

#[test]
fn lists_grow_and_shrink() {
    let broker = broker();
    let topic = (TOPIC, "t");
    let policy = |operation, value, expected: &str| {
        let changes = [("cleanup.policy", operation, value)];
        assert_eq!(alter(&broker, topic, &changes), 0);
        assert_eq!(sources(&broker, topic, "cleanup.policy").0, expected);
    };
    policy(APPEND, "compact", "delete,compact");
    policy(APPEND, "compact", "delete,compact");
    policy(SUBTRACT, "delete", "compact");
    policy(SET, "delete", "delete");
    let changes = [("retention.ms", APPEND, "1")];
    assert_eq!(alter(&broker, topic, &changes), INVALID_CONFIG);
}

#[test]
fn the_older_way_resets_what_it_does_not_name() {
    let broker = broker();
    assert_eq!(replace(&broker, "t", &[("retention.ms", "5")]), 0);
    assert_eq!(replace(&broker, "t", &[("segment.ms", "9")]), 0);
    let source = |name| sources(&broker, (TOPIC, "t"), name).1;
    assert_eq!((source("retention.ms"), source("segment.ms")), (5, 1));
    assert_eq!(replace(&broker, "t", &[("no.such", "9")]), INVALID_CONFIG);
    assert_eq!(source("segment.ms"), 1);
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let broker = broker();
    let unknown = ErrorCode::UnknownTopicOrPartition.code();
    type Case<'a> = ((i8, &'a str), &'a [(&'a str, i8, &'a str)], i16);
    let cases: &[Case<'_>] = &[
        ((TOPIC, "t"), &[("no.such", SET, "1")], INVALID_CONFIG),
        ((TOPIC, "t"), &[("retention.ms", SET, "x")], INVALID_CONFIG),
        (
            (TOPIC, "t"),
            &[("retention.ms", SET, "1"), ("compression.type", SET, "rar")],
            INVALID_CONFIG,
        ),
        (
            (TOPIC, "t"),
            &[("retention.ms", SET, "1"), ("retention.ms", SET, "2")],
            INVALID_REQUEST,
        ),
        ((TOPIC, "t"), &[("retention.ms", 7, "1")], INVALID_REQUEST),
        ((TOPIC, "nowhere"), &[("retention.ms", SET, "1")], unknown),
        ((TOPIC, ""), &[("retention.ms", SET, "1")], INVALID_REQUEST),
        ((99, "t"), &[("retention.ms", SET, "1")], INVALID_REQUEST),
        (
            (BROKER, "1"),
            &[("num.partitions", SET, "3")],
            INVALID_REQUEST,
        ),
        (
            (BROKER, "2"),
            &[("num.io.threads", SET, "3")],
            INVALID_REQUEST,
        ),
        (
            (BROKER, "x"),
            &[("num.io.threads", SET, "3")],
            INVALID_REQUEST,
        ),
        (
            (CLIENT_METRICS, "s"),
            &[("interval.ms", SET, "5")],
            INVALID_REQUEST,
        ),
        (
            (CLIENT_METRICS, "s"),
            &[("match", SET, "x")],
            INVALID_CONFIG,
        ),
    ];
    for (resource, changes, expected) in cases {
        assert_eq!(alter(&broker, *resource, changes), *expected, "{changes:?}");
    }
    assert_eq!(sources(&broker, (TOPIC, "t"), "retention.ms").1, 5);
}

/// The answers are those that were seen on Kafka 2.8.2.
#[test]
fn older_releases_call_a_wrong_value_an_invalid_request_and_a_wrong_name_an_invalid_config() {
    let broker = start(BrokerConfig {
        version: Some("2.8".to_owned()),
        topics: vec![NewTopic::new("t", 1)],
        ..BrokerConfig::default()
    });
    let (value, name) = (("retention.ms", SET, "x"), ("no.such", SET, "1"));
    assert_eq!(alter(&broker, (TOPIC, "t"), &[value]), INVALID_REQUEST);
    assert_eq!(alter(&broker, (TOPIC, "t"), &[name]), INVALID_CONFIG);
    let replaced = replace(&broker, "t", &[("retention.ms", "x")]);
    assert_eq!(replaced, INVALID_REQUEST);
}

#[test]
fn a_dry_run_changes_nothing() {
    let broker = broker();
    let (good, bad) = ([("retention.ms", SET, "7")], [("retention.ms", SET, "x")]);
    assert_eq!(request(&broker, (TOPIC, "t"), &good, true), 0);
    assert_eq!(request(&broker, (TOPIC, "t"), &bad, true), INVALID_CONFIG);
    assert_eq!(sources(&broker, (TOPIC, "t"), "retention.ms").1, 5);
}

#[test]
fn brokers_are_set_one_by_one_or_together_and_topics_follow() {
    let broker = broker();
    let all = (BROKER, "");
    let one = (BROKER, "1");
    let topic = (TOPIC, "t");
    let bytes = |value| [("message.max.bytes", SET, value)];
    assert_eq!(alter(&broker, all, &bytes("2000")), 0);
    assert_eq!(
        sources(&broker, topic, "max.message.bytes"),
        ("2000".to_owned(), 3, text(&[("2000", 3), ("1048588", 5)]))
    );
    assert_eq!(alter(&broker, one, &bytes("3000")), 0);
    let expected = text(&[("3000", 2), ("2000", 3), ("1048588", 5)]);
    assert_eq!(
        sources(&broker, one, "message.max.bytes"),
        ("3000".to_owned(), 2, expected.clone())
    );
    assert_eq!(sources(&broker, topic, "max.message.bytes").2, expected);
    assert_eq!(sources(&broker, all, "message.max.bytes").0, "2000");
    let large = "v".repeat(2500);
    let mut wire = Wire::to(&broker);
    assert_eq!(wire.produce("t", 0, batch(&[&large])).error_code, 0);
    let reset = [("message.max.bytes", DELETE, "")];
    assert_eq!(alter(&broker, one, &reset), 0);
    assert_eq!(
        wire.produce("t", 0, batch(&[&large])).error_code,
        ErrorCode::MessageTooLarge.code()
    );
}

#[test]
fn a_setting_that_is_not_known_to_a_broker_is_kept_as_a_secret() {
    let broker = broker();
    assert_eq!(
        alter(&broker, (BROKER, "1"), &[("my.plugin.key", SET, "x")]),
        0
    );
    let found = describe(&broker, (BROKER, "1"), "my.plugin.key").unwrap();
    assert_eq!((found.value, found.is_sensitive), (None, true));
}

#[test]
fn resources_with_settings_are_listed() {
    let broker = broker();
    let changes = [("metrics", SET, "org.apache.")];
    assert_eq!(alter(&broker, (CLIENT_METRICS, "s"), &changes), 0);
    let list = |types: Vec<i8>, version| {
        let request = ListConfigResourcesRequest {
            resource_types: types,
        };
        let answer = Wire::to(&broker).call(&request, version);
        let found = answer.config_resources.into_iter();
        let found: Vec<_> = found
            .map(|found| (found.resource_type, found.resource_name))
            .collect();
        (answer.error_code, found)
    };
    let subscription = (CLIENT_METRICS, "s".to_owned());
    assert_eq!(list(Vec::new(), 0), (0, vec![subscription.clone()]));
    let all = [
        subscription,
        (LOGGER, "1".to_owned()),
        (BROKER, "1".to_owned()),
        (TOPIC, "t".to_owned()),
    ];
    assert_eq!(list(Vec::new(), 1), (0, all.to_vec()));
    assert_eq!(list(vec![TOPIC], 1), (0, all[3..].to_vec()));
    assert_eq!(list(vec![99], 1).0, ErrorCode::UnsupportedVersion.code());
}

#[test]
fn groups_have_settings_of_their_own() {
    let broker = broker();
    let group = (32, "g");
    let timeout = |value| [("consumer.session.timeout.ms", SET, value)];
    assert_eq!(alter(&broker, group, &timeout("50000")), 0);
    let (value, source, _) = sources(&broker, group, "consumer.session.timeout.ms");
    assert_eq!((value.as_str(), source), ("50000", 8));
    for wrong in ["x", "1000", "60001"] {
        assert_eq!(alter(&broker, group, &timeout(wrong)), INVALID_CONFIG);
    }
    assert_eq!(alter(&broker, (32, ""), &timeout("1")), INVALID_REQUEST);
    let reset = [("consumer.session.timeout.ms", DELETE, "")];
    assert_eq!(alter(&broker, group, &reset), 0);
    assert_eq!(sources(&broker, group, "consumer.session.timeout.ms").1, 5);
    // Those of the broker hold where the group has none, and say so.
    let (value, source, synonyms) = sources(&broker, group, "consumer.heartbeat.interval.ms");
    assert_eq!((value.as_str(), source, synonyms.len()), ("500", 4, 2));
}

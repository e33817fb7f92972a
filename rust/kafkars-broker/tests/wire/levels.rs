//! Levels of features (KIP-584) and of loggers (KIP-412), on the embedded broker, or as `members` says on a real Kafka.

use std::net::SocketAddr;

use kafkars_broker::{BrokerConfig, EmbeddedBroker};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::api_versions::ApiVersionsRequest;
use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatRequest;
use kafkars_protocol::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResult,
};
use kafkars_protocol::messages::incremental_alter_configs::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use kafkars_protocol::messages::list_config_resources::ListConfigResourcesRequest;
use kafkars_protocol::messages::share_group_heartbeat::ShareGroupHeartbeatRequest;
use kafkars_protocol::messages::update_features::{
    FeatureUpdateKey, UpdateFeaturesRequest, UpdateFeaturesResponse,
};

use crate::members::until;
use crate::support::{Wire, start};

const UPGRADE: i8 = 1;
const SAFE_DOWNGRADE: i8 = 2;
const UNSAFE_DOWNGRADE: i8 = 3;
const LOGGER: i8 = 8;

struct Scene {
    _broker: Option<EmbeddedBroker>,
    wire: Wire,
}

impl Scene {
    fn new() -> Self {
        let (broker, address): (_, SocketAddr) = match std::env::var("KAFKARS_WIRE_BROKER") {
            Ok(address) => (None, address.parse().unwrap()),
            Err(_) => {
                let broker = start(BrokerConfig::default());
                let address = broker.address(1).unwrap();
                (Some(broker), address)
            }
        };
        Self {
            _broker: broker,
            wire: Wire::connect(address),
        }
    }

    fn update(&mut self, updates: &[(&str, i16, i8)], version: i16) -> UpdateFeaturesResponse {
        let update = |(feature, level, kind): &(&str, i16, i8)| FeatureUpdateKey {
            feature: (*feature).to_owned(),
            max_version_level: *level,
            upgrade_type: *kind,
            ..FeatureUpdateKey::default()
        };
        let request = UpdateFeaturesRequest {
            timeout_ms: 5000,
            feature_updates: updates.iter().map(update).collect(),
            ..UpdateFeaturesRequest::default()
        };
        self.wire.call(&request, version)
    }

    /// The level that clients are told, and how often levels have changed.
    fn level(&mut self, feature: &str) -> (i16, i64) {
        let request = ApiVersionsRequest {
            client_software_name: "wire".to_owned(),
            client_software_version: "1".to_owned(),
        };
        let answer = self.wire.call(&request, 4);
        let mut finalized = answer.finalized_features.iter();
        let level = finalized.find(|it| it.name == feature);
        let level = level.map_or(0, |it| it.max_version_level);
        (level, answer.finalized_features_epoch)
    }

    fn wait_for(&mut self, feature: &str, level: i16) -> i64 {
        until("the level has spread", || {
            let (found, epoch) = self.level(feature);
            (found == level).then_some(epoch)
        })
    }

    /// The reason why an update is refused, without what all refusals begin with.
    fn refusal(&mut self, feature: &str, level: i16, kind: i8) -> String {
        let answer = self.update(&[(feature, level, kind)], 2);
        assert_eq!(answer.error_code, ErrorCode::InvalidUpdateVersion.code());
        let message = answer.error_message.unwrap();
        let (all, reason) = message.split_once(": ").unwrap();
        assert_eq!(
            all,
            "The update failed for all features since the following feature had an error"
        );
        let invalid = format!("Invalid update version {level} for feature {feature}. ");
        let reason = reason.strip_prefix(invalid.as_str()).unwrap_or(reason);
        reason.to_owned()
    }

    fn levels(&mut self, node: &str) -> DescribeConfigsResult {
        let request = DescribeConfigsRequest {
            resources: vec![DescribeConfigsResource {
                resource_type: LOGGER,
                resource_name: node.to_owned(),
                configuration_keys: None,
            }],
            include_synonyms: true,
            include_documentation: true,
        };
        self.wire.call(&request, 4).results.remove(0)
    }

    fn root(&mut self) -> String {
        let mut configs = self.levels("1").configs.into_iter();
        configs.find(|it| it.name == "root").unwrap().value.unwrap()
    }

    fn log(&mut self, node: &str, changes: &[(&str, i8, Option<&str>)]) -> (i16, Option<String>) {
        let change = |(logger, operation, level): &(&str, i8, Option<&str>)| AlterableConfig {
            name: (*logger).to_owned(),
            config_operation: *operation,
            value: level.map(str::to_owned),
        };
        let request = IncrementalAlterConfigsRequest {
            resources: vec![AlterConfigsResource {
                resource_type: LOGGER,
                resource_name: node.to_owned(),
                configs: changes.iter().map(change).collect(),
            }],
            validate_only: false,
        };
        let answer = self.wire.call(&request, 1).responses.remove(0);
        (answer.error_code, answer.error_message)
    }
}

#[test]
fn features_change_their_levels_and_what_belongs_to_them_is_refused_at_none() {
    let mut scene = Scene::new();
    let epoch = scene.wait_for("group.version", 1);
    let off = [
        ("group.version", 0, SAFE_DOWNGRADE),
        ("share.version", 0, UNSAFE_DOWNGRADE),
    ];
    assert_eq!(scene.update(&off, 2).error_code, 0);
    assert!(scene.wait_for("group.version", 0) > epoch);
    scene.wait_for("share.version", 0);
    let member = ConsumerGroupHeartbeatRequest {
        group_id: "levels".to_owned(),
        member_id: "m".to_owned(),
        rebalance_timeout_ms: 1000,
        subscribed_topic_names: Some(Vec::new()),
        topic_partitions: Some(Vec::new()),
        ..ConsumerGroupHeartbeatRequest::default()
    };
    let unsupported = ErrorCode::UnsupportedVersion.code();
    assert_eq!(scene.wire.call(&member, 1).error_code, unsupported);
    let share = ShareGroupHeartbeatRequest {
        group_id: "levels-shared".to_owned(),
        member_id: "m".to_owned(),
        ..ShareGroupHeartbeatRequest::default()
    };
    assert_eq!(scene.wire.call(&share, 1).error_code, unsupported);
    // One that is wrong leaves all where they are.
    let mixed = [("group.version", 1, UPGRADE), ("nothing", 1, UPGRADE)];
    let refused = scene.update(&mixed, 1);
    assert_eq!(refused.error_code, ErrorCode::InvalidUpdateVersion.code());
    assert_eq!(scene.level("group.version").0, 0);
    let answer = scene.update(
        &[("group.version", 1, UPGRADE), ("share.version", 1, UPGRADE)],
        1,
    );
    let results: Vec<_> = answer.results.iter().map(|it| it.error_code).collect();
    assert_eq!((answer.error_code, results), (0, vec![0, 0]));
    scene.wait_for("group.version", 1);
    scene.wait_for("share.version", 1);
    assert_ne!(scene.wire.call(&member, 1).error_code, unsupported);
}

#[test]
fn levels_that_make_no_sense_are_refused_with_kafkas_words() {
    let mut scene = Scene::new();
    scene.wait_for("transaction.version", 2);
    let no_downgrade = "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe downgrade.";
    let cases = [
        ("transaction.version", 0, UPGRADE, no_downgrade),
        (
            "transaction.version",
            3,
            UPGRADE,
            "Local controller 1 only supports versions 0-2",
        ),
        (
            "transaction.version",
            -1,
            UPGRADE,
            "A feature version cannot be less than 0.",
        ),
        (
            "transaction.version",
            2,
            7,
            "The controller does not support the given upgrade type.",
        ),
        (
            "nothing",
            1,
            UPGRADE,
            "Local controller 1 does not support this feature.",
        ),
        (
            "metadata.version",
            0,
            UNSAFE_DOWNGRADE,
            "Local controller 1 only supports versions 7-30",
        ),
        (
            "metadata.version",
            29,
            SAFE_DOWNGRADE,
            "Unsupported metadata.version downgrade from 30 to 29. Refusing to perform the requested downgrade because it might \
             delete metadata information.",
        ),
        (
            "metadata.version",
            29,
            UNSAFE_DOWNGRADE,
            "Unsupported metadata.version downgrade from 30 to 29. Unsafe metadata downgrade is not supported in this version.",
        ),
    ];
    for (feature, level, kind, reason) in cases {
        assert_eq!(scene.refusal(feature, level, kind), reason);
    }
    assert_eq!(scene.level("transaction.version").0, 2);
    assert_eq!(scene.level("metadata.version").0, 30);
}

#[test]
fn loggers_are_listed_and_change_their_levels() {
    let mut scene = Scene::new();
    let wanted = ListConfigResourcesRequest {
        resource_types: vec![LOGGER],
    };
    let listed = scene.wire.call(&wanted, 1).config_resources;
    let listed: Vec<_> = listed
        .iter()
        .map(|it| (it.resource_type, it.resource_name.as_str()))
        .collect();
    assert_eq!(listed, [(LOGGER, "1")]);
    let root = scene
        .levels("1")
        .configs
        .into_iter()
        .find(|it| it.name == "root")
        .unwrap();
    assert_eq!(
        (root.config_source, root.config_type, root.read_only),
        (6, 0, false)
    );
    assert!(root.synonyms.is_empty());
    let before = scene.root();
    for level in ["WARN", "INFO", &before] {
        assert_eq!(scene.log("1", &[("root", 0, Some(level))]), (0, None));
        assert_eq!(scene.root(), level);
    }
}

#[test]
fn changes_of_loggers_that_make_no_sense_are_refused_with_kafkas_words() {
    let mut scene = Scene::new();
    let (config, request) = (
        ErrorCode::InvalidConfig.code(),
        ErrorCode::InvalidRequest.code(),
    );
    let levels = "Cannot set the log level of root to LOUD as it is not a supported log level. Valid log levels are DEBUG, ERROR, FATAL, \
                  INFO, TRACE, WARN";
    type Changes = [(&'static str, i8, Option<&'static str>)];
    let cases: [(&str, &Changes, i16, &str); 9] = [
        ("1", &[("root", 0, Some("LOUD"))], config, levels),
        (
            "1",
            &[("root", 0, None)],
            request,
            "Null value not supported for : root",
        ),
        (
            "1",
            &[("root", 1, None)],
            request,
            "Removing the log level of the root logger is not allowed",
        ),
        (
            "1",
            &[("root", 2, Some("INFO"))],
            request,
            "APPEND operation is not allowed for the BROKER_LOGGER resource",
        ),
        (
            "1",
            &[("root", 3, Some("INFO"))],
            request,
            "SUBTRACT operation is not allowed for the BROKER_LOGGER resource",
        ),
        (
            "1",
            &[("no.such.Logger", 0, Some("INFO"))],
            config,
            "Logger no.such.Logger does not exist!",
        ),
        (
            "1",
            &[("root", 0, Some("INFO")), ("root", 0, Some("WARN"))],
            request,
            "Error due to duplicate config keys",
        ),
        (
            "2",
            &[("root", 0, Some("INFO"))],
            request,
            "Unexpected node id. Expected 1, but received 2",
        ),
        (
            "x",
            &[("root", 0, Some("INFO"))],
            request,
            "Node id must be an integer, but it is: x",
        ),
    ];
    for (node, changes, code, reason) in cases {
        assert_eq!(scene.log(node, changes), (code, Some(reason.to_owned())));
    }
    for (node, reason) in [
        ("", "Broker id must not be empty"),
        ("2", "Unexpected broker id, expected 1 but received 2"),
        ("x", "Broker id must be an integer, but it is: x"),
    ] {
        let refused = scene.levels(node);
        assert_eq!(
            (refused.error_code, refused.error_message),
            (request, Some(reason.to_owned()))
        );
    }
}

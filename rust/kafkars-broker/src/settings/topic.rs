//! A topic's settings, and those that change what this broker does, parsed.
//!
//! All of Kafka's topic settings are accepted and described, so that a program which sets them runs; the ones that are
//! honoured are the fields of [`TopicConfig`]. `docs/reference/embedded-broker.md` lists both kinds.

use std::collections::BTreeMap;
use std::sync::Arc;

use kafkars_records::{Codec, Compression};

use super::kind::items;
use super::topic_table::{Setting, find};

/// The values that hold where a topic says nothing else, by topic setting: they come from the brokers.
pub(crate) type TopicDefaults = BTreeMap<&'static str, String>;

/// The values that a topic was set to itself, by topic setting.
pub(crate) type Overrides = BTreeMap<&'static str, String>;

/// A topic's settings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TopicConfig {
    overrides: Overrides,
    defaults: Arc<TopicDefaults>,
    /// `max.message.bytes`: the largest batch, as it came.
    pub(crate) max_message_bytes: usize,
    /// `message.timestamp.type` = `LogAppendTime`.
    pub(crate) log_append_time: bool,
    /// `message.timestamp.before.max.ms`.
    pub(crate) timestamp_before_max_ms: i64,
    /// `message.timestamp.after.max.ms`.
    pub(crate) timestamp_after_max_ms: i64,
    /// `compression.type`; none: batches stay as their producers made them.
    pub(crate) compression: Option<Compression>,
    /// `cleanup.policy` has `compact`: records without a key are refused.
    pub(crate) compacted: bool,
    /// `retention.bytes`, while `cleanup.policy` has `delete`; none: keep everything.
    pub(crate) retention_bytes: Option<u64>,
    /// `retention.ms`, while `cleanup.policy` has `delete`; none: keep everything.
    pub(crate) retention_ms: Option<i64>,
    /// `delete.retention.ms`: how long compaction keeps tombstones.
    pub(crate) delete_retention_ms: i64,
    /// `min.compaction.lag.ms`: records younger than this are not compacted.
    pub(crate) min_compaction_lag_ms: i64,
    /// `min.insync.replicas`, for producers with acks=all.
    pub(crate) min_insync_replicas: usize,
    /// `unclean.leader.election.enable`: a partition may be led by a replica that is not in sync.
    pub(crate) unclean_leader_election: bool,
}

/// A setting that is refused, with the reason in words.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum ConfigProblem {
    #[error("unknown topic config name: {0}")]
    Unknown(String),
    #[error("invalid value {value} for configuration {name}: {reason}")]
    Invalid {
        name: &'static str,
        value: String,
        reason: String,
    },
}

impl TopicConfig {
    /// The settings of a topic that is made with these.
    pub(crate) fn new(
        defaults: &Arc<TopicDefaults>,
        settings: &[(String, String)],
    ) -> Result<Self, ConfigProblem> {
        let mut overrides = Overrides::new();
        for (name, value) in settings {
            let (name, value) = check(name, value)?;
            overrides.insert(name, value);
        }
        Ok(Self::parse(overrides, Arc::clone(defaults)))
    }

    /// Gives these settings with other `overrides`, which have been checked.
    pub(crate) fn replaced(&self, overrides: Overrides) -> Self {
        Self::parse(overrides, Arc::clone(&self.defaults))
    }

    /// Gives these settings with other defaults, after those of the brokers have changed.
    pub(crate) fn rebased(&self, defaults: &Arc<TopicDefaults>) -> Self {
        Self::parse(self.overrides.clone(), Arc::clone(defaults))
    }

    /// The values that the topic was set to itself.
    pub(crate) fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    /// The value that holds for a setting.
    pub(crate) fn value_of<'a>(&'a self, setting: &'a Setting) -> &'a str {
        let set = self.overrides.get(setting.name);
        let set = set.or_else(|| self.defaults.get(setting.name));
        set.map_or(setting.default, String::as_str)
    }

    /// Parses the settings. All have been checked by their kinds, so what does not parse cannot occur and falls back.
    fn parse(overrides: Overrides, defaults: Arc<TopicDefaults>) -> Self {
        let text = |name: &str| -> &str {
            let set = overrides.get(name).or_else(|| defaults.get(name));
            let default = || find(name).map_or("", |setting| setting.default);
            set.map_or_else(default, String::as_str)
        };
        let long = |name: &str| text(name).parse::<i64>().unwrap_or(i64::MAX);
        let compacted = items(text("cleanup.policy")).any(|item| item == "compact");
        let deletes = items(text("cleanup.policy")).any(|item| item == "delete");
        let retention_bytes = u64::try_from(long("retention.bytes")).ok();
        let retention_ms = Some(long("retention.ms")).filter(|time| *time >= 0);
        Self {
            max_message_bytes: usize::try_from(long("max.message.bytes")).unwrap_or(usize::MAX),
            log_append_time: text("message.timestamp.type") == "LogAppendTime",
            timestamp_before_max_ms: long("message.timestamp.before.max.ms"),
            timestamp_after_max_ms: long("message.timestamp.after.max.ms"),
            compression: compression(&text),
            compacted,
            retention_bytes: retention_bytes.filter(|_| deletes),
            retention_ms: retention_ms.filter(|_| deletes),
            delete_retention_ms: long("delete.retention.ms"),
            min_compaction_lag_ms: long("min.compaction.lag.ms"),
            min_insync_replicas: usize::try_from(long("min.insync.replicas")).unwrap_or(1),
            unclean_leader_election: text("unclean.leader.election.enable") == "true",
            overrides,
            defaults,
        }
    }
}

impl Default for TopicConfig {
    fn default() -> Self {
        Self::parse(Overrides::new(), Arc::default())
    }
}

/// The name and value of a setting as they are kept.
pub(crate) fn check(name: &str, value: &str) -> Result<(&'static str, String), ConfigProblem> {
    let Some(setting) = find(name) else {
        return Err(ConfigProblem::Unknown(name.to_owned()));
    };
    let value = value.trim().to_owned();
    match setting.kind.check(&value) {
        Ok(()) => Ok((setting.name, value)),
        Err(reason) => Err(ConfigProblem::Invalid {
            name: setting.name,
            value,
            reason,
        }),
    }
}

fn compression<'a>(text: &impl Fn(&str) -> &'a str) -> Option<Compression> {
    let (codec, level) = match text("compression.type") {
        "uncompressed" => (Codec::None, ""),
        "gzip" => (Codec::Gzip, text("compression.gzip.level")),
        "snappy" => (Codec::Snappy, ""),
        "lz4" => (Codec::Lz4, text("compression.lz4.level")),
        "zstd" => (Codec::Zstd, text("compression.zstd.level")),
        _ => return None,
    };
    let level = level.parse().ok().filter(|level| *level != -1);
    let chosen = Compression::new(codec, level).or_else(|_| Compression::new(codec, None));
    chosen.ok()
}

#[cfg(test)]
mod tests {
    use super::super::topic_table::SETTINGS;
    use super::*;

    fn set(name: &str, value: &str) -> Result<TopicConfig, ConfigProblem> {
        TopicConfig::new(&Arc::default(), &[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn every_default_is_a_legal_value_of_its_setting() {
        for setting in SETTINGS {
            assert_eq!(
                setting.kind.check(setting.default),
                Ok(()),
                "{}",
                setting.name
            );
        }
    }

    #[test]
    fn honoured_settings_are_parsed() {
        assert_eq!(set("max.message.bytes", "5").unwrap().max_message_bytes, 5);
        assert!(
            set("message.timestamp.type", "LogAppendTime")
                .unwrap()
                .log_append_time
        );
        let bytes = |value| set("retention.bytes", value).unwrap().retention_bytes;
        assert_eq!((bytes("7"), bytes("-1")), (Some(7), None));
        assert_eq!(set("retention.ms", "-1").unwrap().retention_ms, None);
        let both = set("cleanup.policy", "compact, delete").unwrap();
        assert!(both.compacted && both.retention_ms.is_some());
        let compact = set("cleanup.policy", "compact").unwrap();
        assert_eq!(compact.retention_ms, None);
        let codec = |value| {
            let compression = set("compression.type", value).unwrap().compression;
            compression.map(Compression::codec)
        };
        assert_eq!(codec("producer"), None);
        assert_eq!(codec("uncompressed"), Some(Codec::None));
        assert_eq!(codec("zstd"), Some(Codec::Zstd));
    }

    #[test]
    fn what_the_brokers_are_set_to_holds_where_the_topic_says_nothing() {
        let defaults = Arc::new(TopicDefaults::from([
            ("retention.ms", "5".to_owned()),
            ("max.message.bytes", "6".to_owned()),
        ]));
        let config = set("retention.ms", "1").unwrap().rebased(&defaults);
        assert_eq!(config.retention_ms, Some(1));
        assert_eq!(config.max_message_bytes, 6);
    }

    #[test]
    fn unknown_names_and_bad_values_are_refused() {
        assert_eq!(
            set("no.such", "1"),
            Err(ConfigProblem::Unknown("no.such".to_owned()))
        );
        for (name, value) in [
            ("max.message.bytes", "x"),
            ("retention.ms", "-2"),
            ("compression.type", "rar"),
        ] {
            assert!(
                matches!(set(name, value), Err(ConfigProblem::Invalid { .. })),
                "{name}"
            );
        }
    }
}

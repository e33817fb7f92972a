//! Topic settings by Kafka's names: which exist, their types and defaults, and those that change what this broker does.
//!
//! All of Kafka's topic settings are accepted and described, so that a program which sets them runs; the ones that are
//! honoured are the fields of [`TopicConfig`]. `docs/reference/embedded-broker.md` lists both kinds.

use std::collections::BTreeMap;

/// One topic setting as Kafka knows it.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    pub(crate) default: &'static str,
    pub(crate) kind: Kind,
}

/// What values a setting takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Boolean,
    Int { min: i64 },
    Long { min: i64 },
    Fraction,
    OneOf(&'static [&'static str]),
    ListOf(&'static [&'static str]),
    Text,
}

const CODECS: &[&str] = &["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"];
const MAX_LONG: &str = "9223372036854775807";

/// Every topic setting of Kafka 4.3, in alphabetical order.
#[rustfmt::skip]
pub(crate) const SETTINGS: &[Setting] = &[
    Setting { name: "cleanup.policy", default: "delete", kind: Kind::ListOf(&["delete", "compact"]) },
    Setting { name: "compression.gzip.level", default: "-1", kind: Kind::Int { min: -1 } },
    Setting { name: "compression.lz4.level", default: "9", kind: Kind::Int { min: 1 } },
    Setting { name: "compression.type", default: "producer", kind: Kind::OneOf(CODECS) },
    Setting { name: "compression.zstd.level", default: "3", kind: Kind::Int { min: -131_072 } },
    Setting { name: "delete.retention.ms", default: "86400000", kind: Kind::Long { min: 0 } },
    Setting { name: "file.delete.delay.ms", default: "60000", kind: Kind::Long { min: 0 } },
    Setting { name: "flush.messages", default: MAX_LONG, kind: Kind::Long { min: 1 } },
    Setting { name: "flush.ms", default: MAX_LONG, kind: Kind::Long { min: 0 } },
    Setting { name: "follower.replication.throttled.replicas", default: "", kind: Kind::Text },
    Setting { name: "index.interval.bytes", default: "4096", kind: Kind::Int { min: 0 } },
    Setting { name: "leader.replication.throttled.replicas", default: "", kind: Kind::Text },
    Setting { name: "local.retention.bytes", default: "-2", kind: Kind::Long { min: -2 } },
    Setting { name: "local.retention.ms", default: "-2", kind: Kind::Long { min: -2 } },
    Setting { name: "max.compaction.lag.ms", default: MAX_LONG, kind: Kind::Long { min: 1 } },
    Setting { name: "max.message.bytes", default: "1048588", kind: Kind::Int { min: 0 } },
    Setting { name: "message.timestamp.after.max.ms", default: "3600000", kind: Kind::Long { min: 0 } },
    Setting { name: "message.timestamp.before.max.ms", default: MAX_LONG, kind: Kind::Long { min: 0 } },
    Setting { name: "message.timestamp.type", default: "CreateTime", kind: Kind::OneOf(&["CreateTime", "LogAppendTime"]) },
    Setting { name: "min.cleanable.dirty.ratio", default: "0.5", kind: Kind::Fraction },
    Setting { name: "min.compaction.lag.ms", default: "0", kind: Kind::Long { min: 0 } },
    Setting { name: "min.insync.replicas", default: "1", kind: Kind::Int { min: 1 } },
    Setting { name: "preallocate", default: "false", kind: Kind::Boolean },
    Setting { name: "remote.log.copy.disable", default: "false", kind: Kind::Boolean },
    Setting { name: "remote.log.delete.on.disable", default: "false", kind: Kind::Boolean },
    Setting { name: "remote.storage.enable", default: "false", kind: Kind::Boolean },
    Setting { name: "retention.bytes", default: "-1", kind: Kind::Long { min: i64::MIN } },
    Setting { name: "retention.ms", default: "604800000", kind: Kind::Long { min: -1 } },
    Setting { name: "segment.bytes", default: "1073741824", kind: Kind::Int { min: 14 } },
    Setting { name: "segment.index.bytes", default: "10485760", kind: Kind::Int { min: 4 } },
    Setting { name: "segment.jitter.ms", default: "0", kind: Kind::Long { min: 0 } },
    Setting { name: "segment.ms", default: "604800000", kind: Kind::Long { min: 1 } },
    Setting { name: "unclean.leader.election.enable", default: "false", kind: Kind::Boolean },
];

/// A topic's settings: what was set, and the values of those that matter here, parsed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TopicConfig {
    overrides: BTreeMap<&'static str, String>,
    /// `max.message.bytes`: the largest batch, as it came.
    pub(crate) max_message_bytes: usize,
    /// `message.timestamp.type` = `LogAppendTime`.
    pub(crate) log_append_time: bool,
    /// `message.timestamp.before.max.ms`.
    pub(crate) timestamp_before_max_ms: i64,
    /// `message.timestamp.after.max.ms`.
    pub(crate) timestamp_after_max_ms: i64,
    /// `cleanup.policy` has `compact`: records without a key are refused.
    pub(crate) compacted: bool,
    /// `retention.bytes`, while `cleanup.policy` has `delete`; none: keep everything.
    pub(crate) retention_bytes: Option<u64>,
    /// `unclean.leader.election.enable`: a partition may be led by a replica that is not in sync.
    pub(crate) unclean_leader_election: bool,
}

/// A setting that is not taken, with the reason in words.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum ConfigProblem {
    #[error("unknown topic config name: {0}")]
    Unknown(String),
    #[error("invalid value {value:?} for configuration {name}")]
    Invalid { name: &'static str, value: String },
}

impl TopicConfig {
    /// The same settings with more on top.
    pub(crate) fn with(&self, settings: &[(String, String)]) -> Result<Self, ConfigProblem> {
        let mut overrides = self.overrides.clone();
        for (name, value) in settings {
            let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
                return Err(ConfigProblem::Unknown(name.clone()));
            };
            if !setting.kind.accepts(value) {
                return Err(ConfigProblem::Invalid {
                    name: setting.name,
                    value: value.clone(),
                });
            }
            overrides.insert(setting.name, value.trim().to_owned());
        }
        Ok(Self::parse(overrides))
    }

    /// The value that holds for a setting, and whether it was set rather than left at Kafka's default.
    pub(crate) fn value_of<'a>(&'a self, setting: &'a Setting) -> (&'a str, bool) {
        match self.overrides.get(setting.name) {
            Some(value) => (value, true),
            None => (setting.default, false),
        }
    }

    /// `overrides` have been checked by [`Kind::accepts`], so what does not parse cannot occur and falls back.
    fn parse(overrides: BTreeMap<&'static str, String>) -> Self {
        let text = |name: &str| -> &str {
            let default = || {
                SETTINGS
                    .iter()
                    .find(|setting| setting.name == name)
                    .map_or("", |setting| setting.default)
            };
            overrides.get(name).map_or_else(default, String::as_str)
        };
        let long = |name: &str| text(name).parse::<i64>().unwrap_or(i64::MAX);
        let policy: Vec<&str> = text("cleanup.policy").split(',').map(str::trim).collect();
        let retention = u64::try_from(long("retention.bytes")).ok();
        Self {
            max_message_bytes: usize::try_from(long("max.message.bytes")).unwrap_or(usize::MAX),
            log_append_time: text("message.timestamp.type") == "LogAppendTime",
            timestamp_before_max_ms: long("message.timestamp.before.max.ms"),
            timestamp_after_max_ms: long("message.timestamp.after.max.ms"),
            compacted: policy.contains(&"compact"),
            retention_bytes: retention.filter(|_| policy.contains(&"delete")),
            unclean_leader_election: text("unclean.leader.election.enable") == "true",
            overrides,
        }
    }
}

impl Default for TopicConfig {
    fn default() -> Self {
        Self::parse(BTreeMap::new())
    }
}

impl Kind {
    pub(crate) fn accepts(self, value: &str) -> bool {
        let value = value.trim();
        match self {
            Self::Boolean => matches!(value, "true" | "false"),
            Self::Int { min } => value
                .parse::<i32>()
                .is_ok_and(|number| i64::from(number) >= min),
            Self::Long { min } => value.parse::<i64>().is_ok_and(|number| number >= min),
            Self::Fraction => value
                .parse::<f64>()
                .is_ok_and(|number| (0.0..=1.0).contains(&number)),
            Self::OneOf(values) => values.contains(&value),
            Self::ListOf(values) => value.split(',').all(|item| values.contains(&item.trim())),
            Self::Text => true,
        }
    }

    /// The number Kafka's `DescribeConfigs` has for this type.
    pub(crate) fn code(self) -> i8 {
        match self {
            Self::Boolean => 1,
            Self::OneOf(_) | Self::Text => 2,
            Self::Int { .. } => 3,
            Self::Long { .. } => 5,
            Self::Fraction => 6,
            Self::ListOf(_) => 7,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: &str) -> Result<TopicConfig, ConfigProblem> {
        TopicConfig::default().with(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn every_default_is_a_legal_value_of_its_setting() {
        for setting in SETTINGS {
            assert!(
                setting.default.is_empty() || setting.kind.accepts(setting.default),
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
        assert_eq!(
            set("retention.bytes", "7").unwrap().retention_bytes,
            Some(7)
        );
        assert_eq!(TopicConfig::default().retention_bytes, None);
        assert!(set("cleanup.policy", "compact, delete").unwrap().compacted);
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

//! Every topic setting of Kafka 4.3.

use super::kind::SettingType;

/// One topic setting as Kafka knows it.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// The broker setting that holds where a topic does not say otherwise.
    pub(crate) synonym: Option<&'static str>,
    pub(crate) default: &'static str,
    pub(crate) kind: SettingType,
}

/// The topic setting of this name.
pub(crate) fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

pub(super) const CODECS: &[&str] = &["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"];
pub(super) const MAX_LONG: &str = "9223372036854775807";

/// Every topic setting of Kafka 4.3, in alphabetical order.
#[rustfmt::skip]
pub(crate) const SETTINGS: &[Setting] = &[
    Setting { name: "cleanup.policy", synonym: Some("log.cleanup.policy"), default: "delete", kind: SettingType::ListOf(&["delete", "compact"]) },
    Setting { name: "compression.gzip.level", synonym: Some("compression.gzip.level"), default: "-1", kind: SettingType::Int { min: -1 } },
    Setting { name: "compression.lz4.level", synonym: Some("compression.lz4.level"), default: "9", kind: SettingType::Int { min: 1 } },
    Setting { name: "compression.type", synonym: Some("compression.type"), default: "producer", kind: SettingType::OneOf(CODECS) },
    Setting { name: "compression.zstd.level", synonym: Some("compression.zstd.level"), default: "3", kind: SettingType::Int { min: -131_072 } },
    Setting { name: "delete.retention.ms", synonym: Some("log.cleaner.delete.retention.ms"), default: "86400000", kind: SettingType::Long { min: 0 } },
    Setting { name: "file.delete.delay.ms", synonym: Some("log.segment.delete.delay.ms"), default: "60000", kind: SettingType::Long { min: 0 } },
    Setting { name: "flush.messages", synonym: Some("log.flush.interval.messages"), default: MAX_LONG, kind: SettingType::Long { min: 1 } },
    Setting { name: "flush.ms", synonym: Some("log.flush.interval.ms"), default: MAX_LONG, kind: SettingType::Long { min: 0 } },
    Setting { name: "follower.replication.throttled.replicas", synonym: None, default: "", kind: SettingType::List },
    Setting { name: "index.interval.bytes", synonym: Some("log.index.interval.bytes"), default: "4096", kind: SettingType::Int { min: 0 } },
    Setting { name: "leader.replication.throttled.replicas", synonym: None, default: "", kind: SettingType::List },
    Setting { name: "local.retention.bytes", synonym: Some("log.local.retention.bytes"), default: "-2", kind: SettingType::Long { min: -2 } },
    Setting { name: "local.retention.ms", synonym: Some("log.local.retention.ms"), default: "-2", kind: SettingType::Long { min: -2 } },
    Setting { name: "max.compaction.lag.ms", synonym: Some("log.cleaner.max.compaction.lag.ms"), default: MAX_LONG, kind: SettingType::Long { min: 1 } },
    Setting { name: "max.message.bytes", synonym: Some("message.max.bytes"), default: "1048588", kind: SettingType::Int { min: 0 } },
    Setting { name: "message.timestamp.after.max.ms", synonym: Some("log.message.timestamp.after.max.ms"), default: "3600000", kind: SettingType::Long { min: 0 } },
    Setting { name: "message.timestamp.before.max.ms", synonym: Some("log.message.timestamp.before.max.ms"), default: MAX_LONG, kind: SettingType::Long { min: 0 } },
    Setting { name: "message.timestamp.type", synonym: Some("log.message.timestamp.type"), default: "CreateTime", kind: SettingType::OneOf(&["CreateTime", "LogAppendTime"]) },
    Setting { name: "min.cleanable.dirty.ratio", synonym: Some("log.cleaner.min.cleanable.ratio"), default: "0.5", kind: SettingType::Fraction },
    Setting { name: "min.compaction.lag.ms", synonym: Some("log.cleaner.min.compaction.lag.ms"), default: "0", kind: SettingType::Long { min: 0 } },
    Setting { name: "min.insync.replicas", synonym: Some("min.insync.replicas"), default: "1", kind: SettingType::Int { min: 1 } },
    Setting { name: "preallocate", synonym: Some("log.preallocate"), default: "false", kind: SettingType::Boolean },
    Setting { name: "remote.log.copy.disable", synonym: None, default: "false", kind: SettingType::Boolean },
    Setting { name: "remote.log.delete.on.disable", synonym: None, default: "false", kind: SettingType::Boolean },
    Setting { name: "remote.storage.enable", synonym: None, default: "false", kind: SettingType::Boolean },
    Setting { name: "retention.bytes", synonym: Some("log.retention.bytes"), default: "-1", kind: SettingType::Long { min: i64::MIN } },
    Setting { name: "retention.ms", synonym: Some("log.retention.ms"), default: "604800000", kind: SettingType::Long { min: -1 } },
    Setting { name: "segment.bytes", synonym: Some("log.segment.bytes"), default: "1073741824", kind: SettingType::Int { min: 14 } },
    Setting { name: "segment.index.bytes", synonym: Some("log.index.size.max.bytes"), default: "10485760", kind: SettingType::Int { min: 4 } },
    Setting { name: "segment.jitter.ms", synonym: Some("log.roll.jitter.ms"), default: "0", kind: SettingType::Long { min: 0 } },
    Setting { name: "segment.ms", synonym: Some("log.roll.ms"), default: "604800000", kind: SettingType::Long { min: 1 } },
    Setting { name: "unclean.leader.election.enable", synonym: Some("unclean.leader.election.enable"), default: "false", kind: SettingType::Boolean },
];

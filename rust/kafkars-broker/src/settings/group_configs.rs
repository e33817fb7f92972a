//! Settings of single groups, as `IncrementalAlterConfigs` changes them: resource type GROUP.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::settings::SettingType;
use crate::settings::group::GroupSettings;
use crate::settings::group::milliseconds;

/// The most groups that may have settings of their own, so that altering them does not fill the memory.
const MAX_GROUPS: usize = 10_000;

/// A setting that a group can have for itself.
#[derive(Debug)]
pub(crate) struct GroupSetting {
    pub(crate) name: &'static str,
    /// The value that Kafka describes where nothing is set; the one that holds then is in `GroupSettings`.
    pub(crate) default: &'static str,
    pub(crate) kind: SettingType,
}

/// Every group setting of Kafka 4.3 but those of streams groups, in alphabetical order.
#[rustfmt::skip]
pub(crate) const GROUP_SETTINGS: &[GroupSetting] = &[
    GroupSetting { name: "consumer.assignment.interval.ms", default: "1000", kind: SettingType::Int { min: 0 } },
    GroupSetting { name: "consumer.heartbeat.interval.ms", default: "5000", kind: SettingType::Int { min: 1 } },
    GroupSetting { name: "consumer.session.timeout.ms", default: "45000", kind: SettingType::Int { min: 1 } },
    GroupSetting { name: "share.assignment.interval.ms", default: "1000", kind: SettingType::Int { min: 0 } },
    GroupSetting { name: "share.auto.offset.reset", default: "latest", kind: SettingType::Text },
    GroupSetting { name: "share.delivery.count.limit", default: "5", kind: SettingType::Int { min: 2 } },
    GroupSetting { name: "share.heartbeat.interval.ms", default: "5000", kind: SettingType::Int { min: 1 } },
    GroupSetting { name: "share.isolation.level", default: "read_uncommitted", kind: SettingType::OneOf(&["read_committed", "read_uncommitted"]) },
    GroupSetting { name: "share.partition.max.record.locks", default: "2000", kind: SettingType::Int { min: 100 } },
    GroupSetting { name: "share.record.lock.duration.ms", default: "30000", kind: SettingType::Int { min: 1000 } },
    GroupSetting { name: "share.renew.acknowledge.enable", default: "true", kind: SettingType::Boolean },
    GroupSetting { name: "share.session.timeout.ms", default: "45000", kind: SettingType::Int { min: 1 } },
];

/// The limits that the broker's settings `group.consumer.min.…`, `group.share.max.…` and so on set, by their defaults.
#[rustfmt::skip]
const LIMITS: &[(&str, i64, i64)] = &[
    ("consumer.assignment.interval.ms", 0, 15_000),
    ("consumer.heartbeat.interval.ms", SHORTEST_HEARTBEAT_MS, 15_000),
    ("consumer.session.timeout.ms", 45_000, 60_000),
    ("share.assignment.interval.ms", 0, 15_000),
    ("share.delivery.count.limit", 2, 10),
    ("share.heartbeat.interval.ms", SHORTEST_HEARTBEAT_MS, 15_000),
    ("share.partition.max.record.locks", 100, 4000),
    ("share.record.lock.duration.ms", 15_000, 60_000),
    ("share.session.timeout.ms", 45_000, 60_000),
];
/// The shortest interval in Kafka; it is lower here where the interval of all groups is.
const SHORTEST_HEARTBEAT_MS: i64 = 5000;

/// The least interval of heartbeats that a group may have, by the one that all have.
pub(crate) fn shortest_heartbeat_ms(interval: Duration) -> i64 {
    milliseconds(interval).min(SHORTEST_HEARTBEAT_MS)
}

/// The settings that groups have for themselves.
#[derive(Debug, Default)]
pub(crate) struct GroupConfigs {
    shortest_heartbeat_ms: i64,
    groups: BTreeMap<String, BTreeMap<&'static str, String>>,
}

/// A group setting that is not taken, with the reason in words.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum GroupConfigProblem {
    #[error("Unknown group config name: {0}")]
    Unknown(String),
    #[error("Invalid value {value} for configuration {name}")]
    Invalid { name: &'static str, value: String },
    #[error("{name} must be {relation} than or equal to group.{kind}.{limit}.{rest}")]
    OutOfLimits {
        name: String,
        relation: &'static str,
        kind: String,
        limit: &'static str,
        rest: String,
    },
    #[error("{MAX_GROUPS} groups have settings of their own, which is the limit")]
    TooMany,
}

impl GroupConfigs {
    pub(crate) fn new(settings: &GroupSettings) -> Self {
        let interval = settings.consumer_heartbeat_interval;
        Self {
            shortest_heartbeat_ms: shortest_heartbeat_ms(interval),
            ..Self::default()
        }
    }

    /// Checks that the limits that the brokers have for all groups allow a value.
    pub(crate) fn check_limits(&self, name: &str, value: &str) -> Result<(), GroupConfigProblem> {
        let limits = LIMITS.iter().find(|(known, ..)| *known == name);
        let (Some((_, least, most)), Ok(value)) = (limits, value.trim().parse::<i64>()) else {
            return Ok(());
        };
        let least = match *least {
            SHORTEST_HEARTBEAT_MS => self.shortest_heartbeat_ms,
            least => least,
        };
        let (relation, limit) = if value < least {
            ("greater", "min")
        } else if value > *most {
            ("less", "max")
        } else {
            return Ok(());
        };
        let (kind, rest) = name.split_once('.').unwrap_or((name, ""));
        Err(GroupConfigProblem::OutOfLimits {
            name: name.to_owned(),
            relation,
            kind: kind.to_owned(),
            limit,
            rest: rest.to_owned(),
        })
    }

    /// Checks that a setting exists and takes this value.
    pub(crate) fn check(
        name: &str,
        value: &str,
    ) -> Result<&'static GroupSetting, GroupConfigProblem> {
        let setting = GROUP_SETTINGS.iter().find(|setting| setting.name == name);
        let Some(setting) = setting else {
            return Err(GroupConfigProblem::Unknown(name.to_owned()));
        };
        let accepted = setting.kind.check(value).is_ok()
            && (name != "share.auto.offset.reset" || reset_duration_ms(value).is_ok());
        if accepted {
            Ok(setting)
        } else {
            let (name, value) = (setting.name, value.to_owned());
            Err(GroupConfigProblem::Invalid { name, value })
        }
    }

    /// Sets one setting of a group, or with none takes it back.
    pub(crate) fn set(
        &mut self,
        group: &str,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), GroupConfigProblem> {
        let Some(value) = value else {
            if let Some(settings) = self.groups.get_mut(group) {
                settings.retain(|known, _| *known != name);
                if settings.is_empty() {
                    self.groups.remove(group);
                }
            }
            return Ok(());
        };
        let setting = Self::check(name, value)?;
        if self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(group) {
            return Err(GroupConfigProblem::TooMany);
        }
        let settings = self.groups.entry(group.to_owned()).or_default();
        settings.insert(setting.name, value.trim().to_owned());
        Ok(())
    }

    /// The settings that a group has for itself.
    pub(crate) fn set_for(&self, group: &str) -> BTreeMap<String, String> {
        let settings = self.groups.get(group).into_iter().flatten();
        settings
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    }

    /// The value of a setting of a group that has been set.
    pub(crate) fn value(&self, group: &str, name: &str) -> Option<&str> {
        self.groups.get(group)?.get(name).map(String::as_str)
    }

    /// Every setting with the value that holds for a group, and whether the group has it for itself.
    pub(crate) fn of<'a>(
        &'a self,
        group: &'a str,
    ) -> impl Iterator<Item = (&'static GroupSetting, &'a str, bool)> + 'a {
        GROUP_SETTINGS.iter().map(move |setting| {
            let value = self.value(group, setting.name);
            (setting, value.unwrap_or(setting.default), value.is_some())
        })
    }

    /// The groups that have settings of their own.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str)
    }

    pub(crate) fn number(&self, group: &str, name: &str, otherwise: i64) -> i64 {
        let value = self.value(group, name);
        value
            .and_then(|value| value.parse().ok())
            .unwrap_or(otherwise)
    }

    /// A number that a group has for itself, or else Kafka's default.
    pub(crate) fn number_or_default(&self, group: &str, name: &str) -> i64 {
        let setting = GROUP_SETTINGS.iter().find(|setting| setting.name == name);
        let default = setting.and_then(|setting| setting.default.parse().ok());
        self.number(group, name, default.unwrap_or(0))
    }

    pub(crate) fn session_timeout_ms(&self, group: &str, otherwise: i64) -> i64 {
        self.number(group, "consumer.session.timeout.ms", otherwise)
    }

    pub(crate) fn heartbeat_interval_ms(&self, group: &str, otherwise: i64) -> i32 {
        let interval = self.number(group, "consumer.heartbeat.interval.ms", otherwise);
        i32::try_from(interval).unwrap_or(i32::MAX)
    }
}

/// The point where a share group begins to read, in ms before now: none at the end, [`i64::MAX`] at the beginning.
pub(crate) fn reset_duration_ms(value: &str) -> Result<Option<i64>, ()> {
    match value {
        "latest" => Ok(None),
        "earliest" => Ok(Some(i64::MAX)),
        other => match other.strip_prefix("by_duration:") {
            Some(duration) => iso_duration_ms(duration).map(Some),
            None => Err(()),
        },
    }
}

/// Reads an ISO 8601 duration of days, hours, minutes and seconds: `PnDTnHnMn.nS`.
fn iso_duration_ms(text: &str) -> Result<i64, ()> {
    let rest = text.strip_prefix('P').ok_or(())?;
    let (days, time) = rest.split_once('T').unwrap_or((rest, ""));
    let mut total = 0.0;
    for (mut part, units) in [
        (days, &[('D', 86_400.0)][..]),
        (time, &[('H', 3600.0), ('M', 60.0), ('S', 1.0)]),
    ] {
        for (unit, seconds) in units {
            if let Some((number, after)) = part.split_once(*unit) {
                total += number.parse::<f64>().map_err(|_| ())? * seconds;
                part = after;
            }
        }
        if !part.is_empty() {
            return Err(());
        }
    }
    if rest.is_empty() || !(0.0..1e12).contains(&total) {
        return Err(());
    }
    Ok((total * 1000.0) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_legal_value() {
        for setting in GROUP_SETTINGS {
            assert!(
                GroupConfigs::check(setting.name, setting.default).is_ok(),
                "{}",
                setting.name
            );
        }
    }

    #[test]
    fn settings_are_set_and_taken_back() {
        let mut configs = GroupConfigs::default();
        configs
            .set("g", "consumer.session.timeout.ms", Some("50000"))
            .unwrap();
        assert_eq!(configs.session_timeout_ms("g", 1), 50_000);
        configs
            .set("g", "consumer.session.timeout.ms", None)
            .unwrap();
        assert_eq!(configs.session_timeout_ms("g", 1), 1);
        assert_eq!(
            configs.set("g", "no.such", Some("1")),
            Err(GroupConfigProblem::Unknown("no.such".to_owned()))
        );
        assert!(
            configs
                .set("g", "share.auto.offset.reset", Some("never"))
                .is_err()
        );
    }

    #[test]
    fn values_are_within_the_limits_of_the_brokers() {
        let configs = GroupConfigs::new(&GroupSettings::default());
        let check = |name, value| {
            let checked = configs.check_limits(name, value);
            checked.map_err(|problem| problem.to_string())
        };
        for setting in GROUP_SETTINGS {
            assert_eq!(check(setting.name, setting.default), Ok(()));
        }
        assert_eq!(check("consumer.heartbeat.interval.ms", "500"), Ok(()));
        let reason = "consumer.session.timeout.ms must be greater than or equal to group.consumer.min.session.timeout.ms";
        assert_eq!(
            check("consumer.session.timeout.ms", "1000"),
            Err(reason.to_owned())
        );
        let reason = "share.partition.max.record.locks must be less than or equal to group.share.max.partition.max.record.locks";
        assert_eq!(
            check("share.partition.max.record.locks", "5000"),
            Err(reason.to_owned())
        );
    }

    #[test]
    fn durations_are_read() {
        assert_eq!(
            reset_duration_ms("by_duration:P1DT2H3M4.5S"),
            Ok(Some(93_784_500))
        );
        assert_eq!(reset_duration_ms("by_duration:PT1S"), Ok(Some(1000)));
        for bad in [
            "by_duration:",
            "by_duration:P",
            "by_duration:1S",
            "by_duration:PT-1S",
            "soon",
        ] {
            assert_eq!(reset_duration_ms(bad), Err(()), "{bad}");
        }
    }
}

//! Subscriptions of client metrics (KIP-714): kept and described. No client is asked for metrics, as by a Kafka without
//! a reporter.

use std::collections::BTreeMap;

use super::kind::SettingType;
use super::topic_table::Setting;

/// The most subscriptions there may be, so that altering them does not fill the memory.
const SUBSCRIPTIONS: usize = 1_000;

/// Every setting of a subscription.
#[rustfmt::skip]
pub(crate) const CLIENT_METRICS_SETTINGS: &[Setting] = &[
    Setting { name: "interval.ms", synonym: None, default: "300000", kind: SettingType::Int { min: 100 } },
    Setting { name: "match", synonym: None, default: "", kind: SettingType::List },
    Setting { name: "metrics", synonym: None, default: "", kind: SettingType::List },
];

/// Longest `interval.ms`.
const LONGEST_INTERVAL: i32 = 3_600_000;
/// The properties of a client that `match` can name.
const PATTERNS: &[&str] = &[
    "client_instance_id",
    "client_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
];

/// Values of a subscription.
pub(crate) type MetricsSubscription = BTreeMap<String, String>;

/// Subscriptions by name.
#[derive(Debug, Default)]
pub(crate) struct MetricsSubscriptions(BTreeMap<String, MetricsSubscription>);

/// A setting that is not taken.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum MetricsSettingProblem {
    #[error("unknown client metrics configuration: {0}")]
    Unknown(String),
    #[error("invalid value {value} for {name}: {reason}")]
    Invalid {
        name: String,
        value: String,
        reason: String,
    },
    #[error("illegal client matching pattern: {0}")]
    Pattern(String),
    #[error("there are {SUBSCRIPTIONS} subscriptions, which is the limit")]
    TooMany,
}

impl MetricsSubscriptions {
    pub(crate) fn of(&self, name: &str) -> MetricsSubscription {
        self.0.get(name).cloned().unwrap_or_default()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Refuses values that make no sense, and more subscriptions than there may be.
    pub(crate) fn check(
        &self,
        name: &str,
        values: &MetricsSubscription,
    ) -> Result<(), MetricsSettingProblem> {
        if !self.0.contains_key(name) && self.0.len() >= SUBSCRIPTIONS {
            return Err(MetricsSettingProblem::TooMany);
        }
        for (setting, value) in values {
            check(setting, value)?;
        }
        Ok(())
    }

    /// Takes what has been checked; a subscription without values is none.
    pub(crate) fn set(&mut self, name: &str, values: MetricsSubscription) {
        if values.is_empty() {
            self.0.remove(name);
        } else {
            self.0.insert(name.to_owned(), values);
        }
    }
}

fn check(name: &str, value: &str) -> Result<(), MetricsSettingProblem> {
    let known = CLIENT_METRICS_SETTINGS
        .iter()
        .find(|setting| setting.name == name);
    let setting = known.ok_or_else(|| MetricsSettingProblem::Unknown(name.to_owned()))?;
    let invalid = |reason: String| MetricsSettingProblem::Invalid {
        name: name.to_owned(),
        value: value.to_owned(),
        reason,
    };
    setting.kind.check(value).map_err(invalid)?;
    match name {
        "interval.ms"
            if value
                .parse()
                .is_ok_and(|interval: i32| interval > LONGEST_INTERVAL) =>
        {
            Err(invalid(format!("the most is {LONGEST_INTERVAL}")))
        }
        "match" => super::kind::items(value).try_for_each(|pattern| {
            let known = pattern.split_once('=').map(|(name, _)| name.trim());
            match known {
                Some(name) if PATTERNS.contains(&name) => Ok(()),
                _ => Err(MetricsSettingProblem::Pattern(pattern.to_owned())),
            }
        }),
        _ => Ok(()),
    }
}

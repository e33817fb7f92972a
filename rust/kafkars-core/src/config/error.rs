//! What is wrong with a setting.

use std::time::Duration;

/// A setting that cannot be used, with the setting's Kafka name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    /// The setting's name as the user writes it (`linger_ms`).
    pub setting: &'static str,
    /// What is wrong and what is accepted.
    pub problem: String,
}

impl ConfigError {
    /// A problem with one setting.
    pub fn new(setting: &'static str, problem: impl Into<String>) -> Self {
        Self {
            setting,
            problem: problem.into(),
        }
    }
}

/// The problem of a duration that is larger than its limit, another setting.
pub(super) fn larger(value: Duration, limit: &str, most: Duration) -> String {
    let [value, most] = [value, most].map(milliseconds);
    format!("is {value} ms, larger than {limit}={most}")
}

/// A duration as settings are written.
pub(super) fn milliseconds(of: Duration) -> f64 {
    of.as_secs_f64() * 1000.0
}

//! What is wrong with a setting.

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

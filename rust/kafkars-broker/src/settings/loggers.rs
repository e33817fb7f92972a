//! Loggers of brokers and their levels, as administrators see them. They change nothing in what is logged: this
//! broker's lines go to the loggers of the program that it is part of.

use std::collections::BTreeMap;

use kafkars_protocol::ErrorCode;

use crate::refusal::{RefusedRequest, refuse_with};

const ROOT: &str = "root";
const LEVELS: [&str; 6] = ["DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN"];

/// The loggers that the configuration names which Kafka comes with, and their levels there.
const LOGGERS: [(&str, &str); 10] = [
    (ROOT, "INFO"),
    ("kafka", "INFO"),
    ("kafka.authorizer.logger", "INFO"),
    ("kafka.network.RequestChannel$", "WARN"),
    ("kafka.request.logger", "WARN"),
    ("org.apache.kafka", "INFO"),
    ("org.apache.kafka.controller", "INFO"),
    ("org.apache.kafka.storage.internals.log.LogCleaner", "INFO"),
    (
        "org.apache.kafka.storage.internals.log.LogCleaner$CleanerThread",
        "INFO",
    ),
    ("state.change.logger", "INFO"),
];

/// The levels that were changed, by node and logger; none where a logger goes by the one above it.
#[derive(Debug, Default)]
pub(crate) struct Loggers(BTreeMap<(i32, &'static str), Option<&'static str>>);

/// A change of a logger's level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelChange {
    logger: &'static str,
    level: Option<&'static str>,
}

impl Loggers {
    /// The loggers of a node with the levels that hold for them.
    pub(crate) fn of(&self, node: i32) -> impl Iterator<Item = (&'static str, &'static str)> {
        let names = LOGGERS.iter();
        names.map(move |(logger, _)| (*logger, self.level(node, logger)))
    }

    pub(crate) fn set(&mut self, node: i32, change: LevelChange) {
        self.0.insert((node, change.logger), change.level);
    }

    /// Takes back the changes of a node, which has the levels of its configuration when it is started.
    pub(crate) fn reset(&mut self, node: i32) {
        self.0.retain(|(of, _), _| *of != node);
    }

    fn level(&self, node: i32, logger: &str) -> &'static str {
        let mut name = logger;
        loop {
            let found = LOGGERS.iter().find(|(known, _)| *known == name);
            if let Some((known, configured)) = found {
                match self.0.get(&(node, *known)) {
                    Some(Some(level)) => return level,
                    // Nothing is above the root, and its level is never taken away.
                    Some(None) if name != ROOT => {}
                    _ => return configured,
                }
            }
            name = name.rsplit_once('.').map_or(ROOT, |(above, _)| above);
        }
    }
}

impl LevelChange {
    /// Checks a change; no level takes back what a logger was set to.
    pub(crate) fn check(name: &str, level: Option<&str>) -> Result<Self, RefusedRequest> {
        let refused = |reason| refuse_with(ErrorCode::InvalidConfig, reason);
        let known = LOGGERS.iter().find(|(logger, _)| *logger == name);
        let Some((logger, _)) = known else {
            return refused(format!("Logger {name} does not exist!"));
        };
        let Some(level) = level else {
            if *logger == ROOT {
                let reason = "Removing the log level of the root logger is not allowed";
                return Err(RefusedRequest::invalid(reason));
            }
            return Ok(Self {
                logger,
                level: None,
            });
        };
        match LEVELS.into_iter().find(|known| *known == level) {
            Some(level) => Ok(Self {
                logger,
                level: Some(level),
            }),
            None => refused(format!(
                "Cannot set the log level of {name} to {level} as it is not a supported log level. Valid log levels are {}",
                LEVELS.join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(loggers: &Loggers, node: i32, name: &str) -> &'static str {
        loggers
            .of(node)
            .find(|(logger, _)| *logger == name)
            .unwrap()
            .1
    }

    #[test]
    fn a_logger_without_a_level_goes_by_the_one_above_it() {
        let mut loggers = Loggers::default();
        let change = |name, level| LevelChange::check(name, level).unwrap();
        let cleaner = "org.apache.kafka.storage.internals.log.LogCleaner";
        loggers.set(1, change(cleaner, None));
        loggers.set(1, change("org.apache.kafka", Some("TRACE")));
        assert_eq!(level(&loggers, 1, cleaner), "TRACE");
        assert_eq!(level(&loggers, 2, cleaner), "INFO");
        loggers.set(1, change("org.apache.kafka", None));
        loggers.set(1, change("root", Some("ERROR")));
        assert_eq!(level(&loggers, 1, cleaner), "ERROR");
        assert_eq!(level(&loggers, 1, "kafka"), "INFO");
        loggers.reset(1);
        assert_eq!(level(&loggers, 1, "root"), "INFO");
    }
}

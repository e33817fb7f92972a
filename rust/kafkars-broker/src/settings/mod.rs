//! Settings of topics, brokers, groups, loggers and client metrics: their names, the values they take, and where a
//! value comes from.

pub(crate) mod broker;
pub(crate) mod broker_table;
pub(crate) mod client_metrics;
pub(crate) mod group;
pub(crate) mod group_configs;
pub(crate) mod kind;
pub(crate) mod loggers;
pub(crate) mod migration;
pub(crate) mod topic;
pub(crate) mod topic_table;

pub(crate) use kind::SettingType;

/// Kafka's numbers of resource types.
pub(crate) mod resource {
    pub(crate) const TOPIC: i8 = 2;
    pub(crate) const BROKER: i8 = 4;
    pub(crate) const BROKER_LOGGER: i8 = 8;
    pub(crate) const CLIENT_METRICS: i8 = 16;
    pub(crate) const GROUP: i8 = 32;
}

/// The sources of values, in Kafka's numbers.
pub(crate) mod source {
    pub(crate) const TOPIC: i8 = 1;
    pub(crate) const DYNAMIC_BROKER: i8 = 2;
    pub(crate) const DYNAMIC_DEFAULT_BROKER: i8 = 3;
    pub(crate) const STATIC_BROKER: i8 = 4;
    pub(crate) const DEFAULT: i8 = 5;
    pub(crate) const LOGGER: i8 = 6;
    pub(crate) const CLIENT_METRICS: i8 = 7;
    pub(crate) const GROUP: i8 = 8;
}

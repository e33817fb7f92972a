//! Settings of topics, brokers and groups: reading and changing them.

use std::time::Instant;

use kafkars_protocol::Request;
use kafkars_protocol::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult,
    DescribeConfigsResponse, DescribeConfigsResult,
};
use kafkars_protocol::messages::incremental_alter_configs::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
};

use super::handle::Admin;
use super::outcome::{Outcomes, all_failed, in_order, outcome};
use super::routing::{Target, not_controller};
use super::together;
use crate::error::ClientError;

/// The kind of a resource that has configs, by its number on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfigResourceType {
    /// A topic.
    Topic = 2,
    /// A broker, by node id; the empty name stands for the default of all brokers.
    Broker = 4,
    /// Log levels of a broker, by node id.
    BrokerLogger = 8,
    /// A subscription of client metrics (KIP-714).
    ClientMetrics = 16,
    /// A group.
    Group = 32,
}

/// A resource that has configs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConfigResource {
    /// The kind of the resource.
    pub kind: ConfigResourceType,
    /// Its name.
    pub name: String,
}

/// A config entry as a broker describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEntry {
    /// Its name.
    pub name: String,
    /// Its value; `None` if the broker withholds it because it is sensitive.
    pub value: Option<String>,
    /// True if it can only be changed in the broker's configuration file.
    pub is_read_only: bool,
    /// True if its value is a secret.
    pub is_sensitive: bool,
    /// The source of the value, as a number of Kafka's `ConfigSource`.
    pub source: i8,
    /// The type of the value, as a number of Kafka's `ConfigType`.
    pub value_type: i8,
    /// The documentation, where it was asked for and the broker has it.
    pub documentation: Option<String>,
    /// The other sources that set it, in order of precedence.
    pub synonyms: Vec<ConfigSynonym>,
}

/// Another source that sets a config entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigSynonym {
    /// Its name there.
    pub name: String,
    /// Its value there.
    pub value: Option<String>,
    /// The source, as a number of Kafka's `ConfigSource`.
    pub source: i8,
}

/// An operation on a config entry, by its number on the wire (KIP-339).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigOperation {
    /// Sets a value.
    Set = 0,
    /// Resets the entry to its default.
    Delete = 1,
    /// Appends elements to a list.
    Append = 2,
    /// Removes elements from a list.
    Subtract = 3,
}

/// One change of one config entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigChange {
    /// The name of the entry.
    pub name: String,
    /// The operation.
    pub operation: ConfigOperation,
    /// The value; `None` for [`ConfigOperation::Delete`].
    pub value: Option<String>,
}

impl Admin {
    /// Describes the configs of each resource, in order of their names.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a resource that was refused has its error in its own outcome.
    pub async fn describe_configs(
        &self,
        resources: Vec<ConfigResource>,
        include_synonyms: bool,
        include_documentation: bool,
        deadline: Instant,
    ) -> Result<Outcomes<ConfigResource, Vec<ConfigEntry>>, ClientError> {
        let build = |some: &[ConfigResource]| {
            let asked = some.iter().map(|resource| DescribeConfigsResource {
                resource_type: resource.kind as i8,
                resource_name: resource.name.clone(),
                configuration_keys: None,
            });
            DescribeConfigsRequest {
                resources: asked.collect(),
                include_synonyms,
                include_documentation,
            }
        };
        let read = |response: DescribeConfigsResponse| {
            let results = response.results.into_iter();
            let told = results.map(|one| {
                let (kind, name) = (one.resource_type, one.resource_name.clone());
                ((kind, name), entries(one))
            });
            told.collect()
        };
        let parts = by_target(&resources, Target::Any);
        let answered = self.ask_parts(parts, build, |_| None, read, deadline);
        let answered = answered.await?;
        Ok(in_order(&resources, answered))
    }

    /// Changes configs; entries that are not named stay as they are. Needs Kafka 2.3.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a resource that was refused has its error in its own outcome.
    pub async fn alter_configs(
        &self,
        changes: Vec<(ConfigResource, Vec<ConfigChange>)>,
        validate_only: bool,
        deadline: Instant,
    ) -> Result<Outcomes<ConfigResource, ()>, ClientError> {
        let resources: Vec<ConfigResource> = changes
            .iter()
            .map(|(resource, _)| resource.clone())
            .collect();
        let build = |some: &[ConfigResource]| {
            let wanted = changes
                .iter()
                .filter(|(resource, _)| some.contains(resource));
            IncrementalAlterConfigsRequest {
                resources: wanted.map(alterable).collect(),
                validate_only,
            }
        };
        let refusal = |response: &IncrementalAlterConfigsResponse| {
            not_controller(response.responses.iter().map(|one| one.error_code))
        };
        let read = |response: IncrementalAlterConfigsResponse| {
            let told = response.responses.into_iter().map(|one| {
                let (kind, name) = (one.resource_type, &one.resource_name);
                let outcome = judged(kind, name, one.error_code, one.error_message);
                ((one.resource_type, one.resource_name), outcome)
            });
            told.collect()
        };
        let parts = by_target(&resources, Target::Controller);
        let answered = self.ask_parts(parts, build, refusal, read, deadline);
        let answered = answered.await?;
        Ok(in_order(&resources, answered))
    }

    /// Asks about parts of the resources at the same time. What only one broker could answer and did not fails alone;
    /// of the rest the call fails as a whole.
    async fn ask_parts<R, T>(
        &self,
        parts: Vec<(Target<'_>, Vec<ConfigResource>)>,
        build: impl Fn(&[ConfigResource]) -> R,
        refusal: fn(&R::Response) -> Option<i16>,
        read: impl Fn(R::Response) -> Vec<NamedOutcome<T>>,
        deadline: Instant,
    ) -> Result<Outcomes<ConfigResource, T>, ClientError>
    where
        R: Request + Send + Sync,
    {
        let asked = parts.into_iter().map(async |(target, some)| {
            let request = build(&some);
            let asked = self.ask(target, |_| request.clone(), refusal, deadline);
            (target, some, asked.await)
        });
        let mut answered = Vec::new();
        for (target, some, asked) in together::all(asked).await {
            match (asked, target) {
                (Ok(response), _) => {
                    for ((kind, name), outcome) in read(response) {
                        let named =
                            |one: &&ConfigResource| one.kind as i8 == kind && one.name == name;
                        if let Some(resource) = some.iter().find(named) {
                            answered.push((resource.clone(), outcome));
                        }
                    }
                }
                (Err(error), Target::Node(_)) => answered.extend(all_failed(some, &error)),
                (Err(error), _) => return Err(error),
            }
        }
        Ok(answered)
    }
}

/// What a broker tells of a resource, by the number of its kind and its name.
type NamedOutcome<T> = ((i8, String), Result<T, ClientError>);

/// Groups resources by who is asked about them: a broker about itself, `otherwise` about the rest.
fn by_target<'a>(
    resources: &[ConfigResource],
    otherwise: Target<'a>,
) -> Vec<(Target<'a>, Vec<ConfigResource>)> {
    let mut rest = Vec::new();
    let mut parts = Vec::new();
    for resource in resources {
        let own = matches!(
            resource.kind,
            ConfigResourceType::Broker | ConfigResourceType::BrokerLogger
        );
        match resource.name.parse::<i32>() {
            Ok(node) if own => parts.push((Target::Node(node), vec![resource.clone()])),
            _ => rest.push(resource.clone()),
        }
    }
    if !rest.is_empty() {
        parts.push((otherwise, rest));
    }
    parts
}

fn judged(kind: i8, name: &str, code: i16, message: Option<String>) -> Result<(), ClientError> {
    let kinds = [
        (ConfigResourceType::Broker, "broker"),
        (ConfigResourceType::BrokerLogger, "loggers of broker"),
        (ConfigResourceType::ClientMetrics, "client metrics"),
        (ConfigResourceType::Group, "group"),
    ];
    let topic = (kind == ConfigResourceType::Topic as i8).then_some(name);
    outcome(code, topic, message).map_err(|error| {
        let known = kinds.iter().find(|(known, _)| *known as i8 == kind);
        match known {
            Some((_, what)) => error.about(&format!("{what} {name:?}")),
            None => error,
        }
    })
}

fn entries(result: DescribeConfigsResult) -> Result<Vec<ConfigEntry>, ClientError> {
    let (kind, name) = (result.resource_type, &result.resource_name);
    judged(kind, name, result.error_code, result.error_message)?;
    let mut entries: Vec<ConfigEntry> = result.configs.into_iter().map(entry).collect();
    entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}

fn entry(wire: DescribeConfigsResourceResult) -> ConfigEntry {
    let synonyms = wire.synonyms.into_iter().map(|synonym| ConfigSynonym {
        name: synonym.name,
        value: synonym.value,
        source: synonym.source,
    });
    ConfigEntry {
        name: wire.name,
        value: wire.value,
        is_read_only: wire.read_only,
        is_sensitive: wire.is_sensitive,
        source: wire.config_source,
        value_type: wire.config_type,
        documentation: wire.documentation.filter(|text| !text.is_empty()),
        synonyms: synonyms.collect(),
    }
}

fn alterable((resource, changes): &(ConfigResource, Vec<ConfigChange>)) -> AlterConfigsResource {
    let change = |change: &ConfigChange| AlterableConfig {
        name: change.name.clone(),
        config_operation: change.operation as i8,
        value: change.value.clone(),
    };
    AlterConfigsResource {
        resource_type: resource.kind as i8,
        resource_name: resource.name.clone(),
        configs: changes.iter().map(change).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_broker_is_asked_for_its_own_settings() {
        let resource = |kind, name: &str| ConfigResource {
            kind,
            name: name.to_owned(),
        };
        let resources = [
            resource(ConfigResourceType::Topic, "7"),
            resource(ConfigResourceType::Broker, "2"),
            resource(ConfigResourceType::Broker, ""),
        ];
        let parts = by_target(&resources, Target::Any);
        assert_eq!(parts.len(), 2);
        assert!(matches!(parts[0].0, Target::Node(2)));
        assert!(matches!(parts[1].0, Target::Any));
        assert_eq!(parts[1].1, [resources[0].clone(), resources[2].clone()]);
    }
}

//! Changes of settings, as `AlterConfigs` and `IncrementalAlterConfigs` (KIP-339) ask for them.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::ErrorCode;

use super::Peer;
use crate::refusal::{RefusedRequest, refuse_with};
use crate::settings::broker::DYNAMIC_LIMIT;
use crate::settings::group_configs::{GroupConfigProblem, GroupConfigs};
use crate::settings::kind::items;
use crate::settings::loggers::LevelChange;
use crate::settings::topic::{self, ConfigProblem, Overrides};
use crate::settings::{broker_table, client_metrics, resource, topic_table};
use crate::state::ClusterState;
use crate::topic_name;

/// An alteration of one resource.
#[derive(Debug)]
pub(crate) struct ResourceAlteration {
    pub(crate) resource_type: i8,
    pub(crate) resource_name: String,
    /// True if what is not named goes back to its default.
    pub(crate) replaces: bool,
    pub(crate) changes: Vec<(String, SettingChange)>,
}

/// A change of one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingChange {
    Set(String),
    Delete,
    /// Adds to a list what it has not.
    Append(String),
    Subtract(String),
}

/// Checks an alteration and carries it out, unless it is only to be checked.
pub(crate) fn alter(
    peer: &Peer,
    state: &mut ClusterState,
    wanted: &ResourceAlteration,
    validate_only: bool,
) -> Result<(), RefusedRequest> {
    let mut names = BTreeSet::new();
    for (name, _) in &wanted.changes {
        if !names.insert(name) {
            return Err(RefusedRequest::invalid(
                "Error due to duplicate config keys",
            ));
        }
    }
    match wanted.resource_type {
        resource::TOPIC => alter_topic(peer, state, wanted, validate_only),
        resource::BROKER => alter_broker(peer, state, wanted, validate_only),
        resource::CLIENT_METRICS => alter_client_metrics(state, wanted, validate_only),
        resource::GROUP => alter_group(state, wanted, validate_only),
        resource::BROKER_LOGGER if !wanted.replaces => {
            alter_loggers(peer, state, wanted, validate_only)
        }
        other => Err(RefusedRequest::invalid(format!(
            "Unknown resource type {other}"
        ))),
    }
}

fn alter_topic(
    peer: &Peer,
    state: &mut ClusterState,
    wanted: &ResourceAlteration,
    validate_only: bool,
) -> Result<(), RefusedRequest> {
    let name = wanted.resource_name.as_str();
    if name.is_empty() {
        return Err(RefusedRequest::invalid(
            "Topics have no defaults of their own to alter.",
        ));
    }
    topic_name::require_legal(name)?;
    let topic = state
        .topic_mut(name)
        .ok_or(ErrorCode::UnknownTopicOrPartition)?;
    let has_zookeeper = peer.cluster.config.release.has_zookeeper();
    let refused = |problem: ConfigProblem| {
        let code = match problem {
            ConfigProblem::Invalid { .. } if has_zookeeper => ErrorCode::InvalidRequest,
            _ => ErrorCode::InvalidConfig,
        };
        RefusedRequest::new(code, problem.to_string())
    };
    let mut overrides = match wanted.replaces {
        true => Overrides::new(),
        false => topic.config.overrides().clone(),
    };
    for (name, change) in &wanted.changes {
        let setting =
            topic_table::find(name).ok_or_else(|| refused(ConfigProblem::Unknown(name.clone())))?;
        let current = overrides.get(setting.name).map(String::as_str);
        let current = current.unwrap_or_else(|| topic.config.value_of(setting));
        match changed(name, setting.kind.is_list(), current, change)? {
            Some(value) => {
                let (name, value) = topic::check(name, &value).map_err(refused)?;
                overrides.insert(name, value);
            }
            None => drop(overrides.remove(setting.name)),
        }
    }
    if !validate_only {
        let config = topic.config.replaced(overrides);
        topic.set_config(config);
    }
    Ok(())
}

/// Alters the settings of all brokers, which an empty name stands for, or of the broker that is asked.
fn alter_broker(
    peer: &Peer,
    state: &mut ClusterState,
    wanted: &ResourceAlteration,
    validate_only: bool,
) -> Result<(), RefusedRequest> {
    let node = match wanted.resource_name.as_str() {
        "" => None,
        name => Some(own_id(peer, name)?),
    };
    let mut values = match wanted.replaces {
        true => BTreeMap::new(),
        false => state.settings.dynamic(node),
    };
    for (name, change) in &wanted.changes {
        let known = broker_table::find(name);
        if known.is_some_and(|setting| !setting.dynamic) {
            let reason = format!("{name} cannot be changed while the broker runs.");
            return Err(RefusedRequest::invalid(reason));
        }
        let holds = state.settings.values(node.unwrap_or(peer.node), name);
        let current = holds.first().map_or("", |holds| holds.value.as_str());
        let is_list = known.is_some_and(|setting| setting.kind.is_list());
        let Some(value) = changed(name, is_list, current, change)? else {
            values.remove(name);
            continue;
        };
        if let Some(Err(reason)) = known.map(|setting| setting.kind.check(&value)) {
            let reason = format!("invalid value {value} for configuration {name}: {reason}");
            return Err(RefusedRequest::invalid(reason));
        }
        values.insert(name.clone(), value);
    }
    if values.len() > DYNAMIC_LIMIT {
        let reason = format!("A broker can be given {DYNAMIC_LIMIT} settings at most.");
        return Err(RefusedRequest::invalid(reason));
    }
    if !validate_only {
        state.settings.set_dynamic(node, values);
        let defaults = state.settings.topic_defaults().clone();
        for topic in state.topics_mut() {
            let config = topic.config.rebased(&defaults);
            topic.set_config(config);
        }
    }
    Ok(())
}

fn alter_loggers(
    peer: &Peer,
    state: &mut ClusterState,
    wanted: &ResourceAlteration,
    validate_only: bool,
) -> Result<(), RefusedRequest> {
    let (name, node) = (&wanted.resource_name, peer.node);
    match name.parse::<i32>() {
        Ok(id) if id == node => {}
        Ok(id) => {
            let reason = format!("Unexpected node id. Expected {node}, but received {id}");
            return Err(RefusedRequest::invalid(reason));
        }
        Err(_) => {
            let reason = format!("Node id must be an integer, but it is: {name}");
            return Err(RefusedRequest::invalid(reason));
        }
    }
    let mut changes = Vec::with_capacity(wanted.changes.len());
    for (logger, change) in &wanted.changes {
        let operation = match change {
            SettingChange::Set(level) => Ok(Some(level.as_str())),
            SettingChange::Delete => Ok(None),
            SettingChange::Append(_) => Err("APPEND"),
            SettingChange::Subtract(_) => Err("SUBTRACT"),
        };
        let level = operation.map_err(|operation| {
            let reason =
                format!("{operation} operation is not allowed for the BROKER_LOGGER resource");
            RefusedRequest::invalid(reason)
        })?;
        changes.push(LevelChange::check(logger, level)?);
    }
    if !validate_only {
        let set = |change| state.loggers.set(node, change);
        changes.into_iter().for_each(set);
    }
    Ok(())
}

fn alter_client_metrics(
    state: &mut ClusterState,
    wanted: &ResourceAlteration,
    validate_only: bool,
) -> Result<(), RefusedRequest> {
    let name = wanted.resource_name.as_str();
    if name.is_empty() {
        return Err(RefusedRequest::invalid("A subscription needs a name."));
    }
    let mut values = match wanted.replaces {
        true => BTreeMap::new(),
        false => state.client_metrics.of(name),
    };
    for (name, change) in &wanted.changes {
        let is_list = name != "interval.ms";
        let current = values.get(name).map_or("", String::as_str);
        match changed(name, is_list, current, change)? {
            Some(value) => drop(values.insert(name.clone(), value)),
            None => drop(values.remove(name)),
        }
    }
    let checked = state.client_metrics.check(name, &values);
    checked.map_err(|problem| {
        let code = match problem {
            client_metrics::MetricsSettingProblem::Pattern(_) => ErrorCode::InvalidConfig,
            _ => ErrorCode::InvalidRequest,
        };
        RefusedRequest::new(code, problem.to_string())
    })?;
    if !validate_only {
        state.client_metrics.set(name, values);
    }
    Ok(())
}

fn alter_group(
    state: &mut ClusterState,
    wanted: &ResourceAlteration,
    validate_only: bool,
) -> Result<(), RefusedRequest> {
    let group = wanted.resource_name.as_str();
    if group.is_empty() {
        return Err(RefusedRequest::invalid(
            "Groups have no defaults of their own to alter.",
        ));
    }
    let refused = |problem: GroupConfigProblem| {
        RefusedRequest::new(ErrorCode::InvalidConfig, problem.to_string())
    };
    let configs = &state.groups.configs;
    let mut values = Vec::with_capacity(wanted.changes.len());
    for (name, change) in &wanted.changes {
        let current = configs.value(group, name).unwrap_or_default();
        let value = changed(name, false, current, change)?;
        if let Some(value) = &value {
            GroupConfigs::check(name, value).map_err(refused)?;
            configs.check_limits(name, value).map_err(refused)?;
        }
        values.push((name, value));
    }
    if !validate_only {
        for (name, value) in values {
            let set = state.groups.configs.set(group, name, value.as_deref());
            set.map_err(refused)?;
        }
    }
    Ok(())
}

/// Gives the value after a change; none if the setting goes back to its default.
fn changed(
    name: &str,
    is_list: bool,
    current: &str,
    change: &SettingChange,
) -> Result<Option<String>, RefusedRequest> {
    let (adds, text) = match change {
        SettingChange::Set(value) => return Ok(Some(value.clone())),
        SettingChange::Delete => return Ok(None),
        SettingChange::Append(text) => (true, text),
        SettingChange::Subtract(text) => (false, text),
    };
    if !is_list {
        let reason = format!("{name} is no list, so nothing can be added to it or taken from it.");
        return refuse_with(ErrorCode::InvalidConfig, reason);
    }
    let mut list: Vec<&str> = items(current).collect();
    for item in items(text) {
        if !adds {
            list.retain(|other| *other != item);
        } else if !list.contains(&item) {
            list.push(item);
        }
    }
    Ok(Some(list.join(",")))
}

/// Reads the id in the name of a broker resource, which must be that of the broker that is asked.
pub(crate) fn own_id(peer: &Peer, name: &str) -> Result<i32, RefusedRequest> {
    match name.parse::<i32>() {
        Ok(id) if id == peer.node => Ok(id),
        Ok(id) => Err(RefusedRequest::invalid(format!(
            "This is broker {}; broker {id} must be asked itself.",
            peer.node
        ))),
        Err(_) => Err(RefusedRequest::invalid(format!(
            "Broker id {name:?} is no integer."
        ))),
    }
}

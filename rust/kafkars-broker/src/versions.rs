//! A broker offers APIs, each in a range of versions, by its release and its limits.

use kafkars_protocol::{ApiKey, VersionRange};

use crate::api_table::SERVED;
use crate::config::CheckedConfig;

/// The versions that are offered of every API, lowest key first.
pub(crate) fn offered(config: &CheckedConfig) -> impl Iterator<Item = (ApiKey, VersionRange)> {
    SERVED
        .iter()
        .filter_map(|api| Some((*api, versions_of(config, *api)?)))
}

pub(crate) fn is_served(config: &CheckedConfig, api: ApiKey, version: i16) -> bool {
    SERVED.contains(&api)
        && versions_of(config, api).is_some_and(|versions| versions.contains(version))
}

/// True if a cluster with ZooKeeper answers an API at its controller only. Later releases hand it on (KIP-590).
pub(crate) fn is_for_controller(api: ApiKey) -> bool {
    matches!(
        api,
        ApiKey::CreateTopics
            | ApiKey::DeleteTopics
            | ApiKey::CreatePartitions
            | ApiKey::ElectLeaders
            | ApiKey::AlterPartitionReassignments
            | ApiKey::ListPartitionReassignments
            | ApiKey::AlterUserScramCredentials
            | ApiKey::UpdateFeatures
    )
}

fn versions_of(config: &CheckedConfig, api: ApiKey) -> Option<VersionRange> {
    let highest = config.release.highest(api)?;
    let all = api.versions().intersect(VersionRange {
        min: 0,
        max: highest,
    })?;
    match config.user.api_limits.iter().find(|limit| limit.api == api) {
        Some(limit) => limit.versions?.intersect(all),
        None => Some(all),
    }
}

//! Which APIs in which versions a broker offers.

use kafkars_protocol::{ApiKey, VersionRange};

use crate::config::BrokerConfig;
use crate::handlers::SERVED;

/// What is offered of every API, lowest key first.
pub(crate) fn offered(config: &BrokerConfig) -> impl Iterator<Item = (ApiKey, VersionRange)> {
    SERVED
        .iter()
        .filter_map(|api| Some((*api, versions_of(config, *api)?)))
}

pub(crate) fn is_served(config: &BrokerConfig, api: ApiKey, version: i16) -> bool {
    SERVED.contains(&api)
        && versions_of(config, api).is_some_and(|versions| versions.contains(version))
}

fn versions_of(config: &BrokerConfig, api: ApiKey) -> Option<VersionRange> {
    let all = api.versions();
    match config.api_limits.iter().find(|limit| limit.api == api) {
        Some(limit) => limit.versions?.intersect(all),
        None => Some(all),
    }
}

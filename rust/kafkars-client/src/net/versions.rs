//! The API versions that a broker supports.

use kafkars_protocol::messages::api_versions::ApiVersionsResponse;
use kafkars_protocol::{ApiKey, Request, VersionRange};

use crate::error::AttemptError;

/// A broker's response to ApiVersions, indexed for look-ups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiVersionTable {
    /// Version ranges by API key.
    ranges: Vec<Option<VersionRange>>,
    /// Finalized features with their levels, such as `transaction.version`.
    features: Vec<(String, i16)>,
}

impl ApiVersionTable {
    pub(crate) fn new(response: &ApiVersionsResponse) -> Self {
        let mut ranges = Vec::new();
        for api in &response.api_keys {
            let Ok(key) = ApiKey::try_from(api.api_key) else {
                continue; // newer than this client, or for requests between brokers only
            };
            let index = key.as_i16() as usize;
            if ranges.len() <= index {
                ranges.resize(index + 1, None);
            }
            ranges[index] = Some(VersionRange {
                min: api.min_version,
                max: api.max_version,
            });
        }
        let features = response.finalized_features.iter();
        Self {
            ranges,
            features: features
                .map(|feature| (feature.name.clone(), feature.max_version_level))
                .collect(),
        }
    }

    /// The versions of an API that the broker supports; `None` if it does not have the API.
    #[must_use]
    pub fn range(&self, api: ApiKey) -> Option<VersionRange> {
        *self.ranges.get(api.as_i16() as usize)?
    }

    /// Every API of the broker that this client has heard of, with its versions.
    pub fn ranges(&self) -> impl Iterator<Item = (ApiKey, VersionRange)> + '_ {
        let keys = self.ranges.iter().enumerate();
        keys.filter_map(|(key, range)| Some((ApiKey::try_from(key as i16).ok()?, (*range)?)))
    }

    /// The level of a finalized feature; 0 if the broker does not have it.
    #[must_use]
    pub fn feature(&self, name: &str) -> i16 {
        let found = self.features.iter().find(|(known, _)| known == name);
        found.map_or(0, |(_, level)| *level)
    }

    /// The highest version of a request that both sides support.
    ///
    /// # Errors
    /// [`AttemptError::Unsupported`] if no version is common.
    pub fn highest<R: Request>(&self) -> Result<i16, AttemptError> {
        self.highest_up_to::<R>(i16::MAX)
    }

    /// The highest version of a request that both sides support, but not above `limit`.
    ///
    /// # Errors
    /// [`AttemptError::Unsupported`] if no version up to `limit` is common.
    pub fn highest_up_to<R: Request>(&self, limit: i16) -> Result<i16, AttemptError> {
        let theirs = self.range(R::API_KEY);
        let ours = VersionRange {
            max: R::VERSIONS.max.min(limit),
            ..R::VERSIONS
        };
        let common = theirs.and_then(|theirs| theirs.intersect(ours));
        match common {
            Some(common) => Ok(common.max),
            None => Err(AttemptError::Unsupported {
                api: R::API_KEY,
                ours: R::VERSIONS,
                theirs,
            }),
        }
    }
}

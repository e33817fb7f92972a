//! Features of the cluster and their levels (KIP-584): those that a Kafka of the release is formatted with.

use std::collections::BTreeMap;

use kafkars_protocol::ApiKey;

use crate::releases::Release;

/// One feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    /// Lowest level that the nodes support.
    pub(crate) min: i16,
    /// Highest level that the nodes support.
    pub(crate) max: i16,
    /// The level that the cluster is at; 0 is off.
    pub(crate) level: i16,
}

/// The features of a cluster.
#[derive(Debug)]
pub(crate) struct Features {
    known: Vec<Feature>,
    /// The number of changes of levels, the formatting included.
    epoch: i64,
}

/// The epoch of a cluster that was formatted and not changed since.
const FORMATTED: i64 = 1;

impl Features {
    /// The features of a release, without `streams.version` (KIP-1071): this broker has no Streams groups.
    pub(crate) fn of(release: Release) -> Self {
        let since = FEATURES.iter();
        let since = since.filter(|(since, ..)| release.is_at_least(since));
        let known = since.fold(Vec::new(), |mut found, (_, feature)| {
            found.retain(|older: &Feature| older.name != feature.name);
            found.push(*feature);
            found
        });
        Self {
            known,
            epoch: FORMATTED,
        }
    }

    /// True if they are at other levels than the cluster was formatted with, or have been.
    pub(crate) fn are_changed(&self) -> bool {
        self.epoch > FORMATTED
    }

    pub(crate) fn all(&self) -> &[Feature] {
        &self.known
    }

    pub(crate) fn epoch(&self) -> i64 {
        self.epoch
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Feature> {
        self.known.iter().find(|feature| feature.name == name)
    }

    /// True if the cluster has a feature and is at a level of it.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.find(name).is_some_and(|feature| feature.level > 0)
    }

    /// Takes a feature to another level, which has been checked.
    pub(crate) fn set(&mut self, name: &str, level: i16) {
        let mut known = self.known.iter_mut();
        if let Some(feature) = known.find(|feature| feature.name == name) {
            feature.level = level;
            self.epoch += 1;
        }
    }

    /// Puts back the levels of before a restart, as far as the nodes still support them.
    pub(crate) fn restore(&mut self, levels: &BTreeMap<String, i16>, epoch: i64) {
        for feature in &mut self.known {
            let kept = levels.get(feature.name).copied();
            let supported = kept.filter(|level| *level == 0 || feature.supports(*level));
            feature.level = supported.unwrap_or(feature.level);
        }
        self.epoch = self.epoch.max(epoch);
    }
}

impl Feature {
    pub(crate) fn supports(&self, level: i16) -> bool {
        (self.min..=self.max).contains(&level)
    }
}

/// The feature without which an API is refused, though it is offered.
pub(crate) fn that_allows(api: ApiKey) -> Option<&'static str> {
    match api {
        ApiKey::ConsumerGroupHeartbeat | ApiKey::ConsumerGroupDescribe => Some("group.version"),
        ApiKey::ShareGroupHeartbeat
        | ApiKey::ShareGroupDescribe
        | ApiKey::ShareFetch
        | ApiKey::ShareAcknowledge => Some("share.version"),
        _ => None,
    }
}

/// Each feature with the release that brought it, or brought other levels. Releases with ZooKeeper have none.
const FEATURES: &[(&str, Feature)] = &[
    ("3.3", feature("metadata.version", 1, 7, 7)),
    ("3.4", feature("metadata.version", 1, 8, 8)),
    ("3.5", feature("metadata.version", 1, 11, 11)),
    ("3.6", feature("metadata.version", 1, 14, 14)),
    ("3.7", feature("metadata.version", 1, 19, 19)),
    ("3.8", feature("metadata.version", 1, 20, 20)),
    ("3.9", feature("metadata.version", 1, 21, 21)),
    ("3.9", feature("kraft.version", 0, 1, 0)),
    ("4.0", feature("metadata.version", 7, 25, 25)),
    ("4.0", feature("group.version", 0, 1, 1)),
    ("4.0", feature("transaction.version", 0, 2, 2)),
    ("4.0", feature("eligible.leader.replicas.version", 0, 1, 0)),
    ("4.1", feature("metadata.version", 7, 27, 27)),
    ("4.1", feature("eligible.leader.replicas.version", 0, 1, 1)),
    ("4.1", feature("share.version", 0, 1, 0)),
    ("4.2", feature("metadata.version", 7, 29, 29)),
    ("4.2", feature("share.version", 0, 1, 1)),
    ("4.3", feature("metadata.version", 7, 30, 30)),
];

const fn feature(name: &'static str, min: i16, max: i16, level: i16) -> Feature {
    Feature {
        name,
        min,
        max,
        level,
    }
}

//! Features of the cluster and their levels (KIP-584), as a Kafka has them when it is formatted.

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

/// Counts the changes of levels: there has been one, when the cluster was formatted.
pub(crate) const EPOCH: i64 = 1;

/// Of a release, without those of what this broker has not: `streams.version` (KIP-1071).
pub(crate) fn of(release: Release) -> Vec<Feature> {
    FEATURES
        .iter()
        .filter(|(since, ..)| release.is_at_least(since))
        .fold(Vec::new(), |mut found, (_, feature)| {
            found.retain(|older: &Feature| older.name != feature.name);
            found.push(*feature);
            found
        })
}

/// Each with the release that brought it, or brought other levels; with ZooKeeper there are none.
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

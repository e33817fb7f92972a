//! Features of the cluster and their levels (KIP-584), as a Kafka of this version has them when it is formatted.

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

/// Of Kafka 4.3, without those of what this broker has not: `streams.version` (KIP-1071).
pub(crate) const FEATURES: &[Feature] = &[
    feature("group.version", 0, 1, 1),
    feature("kraft.version", 0, 1, 0),
    feature("metadata.version", 7, 30, 30),
    feature("share.version", 0, 1, 1),
    feature("transaction.version", 0, 2, 2),
    feature("eligible.leader.replicas.version", 0, 1, 1),
];

/// Counts the changes of levels: there has been one, when the cluster was formatted.
pub(crate) const EPOCH: i64 = 1;

const fn feature(name: &'static str, min: i16, max: i16, level: i16) -> Feature {
    Feature {
        name,
        min,
        max,
        level,
    }
}

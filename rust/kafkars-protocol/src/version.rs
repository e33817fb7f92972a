//! Ranges of message versions.

use std::fmt;

/// The versions of a message that one side supports, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionRange {
    /// Lowest version.
    pub min: i16,
    /// Highest version.
    pub max: i16,
}

impl VersionRange {
    /// True if `version` lies within the range.
    #[must_use]
    pub const fn contains(self, version: i16) -> bool {
        self.min <= version && version <= self.max
    }

    /// The versions that both ranges have; `None` if there are none.
    #[must_use]
    pub fn intersect(self, other: Self) -> Option<Self> {
        let common = Self {
            min: self.min.max(other.min),
            max: self.max.min(other.max),
        };
        (common.min <= common.max).then_some(common)
    }

    /// Every version, lowest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = i16> {
        self.min..=self.max
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} to {}", self.min, self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_meet_where_they_overlap() {
        let ours = VersionRange { min: 4, max: 18 };
        assert_eq!(
            ours.intersect(VersionRange { min: 0, max: 12 }),
            Some(VersionRange { min: 4, max: 12 })
        );
        assert_eq!(ours.intersect(VersionRange { min: 0, max: 3 }), None);
        assert_eq!(ours.intersect(VersionRange { min: 19, max: 20 }), None);
        assert!(ours.contains(4) && ours.contains(18) && !ours.contains(19) && !ours.contains(3));
    }
}

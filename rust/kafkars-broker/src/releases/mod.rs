//! Releases of Kafka that a broker can pass for: what they offer, and what they do otherwise.

use kafkars_protocol::ApiKey;

use table::{COUNT, HIGHEST, NAMES, NONE};

mod table;

/// A release of Kafka. The default is the newest, which is what this broker is modelled on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Release(usize);

impl Default for Release {
    fn default() -> Self {
        Self(COUNT - 1)
    }
}

/// Releases in which behaviour changed.
mod since {
    /// The answer to a version of `ApiVersions` that is too new names those there are (KIP-511).
    pub(super) const VERSIONS_NAMED: &str = "2.4";
    /// Nodes agree among themselves, and each hands on what only the controller may do (KIP-500, KIP-590).
    pub(super) const NO_ZOOKEEPER: &str = "3.3";
    /// Groups of KIP-848 are on unless they are turned off.
    pub(super) const CONSUMER_GROUPS: &str = "4.0";
    /// Share groups are on unless they are turned off (KIP-932).
    pub(super) const SHARE_GROUPS: &str = "4.2";
}

impl Release {
    /// The release that is called so: `"2.8"`, or one of its versions, such as `"2.8.2"`.
    pub(crate) fn named(version: &str) -> Option<Self> {
        let numeric = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        NAMES
            .iter()
            .position(|name| {
                version.strip_prefix(name).is_some_and(|rest| {
                    rest.is_empty()
                        || rest
                            .strip_prefix('.')
                            .is_some_and(|rest| rest.split('.').all(numeric))
                })
            })
            .map(Self)
    }

    /// Every release, oldest first, for messages.
    pub(crate) fn names() -> String {
        NAMES.join(", ")
    }

    /// The release's name, such as `"2.8"`.
    pub(crate) fn name(self) -> &'static str {
        NAMES[self.0.min(COUNT - 1)]
    }

    /// The highest version of an API that it offers as it comes out of the box; none where it does not know the API.
    pub(crate) fn highest(self, api: ApiKey) -> Option<i16> {
        if !self.has(api) {
            return None;
        }
        let (_, versions) = HIGHEST.iter().find(|(key, _)| *key == api)?;
        versions
            .get(self.0)
            .copied()
            .filter(|version| *version != NONE)
    }

    /// True if an old broker tells, with the refusal of a version of `ApiVersions`, which there are.
    pub(crate) fn names_versions_when_refusing(self) -> bool {
        self.is_at_least(since::VERSIONS_NAMED)
    }

    /// True if requests that change the cluster are answered NOT_CONTROLLER by all nodes but one.
    pub(crate) fn has_zookeeper(self) -> bool {
        !self.is_at_least(since::NO_ZOOKEEPER)
    }

    fn has(self, api: ApiKey) -> bool {
        let since = match api {
            ApiKey::ConsumerGroupHeartbeat | ApiKey::ConsumerGroupDescribe => {
                since::CONSUMER_GROUPS
            }
            ApiKey::ShareGroupHeartbeat
            | ApiKey::ShareGroupDescribe
            | ApiKey::ShareFetch
            | ApiKey::ShareAcknowledge
            | ApiKey::DescribeShareGroupOffsets
            | ApiKey::AlterShareGroupOffsets
            | ApiKey::DeleteShareGroupOffsets => since::SHARE_GROUPS,
            _ => return true,
        };
        self.is_at_least(since)
    }

    /// True if it is the release called so or a later one.
    pub(crate) fn is_at_least(self, name: &str) -> bool {
        Self::named(name).is_some_and(|release| self >= release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_go_by_their_names_and_those_of_their_versions() {
        for name in ["0.11", "2.8", "4.3"] {
            assert_eq!(Release::named(name).unwrap().name(), name);
            assert_eq!(Release::named(&format!("{name}.1")).unwrap().name(), name);
        }
        assert_eq!(Release::named("0.11.0.3").unwrap().name(), "0.11");
        for other in ["", "2", "2.80", "2.8.", "2.8.x", "5.0", "0.10", "4.3-rc1"] {
            assert_eq!(Release::named(other), None, "{other}");
        }
        assert_eq!(Release::default().name(), "4.3");
    }

    #[test]
    fn nothing_is_taken_back_from_one_release_to_the_next() {
        for (api, versions) in HIGHEST {
            let known = versions.iter().filter(|version| **version != NONE);
            assert!(known.is_sorted(), "{api:?}");
        }
    }

    #[test]
    fn the_newest_release_has_what_the_protocol_has() {
        for api in crate::api_table::SERVED {
            assert_eq!(
                Release::default().highest(*api),
                Some(api.versions().max),
                "{api:?}"
            );
        }
    }

    #[test]
    fn new_kinds_of_groups_came_with_the_releases_that_have_them_on() {
        let highest = |version, api| Release::named(version).unwrap().highest(api);
        assert_eq!(highest("3.9", ApiKey::ConsumerGroupHeartbeat), None);
        assert_eq!(highest("4.0", ApiKey::ConsumerGroupHeartbeat), Some(1));
        assert_eq!(highest("4.1", ApiKey::ShareFetch), None);
        assert_eq!(highest("4.2", ApiKey::ShareFetch), Some(2));
        assert_eq!(highest("0.11", ApiKey::Fetch), Some(5));
    }
}

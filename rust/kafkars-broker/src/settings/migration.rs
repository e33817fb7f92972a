//! The policy says which groups may change their protocol while they have members (KIP-848).

/// The values of `group.consumer.migration.policy`. A group without members changes in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MigrationPolicy {
    /// Both ways: upgrade and downgrade.
    #[default]
    Bidirectional,
    /// A classic group becomes a consumer group when the first member of the consumer protocol joins.
    Upgrade,
    /// A consumer group becomes a classic one when its last member of the consumer protocol leaves.
    Downgrade,
    /// Neither way; and members of the classic protocol do not join consumer groups.
    Disabled,
}

impl MigrationPolicy {
    /// Every policy, with Kafka's name for it.
    const NAMES: [(&'static str, Self); 4] = [
        ("bidirectional", Self::Bidirectional),
        ("upgrade", Self::Upgrade),
        ("downgrade", Self::Downgrade),
        ("disabled", Self::Disabled),
    ];

    /// The policy of this name, in any case of letters; none if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.into_iter();
        names.find_map(|(known, policy)| known.eq_ignore_ascii_case(name).then_some(policy))
    }

    /// Kafka's name for it.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.into_iter();
        let name = names.find_map(|(name, policy)| (policy == self).then_some(name));
        name.unwrap_or_default()
    }

    pub(crate) fn upgrades(self) -> bool {
        matches!(self, Self::Bidirectional | Self::Upgrade)
    }

    pub(crate) fn downgrades(self) -> bool {
        matches!(self, Self::Bidirectional | Self::Downgrade)
    }
}

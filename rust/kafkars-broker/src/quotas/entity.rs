//! Whom a quota is for.

use serde::{Deserialize, Serialize};

/// A user, a client id, both together, or an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(crate) struct Entity {
    pub(crate) user: Part,
    pub(crate) client_id: Part,
    pub(crate) ip: Part,
}

/// One part of an entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(crate) enum Part {
    /// The entity does not go by it.
    #[default]
    Absent,
    /// Everybody who has no quota by name.
    Default,
    Named(String),
}

impl Entity {
    pub(crate) fn new(user: Part, client_id: Part) -> Self {
        Self {
            user,
            client_id,
            ip: Part::Absent,
        }
    }

    pub(crate) fn of_address(ip: Part) -> Self {
        Self {
            ip,
            ..Self::default()
        }
    }

    /// The part that Kafka names so.
    pub(crate) fn part_mut(&mut self, kind: &str) -> Option<&mut Part> {
        match kind {
            "user" => Some(&mut self.user),
            "client-id" => Some(&mut self.client_id),
            "ip" => Some(&mut self.ip),
            _ => None,
        }
    }

    /// Its parts with Kafka's names for them.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, &Part)> {
        let parts = [
            ("user", &self.user),
            ("client-id", &self.client_id),
            ("ip", &self.ip),
        ];
        parts.into_iter().filter(|(_, part)| **part != Part::Absent)
    }
}

impl Part {
    /// The name as the wire has it: none is the default.
    pub(crate) fn from_wire(name: Option<&str>) -> Self {
        name.map_or(Self::Default, |name| Self::Named(name.to_owned()))
    }

    pub(crate) fn to_wire(&self) -> Option<String> {
        match self {
            Self::Named(name) => Some(name.clone()),
            Self::Default | Self::Absent => None,
        }
    }
}

/// The entities a client belongs to, in the order in which Kafka looks for a quota.
pub(super) fn that_hold_for(user: &str, client_id: &str) -> impl Iterator<Item = Entity> {
    let user = Part::Named(user.to_owned());
    let client_id = Part::Named(client_id.to_owned());
    [
        Entity::new(user.clone(), client_id.clone()),
        Entity::new(user.clone(), Part::Default),
        Entity::new(user, Part::Absent),
        Entity::new(Part::Default, client_id.clone()),
        Entity::new(Part::Default, Part::Default),
        Entity::new(Part::Default, Part::Absent),
        Entity::new(Part::Absent, client_id),
        Entity::new(Part::Absent, Part::Default),
    ]
    .into_iter()
}

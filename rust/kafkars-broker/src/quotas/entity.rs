//! The entity that a quota is for.

use serde::{Deserialize, Serialize};

/// A user, a client id, both together, or an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(crate) struct Entity {
    pub(crate) user: EntityPart,
    pub(crate) client_id: EntityPart,
    pub(crate) ip: EntityPart,
}

/// One part of an entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(crate) enum EntityPart {
    /// The entity does not go by this part.
    #[default]
    Absent,
    /// The quota is for everybody who has none by name.
    Default,
    Named(String),
}

impl Entity {
    pub(crate) fn new(user: EntityPart, client_id: EntityPart) -> Self {
        Self {
            user,
            client_id,
            ip: EntityPart::Absent,
        }
    }

    pub(crate) fn of_address(ip: EntityPart) -> Self {
        Self {
            ip,
            ..Self::default()
        }
    }

    /// The part that Kafka names so.
    pub(crate) fn part_mut(&mut self, kind: &str) -> Option<&mut EntityPart> {
        match kind {
            "user" => Some(&mut self.user),
            "client-id" => Some(&mut self.client_id),
            "ip" => Some(&mut self.ip),
            _ => None,
        }
    }

    /// The parts of the entity, with Kafka's names for them.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, &EntityPart)> {
        let parts = [
            ("user", &self.user),
            ("client-id", &self.client_id),
            ("ip", &self.ip),
        ];
        parts
            .into_iter()
            .filter(|(_, part)| **part != EntityPart::Absent)
    }
}

impl EntityPart {
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
    let user = EntityPart::Named(user.to_owned());
    let client_id = EntityPart::Named(client_id.to_owned());
    [
        Entity::new(user.clone(), client_id.clone()),
        Entity::new(user.clone(), EntityPart::Default),
        Entity::new(user, EntityPart::Absent),
        Entity::new(EntityPart::Default, client_id.clone()),
        Entity::new(EntityPart::Default, EntityPart::Default),
        Entity::new(EntityPart::Default, EntityPart::Absent),
        Entity::new(EntityPart::Absent, client_id),
        Entity::new(EntityPart::Absent, EntityPart::Default),
    ]
    .into_iter()
}

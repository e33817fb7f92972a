//! FindCoordinator: the broker that coordinates a group, a transactional id or a share group.

use std::sync::Arc;

use kafkars_protocol::messages::find_coordinator::{
    FindCoordinatorRequest, FindCoordinatorResponse,
};

/// From this version on a request names several keys at once (KIP-699).
const SEVERAL_KEYS_SINCE: i16 = 4;

/// What a broker coordinates, with the `key_type` that FindCoordinator has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoordinatorKind {
    /// The members and committed offsets of a group.
    Group = 0,
    /// The transactions of a transactional id.
    Transaction = 1,
    /// The state of a share group's partitions (KIP-932).
    Share = 2,
}

impl CoordinatorKind {
    /// Names what is coordinated, as in `group "g"`.
    #[must_use]
    pub fn naming(self, key: &str) -> String {
        let kind = match self {
            Self::Group => "group",
            Self::Transaction => "transactional id",
            Self::Share => "share partition",
        };
        format!("{kind} {key:?}")
    }
}

/// A search for one coordinator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindCoordinator {
    /// What it coordinates.
    pub kind: CoordinatorKind,
    /// The id of the group, the transactional id, or the key of a share partition.
    pub key: Arc<str>,
}

impl FindCoordinator {
    /// Builds the request in the shape of the version: a list of keys since version 4, one key before.
    pub fn request(&self, version: i16) -> FindCoordinatorRequest {
        let key_type = self.kind as i8;
        if version >= SEVERAL_KEYS_SINCE {
            FindCoordinatorRequest {
                key_type,
                coordinator_keys: vec![self.key.as_ref().to_owned()],
                ..FindCoordinatorRequest::default()
            }
        } else {
            FindCoordinatorRequest {
                key_type,
                key: self.key.as_ref().to_owned(),
                ..FindCoordinatorRequest::default()
            }
        }
    }

    /// Returns error code, error message and node id of a response in either shape.
    pub(crate) fn answer(response: &FindCoordinatorResponse) -> (i16, Option<Arc<str>>, i32) {
        match response.coordinators.first() {
            Some(found) => (
                found.error_code,
                found.error_message.as_deref().map(Into::into),
                found.node_id,
            ),
            None => (
                response.error_code,
                response.error_message.as_deref().map(Into::into),
                response.node_id,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: CoordinatorKind, key: &str, version: i16) -> FindCoordinatorRequest {
        let key = key.into();
        FindCoordinator { kind, key }.request(version)
    }

    #[test]
    fn old_and_new_forms_say_the_same() {
        let old = request(CoordinatorKind::Transaction, "payments", 3);
        assert_eq!((old.key.as_str(), old.key_type), ("payments", 1));
        assert!(old.coordinator_keys.is_empty());
        let new = request(CoordinatorKind::Group, "orders", 4);
        assert_eq!(new.coordinator_keys, ["orders"]);
        assert_eq!((new.key.as_str(), new.key_type), ("", 0));
    }
}

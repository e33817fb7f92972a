//! Ids of topics, clusters and members, made at random.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use kafkars_protocol::Uuid;

/// An id that no other topic or cluster has: the standard library seeds its hashers at random.
pub(crate) fn random_uuid() -> Uuid {
    let random = || RandomState::new().build_hasher().finish().to_be_bytes();
    let (high, low) = (random(), random());
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&high);
    bytes[8..].copy_from_slice(&low);
    // Never 0, which means "none", and never Kafka's reserved id 1.
    bytes[0] |= 0x40;
    Uuid(bytes)
}

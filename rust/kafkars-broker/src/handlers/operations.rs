//! The operations that a resource knows at all (KIP-430). Access control takes out of an answer what its client may not
//! do.

/// Stands in answers for operations that nobody has asked for.
pub(super) const NOT_ASKED: i32 = i32::MIN;

/// The operations, where the request asks for them.
pub(super) const fn if_asked(asked: bool, operations: i32) -> i32 {
    if asked { operations } else { NOT_ASKED }
}

/// Create, alter, describe, cluster action, describe and alter configs, idempotent write; one bit for each of Kafka's
/// codes.
pub(super) const ON_CLUSTER: i32 = bits(&[5, 7, 8, 9, 10, 11, 12]);

/// Read, write, create, delete, alter, describe, describe and alter configs.
pub(super) const ON_TOPIC: i32 = bits(&[3, 4, 5, 6, 7, 8, 10, 11]);

/// Read, delete, describe, describe and alter configs.
pub(super) const ON_GROUP: i32 = bits(&[3, 6, 8, 10, 11]);

const fn bits(codes: &[u32]) -> i32 {
    let mut bits = 0;
    let mut index = 0;
    while index < codes.len() {
        bits |= 1 << codes[index];
        index += 1;
    }
    bits
}

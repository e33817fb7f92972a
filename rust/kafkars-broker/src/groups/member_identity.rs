//! The identity of a member: its id, and the client behind it.

use crate::ids::random_uuid;

/// The client of a member, as its connection knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MemberClient {
    /// The client id of the member's requests.
    pub(crate) id: String,
    /// The client's address, as Kafka writes it: `/127.0.0.1`.
    pub(crate) host: String,
}

/// Makes the id of a member that joins: the name it gave itself and something that no other has.
pub(super) fn new_member_id(name: &str) -> String {
    let hex: String = random_uuid()
        .0
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let (a, b, c) = (&hex[..8], &hex[8..12], &hex[12..16]);
    format!("{name}-{a}-{b}-{c}-{}-{}", &hex[16..20], &hex[20..])
}

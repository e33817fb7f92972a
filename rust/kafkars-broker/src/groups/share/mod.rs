//! A share group (KIP-932): the coordinator spreads partitions over members, and members may have the same ones.
//!
//! Which records a member gets is not decided here but where the partition is led: see `shares`.

mod assignor;
mod describe;
mod group;
mod heartbeat;

#[cfg(test)]
mod tests;

pub(crate) use group::ShareGroup;
pub(crate) use heartbeat::{ShareHeartbeat, check};

//! Members say what became of records, or are gone with what they had.

use kafkars_protocol::{ErrorCode, Uuid};

use super::{Acknowledgement, SessionKey, ShareLimits};
use crate::state::State;

/// What a member says of one partition; all of it holds, or none.
pub(crate) fn acknowledge(
    state: &mut State,
    (node, group, member): &SessionKey,
    partition: (Uuid, i32),
    said: &[Acknowledgement],
    now: i64,
) -> Result<(), ErrorCode> {
    let limits = ShareLimits::of(&state.groups.configs, group);
    let (shares, log) = state.shares_and_partition(partition)?;
    if log.leader != *node {
        return Err(ErrorCode::NotLeaderOrFollower);
    }
    let found = shares.find(group, partition);
    let shared = found.ok_or(ErrorCode::UnknownTopicOrPartition)?;
    shared.advance(now, log.log.start_offset(), limits);
    shared.acknowledge(member, said, now, limits)?;
    // Somebody may wait for what was released, or for room for more in flight.
    log.waiters.wake();
    Ok(())
}

/// A session of a member has ended: others may have what it had of these partitions.
pub(crate) fn release(
    state: &mut State,
    (_, group, member): &SessionKey,
    partitions: &[(Uuid, i32)],
) {
    let limits = ShareLimits::of(&state.groups.configs, group);
    for partition in partitions {
        let Ok((shares, log)) = state.shares_and_partition(*partition) else {
            continue;
        };
        if let Some(shared) = shares.find(group, *partition)
            && shared.release_all(member, limits)
        {
            log.waiters.wake();
        }
    }
}

/// A connection is gone, and with it the sessions that were opened on it.
pub(crate) fn close_sessions(state: &mut State, connection: u64) {
    for (key, partitions) in state.shares.sessions.close_connection(connection) {
        release(state, &key, &partitions);
    }
}

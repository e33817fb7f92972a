//! Members say what became of records, or are gone with what they had.

use crate::topic::TopicIdPartition;
use kafkars_protocol::ErrorCode;

use super::{Acknowledgement, SessionKey, ShareLimits, SharedLog};

/// What a member says of one partition; all of it holds, or none.
pub(crate) fn acknowledge(
    SharedLog {
        configs,
        shares,
        log,
    }: SharedLog<'_>,
    (node, group, member): &SessionKey,
    partition: TopicIdPartition,
    said: &[Acknowledgement],
    now: i64,
) -> Result<(), ErrorCode> {
    let limits = ShareLimits::of(configs, group);
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

/// A session of a member has ended: others may have what it had of a partition.
pub(crate) fn release(
    SharedLog {
        configs,
        shares,
        log,
    }: SharedLog<'_>,
    (_, group, member): &SessionKey,
    partition: TopicIdPartition,
) {
    let limits = ShareLimits::of(configs, group);
    if let Some(shared) = shares.find(group, partition)
        && shared.release_all(member, limits)
    {
        log.waiters.wake();
    }
}

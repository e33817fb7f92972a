//! Members acknowledge records, or are gone and release what they had.

use crate::topic::TopicIdPartition;
use kafkars_protocol::ErrorCode;

use super::{SessionKey, ShareAcknowledgement, ShareLimits, SharedLog};

/// Takes the acknowledgements of a member for one partition; all of them hold, or none.
pub(crate) fn acknowledge(
    shared_log: SharedLog<'_>,
    (node, group, member): &SessionKey,
    partition: TopicIdPartition,
    said: &[ShareAcknowledgement],
    now: i64,
) -> Result<(), ErrorCode> {
    let SharedLog {
        configs,
        shares,
        log,
    } = shared_log;
    let limits = ShareLimits::of(configs, group);
    log.check_leader(*node)?;
    let found = shares.find(group, partition);
    let shared = found.ok_or(ErrorCode::UnknownTopicOrPartition)?;
    shared.advance(now, log.log.start_offset(), limits);
    shared.acknowledge(member, said, now, limits)?;
    // Somebody may wait for what was released, or for room for more in flight.
    log.waiters.wake();
    Ok(())
}

/// Lets other members have what a member had of a partition, because its session has ended.
pub(crate) fn release(
    shared_log: SharedLog<'_>,
    (_, group, member): &SessionKey,
    partition: TopicIdPartition,
) {
    let SharedLog {
        configs,
        shares,
        log,
    } = shared_log;
    let limits = ShareLimits::of(configs, group);
    if let Some(shared) = shares.find(group, partition)
        && shared.release_all(member, limits)
    {
        log.waiters.wake();
    }
}

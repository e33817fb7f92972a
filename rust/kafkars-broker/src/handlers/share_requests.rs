//! Fetches and acknowledgements of members of share groups have these steps in common.

use kafkars_protocol::ErrorCode;

use super::{Hints, Peer};
use crate::security::acl::AclOperation;
use crate::shares::acknowledging::acknowledge;
use crate::shares::{SessionKey, ShareAcknowledgement, SharedLog};
use crate::state::ClusterState;
use crate::topic::TopicIdPartition;

/// Checks that the client may read the topic; one that is not known is judged by what comes next.
pub(super) fn check_read(
    peer: &Peer,
    state: &ClusterState,
    (topic, _): TopicIdPartition,
) -> Result<(), ErrorCode> {
    match state.topic_by_id(topic) {
        Some(topic) if !peer.may_topic(AclOperation::Read, &topic.name) => {
            Err(ErrorCode::TopicAuthorizationFailed)
        }
        _ => Ok(()),
    }
}

/// The session that a request means.
pub(super) fn session_key(
    peer: &Peer,
    group: Option<&str>,
    member: Option<&str>,
) -> Result<SessionKey, ErrorCode> {
    match (group, member) {
        (Some(group), Some(member)) if !group.is_empty() && !member.is_empty() => {
            Ok((peer.node, group.to_owned(), member.to_owned()))
        }
        _ => Err(ErrorCode::InvalidRequest),
    }
}

/// Carries out what a member has said of one partition, if that could be read and the member may read the topic.
pub(super) fn carry_out(
    peer: &Peer,
    state: &mut ClusterState,
    key: &SessionKey,
    partition: TopicIdPartition,
    said: Result<Vec<ShareAcknowledgement>, ErrorCode>,
) -> Result<(), ErrorCode> {
    check_read(peer, state, partition)?;
    let (said, now) = (said?, peer.cluster.now());
    acknowledge(state.shared_log(partition)?, key, partition, &said, now)
}

/// Leader and leader epoch of a partition that was asked for elsewhere; notes the leader as a hint. None if the
/// partition is gone.
pub(super) fn leader(
    state: &mut ClusterState,
    partition: TopicIdPartition,
    hints: &mut Hints,
) -> Option<(i32, i32)> {
    let SharedLog { log, .. } = state.shared_log(partition).ok()?;
    hints.add(log.leader);
    Some((log.leader, log.leader_epoch))
}

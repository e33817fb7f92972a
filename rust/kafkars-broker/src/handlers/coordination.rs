//! Checks that a request about a group or a transactional id has come to the right place, and has it wait there.

use kafkars_protocol::ErrorCode;
use tokio::sync::oneshot;

use super::Peer;
use crate::cluster::RunningCluster;
use crate::groups::Groups;
use crate::nodes::CoordinatorType;
use crate::refusal::RefusedRequest;
use crate::topics::Topics;

/// Refuses a group without a name, and one that another node coordinates.
pub(super) fn check_group(peer: &Peer, group: &str) -> Result<(), ErrorCode> {
    if group.is_empty() {
        return Err(ErrorCode::InvalidGroupId);
    }
    if peer
        .cluster
        .coordinates(peer.node, CoordinatorType::Group, group)
    {
        Ok(())
    } else {
        Err(ErrorCode::NotCoordinator)
    }
}

/// Lets a member of a group be heard of, at its coordinator. A group without a name is left to what else is checked of
/// the request.
pub(super) fn hear<T>(
    peer: &Peer,
    group: &str,
    heartbeat: impl FnOnce(&mut Groups, &Topics<'_>, i64) -> Result<T, RefusedRequest>,
) -> Result<T, RefusedRequest> {
    if !group.is_empty() {
        check_group(peer, group)?;
    }
    let now = peer.cluster.clock.now();
    let client = peer.authorized();
    let mut state = peer.cluster.state();
    let (groups, topics) = state.groups_and_topics(client.as_ref());
    heartbeat(groups, &topics, now)
}

/// Describes each of some groups, as far as they are coordinated here.
pub(super) fn describe_each<T>(
    peer: &Peer,
    groups: &[String],
    describe: impl Fn(&mut Groups, &str, &Topics<'_>, i64) -> Result<T, RefusedRequest>,
    failure: impl Fn(&str, RefusedRequest) -> T,
) -> Vec<T> {
    let now = peer.cluster.clock.now();
    let mut state = peer.cluster.state();
    let mut each = |group: &String| {
        check_group(peer, group)?;
        let (groups, topics) = state.groups_and_topics(None);
        describe(groups, group, &topics, now)
    };
    let described = groups.iter().map(|group| (group, each(group)));
    described
        .map(|(group, described)| described.unwrap_or_else(|refused| failure(group, refused)))
        .collect()
}

/// Waits for an answer, and meanwhile lets happen in the group what its clock says: nobody else may come by to do it.
///
/// `None` when the group was dropped with the request in it.
pub(super) async fn wait<T>(
    cluster: &RunningCluster,
    group: &str,
    mut answer: oneshot::Receiver<T>,
) -> Option<T> {
    loop {
        let (deadline, changes) = {
            let mut state = cluster.state();
            state.groups.advance(group, cluster.clock.now());
            (state.groups.deadline(group), state.groups.changes())
        };
        let mut earlier = std::pin::pin!(changes.notified());
        // A change between the look at the deadline and this line is seen by looking once more.
        earlier.as_mut().enable();
        let still = cluster.state().groups.deadline(group);
        if still != deadline {
            continue;
        }
        tokio::select! {
            biased;
            answered = &mut answer => return answered.ok(),
            () = earlier => {}
            () = cluster.clock.until(deadline.unwrap_or(i64::MAX)) => {}
        }
    }
}

/// Refuses a transactional id that another node coordinates. That it must not be empty is judged later, with what goes
/// before it.
pub(super) fn check_transactional_id(peer: &Peer, id: &str) -> Result<(), ErrorCode> {
    let kind = CoordinatorType::Transaction;
    if id.is_empty() || peer.cluster.coordinates(peer.node, kind, id) {
        Ok(())
    } else {
        Err(ErrorCode::NotCoordinator)
    }
}

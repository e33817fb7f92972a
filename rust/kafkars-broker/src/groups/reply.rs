//! Answers that wait for other members of a group.

use tokio::sync::oneshot;

use crate::cluster::Cluster;

/// An answer, or the promise of one.
#[derive(Debug)]
pub(crate) enum Reply<T> {
    Now(T),
    Later(oneshot::Receiver<T>),
}

/// The place of a request that waits. Answering a client that is gone does nothing.
#[derive(Debug)]
pub(super) struct Parked<T>(oneshot::Sender<T>);

impl<T> Parked<T> {
    pub(super) fn new() -> (Self, Reply<T>) {
        let (sender, receiver) = oneshot::channel();
        (Self(sender), Reply::Later(receiver))
    }

    pub(super) fn answer(self, answer: T) {
        // Its connection was closed meanwhile: nobody is left to be told.
        drop(self.0.send(answer));
    }
}

/// Waits for an answer, and meanwhile lets happen in the group what its clock says: nobody else may come by to do it.
///
/// `None` when the group was dropped with the request in it.
pub(crate) async fn wait<T>(
    cluster: &Cluster,
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

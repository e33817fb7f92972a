//! Answers that wait for other members of a group.

use tokio::sync::oneshot;

/// The answer to a member, now or later.
#[derive(Debug)]
pub(crate) enum GroupReply<T> {
    Now(T),
    Later(oneshot::Receiver<T>),
}

/// A request that waits for its answer. Answering a client that is gone does nothing.
#[derive(Debug)]
pub(super) struct Parked<T>(oneshot::Sender<T>);

impl<T> Parked<T> {
    pub(super) fn new() -> (Self, GroupReply<T>) {
        let (sender, receiver) = oneshot::channel();
        (Self(sender), GroupReply::Later(receiver))
    }

    pub(super) fn answer(self, answer: T) {
        // Its connection was closed meanwhile: nobody is left to be told.
        drop(self.0.send(answer));
    }
}

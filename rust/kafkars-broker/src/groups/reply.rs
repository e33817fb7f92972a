//! Answers that wait for other members of a group.

use tokio::sync::oneshot;

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

//! How the thread of a call waits, and how such a call may fail.

use kafkars_core::produce::error::ProduceError;

/// How the thread of a call waits.
pub trait Blocking {
    /// What ends a wait before its time, such as a signal.
    type Interruption;

    /// Runs a future to its end on this thread.
    ///
    /// # Errors
    /// The wait was interrupted; the future is dropped.
    fn wait<F>(&self, future: F) -> Result<F::Output, Self::Interruption>
    where
        F: Future + Send,
        F::Output: Send;
}

/// Why a call that waits did not send.
#[derive(Debug)]
pub enum NotSent<I> {
    /// The record is refused, or what it needs did not come in time.
    Refused(ProduceError),
    /// The wait was interrupted.
    Interrupted(I),
}

/// Why a call that waits did not send all of its records.
#[derive(Debug)]
pub struct StoppedSend<I> {
    /// The first record that was not sent.
    pub index: usize,
    /// Why.
    pub cause: NotSent<I>,
}

//! The records of one call, wherever the caller keeps them.

use kafkars_core::produce::accumulator::ProduceRecord;

use super::send_error::SendError;

/// Records of one topic, by index.
pub trait Records {
    /// How many records there are.
    fn len(&self) -> usize;
    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Passes one record to `look`.
    fn show(&self, index: usize, look: &mut dyn FnMut(&ProduceRecord<'_>));
}

/// Why [`super::Producer::try_send_many`] stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// The index of the first record that was not accepted.
    pub index: usize,
    /// Why it was not accepted.
    pub error: SendError,
}

//! Many records of one call, wherever the caller has them.

use kafkars_core::produce::accumulator::ProduceRecord;

use super::send_error::SendError;

/// Records of one topic, by their place.
pub trait Records {
    /// How many there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Shows one record.
    fn show(&self, index: usize, look: &mut dyn FnMut(&ProduceRecord<'_>));
}

/// Why [`super::Producer::try_send_many`] stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// The first record that was not taken.
    pub index: usize,
    /// Why.
    pub error: SendError,
}

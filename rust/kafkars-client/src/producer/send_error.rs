//! Why a record is not accepted at once, and what it waits for.

use std::sync::Arc;

use kafkars_core::produce::accumulator::AppendRefusal;
use kafkars_core::produce::error::ProduceError;

/// Why [`super::Producer::try_send`] did not accept a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendError {
    /// Not yet: wait with [`super::Producer::ready`] and try again.
    NotReady(SendWait),
    /// The record cannot be sent.
    Failed(ProduceError),
}

/// What a record has to wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendWait(pub(super) Wait);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wait {
    Metadata(Arc<str>),
    Room(usize),
}

impl From<AppendRefusal> for SendError {
    fn from(refusal: AppendRefusal) -> Self {
        match refusal {
            AppendRefusal::NeedsMetadata(topic) => Self::NotReady(SendWait(Wait::Metadata(topic))),
            AppendRefusal::NeedsRoom(size) => Self::NotReady(SendWait(Wait::Room(size))),
            AppendRefusal::Failed(error) => Self::Failed(error),
        }
    }
}

impl SendWait {
    /// True if it waits for room in `buffer_memory`, false if for metadata of its topic.
    pub fn is_for_room(&self) -> bool {
        matches!(self.0, Wait::Room(_))
    }
}

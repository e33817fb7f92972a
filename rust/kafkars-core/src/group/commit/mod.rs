//! Committing offsets: the queue of commits, its requests, its errors.

mod error;
mod error_action;
mod offsets;
mod queue;
mod request;
mod unknown_topic;

pub use self::error::CommitError;
pub use self::error_action::{CommitErrorAction, error_action};
pub use self::offsets::{OffsetAndMetadata, Offsets};
pub use self::queue::{CommitId, CommitOutcome, CommitQueue, LONGEST_QUEUE};
pub use self::request::CommitCall;

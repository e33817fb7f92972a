//! Reading partitions: from a position to the records that the application gets.

pub mod buffer;
pub mod cursor;
pub mod error;
mod kept;
pub mod offset_reset;
pub mod open;
pub mod opening;
pub mod poll_wait;
pub mod position;
pub mod refusal;
pub mod response_memory;
pub mod retry;
pub mod session;

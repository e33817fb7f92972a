//! The fetch buffer of a consumer: its cursors, fetched data, fairness between partitions, the byte limit.

mod application;
mod assignment;
mod commits;
mod credit;
mod dropping;
mod fetch_buffer;
mod ledger;
mod look_ups;
mod network;
mod opening;
mod progress;
mod repeats;
mod source;
#[cfg(test)]
mod tests;
mod topic_ids;
mod troubles;
mod truncation;
mod turns;

pub use self::fetch_buffer::{CursorId, FetchBuffer};
pub use self::look_ups::LookUp;
pub use self::network::{FetchTarget, PartitionStatus};
pub use self::opening::OpenTask;
pub use self::progress::Position;
pub use self::source::LookUpSource;
pub use self::topic_ids::NotedTopics;
pub use self::truncation::{EpochEnd, Validation};

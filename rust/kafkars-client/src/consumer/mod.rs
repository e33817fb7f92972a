//! The consumer. `handle.rs` is the handle that applications hold. On the side of the network, `manager.rs` starts what
//! must run, `broker_fetcher.rs` is one fetch task for each broker, and `offsets.rs` lists offsets.

mod absent_topics;
mod arguments;
mod broker_fetcher;
mod errors;
mod fetch_answer;
mod fetch_connection;
mod group;
mod handle;
mod look_up;
mod manager;
mod offset_queries;
mod offsets;
mod opening;
mod positions;
mod reading;
mod refusal;
mod request;
mod shared;
mod truncation;
mod unread_partitions;
#[cfg(test)]
mod wake_ups;

pub use self::arguments::check_offset_to_commit;
pub use self::group::{
    Closing, ConsumerEvent, ConsumerHealth, LeaveId, Origin, PartitionTrouble, SubscriptionView,
};
pub use self::handle::{Consumer, ConsumerMetrics};
pub use self::offsets::OffsetAndTimestamp;
pub use self::positions::LastFetch;
pub use self::reading::WaitingRead;

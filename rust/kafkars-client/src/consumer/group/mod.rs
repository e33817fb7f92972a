//! Membership of a consumer group. `handle.rs` is the consumer's handle of it; `task/` is the task around
//! `kafkars_core::group`, which sends heartbeats whatever the application does; `event_queue.rs` holds the events that
//! wait for the application.

mod callback_order;
mod carry_out;
mod command;
mod commit_tracking;
mod commits;
mod committed;
pub(super) mod ending;
pub(super) mod event;
pub(super) mod event_queue;
mod events;
mod exchange;
pub(super) mod handle;
mod health;
mod leaving;
pub(super) mod offset_fetch;
mod pattern;
mod poll_watchdog;
mod subscription;
pub(super) mod task;
mod unheard_commits;

pub use self::command::Origin;
pub use self::event::{ConsumerEvent, LeaveId};
pub use self::handle::SubscriptionView;
pub use self::health::{ConsumerHealth, PartitionTrouble};
pub use self::leaving::Closing;

//! The client that producers, consumers and administration share: metadata of the cluster, and requests to its brokers.

mod any_broker;
mod any_request;
mod broker_status;
mod coordinator;
pub(crate) mod core;
mod handle;
mod missing_topics;
mod refusal;
mod requests;
mod retries;
pub(crate) mod silence;
mod topics;
mod unanswered;

pub(crate) use self::any_request::{AnyRequest, RepeatableRequest};
pub use self::broker_status::BrokerStatus;
pub(crate) use self::coordinator::finding;
pub use self::handle::Client;
pub use self::refusal::REFUSAL_CHECK_INTERVAL;
pub(crate) use self::refusal::{RefusalWatch, any_broker};
pub(crate) use self::retries::{Retries, TryFailure};
pub(crate) use self::topics::AwaitedTopics;
pub(crate) use self::unanswered::LONG;

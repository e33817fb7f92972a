//! The part of the Kafka client that does I/O: sockets and timers around the decisions of `kafkars-core`.
#![forbid(unsafe_code)]

pub mod admin;
mod application_call;
mod broker_traffic;
mod client;
mod clock;
mod consumer;
mod error;
mod first_ended;
mod metadata;
mod metrics;
pub mod net;
mod producer;
mod random_seed;
mod topic_name;

pub use application_call::{ApplicationCall, CallAttempt};
pub use broker_traffic::BrokerTraffic;
pub use client::{BrokerStatus, Client, REFUSAL_CHECK_INTERVAL};
pub use consumer::{
    Closing, Consumer, ConsumerEvent, ConsumerHealth, ConsumerMetrics, LastFetch, LeaveId,
    OffsetAndTimestamp, Origin, PartitionTrouble, SubscriptionView, WaitingRead,
    check_offset_to_commit,
};
pub use error::{
    AttemptError, BootstrapCause, BootstrapCauses, ClientError, ConnectCause, SaslFailure,
    TlsFailure, Unanswered,
};
pub use kafkars_core::cluster::{Cluster, PartitionMetadata, TopicMetadata};
pub use kafkars_core::config;
pub use kafkars_core::coordinator::CoordinatorKind;
pub use kafkars_core::error_kind::{ErrorKind, SecurityError, SecurityProblem};
pub use kafkars_core::fetch::error::FetchError;
pub use kafkars_core::fetch::open::{FetchedBatch, RecordSlice, TakenRecord};
pub use kafkars_core::fetch::position::FetchPosition;
pub use kafkars_core::group;
pub use kafkars_core::produce::accumulator::ProduceRecord;
pub use kafkars_core::produce::delivery::{BatchDelivery, Delivery, RecordMetadata, StoredAt};
pub use kafkars_core::produce::error::ProduceError;
pub use kafkars_core::produce::partition_buffer::FilledBatch;
pub use kafkars_core::transaction::{
    GroupMetadata, OffsetToCommit, TransactionCall, TransactionError,
};
pub use metrics::ClientMetrics;
pub use net::{ConnectionKind, check_tls};
pub use producer::{
    Blocking, NotSent, PendingId, PendingSend, Producer, ProducerMetrics, Records, SendError,
    SendPermit, SendWait, Stopped, StoppedSend, tell_unheard_failures,
};

pub use clock::wall_clock_ms;
pub(crate) use clock::{after, now};

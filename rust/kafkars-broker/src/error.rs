//! Why a broker could not be started or steered.

use std::io;

use kafkars_protocol::ErrorCode;

/// What [`EmbeddedBroker`](crate::EmbeddedBroker) calls can fail with.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// A setting has a value that makes no sense.
    #[error("{setting}: {reason}")]
    InvalidSetting {
        /// The field of `BrokerConfig`.
        setting: &'static str,
        /// What is wrong with the value.
        reason: String,
    },
    /// A listener could not be opened: most often the port is taken.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Host and port that were asked for.
        address: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The broker's thread or its runtime could not be made.
    #[error("cannot start the broker's thread: {0}")]
    Thread(io::Error),
    /// A topic could not be created.
    #[error("cannot create topic {topic:?}: {} ({reason})", code.name())]
    Topic {
        /// The topic.
        topic: String,
        /// What a client would have been answered.
        code: ErrorCode,
        /// The reason in words.
        reason: String,
    },
    /// No such partition.
    #[error("there is no partition {partition} of topic {topic:?}")]
    UnknownPartition {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// No such node.
    #[error("there is no node {0}")]
    UnknownNode(i32),
    /// The broker has been stopped.
    #[error("the broker is stopped")]
    Stopped,
}

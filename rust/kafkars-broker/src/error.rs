//! The errors of starting and steering a broker.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use kafkars_protocol::ErrorCode;

/// An error of a call of [`EmbeddedBroker`](crate::EmbeddedBroker).
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedBrokerError {
    /// A setting has a value that makes no sense.
    #[error("{setting}: {reason}")]
    InvalidSetting {
        /// The field of `BrokerConfig`.
        setting: &'static str,
        /// The reason why the value is refused.
        reason: String,
    },
    /// A listener could not be opened: most often the port is taken.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Host and port that were asked for.
        address: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The broker's thread or its runtime could not be made.
    #[error("cannot start the broker's thread: {0}")]
    Thread(io::Error),
    /// The directory for its data cannot be used.
    #[error("cannot use data directory {}: {reason}", path.display())]
    Storage {
        /// The directory, or the file in it.
        path: PathBuf,
        /// The reason, and what to do about it.
        reason: String,
    },
    /// A topic could not be created.
    #[error("cannot create topic {topic:?}: {} ({reason})", code.name())]
    Topic {
        /// The topic.
        topic: String,
        /// The code that a client would have been answered.
        code: ErrorCode,
        /// The reason in words.
        reason: String,
    },
    /// A user could not be made.
    #[error("cannot make user {user:?}: {} ({reason})", code.name())]
    User {
        /// The user's name.
        user: String,
        /// The code that an administrator would have been answered.
        code: ErrorCode,
        /// The reason in words.
        reason: String,
    },
    /// An access control rule makes no sense.
    #[error("cannot add the ACL: {reason}")]
    Acl {
        /// The reason why the rule is refused.
        reason: String,
    },
    /// The broker was started without access control.
    #[error("the broker has no access control: start it with `acls`")]
    NoAcls,
    /// A partition could not be compacted.
    #[error("cannot compact partition {partition} of topic {topic:?}: {reason}")]
    Compaction {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The reason why its records cannot be read.
        reason: String,
    },
    /// There is no such topic.
    #[error("there is no topic {0:?}")]
    UnknownTopic(String),
    /// There is no such partition.
    #[error("there is no partition {partition} of topic {topic:?}")]
    UnknownPartition {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// There is no such listener.
    #[error("there is no listener {0:?}")]
    UnknownListener(String),
    /// There is no such node.
    #[error("there is no node {0}")]
    UnknownNode(i32),
    /// The node does not run, so it cannot lead or coordinate.
    #[error("node {0} is stopped or was given up: start it before it can lead or coordinate")]
    NodeDown(i32),
    /// A cluster has no room for another node.
    #[error("a cluster has at most {0} nodes")]
    TooManyNodes(u16),
    /// A node that was told to stop still has work that does not end.
    #[error("the node did not end within {} s: something keeps the broker's thread busy", .0.as_secs())]
    Busy(Duration),
    /// The broker has been stopped.
    #[error("the broker is stopped")]
    Stopped,
}

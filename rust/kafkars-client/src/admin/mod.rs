//! Administration: topics, partitions, settings, groups and their offsets, access control lists, SCRAM credentials. A
//! call asks the broker that can answer, again where another try may help, and reports each thing it was asked about by
//! itself.

mod acls;
mod cluster;
mod configs;
mod elections;
mod group_offsets;
mod groups;
mod log_dirs;
mod partitions;
mod reassignments;
mod routing;
mod scram;
mod topics;
mod transactions;

use std::sync::Arc;

use kafkars_protocol::ErrorCode;

pub use self::acls::{AclBinding, AclBindingFilter};
pub use self::cluster::ClusterDescription;
pub use self::configs::{
    ConfigChange, ConfigEntry, ConfigOperation, ConfigResource, ConfigResourceType, ConfigSynonym,
};
pub use self::elections::ElectionType;
pub use self::groups::{GroupDescription, GroupListing, MemberDescription};
pub use self::log_dirs::{LogDir, LogDirReplica};
pub use self::partitions::{ListedOffset, OffsetSpec};
pub use self::reassignments::PartitionReassignment;
pub use self::scram::{ScramAlteration, ScramCredentialInfo, ScramUpsertion};
pub use self::topics::{CreatedTopic, NewPartitions, NewTopic, TopicDescription};
pub use self::transactions::{
    ActiveProducer, HangingTransaction, TransactionDescription, TransactionFilter,
    TransactionListing,
};
use crate::client::Client;
use crate::error::ClientError;

/// Asks a cluster about itself and changes it. Clones share the client.
#[derive(Debug, Clone)]
pub struct Admin {
    client: Client,
}

/// What became of each thing that was asked about, in the order asked.
pub type Outcomes<K, T> = Vec<(K, Result<T, ClientError>)>;

impl Admin {
    /// An administrator of the client's cluster. Does no I/O.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// The client underneath.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }
}

/// A code of a response as a result, with the broker's own words where it sent any.
fn outcome(code: i16, topic: Option<&str>, message: Option<String>) -> Result<(), ClientError> {
    ErrorCode::check(code).map_err(|code| ClientError::Broker {
        code,
        topic: topic.map(Arc::from),
        partition: None,
        message: message.filter(|text| !text.is_empty()).map(Arc::from),
    })
}

/// The operations that a broker says are allowed, as a bit field of Kafka's `AclOperation`; `None` where it was not
/// asked.
fn told_operations(bits: i32) -> Option<i32> {
    Some(bits).filter(|bits| *bits != i32::MIN)
}

/// The outcome of each key, in the order of `keys`; a key that the broker left out is an error, not a gap.
fn in_order<K: PartialEq + Clone, T>(keys: &[K], mut answered: Outcomes<K, T>) -> Outcomes<K, T> {
    let one = |key: &K| {
        let found = answered.iter().position(|(name, _)| name == key);
        let outcome = match found {
            Some(at) => answered.swap_remove(at).1,
            None => Err(ClientError::Attempt(crate::AttemptError::Protocol(
                "the answer leaves out something that was asked for".into(),
            ))),
        };
        (key.clone(), outcome)
    };
    keys.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_asked_and_none_is_missing() {
        let keys = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let answered = vec![("c".to_owned(), Ok(3)), ("a".to_owned(), Ok(1))];
        let ordered = in_order(&keys, answered);
        assert_eq!(ordered[0], ("a".to_owned(), Ok(1)));
        assert!(ordered[1].1.is_err());
        assert_eq!(ordered[2], ("c".to_owned(), Ok(3)));
    }
}

//! Administration: topics, partitions, configs, groups and their offsets, ACLs, SCRAM credentials. A call asks the
//! broker that can answer, retries where another try may help, and reports an outcome of its own for each resource it
//! was asked about.

mod acls;
mod cluster;
mod configs;
mod coordinated;
mod elections;
mod group_offsets;
mod groups;
mod handle;
mod lanes;
mod log_dirs;
mod outcome;
mod partitions;
mod reassignments;
mod routing;
mod scram;
mod together;
mod topics;
mod transactions;

pub use self::acls::{AclBinding, AclBindingFilter};
pub use self::cluster::ClusterDescription;
pub use self::configs::{
    ConfigChange, ConfigEntry, ConfigOperation, ConfigResource, ConfigResourceType, ConfigSynonym,
};
pub use self::elections::ElectionType;
pub use self::groups::{GroupDescription, GroupListing, MemberDescription};
pub use self::handle::Admin;
pub use self::log_dirs::{LogDir, LogDirReplica};
pub use self::outcome::Outcomes;
pub use self::partitions::{ListedOffset, OffsetSpec};
pub use self::reassignments::PartitionReassignment;
pub use self::scram::{ScramAlteration, ScramCredentialInfo, ScramUpsertion};
pub use self::topics::{CreatedTopic, NewPartitions, NewTopic, TopicDescription};
pub use self::transactions::{
    ActiveProducer, HangingTransaction, TransactionDescription, TransactionFilter,
    TransactionListing,
};

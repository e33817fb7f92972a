//! The requests, responses and failures that state machine and driver exchange.

use std::sync::Arc;

use kafkars_protocol::ApiKey;
use kafkars_protocol::messages::add_offsets_to_txn::{
    AddOffsetsToTxnRequest, AddOffsetsToTxnResponse,
};
use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnRequest, AddPartitionsToTxnResponse,
};
use kafkars_protocol::messages::end_txn::{EndTxnRequest, EndTxnResponse};
use kafkars_protocol::messages::find_coordinator::FindCoordinatorResponse;
use kafkars_protocol::messages::init_producer_id::{InitProducerIdRequest, InitProducerIdResponse};
use kafkars_protocol::messages::txn_offset_commit::{
    TxnOffsetCommitRequest, TxnOffsetCommitResponse,
};

pub use crate::coordinator::{CoordinatorKind, FindCoordinator};

/// A request that must be sent now.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatch {
    /// The broker to send it to.
    pub destination: Destination,
    /// The request.
    pub request: TransactionRequest,
    /// The highest version to use, even where both sides know a higher one: later versions of some requests mean the
    /// newer transaction protocol, or are for brokers among themselves.
    pub max_version: i16,
}

/// The broker that must answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// Any connected broker.
    AnyBroker,
    /// The broker with this node id.
    Node(i32),
}

/// The requests of transactions.
#[derive(Debug, Clone, PartialEq)]
pub enum TransactionRequest {
    /// Finds the coordinator of the transactional id or of the group.
    FindCoordinator(FindCoordinator),
    /// Gets a producer id, or the next epoch.
    InitProducerId(InitProducerIdRequest),
    /// Adds partitions to the transaction (older protocol only).
    AddPartitions(AddPartitionsToTxnRequest),
    /// Adds a group to the transaction (older protocol only).
    AddOffsets(AddOffsetsToTxnRequest),
    /// Writes the group's offsets.
    CommitOffsets(TxnOffsetCommitRequest),
    /// Commits or aborts.
    End(EndTxnRequest),
}

impl TransactionRequest {
    /// The API.
    pub fn api(&self) -> ApiKey {
        match self {
            Self::FindCoordinator(_) => ApiKey::FindCoordinator,
            Self::InitProducerId(_) => ApiKey::InitProducerId,
            Self::AddPartitions(_) => ApiKey::AddPartitionsToTxn,
            Self::AddOffsets(_) => ApiKey::AddOffsetsToTxn,
            Self::CommitOffsets(_) => ApiKey::TxnOffsetCommit,
            Self::End(_) => ApiKey::EndTxn,
        }
    }
}

/// The responses to [`TransactionRequest`].
#[derive(Debug, Clone, PartialEq)]
pub enum TransactionResponse {
    /// To [`TransactionRequest::FindCoordinator`], whichever version.
    FindCoordinator(FindCoordinatorResponse),
    /// To [`TransactionRequest::InitProducerId`].
    InitProducerId {
        /// The response.
        response: InitProducerIdResponse,
        /// The finalized feature `transaction.version` of the broker that answered, from its ApiVersions; 0 where it
        /// has none.
        transaction_version: i16,
    },
    /// To [`TransactionRequest::AddPartitions`].
    AddPartitions(AddPartitionsToTxnResponse),
    /// To [`TransactionRequest::AddOffsets`].
    AddOffsets(AddOffsetsToTxnResponse),
    /// To [`TransactionRequest::CommitOffsets`].
    CommitOffsets(TxnOffsetCommitResponse),
    /// To [`TransactionRequest::End`].
    End(EndTxnResponse),
}

/// Why a request has no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// The broker may or may not have acted, now or later: the connection broke or time ran out after something was
    /// sent.
    Indefinite {
        /// What happened.
        cause: Arc<str>,
        /// True if time ran out, false if the connection broke.
        timed_out: bool,
    },
    /// Nothing was sent: no connection, unknown node.
    NotSent {
        /// What happened.
        cause: Arc<str>,
    },
    /// No retry can help: no common version, authentication refused.
    Impossible {
        /// What is wrong.
        cause: Arc<str>,
    },
}

/// A position that a transaction commits for a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetToCommit {
    /// The topic read from.
    pub topic: Arc<str>,
    /// The partition read from.
    pub partition: i32,
    /// The next offset to read.
    pub offset: i64,
    /// Leader epoch of the last record read (KIP-320), or -1.
    pub leader_epoch: i32,
    /// Any text to keep beside the offset.
    pub metadata: Option<Arc<str>>,
}

/// The consumer's membership, so that offsets of a member that lost its partitions are refused (KIP-447).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMetadata {
    /// The group.
    pub group_id: Arc<str>,
    /// The classic generation or the member epoch of KIP-848; -1 outside of a membership.
    pub generation_id: i32,
    /// Empty outside of a membership.
    pub member_id: Arc<str>,
    /// `group_instance_id` of a static member.
    pub group_instance_id: Option<Arc<str>>,
}

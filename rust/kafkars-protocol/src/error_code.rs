//! Kafka's error codes: number, name, whether a retry can help, and description.

use std::fmt;

/// Whether a retry can help.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Retry {
    /// The same request will fail again.
    Fatal,
    /// The same request may succeed later.
    Retriable,
    /// The request may succeed after a refresh of metadata.
    Metadata,
}

macro_rules! error_codes {
    ($(($variant:ident, $code:literal, $name:literal, $retry:ident, $description:literal),)*) => {
        /// An error code of a response. Codes newer than this table are kept as they are.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = $description] $variant,)*
            /// A code that Kafka 4.3 does not have.
            Unknown(i16),
        }

        impl ErrorCode {
            /// Every code of Kafka 4.3, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The error with this number on the wire.
            #[must_use]
            pub const fn from_i16(code: i16) -> Self {
                match code {
                    $($code => Self::$variant,)*
                    other => Self::Unknown(other),
                }
            }

            /// The number on the wire.
            #[must_use]
            pub const fn code(self) -> i16 {
                match self {
                    $(Self::$variant => $code,)*
                    Self::Unknown(code) => code,
                }
            }

            /// Kafka's name, such as `NOT_LEADER_OR_FOLLOWER`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Unknown(_) => "UNKNOWN_ERROR_CODE",
                }
            }

            /// One sentence that describes the error.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$variant => $description,)*
                    Self::Unknown(_) => "The broker answered with an error code that is newer than this client.",
                }
            }

            const fn retry(self) -> Retry {
                match self {
                    $(Self::$variant => Retry::$retry,)*
                    Self::Unknown(_) => Retry::Fatal,
                }
            }
        }
    };
}

impl ErrorCode {
    /// Turns the error code of a response into a result.
    ///
    /// # Errors
    /// For every code but 0.
    pub const fn check(code: i16) -> Result<(), Self> {
        match Self::from_i16(code) {
            Self::None => Ok(()),
            error => Err(error),
        }
    }

    /// Its name and what it means, as a cause in a longer text.
    #[must_use]
    pub fn explained(self) -> String {
        format!("{}: {}", self.name(), self.description())
    }

    /// True if the same request may succeed later, by Kafka's own classification.
    #[must_use]
    pub fn retriable(self) -> bool {
        self.retry() != Retry::Fatal
    }

    /// True if the client's metadata is out of date, so that a refresh helps.
    #[must_use]
    pub fn invalid_metadata(self) -> bool {
        self.retry() == Retry::Metadata
    }

    /// True if it says that there is no such topic or partition.
    #[must_use]
    pub fn unknown_topic(self) -> bool {
        matches!(self, Self::UnknownTopicOrPartition | Self::UnknownTopicId)
    }
}

impl From<i16> for ErrorCode {
    fn from(code: i16) -> Self {
        Self::from_i16(code)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} ({}): {}",
            self.name(),
            self.code(),
            self.description()
        )
    }
}

impl std::error::Error for ErrorCode {}

error_codes! {
    (UnknownServerError, -1, "UNKNOWN_SERVER_ERROR", Fatal, "The broker failed in a way it has no code for; its log says more."),
    (None, 0, "NONE", Fatal, "No error."),
    (OffsetOutOfRange, 1, "OFFSET_OUT_OF_RANGE", Fatal, "The log does not hold that offset: it was deleted, or not written yet."),
    (CorruptMessage, 2, "CORRUPT_MESSAGE", Retriable, "The broker found the records damaged, badly formed, or without a key where compaction needs one."),
    (UnknownTopicOrPartition, 3, "UNKNOWN_TOPIC_OR_PARTITION", Metadata, "There is no such topic or partition: create it, or mend its name. Right after it was made or moved this passes."),
    (InvalidFetchSize, 4, "INVALID_FETCH_SIZE", Fatal, "The number of bytes asked for makes no sense."),
    (LeaderNotAvailable, 5, "LEADER_NOT_AVAILABLE", Metadata, "The partition has no leader at the moment; an election is under way."),
    (NotLeaderOrFollower, 6, "NOT_LEADER_OR_FOLLOWER", Metadata, "The broker asked is not the partition's leader, or not one of its replicas."),
    (RequestTimedOut, 7, "REQUEST_TIMED_OUT", Retriable, "The broker did not finish the work within the time the request allowed."),
    (BrokerNotAvailable, 8, "BROKER_NOT_AVAILABLE", Fatal, "The broker needed for this is not up."),
    (ReplicaNotAvailable, 9, "REPLICA_NOT_AVAILABLE", Metadata, "The broker asked has no usable replica of the partition."),
    (MessageTooLarge, 10, "MESSAGE_TOO_LARGE", Fatal, "A record or batch is larger than the topic allows."),
    (StaleControllerEpoch, 11, "STALE_CONTROLLER_EPOCH", Fatal, "Another controller has taken over from the one that sent this."),
    (OffsetMetadataTooLarge, 12, "OFFSET_METADATA_TOO_LARGE", Fatal, "The text stored beside an offset is longer than the broker allows."),
    (NetworkException, 13, "NETWORK_EXCEPTION", Metadata, "The connection closed before the answer came."),
    (CoordinatorLoadInProgress, 14, "COORDINATOR_LOAD_IN_PROGRESS", Retriable, "The coordinator is still loading its state."),
    (CoordinatorNotAvailable, 15, "COORDINATOR_NOT_AVAILABLE", Retriable, "There is no coordinator for this group or transaction at the moment."),
    (NotCoordinator, 16, "NOT_COORDINATOR", Retriable, "The broker asked does not coordinate this group or transaction."),
    (InvalidTopicException, 17, "INVALID_TOPIC_EXCEPTION", Fatal, "No topic can have this name, or the topic may not be used this way. Names are 1 to 249 characters of a-z, A-Z, 0-9, '.', '_' and '-'."),
    (RecordListTooLarge, 18, "RECORD_LIST_TOO_LARGE", Fatal, "The batch does not fit in one log segment of the broker."),
    (NotEnoughReplicas, 19, "NOT_ENOUGH_REPLICAS", Retriable, "Too few in-sync replicas for a write with acks=all; nothing was written."),
    (NotEnoughReplicasAfterAppend, 20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", Retriable, "The leader wrote the records, but too few replicas were in sync to confirm them."),
    (InvalidRequiredAcks, 21, "INVALID_REQUIRED_ACKS", Fatal, "The value of acks is none of 0, 1 and -1."),
    (IllegalGeneration, 22, "ILLEGAL_GENERATION", Fatal, "The group has moved on to a later generation than the member's."),
    (InconsistentGroupProtocol, 23, "INCONSISTENT_GROUP_PROTOCOL", Fatal, "The member has no assignment strategy in common with the group, or named none."),
    (InvalidGroupId, 24, "INVALID_GROUP_ID", Fatal, "The group id is empty or not valid."),
    (UnknownMemberId, 25, "UNKNOWN_MEMBER_ID", Fatal, "The coordinator does not know this member; it has to join again."),
    (InvalidSessionTimeout, 26, "INVALID_SESSION_TIMEOUT", Fatal, "The session timeout is outside what the broker allows."),
    (RebalanceInProgress, 27, "REBALANCE_IN_PROGRESS", Fatal, "The group is rebalancing; the member has to join again."),
    (InvalidCommitOffsetSize, 28, "INVALID_COMMIT_OFFSET_SIZE", Fatal, "The offsets to commit are more than one message of the offsets topic can hold."),
    (TopicAuthorizationFailed, 29, "TOPIC_AUTHORIZATION_FAILED", Fatal, "The user may not do this with the topic."),
    (GroupAuthorizationFailed, 30, "GROUP_AUTHORIZATION_FAILED", Fatal, "The user may not do this with the group."),
    (ClusterAuthorizationFailed, 31, "CLUSTER_AUTHORIZATION_FAILED", Fatal, "The user may not do this with the cluster."),
    (InvalidTimestamp, 32, "INVALID_TIMESTAMP", Fatal, "A record's timestamp is too far from the broker's clock."),
    (UnsupportedSaslMechanism, 33, "UNSUPPORTED_SASL_MECHANISM", Fatal, "The broker does not offer this SASL mechanism."),
    (IllegalSaslState, 34, "ILLEGAL_SASL_STATE", Fatal, "The request does not fit this stage of authentication."),
    (UnsupportedVersion, 35, "UNSUPPORTED_VERSION", Fatal, "The broker does not speak this version of the request."),
    (TopicAlreadyExists, 36, "TOPIC_ALREADY_EXISTS", Fatal, "A topic with this name exists already."),
    (InvalidPartitions, 37, "INVALID_PARTITIONS", Fatal, "The number of partitions is too small, or smaller than it is now."),
    (InvalidReplicationFactor, 38, "INVALID_REPLICATION_FACTOR", Fatal, "The replication factor is below one or above the number of brokers."),
    (InvalidReplicaAssignment, 39, "INVALID_REPLICA_ASSIGNMENT", Fatal, "The replicas given for the partitions do not make sense."),
    (InvalidConfig, 40, "INVALID_CONFIG", Fatal, "A configuration name or value is not valid."),
    (NotController, 41, "NOT_CONTROLLER", Retriable, "The broker asked is not the controller."),
    (InvalidRequest, 42, "INVALID_REQUEST", Fatal, "The broker could not make sense of the request."),
    (UnsupportedForMessageFormat, 43, "UNSUPPORTED_FOR_MESSAGE_FORMAT", Fatal, "The topic's old message format cannot do this."),
    (PolicyViolation, 44, "POLICY_VIOLATION", Fatal, "The cluster's own policy forbids this."),
    (OutOfOrderSequenceNumber, 45, "OUT_OF_ORDER_SEQUENCE_NUMBER", Fatal, "A batch before this one is missing on the broker, so the order would break."),
    (DuplicateSequenceNumber, 46, "DUPLICATE_SEQUENCE_NUMBER", Fatal, "The broker has already written this batch."),
    (InvalidProducerEpoch, 47, "INVALID_PRODUCER_EPOCH", Fatal, "The producer's epoch is older than the one the broker knows."),
    (InvalidTxnState, 48, "INVALID_TXN_STATE", Fatal, "The transaction is not in a state that allows this."),
    (InvalidProducerIdMapping, 49, "INVALID_PRODUCER_ID_MAPPING", Fatal, "The producer id does not belong to this transactional id, or no longer."),
    (InvalidTransactionTimeout, 50, "INVALID_TRANSACTION_TIMEOUT", Fatal, "The transaction timeout is above what the broker allows."),
    (ConcurrentTransactions, 51, "CONCURRENT_TRANSACTIONS", Retriable, "The transaction is still busy with an earlier step."),
    (TransactionCoordinatorFenced, 52, "TRANSACTION_COORDINATOR_FENCED", Fatal, "Another coordinator has taken over the transactions of this producer."),
    (TransactionalIdAuthorizationFailed, 53, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", Fatal, "The user may not use this transactional id."),
    (SecurityDisabled, 54, "SECURITY_DISABLED", Fatal, "The broker has no authorizer, so there are no permissions to show or change."),
    (OperationNotAttempted, 55, "OPERATION_NOT_ATTEMPTED", Fatal, "This part was not tried because another part of the request failed."),
    (KafkaStorageError, 56, "KAFKA_STORAGE_ERROR", Metadata, "The broker cannot read or write one of its disks."),
    (LogDirNotFound, 57, "LOG_DIR_NOT_FOUND", Fatal, "The broker has no log directory of this name."),
    (SaslAuthenticationFailed, 58, "SASL_AUTHENTICATION_FAILED", Fatal, "User name, password, token or certificate were not accepted."),
    (UnknownProducerId, 59, "UNKNOWN_PRODUCER_ID", Fatal, "The broker no longer remembers this producer, mostly because its records have expired."),
    (ReassignmentInProgress, 60, "REASSIGNMENT_IN_PROGRESS", Fatal, "The partition is already being moved."),
    (DelegationTokenAuthDisabled, 61, "DELEGATION_TOKEN_AUTH_DISABLED", Fatal, "The broker does not offer delegation tokens."),
    (DelegationTokenNotFound, 62, "DELEGATION_TOKEN_NOT_FOUND", Fatal, "The broker does not know this delegation token."),
    (DelegationTokenOwnerMismatch, 63, "DELEGATION_TOKEN_OWNER_MISMATCH", Fatal, "The user neither owns this delegation token nor may renew it."),
    (DelegationTokenRequestNotAllowed, 64, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", Fatal, "Delegation tokens cannot be asked for over this kind of connection."),
    (DelegationTokenAuthorizationFailed, 65, "DELEGATION_TOKEN_AUTHORIZATION_FAILED", Fatal, "The user may not do this with delegation tokens."),
    (DelegationTokenExpired, 66, "DELEGATION_TOKEN_EXPIRED", Fatal, "The delegation token has expired."),
    (InvalidPrincipalType, 67, "INVALID_PRINCIPAL_TYPE", Fatal, "The broker does not know this kind of principal."),
    (NonEmptyGroup, 68, "NON_EMPTY_GROUP", Fatal, "The group still has members."),
    (GroupIdNotFound, 69, "GROUP_ID_NOT_FOUND", Fatal, "There is no group of this id."),
    (FetchSessionIdNotFound, 70, "FETCH_SESSION_ID_NOT_FOUND", Retriable, "The broker has forgotten the fetch session; a new one has to be started."),
    (InvalidFetchSessionEpoch, 71, "INVALID_FETCH_SESSION_EPOCH", Retriable, "The fetch session's requests came out of order; a new one has to be started."),
    (ListenerNotFound, 72, "LISTENER_NOT_FOUND", Metadata, "The leader does not have the listener that this client uses."),
    (TopicDeletionDisabled, 73, "TOPIC_DELETION_DISABLED", Fatal, "The broker does not allow topics to be deleted."),
    (FencedLeaderEpoch, 74, "FENCED_LEADER_EPOCH", Metadata, "The leader epoch in the request is older than the broker's: there was an election."),
    (UnknownLeaderEpoch, 75, "UNKNOWN_LEADER_EPOCH", Retriable, "The leader epoch in the request is newer than the broker's, which has to catch up."),
    (UnsupportedCompressionType, 76, "UNSUPPORTED_COMPRESSION_TYPE", Fatal, "The client's version of the request cannot carry the topic's compression."),
    (StaleBrokerEpoch, 77, "STALE_BROKER_EPOCH", Fatal, "The broker has restarted since this was sent."),
    (OffsetNotAvailable, 78, "OFFSET_NOT_AVAILABLE", Retriable, "A new leader cannot say yet up to where the log is committed."),
    (MemberIdRequired, 79, "MEMBER_ID_REQUIRED", Fatal, "The member has to join again with the id the coordinator just gave it."),
    (PreferredLeaderNotAvailable, 80, "PREFERRED_LEADER_NOT_AVAILABLE", Metadata, "The replica that should lead is not available."),
    (GroupMaxSizeReached, 81, "GROUP_MAX_SIZE_REACHED", Fatal, "The group is full."),
    (FencedInstanceId, 82, "FENCED_INSTANCE_ID", Fatal, "Another member has taken over this group.instance.id."),
    (EligibleLeadersNotAvailable, 83, "ELIGIBLE_LEADERS_NOT_AVAILABLE", Metadata, "No replica that may lead is available."),
    (ElectionNotNeeded, 84, "ELECTION_NOT_NEEDED", Metadata, "The right replica is leading already."),
    (NoReassignmentInProgress, 85, "NO_REASSIGNMENT_IN_PROGRESS", Fatal, "The partition is not being moved."),
    (GroupSubscribedToTopic, 86, "GROUP_SUBSCRIBED_TO_TOPIC", Fatal, "The group is subscribed to the topic, so its offsets cannot be deleted."),
    (InvalidRecord, 87, "INVALID_RECORD", Fatal, "The broker checked the record and refuses it."),
    (UnstableOffsetCommit, 88, "UNSTABLE_OFFSET_COMMIT", Retriable, "A transaction is still deciding about these offsets."),
    (ThrottlingQuotaExceeded, 89, "THROTTLING_QUOTA_EXCEEDED", Retriable, "A quota was exceeded; the request may be sent again later."),
    (ProducerFenced, 90, "PRODUCER_FENCED", Fatal, "Another producer with the same transactional id has replaced this one."),
    (ResourceNotFound, 91, "RESOURCE_NOT_FOUND", Fatal, "What the request names does not exist."),
    (DuplicateResource, 92, "DUPLICATE_RESOURCE", Fatal, "The request names the same thing twice."),
    (UnacceptableCredential, 93, "UNACCEPTABLE_CREDENTIAL", Fatal, "The credential does not meet the broker's rules."),
    (InconsistentVoterSet, 94, "INCONSISTENT_VOTER_SET", Fatal, "The two sides disagree about who votes in the controller quorum."),
    (InvalidUpdateVersion, 95, "INVALID_UPDATE_VERSION", Fatal, "The version does not fit the state it would change."),
    (FeatureUpdateFailed, 96, "FEATURE_UPDATE_FAILED", Fatal, "The controller could not store the feature levels."),
    (PrincipalDeserializationFailure, 97, "PRINCIPAL_DESERIALIZATION_FAILURE", Fatal, "The principal of a forwarded request could not be read; the brokers' security setup differs."),
    (SnapshotNotFound, 98, "SNAPSHOT_NOT_FOUND", Fatal, "The controller has no such snapshot."),
    (PositionOutOfRange, 99, "POSITION_OUT_OF_RANGE", Fatal, "The position lies outside the snapshot."),
    (UnknownTopicId, 100, "UNKNOWN_TOPIC_ID", Metadata, "The broker does not know a topic with this id; after deletion and re-creation a topic has a new one."),
    (DuplicateBrokerRegistration, 101, "DUPLICATE_BROKER_REGISTRATION", Fatal, "Another broker is registered with this id."),
    (BrokerIdNotRegistered, 102, "BROKER_ID_NOT_REGISTERED", Fatal, "No broker is registered with this id."),
    (InconsistentTopicId, 103, "INCONSISTENT_TOPIC_ID", Metadata, "The topic's id on disk is not the one in the request."),
    (InconsistentClusterId, 104, "INCONSISTENT_CLUSTER_ID", Fatal, "The cluster is not the one that the request is meant for."),
    (TransactionalIdNotFound, 105, "TRANSACTIONAL_ID_NOT_FOUND", Fatal, "There is no such transactional id."),
    (FetchSessionTopicIdError, 106, "FETCH_SESSION_TOPIC_ID_ERROR", Retriable, "The fetch session mixed topic names and topic ids; a new one has to be started."),
    (IneligibleReplica, 107, "INELIGIBLE_REPLICA", Fatal, "A replica may not join the in-sync set."),
    (NewLeaderElected, 108, "NEW_LEADER_ELECTED", Fatal, "The change was made, and another leader was elected at the same time."),
    (OffsetMovedToTieredStorage, 109, "OFFSET_MOVED_TO_TIERED_STORAGE", Fatal, "The records at this offset are in tiered storage only."),
    (FencedMemberEpoch, 110, "FENCED_MEMBER_EPOCH", Fatal, "The coordinator has moved past the member's epoch; the member gives up its partitions and joins again."),
    (UnreleasedInstanceId, 111, "UNRELEASED_INSTANCE_ID", Fatal, "Another member still holds this group.instance.id."),
    (UnsupportedAssignor, 112, "UNSUPPORTED_ASSIGNOR", Fatal, "The group does not offer this assignor."),
    (StaleMemberEpoch, 113, "STALE_MEMBER_EPOCH", Fatal, "The member's epoch is old; it has to wait for its new one and try again."),
    (MismatchedEndpointType, 114, "MISMATCHED_ENDPOINT_TYPE", Fatal, "A request for a controller went to a broker, or the other way round."),
    (UnsupportedEndpointType, 115, "UNSUPPORTED_ENDPOINT_TYPE", Fatal, "This kind of endpoint is not supported."),
    (UnknownControllerId, 116, "UNKNOWN_CONTROLLER_ID", Fatal, "There is no controller with this id."),
    (UnknownSubscriptionId, 117, "UNKNOWN_SUBSCRIPTION_ID", Fatal, "The telemetry subscription is unknown or out of date."),
    (TelemetryTooLarge, 118, "TELEMETRY_TOO_LARGE", Fatal, "The telemetry is larger than the broker accepts."),
    (InvalidRegistration, 119, "INVALID_REGISTRATION", Fatal, "The controller refuses the broker's registration."),
    (TransactionAbortable, 120, "TRANSACTION_ABORTABLE", Fatal, "The transaction failed and can be aborted; the transactional id stays usable."),
    (InvalidRecordState, 121, "INVALID_RECORD_STATE", Fatal, "The record's state does not allow this, so the delivery was not acknowledged."),
    (ShareSessionNotFound, 122, "SHARE_SESSION_NOT_FOUND", Retriable, "The broker does not know the share session; a new one has to be started."),
    (InvalidShareSessionEpoch, 123, "INVALID_SHARE_SESSION_EPOCH", Retriable, "The share session's requests came out of order; a new one has to be started."),
    (FencedStateEpoch, 124, "FENCED_STATE_EPOCH", Fatal, "The share group's state has moved past this epoch."),
    (InvalidVoterKey, 125, "INVALID_VOTER_KEY", Fatal, "The voter's key is not that of the replica asked."),
    (DuplicateVoter, 126, "DUPLICATE_VOTER", Fatal, "The voter is in the set already."),
    (VoterNotFound, 127, "VOTER_NOT_FOUND", Fatal, "The voter is not in the set."),
    (InvalidRegularExpression, 128, "INVALID_REGULAR_EXPRESSION", Fatal, "The broker cannot parse the regular expression."),
    (RebootstrapRequired, 129, "REBOOTSTRAP_REQUIRED", Fatal, "What the client knows of the cluster is too old; it has to start again from its bootstrap servers."),
    (StreamsInvalidTopology, 130, "STREAMS_INVALID_TOPOLOGY", Fatal, "The streams topology is not valid."),
    (StreamsInvalidTopologyEpoch, 131, "STREAMS_INVALID_TOPOLOGY_EPOCH", Fatal, "The epoch of the streams topology is not valid."),
    (StreamsTopologyFenced, 132, "STREAMS_TOPOLOGY_FENCED", Fatal, "The group has a newer streams topology."),
    (ShareSessionLimitReached, 133, "SHARE_SESSION_LIMIT_REACHED", Retriable, "The broker has as many share sessions as it allows."),
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_code_is_there_once_and_in_order() {
        let codes: Vec<i16> = ErrorCode::ALL.iter().map(|error| error.code()).collect();
        assert_eq!(codes, (-1..=133).collect::<Vec<_>>());
        let names: HashSet<&str> = ErrorCode::ALL.iter().map(|error| error.name()).collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
        for error in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_i16(error.code()), *error);
            assert!(error.description().ends_with('.'), "{error}");
        }
    }

    #[test]
    fn names_are_the_variants_in_capitals() {
        for error in ErrorCode::ALL {
            let joined: String = error.name().split('_').collect();
            assert_eq!(joined, format!("{error:?}").to_uppercase());
        }
    }

    #[test]
    fn unknown_codes_are_kept() {
        for code in [-2, 134, i16::MIN, i16::MAX] {
            let error = ErrorCode::from_i16(code);
            assert_eq!(error, ErrorCode::Unknown(code));
            assert_eq!(error.code(), code);
            assert!(!error.retriable());
        }
    }

    #[test]
    fn a_new_leader_asks_for_metadata_and_a_quota_for_patience() {
        assert!(ErrorCode::NotLeaderOrFollower.invalid_metadata());
        assert!(ErrorCode::NotLeaderOrFollower.retriable());
        assert!(ErrorCode::ThrottlingQuotaExceeded.retriable());
        assert!(!ErrorCode::ThrottlingQuotaExceeded.invalid_metadata());
        assert!(!ErrorCode::MessageTooLarge.retriable());
    }

    #[test]
    fn zero_is_success() {
        assert_eq!(ErrorCode::check(0), Ok(()));
        assert_eq!(ErrorCode::check(6), Err(ErrorCode::NotLeaderOrFollower));
    }
}

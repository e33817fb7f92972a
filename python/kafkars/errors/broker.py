"""A class for every error a broker can answer with.

The facts (numbers, names, what may be retried) are Kafka's own table of error codes; a test compares them with the
table the native client uses.
"""

from __future__ import annotations

from kafkars.errors.base import AuthenticationError, AuthorizationError, BrokerError


class UnknownServerError(BrokerError):
    """The broker failed in a way it has no code for; its log says more."""

    code = -1
    name = "UNKNOWN_SERVER_ERROR"


class OffsetOutOfRangeError(BrokerError):
    """The log does not hold that offset: it was deleted, or not written yet."""

    code = 1
    name = "OFFSET_OUT_OF_RANGE"


class CorruptMessageError(BrokerError):
    """The broker found the records damaged, badly formed, or without a key where compaction needs one."""

    code = 2
    name = "CORRUPT_MESSAGE"
    retriable = True


class UnknownTopicOrPartitionError(BrokerError):
    """There is no such topic or partition: create it, or mend its name. Right after it was made or moved this
    passes.
    """

    code = 3
    name = "UNKNOWN_TOPIC_OR_PARTITION"
    retriable = True


class InvalidFetchSizeError(BrokerError):
    """The number of bytes asked for makes no sense."""

    code = 4
    name = "INVALID_FETCH_SIZE"


class LeaderNotAvailableError(BrokerError):
    """The partition has no leader at the moment; an election is under way."""

    code = 5
    name = "LEADER_NOT_AVAILABLE"
    retriable = True


class NotLeaderOrFollowerError(BrokerError):
    """The broker asked is not the partition's leader, or not one of its replicas."""

    code = 6
    name = "NOT_LEADER_OR_FOLLOWER"
    retriable = True


class RequestTimedOutError(BrokerError):
    """The broker did not finish the work within the time the request allowed."""

    code = 7
    name = "REQUEST_TIMED_OUT"
    retriable = True


class BrokerNotAvailableError(BrokerError):
    """The broker needed for this is not up."""

    code = 8
    name = "BROKER_NOT_AVAILABLE"


class ReplicaNotAvailableError(BrokerError):
    """The broker asked has no usable replica of the partition."""

    code = 9
    name = "REPLICA_NOT_AVAILABLE"
    retriable = True


class MessageTooLargeError(BrokerError):
    """A record or batch is larger than the topic allows."""

    code = 10
    name = "MESSAGE_TOO_LARGE"


class StaleControllerEpochError(BrokerError):
    """Another controller has taken over from the one that sent this."""

    code = 11
    name = "STALE_CONTROLLER_EPOCH"


class OffsetMetadataTooLargeError(BrokerError):
    """The text stored beside an offset is longer than the broker allows."""

    code = 12
    name = "OFFSET_METADATA_TOO_LARGE"


class NetworkError(BrokerError):
    """The connection closed before the answer came."""

    code = 13
    name = "NETWORK_EXCEPTION"
    retriable = True


class CoordinatorLoadInProgressError(BrokerError):
    """The coordinator is still loading its state."""

    code = 14
    name = "COORDINATOR_LOAD_IN_PROGRESS"
    retriable = True


class CoordinatorNotAvailableError(BrokerError):
    """There is no coordinator for this group or transaction at the moment."""

    code = 15
    name = "COORDINATOR_NOT_AVAILABLE"
    retriable = True


class NotCoordinatorError(BrokerError):
    """The broker asked does not coordinate this group or transaction."""

    code = 16
    name = "NOT_COORDINATOR"
    retriable = True


class InvalidTopicError(BrokerError):
    """No topic can have this name, or the topic may not be used this way. Names are 1 to 249 characters of a-z, A-Z,
    0-9, '.', '_' and '-'.
    """

    code = 17
    name = "INVALID_TOPIC_EXCEPTION"


class RecordListTooLargeError(BrokerError):
    """The batch does not fit in one log segment of the broker."""

    code = 18
    name = "RECORD_LIST_TOO_LARGE"


class NotEnoughReplicasError(BrokerError):
    """Too few in-sync replicas for a write with acks=all; nothing was written."""

    code = 19
    name = "NOT_ENOUGH_REPLICAS"
    retriable = True


class NotEnoughReplicasAfterAppendError(BrokerError):
    """The leader wrote the records, but too few replicas were in sync to confirm them."""

    code = 20
    name = "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
    retriable = True


class InvalidRequiredAcksError(BrokerError):
    """The value of acks is none of 0, 1 and -1."""

    code = 21
    name = "INVALID_REQUIRED_ACKS"


class IllegalGenerationError(BrokerError):
    """The group has moved on to a later generation than the member's."""

    code = 22
    name = "ILLEGAL_GENERATION"


class InconsistentGroupProtocolError(BrokerError):
    """The member has no assignment strategy in common with the group, or named none."""

    code = 23
    name = "INCONSISTENT_GROUP_PROTOCOL"


class InvalidGroupIdError(BrokerError):
    """The group id is empty or not valid."""

    code = 24
    name = "INVALID_GROUP_ID"


class UnknownMemberIdError(BrokerError):
    """The coordinator does not know this member; it has to join again."""

    code = 25
    name = "UNKNOWN_MEMBER_ID"


class InvalidSessionTimeoutError(BrokerError):
    """The session timeout is outside what the broker allows."""

    code = 26
    name = "INVALID_SESSION_TIMEOUT"


class RebalanceInProgressError(BrokerError):
    """The group is rebalancing; the member has to join again."""

    code = 27
    name = "REBALANCE_IN_PROGRESS"


class InvalidCommitOffsetSizeError(BrokerError):
    """The offsets to commit are more than one message of the offsets topic can hold."""

    code = 28
    name = "INVALID_COMMIT_OFFSET_SIZE"


class TopicAuthorizationFailedError(AuthorizationError):
    """The user may not do this with the topic."""

    code = 29
    name = "TOPIC_AUTHORIZATION_FAILED"


class GroupAuthorizationFailedError(AuthorizationError):
    """The user may not do this with the group."""

    code = 30
    name = "GROUP_AUTHORIZATION_FAILED"


class ClusterAuthorizationFailedError(AuthorizationError):
    """The user may not do this with the cluster."""

    code = 31
    name = "CLUSTER_AUTHORIZATION_FAILED"


class InvalidTimestampError(BrokerError):
    """A record's timestamp is too far from the broker's clock."""

    code = 32
    name = "INVALID_TIMESTAMP"


class UnsupportedSaslMechanismError(AuthenticationError):
    """The broker does not offer this SASL mechanism."""

    code = 33
    name = "UNSUPPORTED_SASL_MECHANISM"
    fatal = True


class IllegalSaslStateError(AuthenticationError):
    """The request does not fit this stage of authentication."""

    code = 34
    name = "ILLEGAL_SASL_STATE"
    fatal = True


class UnsupportedVersionError(BrokerError):
    """The broker does not speak this version of the request."""

    code = 35
    name = "UNSUPPORTED_VERSION"
    fatal = True


class TopicAlreadyExistsError(BrokerError):
    """A topic with this name exists already."""

    code = 36
    name = "TOPIC_ALREADY_EXISTS"


class InvalidPartitionsError(BrokerError):
    """The number of partitions is too small, or smaller than it is now."""

    code = 37
    name = "INVALID_PARTITIONS"


class InvalidReplicationFactorError(BrokerError):
    """The replication factor is below one or above the number of brokers."""

    code = 38
    name = "INVALID_REPLICATION_FACTOR"


class InvalidReplicaAssignmentError(BrokerError):
    """The replicas given for the partitions do not make sense."""

    code = 39
    name = "INVALID_REPLICA_ASSIGNMENT"


class InvalidConfigError(BrokerError):
    """A configuration name or value is not valid."""

    code = 40
    name = "INVALID_CONFIG"


class NotControllerError(BrokerError):
    """The broker asked is not the controller."""

    code = 41
    name = "NOT_CONTROLLER"
    retriable = True


class InvalidRequestError(BrokerError):
    """The broker could not make sense of the request."""

    code = 42
    name = "INVALID_REQUEST"


class UnsupportedForMessageFormatError(BrokerError):
    """The topic's old message format cannot do this."""

    code = 43
    name = "UNSUPPORTED_FOR_MESSAGE_FORMAT"


class PolicyViolationError(BrokerError):
    """The cluster's own policy forbids this."""

    code = 44
    name = "POLICY_VIOLATION"


class OutOfOrderSequenceNumberError(BrokerError):
    """A batch before this one is missing on the broker, so the order would break."""

    code = 45
    name = "OUT_OF_ORDER_SEQUENCE_NUMBER"


class DuplicateSequenceNumberError(BrokerError):
    """The broker has already written this batch."""

    code = 46
    name = "DUPLICATE_SEQUENCE_NUMBER"


class InvalidProducerEpochError(BrokerError):
    """The producer's epoch is older than the one the broker knows."""

    code = 47
    name = "INVALID_PRODUCER_EPOCH"
    fatal = True


class InvalidTxnStateError(BrokerError):
    """The transaction is not in a state that allows this."""

    code = 48
    name = "INVALID_TXN_STATE"


class InvalidProducerIdMappingError(BrokerError):
    """The producer id does not belong to this transactional id, or no longer."""

    code = 49
    name = "INVALID_PRODUCER_ID_MAPPING"


class InvalidTransactionTimeoutError(BrokerError):
    """The transaction timeout is above what the broker allows."""

    code = 50
    name = "INVALID_TRANSACTION_TIMEOUT"


class ConcurrentTransactionsError(BrokerError):
    """The transaction is still busy with an earlier step."""

    code = 51
    name = "CONCURRENT_TRANSACTIONS"
    retriable = True


class TransactionCoordinatorFencedError(BrokerError):
    """Another coordinator has taken over the transactions of this producer."""

    code = 52
    name = "TRANSACTION_COORDINATOR_FENCED"
    fatal = True


class TransactionalIdAuthorizationFailedError(AuthorizationError):
    """The user may not use this transactional id."""

    code = 53
    name = "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"
    fatal = True


class SecurityDisabledError(BrokerError):
    """The broker has no authorizer, so there are no permissions to show or change."""

    code = 54
    name = "SECURITY_DISABLED"


class OperationNotAttemptedError(BrokerError):
    """This part was not tried because another part of the request failed."""

    code = 55
    name = "OPERATION_NOT_ATTEMPTED"


class KafkaStorageError(BrokerError):
    """The broker cannot read or write one of its disks."""

    code = 56
    name = "KAFKA_STORAGE_ERROR"
    retriable = True


class LogDirNotFoundError(BrokerError):
    """The broker has no log directory of this name."""

    code = 57
    name = "LOG_DIR_NOT_FOUND"


class SaslAuthenticationFailedError(AuthenticationError):
    """User name, password, token or certificate were not accepted."""

    code = 58
    name = "SASL_AUTHENTICATION_FAILED"
    fatal = True


class UnknownProducerIdError(BrokerError):
    """The broker no longer remembers this producer, mostly because its records have expired."""

    code = 59
    name = "UNKNOWN_PRODUCER_ID"


class ReassignmentInProgressError(BrokerError):
    """The partition is already being moved."""

    code = 60
    name = "REASSIGNMENT_IN_PROGRESS"


class DelegationTokenAuthDisabledError(BrokerError):
    """The broker does not offer delegation tokens."""

    code = 61
    name = "DELEGATION_TOKEN_AUTH_DISABLED"


class DelegationTokenNotFoundError(BrokerError):
    """The broker does not know this delegation token."""

    code = 62
    name = "DELEGATION_TOKEN_NOT_FOUND"


class DelegationTokenOwnerMismatchError(BrokerError):
    """The user neither owns this delegation token nor may renew it."""

    code = 63
    name = "DELEGATION_TOKEN_OWNER_MISMATCH"


class DelegationTokenRequestNotAllowedError(BrokerError):
    """Delegation tokens cannot be asked for over this kind of connection."""

    code = 64
    name = "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED"


class DelegationTokenAuthorizationFailedError(AuthorizationError):
    """The user may not do this with delegation tokens."""

    code = 65
    name = "DELEGATION_TOKEN_AUTHORIZATION_FAILED"


class DelegationTokenExpiredError(BrokerError):
    """The delegation token has expired."""

    code = 66
    name = "DELEGATION_TOKEN_EXPIRED"


class InvalidPrincipalTypeError(BrokerError):
    """The broker does not know this kind of principal."""

    code = 67
    name = "INVALID_PRINCIPAL_TYPE"


class NonEmptyGroupError(BrokerError):
    """The group still has members."""

    code = 68
    name = "NON_EMPTY_GROUP"


class GroupIdNotFoundError(BrokerError):
    """There is no group of this id."""

    code = 69
    name = "GROUP_ID_NOT_FOUND"


class FetchSessionIdNotFoundError(BrokerError):
    """The broker has forgotten the fetch session; a new one has to be started."""

    code = 70
    name = "FETCH_SESSION_ID_NOT_FOUND"
    retriable = True


class InvalidFetchSessionEpochError(BrokerError):
    """The fetch session's requests came out of order; a new one has to be started."""

    code = 71
    name = "INVALID_FETCH_SESSION_EPOCH"
    retriable = True


class ListenerNotFoundError(BrokerError):
    """The leader does not have the listener that this client uses."""

    code = 72
    name = "LISTENER_NOT_FOUND"
    retriable = True


class TopicDeletionDisabledError(BrokerError):
    """The broker does not allow topics to be deleted."""

    code = 73
    name = "TOPIC_DELETION_DISABLED"


class FencedLeaderEpochError(BrokerError):
    """The leader epoch in the request is older than the broker's: there was an election."""

    code = 74
    name = "FENCED_LEADER_EPOCH"
    retriable = True


class UnknownLeaderEpochError(BrokerError):
    """The leader epoch in the request is newer than the broker's, which has to catch up."""

    code = 75
    name = "UNKNOWN_LEADER_EPOCH"
    retriable = True


class UnsupportedCompressionTypeError(BrokerError):
    """The client's version of the request cannot carry the topic's compression."""

    code = 76
    name = "UNSUPPORTED_COMPRESSION_TYPE"


class StaleBrokerEpochError(BrokerError):
    """The broker has restarted since this was sent."""

    code = 77
    name = "STALE_BROKER_EPOCH"


class OffsetNotAvailableError(BrokerError):
    """A new leader cannot say yet up to where the log is committed."""

    code = 78
    name = "OFFSET_NOT_AVAILABLE"
    retriable = True


class MemberIdRequiredError(BrokerError):
    """The member has to join again with the id the coordinator just gave it."""

    code = 79
    name = "MEMBER_ID_REQUIRED"


class PreferredLeaderNotAvailableError(BrokerError):
    """The replica that should lead is not available."""

    code = 80
    name = "PREFERRED_LEADER_NOT_AVAILABLE"
    retriable = True


class GroupMaxSizeReachedError(BrokerError):
    """The group is full."""

    code = 81
    name = "GROUP_MAX_SIZE_REACHED"


class FencedInstanceIdError(BrokerError):
    """Another member has taken over this group.instance.id."""

    code = 82
    name = "FENCED_INSTANCE_ID"
    fatal = True


class EligibleLeadersNotAvailableError(BrokerError):
    """No replica that may lead is available."""

    code = 83
    name = "ELIGIBLE_LEADERS_NOT_AVAILABLE"
    retriable = True


class ElectionNotNeededError(BrokerError):
    """The right replica is leading already."""

    code = 84
    name = "ELECTION_NOT_NEEDED"
    retriable = True


class NoReassignmentInProgressError(BrokerError):
    """The partition is not being moved."""

    code = 85
    name = "NO_REASSIGNMENT_IN_PROGRESS"


class GroupSubscribedToTopicError(BrokerError):
    """The group is subscribed to the topic, so its offsets cannot be deleted."""

    code = 86
    name = "GROUP_SUBSCRIBED_TO_TOPIC"


class InvalidRecordError(BrokerError):
    """The broker checked the record and refuses it."""

    code = 87
    name = "INVALID_RECORD"


class UnstableOffsetCommitError(BrokerError):
    """A transaction is still deciding about these offsets."""

    code = 88
    name = "UNSTABLE_OFFSET_COMMIT"
    retriable = True


class ThrottlingQuotaExceededError(BrokerError):
    """A quota was exceeded; the request may be sent again later."""

    code = 89
    name = "THROTTLING_QUOTA_EXCEEDED"
    retriable = True


class ProducerFencedError(BrokerError):
    """Another producer with the same transactional id has replaced this one."""

    code = 90
    name = "PRODUCER_FENCED"
    fatal = True


class ResourceNotFoundError(BrokerError):
    """What the request names does not exist."""

    code = 91
    name = "RESOURCE_NOT_FOUND"


class DuplicateResourceError(BrokerError):
    """The request names the same thing twice."""

    code = 92
    name = "DUPLICATE_RESOURCE"


class UnacceptableCredentialError(BrokerError):
    """The credential does not meet the broker's rules."""

    code = 93
    name = "UNACCEPTABLE_CREDENTIAL"


class InconsistentVoterSetError(BrokerError):
    """The two sides disagree about who votes in the controller quorum."""

    code = 94
    name = "INCONSISTENT_VOTER_SET"


class InvalidUpdateVersionError(BrokerError):
    """The version does not fit the state it would change."""

    code = 95
    name = "INVALID_UPDATE_VERSION"


class FeatureUpdateFailedError(BrokerError):
    """The controller could not store the feature levels."""

    code = 96
    name = "FEATURE_UPDATE_FAILED"


class PrincipalDeserializationFailureError(BrokerError):
    """The principal of a forwarded request could not be read; the brokers' security setup differs."""

    code = 97
    name = "PRINCIPAL_DESERIALIZATION_FAILURE"


class SnapshotNotFoundError(BrokerError):
    """The controller has no such snapshot."""

    code = 98
    name = "SNAPSHOT_NOT_FOUND"


class PositionOutOfRangeError(BrokerError):
    """The position lies outside the snapshot."""

    code = 99
    name = "POSITION_OUT_OF_RANGE"


class UnknownTopicIdError(BrokerError):
    """The broker does not know a topic with this id; after deletion and re-creation a topic has a new one."""

    code = 100
    name = "UNKNOWN_TOPIC_ID"
    retriable = True


class DuplicateBrokerRegistrationError(BrokerError):
    """Another broker is registered with this id."""

    code = 101
    name = "DUPLICATE_BROKER_REGISTRATION"


class BrokerIdNotRegisteredError(BrokerError):
    """No broker is registered with this id."""

    code = 102
    name = "BROKER_ID_NOT_REGISTERED"


class InconsistentTopicIdError(BrokerError):
    """The topic's id on disk is not the one in the request."""

    code = 103
    name = "INCONSISTENT_TOPIC_ID"
    retriable = True


class InconsistentClusterIdError(BrokerError):
    """The cluster is not the one that the request is meant for."""

    code = 104
    name = "INCONSISTENT_CLUSTER_ID"


class TransactionalIdNotFoundError(BrokerError):
    """There is no such transactional id."""

    code = 105
    name = "TRANSACTIONAL_ID_NOT_FOUND"


class FetchSessionTopicIdError(BrokerError):
    """The fetch session mixed topic names and topic ids; a new one has to be started."""

    code = 106
    name = "FETCH_SESSION_TOPIC_ID_ERROR"
    retriable = True


class IneligibleReplicaError(BrokerError):
    """A replica may not join the in-sync set."""

    code = 107
    name = "INELIGIBLE_REPLICA"


class NewLeaderElectedError(BrokerError):
    """The change was made, and another leader was elected at the same time."""

    code = 108
    name = "NEW_LEADER_ELECTED"


class OffsetMovedToTieredStorageError(BrokerError):
    """The records at this offset are in tiered storage only."""

    code = 109
    name = "OFFSET_MOVED_TO_TIERED_STORAGE"


class FencedMemberEpochError(BrokerError):
    """The coordinator has moved past the member's epoch; the member gives up its partitions and joins again."""

    code = 110
    name = "FENCED_MEMBER_EPOCH"


class UnreleasedInstanceIdError(BrokerError):
    """Another member still holds this group.instance.id."""

    code = 111
    name = "UNRELEASED_INSTANCE_ID"


class UnsupportedAssignorError(BrokerError):
    """The group does not offer this assignor."""

    code = 112
    name = "UNSUPPORTED_ASSIGNOR"


class StaleMemberEpochError(BrokerError):
    """The member's epoch is old; it has to wait for its new one and try again."""

    code = 113
    name = "STALE_MEMBER_EPOCH"


class MismatchedEndpointTypeError(BrokerError):
    """A request for a controller went to a broker, or the other way round."""

    code = 114
    name = "MISMATCHED_ENDPOINT_TYPE"


class UnsupportedEndpointTypeError(BrokerError):
    """This kind of endpoint is not supported."""

    code = 115
    name = "UNSUPPORTED_ENDPOINT_TYPE"


class UnknownControllerIdError(BrokerError):
    """There is no controller with this id."""

    code = 116
    name = "UNKNOWN_CONTROLLER_ID"


class UnknownSubscriptionIdError(BrokerError):
    """The telemetry subscription is unknown or out of date."""

    code = 117
    name = "UNKNOWN_SUBSCRIPTION_ID"


class TelemetryTooLargeError(BrokerError):
    """The telemetry is larger than the broker accepts."""

    code = 118
    name = "TELEMETRY_TOO_LARGE"


class InvalidRegistrationError(BrokerError):
    """The controller refuses the broker's registration."""

    code = 119
    name = "INVALID_REGISTRATION"


class TransactionAbortableError(BrokerError):
    """The transaction failed and can be aborted; the transactional id stays usable."""

    code = 120
    name = "TRANSACTION_ABORTABLE"
    abortable = True


class InvalidRecordStateError(BrokerError):
    """The record's state does not allow this, so the delivery was not acknowledged."""

    code = 121
    name = "INVALID_RECORD_STATE"


class ShareSessionNotFoundError(BrokerError):
    """The broker does not know the share session; a new one has to be started."""

    code = 122
    name = "SHARE_SESSION_NOT_FOUND"
    retriable = True


class InvalidShareSessionEpochError(BrokerError):
    """The share session's requests came out of order; a new one has to be started."""

    code = 123
    name = "INVALID_SHARE_SESSION_EPOCH"
    retriable = True


class FencedStateEpochError(BrokerError):
    """The share group's state has moved past this epoch."""

    code = 124
    name = "FENCED_STATE_EPOCH"


class InvalidVoterKeyError(BrokerError):
    """The voter's key is not that of the replica asked."""

    code = 125
    name = "INVALID_VOTER_KEY"


class DuplicateVoterError(BrokerError):
    """The voter is in the set already."""

    code = 126
    name = "DUPLICATE_VOTER"


class VoterNotFoundError(BrokerError):
    """The voter is not in the set."""

    code = 127
    name = "VOTER_NOT_FOUND"


class InvalidRegularExpressionError(BrokerError):
    """The broker cannot parse the regular expression."""

    code = 128
    name = "INVALID_REGULAR_EXPRESSION"


class RebootstrapRequiredError(BrokerError):
    """What the client knows of the cluster is too old; it has to start again from its bootstrap servers."""

    code = 129
    name = "REBOOTSTRAP_REQUIRED"


class StreamsInvalidTopologyError(BrokerError):
    """The streams topology is not valid."""

    code = 130
    name = "STREAMS_INVALID_TOPOLOGY"


class StreamsInvalidTopologyEpochError(BrokerError):
    """The epoch of the streams topology is not valid."""

    code = 131
    name = "STREAMS_INVALID_TOPOLOGY_EPOCH"


class StreamsTopologyFencedError(BrokerError):
    """The group has a newer streams topology."""

    code = 132
    name = "STREAMS_TOPOLOGY_FENCED"


class ShareSessionLimitReachedError(BrokerError):
    """The broker has as many share sessions as it allows."""

    code = 133
    name = "SHARE_SESSION_LIMIT_REACHED"
    retriable = True


def _classes(base: type[BrokerError]) -> list[type[BrokerError]]:
    return [each for child in base.__subclasses__() for each in (child, *_classes(child))]


BY_CODE: dict[int, type[BrokerError]] = {each.code: each for each in _classes(BrokerError) if "code" in vars(each)}
"""The class of every code in Kafka's table."""

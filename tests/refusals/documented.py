"""Which requests a workload sends, and the error codes that Kafka documents for each."""

from __future__ import annotations

TOPIC = ("UNKNOWN_TOPIC_OR_PARTITION", "LEADER_NOT_AVAILABLE", "TOPIC_AUTHORIZATION_FAILED")
COORDINATOR = ("COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR")
LEADER = (
    "NOT_LEADER_OR_FOLLOWER",
    "UNKNOWN_TOPIC_OR_PARTITION",
    "KAFKA_STORAGE_ERROR",
    "TOPIC_AUTHORIZATION_FAILED",
)
EPOCHS = ("FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH", "OFFSET_NOT_AVAILABLE")
GROUP = (*COORDINATOR, "GROUP_AUTHORIZATION_FAILED")
MEMBER = ("UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "FENCED_INSTANCE_ID")
TRANSACTION = (
    *COORDINATOR,
    "CONCURRENT_TRANSACTIONS",
    "INVALID_PRODUCER_EPOCH",
    "INVALID_PRODUCER_ID_MAPPING",
    "INVALID_TXN_STATE",
    "PRODUCER_FENCED",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
)

GUARDED = ("SECURITY_DISABLED", "CLUSTER_AUTHORIZATION_FAILED", "INVALID_REQUEST")

NOT_IN_ANY_TABLE = "9999"
"""A broker newer than the client has such a code."""

ANY = ("UNKNOWN_SERVER_ERROR", NOT_IN_ANY_TABLE, "REQUEST_TIMED_OUT")
"""What every answer may say."""

CODES: dict[str, tuple[str, ...]] = {
    "ApiVersions": ("UNSUPPORTED_VERSION", "INVALID_REQUEST"),
    "Metadata": (*TOPIC, "INVALID_TOPIC_EXCEPTION", "UNKNOWN_TOPIC_ID"),
    "Produce": (
        *LEADER,
        "LEADER_NOT_AVAILABLE",
        "CORRUPT_MESSAGE",
        "INVALID_REQUIRED_ACKS",
        "MESSAGE_TOO_LARGE",
        "NOT_ENOUGH_REPLICAS",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "OUT_OF_ORDER_SEQUENCE_NUMBER",
        "UNKNOWN_PRODUCER_ID",
        "INVALID_PRODUCER_EPOCH",
        "CLUSTER_AUTHORIZATION_FAILED",
        "THROTTLING_QUOTA_EXCEEDED",
        "UNKNOWN_TOPIC_ID",
    ),
    "Fetch": (
        *LEADER,
        *EPOCHS,
        "OFFSET_OUT_OF_RANGE",
        "REPLICA_NOT_AVAILABLE",
        "CORRUPT_MESSAGE",
        "FETCH_SESSION_ID_NOT_FOUND",
        "INVALID_FETCH_SESSION_EPOCH",
        "FETCH_SESSION_TOPIC_ID_ERROR",
        "UNKNOWN_TOPIC_ID",
        "INCONSISTENT_TOPIC_ID",
    ),
    "ListOffsets": (*LEADER, *EPOCHS, "REPLICA_NOT_AVAILABLE", "UNSUPPORTED_FOR_MESSAGE_FORMAT"),
    "FindCoordinator": (
        "COORDINATOR_NOT_AVAILABLE",
        "GROUP_AUTHORIZATION_FAILED",
        "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        "INVALID_REQUEST",
    ),
    "JoinGroup": (
        *GROUP,
        *MEMBER,
        "MEMBER_ID_REQUIRED",
        "INCONSISTENT_GROUP_PROTOCOL",
        "INVALID_SESSION_TIMEOUT",
        "GROUP_MAX_SIZE_REACHED",
    ),
    "SyncGroup": (*GROUP, *MEMBER, "INCONSISTENT_GROUP_PROTOCOL"),
    "Heartbeat": (*GROUP, *MEMBER),
    "LeaveGroup": (*GROUP, "UNKNOWN_MEMBER_ID"),
    "ConsumerGroupHeartbeat": (
        *GROUP,
        "UNKNOWN_MEMBER_ID",
        "FENCED_MEMBER_EPOCH",
        "STALE_MEMBER_EPOCH",
        "UNRELEASED_INSTANCE_ID",
        "UNSUPPORTED_ASSIGNOR",
        "GROUP_MAX_SIZE_REACHED",
        "INVALID_REQUEST",
    ),
    "OffsetCommit": (
        *GROUP,
        *MEMBER,
        "STALE_MEMBER_EPOCH",
        "OFFSET_METADATA_TOO_LARGE",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "TOPIC_AUTHORIZATION_FAILED",
        "INVALID_COMMIT_OFFSET_SIZE",
    ),
    "OffsetFetch": (*GROUP, "UNSTABLE_OFFSET_COMMIT", "UNKNOWN_MEMBER_ID", "STALE_MEMBER_EPOCH"),
    "InitProducerId": (*TRANSACTION, "INVALID_TRANSACTION_TIMEOUT", "CLUSTER_AUTHORIZATION_FAILED"),
    "AddPartitionsToTxn": (*TRANSACTION, "UNKNOWN_TOPIC_OR_PARTITION", "OPERATION_NOT_ATTEMPTED"),
    "AddOffsetsToTxn": (*TRANSACTION, "GROUP_AUTHORIZATION_FAILED"),
    "TxnOffsetCommit": (*GROUP, *MEMBER, "INVALID_PRODUCER_EPOCH", "UNKNOWN_TOPIC_OR_PARTITION"),
    "EndTxn": TRANSACTION,
    "CreateTopics": ("NOT_CONTROLLER", "TOPIC_ALREADY_EXISTS", "INVALID_PARTITIONS", "POLICY_VIOLATION"),
    "DeleteTopics": ("NOT_CONTROLLER", "UNKNOWN_TOPIC_OR_PARTITION", "TOPIC_DELETION_DISABLED"),
    "DescribeConfigs": ("TOPIC_AUTHORIZATION_FAILED", "INVALID_REQUEST"),
    "IncrementalAlterConfigs": ("NOT_CONTROLLER", "INVALID_CONFIG", "POLICY_VIOLATION"),
    "ListGroups": GROUP,
    "DescribeGroups": GROUP,
    "CreateAcls": GUARDED,
    "DescribeAcls": GUARDED,
    "DeleteAcls": GUARDED,
    "AlterUserScramCredentials": ("NOT_CONTROLLER", *GUARDED),
    "DescribeUserScramCredentials": GUARDED,
    "ElectLeaders": ("NOT_CONTROLLER", "PREFERRED_LEADER_NOT_AVAILABLE", *GUARDED),
    "AlterPartitionReassignments": ("NOT_CONTROLLER", "INVALID_REPLICA_ASSIGNMENT", *GUARDED),
    "ListPartitionReassignments": ("NOT_CONTROLLER", *GUARDED),
    "DescribeLogDirs": ("KAFKA_STORAGE_ERROR", *GUARDED),
    "ListTransactions": COORDINATOR,
    "DescribeTransactions": ("TRANSACTIONAL_ID_NOT_FOUND", *TRANSACTION),
    "DescribeProducers": LEADER,
}

SENT_BY: dict[str, tuple[str, ...]] = {
    "producer": ("ApiVersions", "Metadata", "InitProducerId", "Produce"),
    "transactions": (
        "ApiVersions",
        "Metadata",
        "FindCoordinator",
        "InitProducerId",
        "Produce",
        "TxnOffsetCommit",
        "EndTxn",
    ),
    # Where brokers do not add partitions by themselves.
    "transactions-v1": (
        "InitProducerId",
        "Produce",
        "AddPartitionsToTxn",
        "AddOffsetsToTxn",
        "TxnOffsetCommit",
        "EndTxn",
    ),
    "assigned": ("ApiVersions", "Metadata", "ListOffsets", "Fetch"),
    "classic": (
        "ApiVersions",
        "Metadata",
        "FindCoordinator",
        "JoinGroup",
        "SyncGroup",
        "Heartbeat",
        "LeaveGroup",
        "OffsetCommit",
        "OffsetFetch",
        "ListOffsets",
        "Fetch",
    ),
    "consumer": (
        "ApiVersions",
        "Metadata",
        "FindCoordinator",
        "ConsumerGroupHeartbeat",
        "OffsetCommit",
        "OffsetFetch",
        "ListOffsets",
        "Fetch",
    ),
    "pattern": ("Metadata", "FindCoordinator", "ConsumerGroupHeartbeat", "OffsetFetch", "Fetch"),
    "admin": (
        "ApiVersions",
        "Metadata",
        "FindCoordinator",
        "ListOffsets",
        "CreateTopics",
        "DeleteTopics",
        "DescribeConfigs",
        "IncrementalAlterConfigs",
        "ListGroups",
        "DescribeGroups",
    ),
    "guard": (
        "CreateAcls",
        "DescribeAcls",
        "DeleteAcls",
        "AlterUserScramCredentials",
        "DescribeUserScramCredentials",
        "ElectLeaders",
        "AlterPartitionReassignments",
        "ListPartitionReassignments",
        "DescribeLogDirs",
        "ListTransactions",
        "DescribeTransactions",
        "DescribeProducers",
    ),
}
"""The kinds of requests that each workload sends."""

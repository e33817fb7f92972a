"""Calls of kafka-python's administration that kafkars does not have, and their alternatives."""

from __future__ import annotations

from kafkars.compat.kafka.errors import IncompatibleBrokerVersion

CALLS = {
    "alter_replica_log_dirs": "kafka-reassign-partitions.sh of Apache Kafka does it",
    "api_versions": "versions are asked of each broker by the engine; kafka-broker-api-versions.sh shows them",
    "describe_features": "kafka-features.sh of Apache Kafka does it",
    "describe_metadata_quorum": "kafka-metadata-quorum.sh of Apache Kafka does it",
    "get_broker_version_data": "versions are asked of each broker by the engine; kafka-broker-api-versions.sh shows them",
    "list_config_resources": "list_topics() and describe_cluster() name topics and brokers",
    "remove_group_members": "kafka-consumer-groups.sh of Apache Kafka does it; members leave by close()",
    "send_request": "requests are the engine's; kafkars.Admin has calls for them",
    "send_requests": "requests are the engine's; kafkars.Admin has calls for them",
    "update_features": "kafka-features.sh of Apache Kafka does it",
}
"""Calls of `KafkaAdminClient`, and the alternative to each."""


class NotOfferedError(IncompatibleBrokerVersion, NotImplementedError):
    """The call is not offered by kafkars. `IncompatibleBrokerVersion` is what kafka-python raises where brokers cannot
    do it.
    """


def not_offered(call: str) -> NotOfferedError:
    """Returns the error of a call that is not offered: it names the call, and what to use instead."""
    return NotOfferedError(f"KafkaAdminClient.{call}() is not offered by kafkars: {CALLS[call]}")

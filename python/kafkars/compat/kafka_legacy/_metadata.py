"""Metadata of brokers and topics, in the structs of 0.9."""

from __future__ import annotations

from collections.abc import Sequence

from kafkars import PartitionInfo, errors
from kafkars.admin import TopicDescription
from kafkars.compat.kafka_legacy._engine import Engine
from kafkars.compat.kafka_legacy._numbers import number_of
from kafkars.compat.kafka_legacy.common import (
    BrokerMetadata,
    KafkaUnavailableError,
    LeaderNotAvailableError,
    MetadataResponse,
    PartitionMetadata,
    ReplicaNotAvailableError,
    TopicMetadata,
    UnknownTopicOrPartitionError,
)

NO_LEADER = -1
MAKING_SECONDS = 3.0
"""Seconds that brokers may take to auto-create a topic, before it counts as one that they do not create."""


def read_metadata(engine: Engine, topics: Sequence[bytes]) -> MetadataResponse:
    """Returns brokers, and the named topics, or all topics. Brokers with auto-creation create a named topic.

    Raises:
        KafkaUnavailableError: The cluster does not answer.
    """
    cluster = engine.ask(lambda admin, seconds: admin.describe_cluster(timeout=seconds))
    brokers = [BrokerMetadata(each.id, each.host.encode(), each.port) for each in cluster.brokers]
    names = [topic.decode("utf-8", "replace") for topic in topics] or None
    # With `return_exceptions` failures are among the values.
    found: dict[str, object] = dict(
        engine.ask(lambda admin, seconds: admin.describe_topics(names, timeout=seconds, return_exceptions=True))
    )
    described: list[TopicMetadata] = []
    for name, topic in found.items():
        if isinstance(topic, errors.UnknownTopicOrPartitionError) and names is not None:
            described.append(_made(engine, name))
        elif isinstance(topic, errors.KafkaError):
            described.append(_failed(name, topic))
        elif isinstance(topic, TopicDescription):
            described.append(_topic(name, topic.partitions))
    return MetadataResponse(brokers, described)


def _made(engine: Engine, name: str) -> TopicMetadata:
    """Returns a topic that did not exist when it was asked for first."""
    try:
        return _topic(name, engine.fetcher().partitions_for(name, min(engine.time_limit, MAKING_SECONDS)))
    except errors.KafkaTimeoutError:
        # Brokers that do not auto-create topics only say that it does not exist.
        return TopicMetadata(name.encode(), UnknownTopicOrPartitionError.errno, [])
    except errors.KafkaError as error:
        return _failed(name, error)


def _failed(name: str, error: errors.KafkaError) -> TopicMetadata:
    if isinstance(error, errors.BootstrapError):
        raise KafkaUnavailableError(f"All servers failed to process request: {error}") from error
    number = number_of(error)
    # A topic that is being created has no leader yet.
    return TopicMetadata(name.encode(), LeaderNotAvailableError.errno if number is None else number, [])


def _topic(name: str, partitions: Sequence[PartitionInfo]) -> TopicMetadata:
    topic = name.encode()
    return TopicMetadata(topic, 0, [_partition(topic, each) for each in partitions])


def _partition(topic: bytes, info: PartitionInfo) -> PartitionMetadata:
    error = 0
    if info.leader is None:
        error = LeaderNotAvailableError.errno
    elif info.offline_replicas:
        error = ReplicaNotAvailableError.errno
    leader = NO_LEADER if info.leader is None else info.leader
    return PartitionMetadata(topic, info.partition, leader, info.replicas, info.in_sync_replicas, error)

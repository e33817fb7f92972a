"""Metadata requests (`aiokafka.protocol.metadata`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kafkars.compat.aiokafka.protocol.admin import code_and_message
from kafkars.compat.aiokafka.protocol.api import Response
from kafkars.compat.aiokafka.protocol.types import Array, Boolean, Int16, Int32, Schema, String

if TYPE_CHECKING:
    from kafkars.aio import Admin

__all__ = [
    "MetadataRequest",
    "MetadataRequest_v1",
    "MetadataResponse_v0",
    "MetadataResponse_v1",
    "MetadataResponse_v2",
    "MetadataResponse_v3",
    "MetadataResponse_v4",
    "MetadataResponse_v5",
]

PARTITION = (
    ("error_code", Int16),
    ("partition", Int32),
    ("leader", Int32),
    ("replicas", Array(Int32)),
    ("isr", Array(Int32)),
)
BROKER = (("node_id", Int32), ("host", String()), ("port", Int32))
THROTTLE_TIME = ("throttle_time_ms", Int32)
BROKERS = ("brokers", Array(*BROKER, ("rack", String())))
CLUSTER_ID = ("cluster_id", String())
CONTROLLER_ID = ("controller_id", Int32)


def topics_with(*partition: tuple[str, Any]) -> tuple[str, Array]:
    """Topics with partitions that have these fields."""
    fields = (("error_code", Int16), ("topic", String()), ("is_internal", Boolean), ("partitions", Array(*partition)))
    return "topics", Array(*fields)


class MetadataResponse(Response):
    """Brokers and topics. The client gives out version 5; programs make the others for `ClusterMetadata`."""

    brokers: list[Any]
    topics: list[Any]
    API_KEY = 3


class MetadataResponse_v0(MetadataResponse):  # noqa: N801  the name in aiokafka
    """See `MetadataResponse`; without racks, without a controller, without internal topics."""

    API_VERSION = 0
    SCHEMA: ClassVar[Schema] = Schema(
        ("brokers", Array(*BROKER)),
        ("topics", Array(("error_code", Int16), ("topic", String()), ("partitions", Array(*PARTITION)))),
    )


class MetadataResponse_v1(MetadataResponse):  # noqa: N801  as above
    """See `MetadataResponse`."""

    controller_id: int
    API_VERSION = 1
    SCHEMA: ClassVar[Schema] = Schema(BROKERS, CONTROLLER_ID, topics_with(*PARTITION))


class MetadataResponse_v2(MetadataResponse):  # noqa: N801  as above
    """See `MetadataResponse`."""

    cluster_id: str | None
    controller_id: int
    API_VERSION = 2
    SCHEMA: ClassVar[Schema] = Schema(BROKERS, CLUSTER_ID, CONTROLLER_ID, topics_with(*PARTITION))


class MetadataResponse_v3(MetadataResponse_v2):  # noqa: N801  as above
    """See `MetadataResponse`."""

    throttle_time_ms: int
    API_VERSION = 3
    SCHEMA: ClassVar[Schema] = Schema(THROTTLE_TIME, BROKERS, CLUSTER_ID, CONTROLLER_ID, topics_with(*PARTITION))


class MetadataResponse_v4(MetadataResponse_v3):  # noqa: N801  as above
    """See `MetadataResponse`."""

    API_VERSION = 4


class MetadataResponse_v5(MetadataResponse_v3):  # noqa: N801  as above
    """See `MetadataResponse`."""

    API_VERSION = 5
    SCHEMA: ClassVar[Schema] = Schema(
        THROTTLE_TIME,
        BROKERS,
        CLUSTER_ID,
        CONTROLLER_ID,
        topics_with(*PARTITION, ("offline_replicas", Array(Int32))),
    )


class MetadataRequest:
    """A request for brokers and topics, for `AIOKafkaClient.send`.

    Args:
        topics: Names; None for all topics, empty for none.
    """

    API_KEY = 3

    def __init__(self, topics: Sequence[str] | None = None, allow_auto_topic_creation: bool = False) -> None:
        self.topics = topics
        self.allow_auto_topic_creation = allow_auto_topic_creation

    async def ask(self, admin: Admin, timeout: float | None = None) -> MetadataResponse_v5:
        """Sends the request, which never creates topics.

        Raises:
            KafkaError: There was no answer in time.
        """
        cluster = await admin.describe_cluster(timeout=timeout)
        brokers = [tuple(broker) for broker in cluster.brokers]
        controller = -1 if cluster.controller is None else cluster.controller
        if self.topics is not None and not self.topics:
            return MetadataResponse_v5(0, brokers, cluster.cluster_id, controller, [])
        found = await admin.describe_topics(self.topics, timeout=timeout, return_exceptions=True)
        topics = [topic(name, outcome) for name, outcome in found.items()]
        return MetadataResponse_v5(0, brokers, cluster.cluster_id, controller, topics)


MetadataRequest_v1 = MetadataRequest
"""The name of one version; kafkars chooses the version that is sent."""


def topic(name: str, outcome: Any) -> tuple[int, str, bool, list[Any]]:
    """Returns a topic, or its error code."""
    code, _ = code_and_message(outcome)
    if code:
        return code, name, False, []
    partitions = []
    for info in outcome.partitions:
        leader = -1 if info.leader is None else info.leader
        offline = [broker for broker in info.replicas if broker in getattr(info, "offline_replicas", ())]
        partitions.append((0, info.partition, leader, list(info.replicas), list(info.in_sync_replicas), offline))
    return 0, name, outcome.is_internal, partitions

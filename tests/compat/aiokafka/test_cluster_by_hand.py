"""A `ClusterMetadata` that a program fills by responses of its own, to test an assignor: on aiokafka and the face."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tests.compat.aiokafka.conftest import LIBRARIES

BROKERS = [(1, "one", 9092, "rack"), (2, "two", 9092, None)]
TOPICS = [
    (0, "orders", False, [(0, 0, 1, [1, 2], [1]), (5, 1, -1, [2], [])]),
    (0, "__state", True, [(0, 0, 2, [2], [2])]),
    (29, "secret", False, []),
    (3, "gone", False, []),
]


@pytest.fixture(params=list(LIBRARIES.values()), ids=list(LIBRARIES))
def library(request: pytest.FixtureRequest) -> str:
    """The package's name."""
    return str(request.param if isinstance(request.param, str) else request.param.__name__)


def response(library: str, version: int, brokers: list[Any] = BROKERS, topics: list[Any] = TOPICS) -> Any:
    """A response with these brokers and topics."""
    kind = getattr(import_module(f"{library}.protocol.metadata"), f"MetadataResponse_v{version}")
    if version == 0:
        return kind([each[:3] for each in brokers], [(code, name, numbers) for code, name, _, numbers in topics])
    if version == 5:
        topics = [(*each[:3], [(*number, []) for number in each[3]]) for each in topics]
    before = [0] if version >= 3 else []
    named = ["cluster"] if version >= 2 else []
    return kind(*before, brokers, *named, 2, topics)


def cluster(library: str) -> Any:
    return import_module(f"{library}.cluster").ClusterMetadata()


@pytest.mark.parametrize("version", range(6))
def test_a_response_is_what_the_cluster_knows(library: str, version: int) -> None:
    made = cluster(library)
    heard: list[Any] = []
    made.add_listener(heard.append)
    updated = made.request_update()
    sent = response(library, version)
    assert type(sent).decode(sent.encode()).topics == sent.topics
    made.update_metadata(sent)
    place = import_module(f"{library}.structs").TopicPartition
    assert updated.result(0) is made
    assert heard == [made]
    racks = {broker.nodeId: broker.rack for broker in made.brokers()}
    assert racks == ({1: None, 2: None} if version == 0 else {1: "rack", 2: None})
    assert (made.controller and made.controller.nodeId) == (None if version == 0 else 2)
    assert made.topics() == ({"orders", "__state"} if version == 0 else {"orders"})
    assert made.topics(exclude_internal_topics=False) == {"orders", "__state"}
    assert made.unauthorized_topics == {"secret"}
    assert made.partitions_for_topic("orders") == {0, 1}
    assert made.available_partitions_for_topic("orders") == {0}
    assert made.partitions_for_topic("gone") is None
    assert made.leader_for_partition(place("orders", 1)) == -1
    assert made.partitions_for_broker(2) == {place("__state", 0)}


def test_a_response_without_brokers_changes_nothing(library: str) -> None:
    made = cluster(library)
    made.update_metadata(response(library, 1))
    updated = made.request_update()
    made.update_metadata(response(library, 1, brokers=[]))
    assert type(updated.exception(0)).__name__ == "MetadataEmptyBrokerList"
    assert {broker.nodeId for broker in made.brokers()} == {1, 2}
    assert made.topics() == {"orders"}


def test_topics_with_errors_are_passed_over_where_all_were_asked_for(library: str) -> None:
    made = cluster(library)
    made.need_all_topic_metadata = True
    made.update_metadata(response(library, 1))
    assert made.unauthorized_topics == set()
    assert made.topics() == {"orders"}


def test_an_update_that_has_failed_is_told(library: str) -> None:
    made = cluster(library)
    made.failed_update(ValueError("nobody asked"))
    updated = made.request_update()
    made.failed_update(ValueError("no answer"))
    assert str(updated.exception(0)) == "no answer"
    assert made.request_update() is not updated

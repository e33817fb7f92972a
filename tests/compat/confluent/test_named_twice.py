"""What an administrator is asked about twice in one call: there is one future, and it is refused."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from tests.compat.confluent.conftest import Clients
from tests.support.waiting import eventually

SECONDS = 20


def admin(clients: Clients) -> Any:
    """The module of the library for administrators."""
    return __import__(f"{clients.ck.__name__}.admin", fromlist=["admin"])


def places(clients: Clients, offset: int = -1001) -> list[Any]:
    topic = clients.topic(messages=2)
    return [clients.ck.TopicPartition(topic, 0, offset)] * 2


def group_offsets(clients: Clients, offset: int = -1001) -> list[Any]:
    return [clients.ck.ConsumerGroupTopicPartitions(clients.group(), places(clients, offset))]


CALLS: dict[str, tuple[str, Callable[[Any, Clients], Any]]] = {
    "create_topics": (
        "INVALID_REQUEST",
        lambda client, clients: client.create_topics([admin(clients).NewTopic(clients.group(), 1, 1)] * 2),
    ),
    "create_partitions": (
        "INVALID_REQUEST",
        lambda client, clients: client.create_partitions([admin(clients).NewPartitions(clients.topic(), 3)] * 2),
    ),
    "delete_topics": ("INVALID_REQUEST", lambda client, clients: client.delete_topics([clients.topic()] * 2)),
    "describe_topics": (
        "_INVALID_ARG",
        lambda client, clients: client.describe_topics(clients.ck.TopicCollection([clients.topic()] * 2)),
    ),
    "delete_records": ("_INVALID_ARG", lambda client, clients: client.delete_records(places(clients, 1))),
    "elect_leaders": (
        "_INVALID_ARG",
        lambda client, clients: client.elect_leaders(clients.ck.ElectionType.PREFERRED, places(clients)),
    ),
    "describe_consumer_groups": (
        "_INVALID_ARG",
        lambda client, clients: client.describe_consumer_groups([clients.group()] * 2),
    ),
    "delete_consumer_groups": (
        "_INVALID_ARG",
        lambda client, clients: client.delete_consumer_groups([clients.group()] * 2),
    ),
    "list_consumer_group_offsets": (
        "_INVALID_ARG",
        lambda client, clients: client.list_consumer_group_offsets(group_offsets(clients)),
    ),
    "alter_consumer_group_offsets": (
        "_INVALID_ARG",
        lambda client, clients: client.alter_consumer_group_offsets(group_offsets(clients, 1)),
    ),
    "describe_user_scram_credentials": (
        "_INVALID_ARG",
        lambda client, _: client.describe_user_scram_credentials(["carol"] * 2),
    ),
}
"""The code of the refusal, and the call."""


@pytest.mark.parametrize("call", CALLS)
def test_what_is_named_twice_is_refused_by_its_future(clients: Clients, call: str) -> None:
    code, ask = CALLS[call]
    client = admin(clients).AdminClient({"bootstrap.servers": clients.broker.bootstrap_servers})
    answer = ask(client, clients)
    futures: list[Future[Any]] = [answer] if isinstance(answer, Future) else list(answer.values())
    assert len(futures) == 1
    with pytest.raises(clients.ck.KafkaException) as caught:
        futures[0].result(SECONDS)
    assert caught.value.args[0].name() == code


def test_what_is_named_once_beside_it_is_done(clients: Clients) -> None:
    client = admin(clients).AdminClient({"bootstrap.servers": clients.broker.bootstrap_servers})
    grown, kept = clients.topic(), clients.topic()
    new = admin(clients).NewPartitions
    futures = client.create_partitions([new(kept, 2), new(grown, 2), new(kept, 3)])
    assert futures[grown].result(SECONDS) is None
    with pytest.raises(clients.ck.KafkaException):
        futures[kept].result(SECONDS)

    def partitions() -> dict[str, int]:
        topics = client.list_topics(timeout=SECONDS).topics
        return {name: len(topics[name].partitions) for name in (grown, kept)}

    # A real broker comes to know of it when its controller has answered already.
    eventually(lambda: partitions()[grown] == 2, "the topic has grown", SECONDS)
    assert partitions() == {grown: 2, kept: 1}

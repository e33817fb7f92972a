"""Members of a group of the newer protocol (KIP-848), `group.protocol=consumer`."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import pytest
from kafkars.compat import confluent_kafka as face
from kafkars.testing import EmbeddedBroker

from tests.compat.confluent.conftest import SECONDS, Clients, poll_until
from tests.support.waiting import eventually

NEWER = {"group.protocol": "consumer", "auto.offset.reset": "earliest", "enable.auto.commit": False}


def heard(into: list[tuple[str, int]]) -> dict[str, Any]:
    """Callbacks that note their names, and of how many partitions they were told."""
    return {
        name: lambda _, partitions, name=name: into.append((name, len(partitions)))
        for name in ("on_assign", "on_revoke", "on_lost")
    }


def test_a_revocation_ends_with_an_assignment(clients: Clients) -> None:
    both = [clients.topic(messages=1), clients.topic(messages=1)]
    told: list[tuple[str, int]] = []
    consumer = clients.consumer({"group.id": clients.group(), **NEWER})
    consumer.subscribe(both, **heard(told))
    poll_until(consumer, 2)
    told.clear()
    consumer.subscribe(both[:1], **heard(told))
    eventually(lambda: (consumer.poll(0.05), len(told) >= 2)[1], "partitions go")
    assert told == [("on_revoke", 1), ("on_assign", 0)]


def test_who_gets_nothing_hears_of_nothing(clients: Clients) -> None:
    topic, group = clients.topic(messages=1), clients.group()
    first, second = (clients.consumer({"group.id": group, **NEWER}) for _ in range(2))
    first.subscribe([topic])
    poll_until(first, 1)
    told: list[tuple[str, int]] = []
    second.subscribe([topic], **heard(told))
    polled(2.0, first, second)
    assert second.assignment() == []
    assert told == []


def test_a_topic_that_there_is_not_yet_is_waited_for_silently(clients: Clients) -> None:
    topic, group = clients.topic(messages=1), clients.group()
    consumer = clients.consumer({"group.id": group, "allow.auto.create.topics": False, **NEWER})
    consumer.subscribe([topic, f"{topic}-none"])
    poll_until(consumer, 1)
    assert polled(2.0, consumer) == []


def test_close_tells_what_was_lost(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    told: list[tuple[str, int]] = []
    consumer = clients.consumer({"max.poll.interval.ms": 1000, **NEWER})
    consumer.subscribe([topic], **heard(told))
    poll_until(consumer, 1)
    # The library tells nobody when the time is over.
    polled(2.5, clients.consumer())
    consumer.close()
    assert told == [("on_assign", 1), ("on_lost", 1)]


def test_metadata_of_who_has_not_joined_has_its_own_id(clients: Clients) -> None:
    topic, group = clients.topic(messages=1), clients.group()
    member = clients.consumer({"group.id": group, **NEWER})
    member.subscribe([topic])
    poll_until(member, 1)
    outsider = clients.consumer({"group.id": group, **NEWER})
    metadata = outsider.consumer_group_metadata()
    assert outsider.memberid().encode() in metadata
    producer = clients.producer({"transactional.id": f"{group}-writer"})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    with pytest.raises(clients.ck.KafkaException) as caught:
        producer.send_offsets_to_transaction([clients.ck.TopicPartition(topic, 0, 1)], metadata, SECONDS)
    error = caught.value.args[0]
    assert error.txn_requires_abort()
    producer.abort_transaction(SECONDS)


def test_a_member_has_a_target(clients: Clients) -> None:
    topic, group = clients.topic(messages=1), clients.group()
    consumer = clients.consumer({"group.id": group, **NEWER})
    consumer.subscribe([topic])
    poll_until(consumer, 1)
    (member,) = described(clients, group).members
    places = [(each.topic, each.partition) for each in member.target_assignment.topic_partitions]
    assert places == [(topic, 0)]


@pytest.mark.timeout(120)
def test_who_may_not_be_a_member_hears_a_fatal_error() -> None:
    """The face waits for the other member for as long as a session lasts; the library does not."""
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": "g",
            "group.instance.id": "same",
            **NEWER,
        }
        first, second = face.Consumer(settings), face.Consumer(settings)
        first.subscribe(["t"])
        eventually(lambda: (first.poll(0.05), first.assignment())[1], "the first has joined")
        second.subscribe(["t"])
        message = eventually(lambda: (first.poll(0), second.poll(0.1))[1], "the second is refused", 100.0)
        assert message.error().name() == "_FATAL"
        with pytest.raises(face.KafkaException):
            second.subscribe(["t"])
        second.close()
        first.close()


def polled(seconds: float, *consumers: Any) -> list[Any]:
    """What these consumers read within some time."""
    found: list[Any] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found += [message for each in consumers if (message := each.poll(0.05)) is not None]
    return found


def described(clients: Clients, group: str) -> Any:
    admin = import_module(f"{clients.ck.__name__}.admin")
    with admin.AdminClient({"bootstrap.servers": clients.broker.bootstrap_servers}) as client:
        return client.describe_consumer_groups([group])[group].result(SECONDS)

"""Clients that nobody closes and that know, by a method they were given, the object they belong to: both go, and what
the client had of the operating system with them.
"""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import kafkars
import kafkars.aio
import kafkars.compat.confluent_kafka
import kafkars.compat.kafka
import kafkars.compat.kafka_3
import pytest
from kafkars.testing import EmbeddedBroker

CLIENTS = 5
SECONDS = 20.0


class Owner:
    """Has a client, whose functions are its methods."""

    client: Any

    def __init__(self, make: Callable[[Owner, str], Any] | None = None, servers: str = "") -> None:
        if make is not None:
            self.client = make(self, servers)

    def raw(self, value: Any, *_: Any) -> Any:
        return value

    def first(self, *_: Any) -> int:
        return 0

    def hear(self, *_: Any) -> None:
        """Called with what has happened."""


class Interceptor:
    """Knows the owner of the producer it is given to."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner

    def on_send(self, record: Any) -> None:
        assert record is not None

    def on_acknowledgement(self, metadata: Any, error: Any) -> None:
        assert (metadata is None) is not (error is None)


def sent(producer: Any) -> Any:
    producer.send("t", value=b"v", key=b"k").result(SECONDS)
    return producer


def sent_by_face(producer: Any) -> Any:
    producer.send("t", value=b"v", key=b"k").get(SECONDS)
    return producer


def told(owner: Owner, servers: str) -> Any:
    """A producer with callbacks that have not run: nobody polls."""
    producer = kafkars.Producer(bootstrap_servers=servers)
    producer.send("t", b"v", on_delivery=owner.hear).result(SECONDS)
    return producer


def subscribed(owner: Owner, servers: str) -> Any:
    consumer = kafkars.Consumer(bootstrap_servers=servers, group_id="group")
    consumer.subscribe(
        ["t"],
        on_partitions_assigned=owner.hear,
        on_partitions_revoked=owner.hear,
        on_partitions_lost=owner.hear,
    )
    return consumer


def commits(owner: Owner, servers: str) -> Any:
    consumer = kafkars.Consumer(bootstrap_servers=servers, group_id="group")
    consumer.assign({("t", 0): 0})
    consumer.commit_async({("t", 0): 0}, callback=owner.hear)
    return consumer


def read(consumer: Any) -> Any:
    consumer.assign({("t", 0): 0})
    assert consumer.poll(SECONDS).value == b"v"
    return consumer


def read_by_face(face: Any, consumer: Any) -> Any:
    partition = face.TopicPartition("t", 0)
    consumer.assign([partition])
    consumer.seek(partition, 0)
    assert next(consumer).value == b"v"
    return consumer


def faces(name: str, face: Any) -> dict[str, Callable[[Owner, str], Any]]:
    """The holders of a face of kafka-python."""
    return {
        f"{name} serializers": lambda owner, servers: sent_by_face(
            face.KafkaProducer(bootstrap_servers=servers, key_serializer=owner.raw, value_serializer=owner.raw)
        ),
        f"{name} partitioner": lambda owner, servers: sent_by_face(
            face.KafkaProducer(bootstrap_servers=servers, partitioner=owner.first)
        ),
        f"{name} deserializers": lambda owner, servers: read_by_face(
            face,
            face.KafkaConsumer(bootstrap_servers=servers, key_deserializer=owner.raw, value_deserializer=owner.raw),
        ),
    }


SYNCHRONOUS: dict[str, Callable[[Owner, str], Any]] = {
    "serializers": lambda owner, servers: sent(
        kafkars.Producer(bootstrap_servers=servers, key_serializer=owner.raw, value_serializer=owner.raw)
    ),
    "partitioner": lambda owner, servers: sent(kafkars.Producer(bootstrap_servers=servers, partitioner=owner.first)),
    "interceptors": lambda owner, servers: sent(
        kafkars.Producer(bootstrap_servers=servers, interceptors=[Interceptor(owner)])
    ),
    "callbacks": told,
    "deserializers": lambda owner, servers: read(
        kafkars.Consumer(bootstrap_servers=servers, key_deserializer=owner.raw, value_deserializer=owner.raw)
    ),
    "listeners": subscribed,
    "commits": commits,
    "confluent producer": lambda owner, servers: kafkars.compat.confluent_kafka.Producer(
        {"bootstrap.servers": servers, "on_delivery": owner.hear, "error_cb": owner.hear}
    ),
    "confluent consumer": lambda owner, servers: kafkars.compat.confluent_kafka.Consumer(
        {"bootstrap.servers": servers, "group.id": "group", "on_commit": owner.hear, "error_cb": owner.hear}
    ),
    **faces("kafka-python 2.3", kafkars.compat.kafka),
    **faces("kafka-python 3", kafkars.compat.kafka_3),
}


async def aio_producer(owner: Owner, servers: str) -> None:
    owner.client = kafkars.aio.Producer(
        bootstrap_servers=servers,
        key_serializer=owner.raw,
        value_serializer=owner.raw,
        partitioner=owner.first,
        interceptors=[Interceptor(owner)],
    )
    await owner.client.send("t", b"v", b"k")


async def aio_consumer(owner: Owner, servers: str) -> None:
    owner.client = kafkars.aio.Consumer(bootstrap_servers=servers, value_deserializer=owner.raw)
    owner.client.assign({("t", 0): 0})
    assert (await owner.client.poll(SECONDS)).value == b"v"


ASYNCHRONOUS = {"producer": aio_producer, "consumer": aio_consumer}


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"v", b"k").result(SECONDS)
        yield broker.bootstrap_servers


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def assert_gone(owners: list[weakref.ref[Owner]], before: int) -> None:
    deadline = time.monotonic() + SECONDS
    while any(owner() for owner in owners) or descriptors() > before:
        alive = sum(owner() is not None for owner in owners)
        assert time.monotonic() < deadline, f"{alive} alive, {descriptors() - before} descriptors more"
        gc.collect()
        time.sleep(0.01)


@pytest.mark.parametrize("make", SYNCHRONOUS.values(), ids=SYNCHRONOUS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_clients_and_their_owners_are_forgotten(make: Callable[[Owner, str], Any], servers: str) -> None:
    weakref.ref(Owner(make, servers))  # What only the first needs.
    gc.collect()
    before = descriptors()
    owners = [weakref.ref(Owner(make, servers)) for _ in range(CLIENTS)]
    assert_gone(owners, before)


@pytest.mark.parametrize("fill", ASYNCHRONOUS.values(), ids=ASYNCHRONOUS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_clients_of_a_loop_and_their_owners_are_forgotten(
    fill: Callable[[Owner, str], Awaitable[None]], servers: str
) -> None:
    async def make() -> list[weakref.ref[Owner]]:
        owner = Owner()
        await fill(owner, servers)
        return [weakref.ref(owner)]

    async def make_many() -> None:
        await make()
        gc.collect()
        before = descriptors()
        owners = [owner for _ in range(CLIENTS) for owner in await make()]
        await asyncio.sleep(0)
        assert_gone(owners, before)

    asyncio.run(make_many())

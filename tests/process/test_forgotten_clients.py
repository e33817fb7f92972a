"""Clients that nobody closes and that know, by a method they were given, the object they belong to: both go, and what
the client had of the operating system with them.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
import weakref
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import kafkars
import kafkars.aio
import kafkars.compat.aiokafka
import kafkars.compat.aiokafka.abc
import kafkars.compat.aiokafka.admin
import kafkars.compat.confluent_kafka
import kafkars.compat.confluent_kafka.admin
import kafkars.compat.kafka
import kafkars.compat.kafka.sasl.oauth
import kafkars.compat.kafka_3
import pytest
from kafkars.testing import EmbeddedBroker, unsecured_token
from kafkars.testing.security import Listener

CLIENTS = 5
SECONDS = 20.0
USERS = {"alice": "Xq7-alice"}


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

    def name(self) -> str:
        return "alice"

    def password(self) -> str:
        return USERS["alice"]

    def token(self) -> str:
        return unsecured_token("alice", lifetime=600, now=time.time())

    async def awaited_token(self) -> str:
        return self.token()

    def token_for_confluent(self, _config: str) -> tuple[str, float]:
        return self.token(), time.time() + 600

    def keys(self) -> tuple[str, str]:
        return "id", "secret"


class Interceptor:
    """Knows the owner of the producer it is given to."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner

    def on_send(self, record: Any) -> None:
        assert record is not None

    def on_acknowledgement(self, metadata: Any, error: Any) -> None:
        assert (metadata is None) is not (error is None)


class OwnersAssignor:
    """Knows the owner of the consumer it is given to."""

    name = "owners"

    def __init__(self, owner: Owner) -> None:
        self.owner = owner

    def assign(self, _partitions: Any, members: Any) -> dict[str, Any]:
        return {member.member_id: [] for member in members}


class TokensOfKafkaPython(kafkars.compat.kafka.sasl.oauth.AbstractTokenProvider):
    def __init__(self, owner: Owner) -> None:
        self.owner = owner

    def token(self) -> str:
        return self.owner.token()


class TokensOfAiokafka(kafkars.compat.aiokafka.abc.AbstractTokenProvider):
    def __init__(self, owner: Owner) -> None:
        self.owner = owner

    async def token(self) -> str:
        return self.owner.token()


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


def member(owner: Owner, servers: str) -> Any:
    consumer = kafkars.Consumer(
        bootstrap_servers=servers, group_id="assigned", partition_assignment_strategy=[OwnersAssignor(owner)]
    )
    consumer.subscribe(["t"])
    assert consumer.poll(0.1) is None
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
    "assignors": member,
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


def sasl(servers: str, mechanism: str, **settings: Any) -> dict[str, Any]:
    return {
        "bootstrap_servers": servers,
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": mechanism,
        **settings,
    }


def passwords(owner: Owner, servers: str) -> dict[str, Any]:
    return sasl(servers, "PLAIN", sasl_username=owner.name, sasl_password=owner.password)


def tokens(owner: Owner, servers: str) -> dict[str, Any]:
    return sasl(servers, "OAUTHBEARER", sasl_oauthbearer_token_provider=owner.token)


def awaited_tokens(owner: Owner, servers: str) -> dict[str, Any]:
    return sasl(servers, "OAUTHBEARER", sasl_oauthbearer_token_provider=owner.awaited_token)


def tokens_of_confluent(owner: Owner, servers: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": servers,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanisms": "OAUTHBEARER",
        "oauth_cb": owner.token_for_confluent,
    }


def tokens_of_kafka_python(owner: Owner, servers: str) -> dict[str, Any]:
    return sasl(servers, "OAUTHBEARER", sasl_oauth_token_provider=TokensOfKafkaPython(owner))


def listed(admin: Any) -> Any:
    assert "t" in [getattr(topic, "name", topic) for topic in admin.list_topics()]
    return admin


def subscribed_by_confluent(consumer: Any) -> Any:
    consumer.subscribe(["t"])
    return consumer


def produced_by_confluent(producer: Any) -> Any:
    producer.produce("t", b"v")
    assert producer.flush(SECONDS) == 0
    return producer


SECURED: dict[str, Callable[[Owner, str], Any]] = {
    "passwords": lambda owner, servers: sent(kafkars.Producer(**passwords(owner, servers))),
    "tokens of a producer": lambda owner, servers: sent(kafkars.Producer(**tokens(owner, servers))),
    "awaited tokens": lambda owner, servers: sent(kafkars.Producer(**awaited_tokens(owner, servers))),
    "tokens of a consumer": lambda owner, servers: read(kafkars.Consumer(**tokens(owner, servers))),
    "tokens of an administrator": lambda owner, servers: listed(kafkars.Admin(**tokens(owner, servers))),
    "keys of AWS": lambda owner, servers: kafkars.Producer(
        **sasl(servers, "AWS_MSK_IAM", sasl_aws_msk_iam_credentials_provider=owner.keys)
    ),
    "confluent producer": lambda owner, servers: produced_by_confluent(
        kafkars.compat.confluent_kafka.Producer(tokens_of_confluent(owner, servers))
    ),
    "confluent consumer": lambda owner, servers: subscribed_by_confluent(
        kafkars.compat.confluent_kafka.Consumer(tokens_of_confluent(owner, servers) | {"group.id": "group"})
    ),
    "confluent administrator": lambda owner, servers: kafkars.compat.confluent_kafka.admin.AdminClient(
        tokens_of_confluent(owner, servers)
    ),
    "kafka-python producer": lambda owner, servers: sent_by_face(
        kafkars.compat.kafka.KafkaProducer(**tokens_of_kafka_python(owner, servers), value_serializer=None)
    ),
    "kafka-python consumer": lambda owner, servers: read_by_face(
        kafkars.compat.kafka, kafkars.compat.kafka.KafkaConsumer(**tokens_of_kafka_python(owner, servers))
    ),
    "kafka-python administrator": lambda owner, servers: listed(
        kafkars.compat.kafka.KafkaAdminClient(**tokens_of_kafka_python(owner, servers))
    ),
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


async def aio_producer_with_tokens(owner: Owner, servers: str) -> None:
    owner.client = kafkars.aio.Producer(**awaited_tokens(owner, servers))
    await owner.client.send("t", b"v", b"k")


async def aio_consumer_with_tokens(owner: Owner, servers: str) -> None:
    owner.client = kafkars.aio.Consumer(
        **tokens(owner, servers), group_id="assigned", partition_assignment_strategy=[OwnersAssignor(owner)]
    )
    owner.client.assign({("t", 0): 0})
    assert (await owner.client.poll(SECONDS)).value == b"v"


async def aio_admin_with_tokens(owner: Owner, servers: str) -> None:
    owner.client = kafkars.aio.Admin(**awaited_tokens(owner, servers))
    assert "t" in await owner.client.list_topics()


async def aiokafka_producer_with_tokens(owner: Owner, servers: str) -> None:
    owner.client = kafkars.compat.aiokafka.AIOKafkaProducer(
        **sasl(servers, "OAUTHBEARER", sasl_oauth_token_provider=TokensOfAiokafka(owner))
    )
    await owner.client.start()
    await owner.client.send_and_wait("t", b"v")


async def aiokafka_consumer_with_tokens(owner: Owner, servers: str) -> None:
    owner.client = kafkars.compat.aiokafka.AIOKafkaConsumer(
        **sasl(servers, "OAUTHBEARER", sasl_oauth_token_provider=TokensOfAiokafka(owner))
    )
    await owner.client.start()
    partition = kafkars.compat.aiokafka.TopicPartition("t", 0)
    owner.client.assign([partition])
    owner.client.seek(partition, 0)
    assert (await owner.client.getone()).value == b"v"


SECURED_ASYNCHRONOUS = {
    "producer": aio_producer_with_tokens,
    "consumer": aio_consumer_with_tokens,
    "administrator": aio_admin_with_tokens,
    "aiokafka producer": aiokafka_producer_with_tokens,
    "aiokafka consumer": aiokafka_consumer_with_tokens,
}


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    listeners = {"PLAINTEXT": Listener(), "SASL": Listener("SASL_PLAINTEXT", mechanisms=("PLAIN", "OAUTHBEARER"))}
    with EmbeddedBroker(topics={"t": 1}, listeners=listeners, users=USERS) as broker:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"v", b"k").result(SECONDS)
        yield broker


@pytest.fixture(scope="module")
def servers(broker: EmbeddedBroker) -> str:
    return broker.bootstrap_servers


@pytest.fixture(scope="module")
def secured(broker: EmbeddedBroker) -> str:
    return broker.bootstrap_servers_of("SASL")


def descriptors() -> set[str]:
    """What the process has open."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.add(f"{descriptor.name} {descriptor.readlink()}")
    return found


def connections() -> list[str]:
    """The lines of the system's table of TCP connections."""
    return Path("/proc/self/net/tcp").read_text().splitlines()


def assert_gone(owners: list[weakref.ref[Owner]], before: set[str]) -> None:
    deadline = time.monotonic() + SECONDS
    while any(owner() for owner in owners) or len(descriptors()) > len(before):
        alive = sum(owner() is not None for owner in owners)
        if time.monotonic() > deadline:
            more, less = sorted(descriptors() - before), sorted(before - descriptors())
            inodes = [each.partition("[")[2].rstrip("]") for each in more if "socket:" in each]
            sockets = [line for line in connections() if any(f" {inode} " in line for inode in inodes)]
            pytest.fail(f"{alive} alive; descriptors more: {more}, less: {less}; sockets: {sockets}")
        gc.collect()
        time.sleep(0.01)


def assert_forgotten(make: Callable[[Owner, str], Any], servers: str) -> None:
    weakref.ref(Owner(make, servers))  # What only the first needs.
    gc.collect()
    before = descriptors()
    owners = [weakref.ref(Owner(make, servers)) for _ in range(CLIENTS)]
    assert_gone(owners, before)


def assert_forgotten_on_a_loop(fill: Callable[[Owner, str], Awaitable[None]], servers: str) -> None:
    async def make() -> list[weakref.ref[Owner]]:
        owner = Owner()
        await fill(owner, servers)
        return [weakref.ref(owner)]

    async def make_many() -> None:
        # What the loop has for all its clients is made when one waits, which the others need not.
        async with kafkars.aio.Consumer(bootstrap_servers="127.0.0.1:9") as waiting:
            waiting.assign([("t", 0)])
            assert await waiting.poll(0.01) is None
        await make()
        gc.collect()
        before = descriptors()
        owners = [owner for _ in range(CLIENTS) for owner in await make()]
        await asyncio.sleep(0)
        assert_gone(owners, before)

    asyncio.run(make_many())


@pytest.mark.parametrize("make", SYNCHRONOUS.values(), ids=SYNCHRONOUS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_clients_and_their_owners_are_forgotten(make: Callable[[Owner, str], Any], servers: str) -> None:
    assert_forgotten(make, servers)


@pytest.mark.parametrize("make", SECURED.values(), ids=SECURED)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_clients_whose_owners_give_credentials_are_forgotten(make: Callable[[Owner, str], Any], secured: str) -> None:
    assert_forgotten(make, secured)


@pytest.mark.parametrize("fill", ASYNCHRONOUS.values(), ids=ASYNCHRONOUS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_clients_of_a_loop_and_their_owners_are_forgotten(
    fill: Callable[[Owner, str], Awaitable[None]], servers: str
) -> None:
    assert_forgotten_on_a_loop(fill, servers)


@pytest.mark.parametrize("fill", SECURED_ASYNCHRONOUS.values(), ids=SECURED_ASYNCHRONOUS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_clients_of_a_loop_whose_owners_give_credentials_are_forgotten(
    fill: Callable[[Owner, str], Awaitable[None]], secured: str
) -> None:
    assert_forgotten_on_a_loop(fill, secured)

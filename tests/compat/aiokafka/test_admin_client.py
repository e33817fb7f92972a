"""`aiokafka.admin` on the original and on the face: the same answers and the same errors."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Coroutine
from types import ModuleType
from typing import Any

import pytest
from kafkars import Consumer, Producer
from kafkars.errors import ConfigError

from tests.brokers import Broker
from tests.support.awaits import run
from tests.support.waiting import SECONDS, eventually

SIDES = {"original": "aiokafka", "face": "kafkars.compat.aiokafka"}
TOPIC_ALREADY_EXISTS, UNKNOWN_TOPIC, INVALID_TOPIC, INVALID_CONFIG = 36, 3, 17, 40
TOPIC, BROKER = 2, 4


class Aiokafka:
    """The library under test: its modules, and a client that is started for one coroutine."""

    def __init__(self, side: str, broker: Broker) -> None:
        self.side = side
        self.root = SIDES[side]
        self.broker = broker

    def module(self, path: str) -> ModuleType:
        return importlib.import_module(f"{self.root}.{path}")

    def __getattr__(self, name: str) -> Any:
        modules = ["admin", "admin.config_resource", "errors", "structs"]
        return next(found for path in modules if (found := getattr(self.module(path), name, None)) is not None)

    def run(self, test: Any) -> Any:
        async def started() -> Any:
            admin = self.AIOKafkaAdminClient(bootstrap_servers=self.broker.bootstrap_servers)
            await admin.start()
            try:
                return await test(admin)
            finally:
                await admin.close()

        return run(started())

    def ask(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        async def asked(admin: Any) -> Any:
            return await getattr(admin, name)(*arguments, **keywords)

        return self.run(asked)


@pytest.fixture(params=SIDES)
def library(request: pytest.FixtureRequest, broker: Broker) -> Aiokafka:
    return Aiokafka(request.param, broker)


@pytest.fixture
def name(library: Aiokafka, request: pytest.FixtureRequest) -> str:
    """A name for a topic that does not exist, or a group."""
    return f"{library.side}-{library.broker.kind}-{abs(hash(request.node.nodeid)) % 10**9}"


def fill(broker: Broker, topic: str, records: int) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(records):
            producer.send(topic, b"%d" % number, partition=0)


def test_topics_are_created_listed_described_and_deleted(library: Aiokafka, name: str) -> None:
    new = library.NewTopic(name, 2, 1, topic_configs={"retention.ms": "1000"})
    assert library.ask("create_topics", [new], validate_only=True).topic_errors == [(name, 0, None)]
    assert name not in library.ask("list_topics")

    made = library.ask("create_topics", [new])
    assert made.topic_errors == [(name, 0, None)]
    assert made.to_object()["topic_errors"] == [{"topic": name, "error_code": 0, "error_message": None}]
    again = library.ask("create_topics", [new], timeout_ms=10_000)
    assert [(topic, code) for topic, code, _ in again.topic_errors] == [(name, TOPIC_ALREADY_EXISTS)]

    eventually(lambda: name in library.ask("list_topics"), "the topic is listed")
    (described,) = library.ask("describe_topics", [name])
    assert (described["error_code"], described["topic"], described["is_internal"]) == (0, name, False)
    partitions = described["partitions"]
    assert [one["partition"] for one in partitions] == [0, 1]
    assert set(partitions[0]) == {"error_code", "partition", "leader", "replicas", "isr", "offline_replicas"}
    assert partitions[0]["replicas"] == [partitions[0]["leader"]]
    assert any(one["topic"] == name for one in library.ask("describe_topics"))

    assert library.ask("delete_topics", [name]).topic_error_codes == [(name, 0)]
    eventually(lambda: name not in library.ask("list_topics"), "the topic is gone")
    assert library.ask("delete_topics", [name]).topic_error_codes == [(name, UNKNOWN_TOPIC)]


def test_what_is_wrong_with_a_topic_is_in_the_answer(library: Aiokafka, name: str) -> None:
    made = library.ask("create_topics", [library.NewTopic(f"{name}!", 1, 1), library.NewTopic(name, 1, 1)])
    codes = {topic: code for topic, code, _ in made.topic_errors}
    assert codes == {f"{name}!": INVALID_TOPIC, name: 0}
    assert next(message for topic, _, message in made.topic_errors if topic.endswith("!"))


def test_new_topics_have_numbers_or_places(library: Aiokafka) -> None:
    topic = library.NewTopic("t", -1, -1, {0: [1], 1: [1]})
    assert vars(topic) == {
        "name": "t",
        "num_partitions": -1,
        "replication_factor": -1,
        "replica_assignments": {0: [1], 1: [1]},
        "topic_configs": {},
    }
    for wrong in (("t", 1, 1, {0: [1]}), ("t", -1, -1)):
        with pytest.raises(library.IllegalArgumentError):
            library.NewTopic(*wrong)
    with pytest.raises(TypeError):
        library.NewTopic("t")


def test_replicas_go_where_they_are_put(library: Aiokafka, name: str) -> None:
    (broker, *_) = library.ask("describe_cluster")["brokers"]
    places = {0: [broker["node_id"]], 1: [broker["node_id"]]}
    library.ask("create_topics", [library.NewTopic(name, -1, -1, places)])
    eventually(lambda: name in library.ask("list_topics"), "the topic is listed")
    (described,) = library.ask("describe_topics", [name])
    assert [one["replicas"] for one in described["partitions"]] == [[broker["node_id"]]] * 2


def test_the_cluster_is_described(library: Aiokafka) -> None:
    cluster = library.ask("describe_cluster")
    assert set(cluster) == {"throttle_time_ms", "brokers", "cluster_id", "controller_id"}
    assert cluster["controller_id"] in [broker["node_id"] for broker in cluster["brokers"]]
    assert set(cluster["brokers"][0]) == {"node_id", "host", "port", "rack"}


def test_settings_are_described_and_replaced(library: Aiokafka, name: str) -> None:
    topic = library.ConfigResource(library.ConfigResourceType.TOPIC, name)
    library.ask("create_topics", [library.NewTopic(name, 1, 1, topic_configs={"retention.ms": "1000"})])

    def described() -> Any:
        (answer,) = library.ask("describe_configs", [topic])
        return answer.resources[0]

    # The broker that is asked may not have heard of the topic yet.
    eventually(lambda: described()[0] != UNKNOWN_TOPIC, "the topic is known")
    (code, _, kind, of, entries) = described()
    assert (code, kind, of) == (0, TOPIC, name)
    settings = {entry[0]: entry for entry in entries}
    assert settings["retention.ms"][:2] == ("retention.ms", "1000")
    assert settings["cleanup.policy"][1] == "delete"

    some = library.ConfigResource("topic", name, {"retention.ms": None})
    (answer,) = library.ask("describe_configs", [some], include_synonyms=True)
    (entry,) = answer.resources[0][4]
    assert entry[5][0][:2] == ("retention.ms", "1000")

    # What is not named goes back to its default: so is Kafka's request, which aiokafka uses.
    compact = library.ConfigResource("topic", name, {"cleanup.policy": "compact"})
    (answer,) = library.ask("alter_configs", [compact])
    assert [(row[0], row[2], row[3]) for row in answer.resources] == [(0, TOPIC, name)]

    def now() -> dict[str, str]:
        return {entry[0]: entry[1] for entry in described()[4]}

    eventually(lambda: now()["cleanup.policy"] == "compact", "the new setting is seen")
    assert now()["retention.ms"] != "1000"

    wrong = library.ConfigResource("topic", name, {"no.such.setting": "1"})
    (answer,) = library.ask("alter_configs", [wrong])
    assert answer.resources[0][0] == INVALID_CONFIG


def test_a_broker_tells_its_settings(library: Aiokafka) -> None:
    (broker, *_) = library.ask("describe_cluster")["brokers"]
    resource = library.ConfigResource("broker", str(broker["node_id"]), {"log.retention.hours": None})
    (answer,) = library.ask("describe_configs", [resource])
    assert (answer.resources[0][0], answer.resources[0][2]) == (0, BROKER)
    assert [entry[0] for entry in answer.resources[0][4]] == ["log.retention.hours"]
    with pytest.raises(library.NodeNotReadyError):
        library.ask("describe_configs", [library.ConfigResource("broker", "4711")])


def test_kinds_of_resources_are_named(library: Aiokafka) -> None:
    assert library.ConfigResource("broker", "1").resource_type is library.ConfigResourceType.BROKER
    with pytest.raises(KeyError):
        library.ConfigResource("group", "1")


def test_topics_grow(library: Aiokafka, name: str) -> None:
    library.ask("create_topics", [library.NewTopic(name, 1, 1)])
    eventually(lambda: name in library.ask("list_topics"), "the topic is listed")
    grown = library.ask("create_partitions", {name: library.NewPartitions(3)})
    assert grown.topic_errors == [(name, 0, None)]
    eventually(lambda: len(library.ask("describe_topics", [name])[0]["partitions"]) == 3, "there are three")
    with pytest.raises(library.InvalidPartitionsError):
        library.ask("create_partitions", {name: library.NewPartitions(2)})


def test_groups_are_listed_described_and_their_offsets_told(library: Aiokafka, name: str, topic: str) -> None:
    broker = library.broker
    fill(broker, topic, 5)
    with Consumer(
        bootstrap_servers=broker.bootstrap_servers,
        group_id=name,
        group_protocol="classic",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    ) as consumer:
        consumer.subscribe([topic])
        records = []
        while len(records) < 3:
            record = consumer.poll(SECONDS)
            assert record is not None
            records.append(record)
        consumer.commit({(topic, 0): 3})

        assert (name, "consumer") in library.ask("list_consumer_groups")
        (answer,) = library.ask("describe_consumer_groups", [name])
        (code, group, state, kind, _, members) = answer.groups[0]
        assert (code, group, state, kind) == (0, name, "Stable", "consumer")
        (member,) = members
        # One topic with one partition and nothing beside it, as members exchange it.
        assert member[4][2:].startswith(b"\x00\x00\x00\x01" + len(topic).to_bytes(2, "big") + topic.encode())

    partition = library.TopicPartition(topic, 0)
    elsewhere = library.TopicPartition(topic, 1)
    committed = library.OffsetAndMetadata(3, "")
    assert library.ask("list_consumer_group_offsets", name) == {partition: committed}
    asked = library.ask("list_consumer_group_offsets", name, partitions=[partition, elsewhere])
    assert asked == {partition: committed, elsewhere: library.OffsetAndMetadata(-1, "")}
    assert library.ask("list_consumer_group_offsets", f"{name}-nobody") == {}


def test_a_group_that_is_not_there_is_dead(library: Aiokafka, name: str) -> None:
    (answer,) = library.ask("describe_consumer_groups", [name])
    assert answer.groups == [(0, name, "Dead", "", "", [])]
    assert answer.to_object()["groups"][0]["state"] == "Dead"


def test_coordinators_are_found(library: Aiokafka, name: str) -> None:
    brokers = [broker["node_id"] for broker in library.ask("describe_cluster")["brokers"]]

    def found(kind: int) -> int | None:
        try:
            node: int = library.ask("find_coordinator", name, kind)
        except library.GroupCoordinatorNotAvailableError:
            # The first question makes Kafka create the topic of coordinators; the original does not ask again.
            return None
        return node

    assert eventually(lambda: found(0), "the group has a coordinator") in brokers
    assert eventually(lambda: found(1), "the transactions have a coordinator") in brokers


def test_records_are_deleted(library: Aiokafka, topic: str) -> None:
    fill(library.broker, topic, 5)
    partition = library.TopicPartition(topic, 0)
    assert library.ask("delete_records", {partition: library.RecordsToDelete(2)}) == {partition: 2}
    with pytest.raises(library.OffsetOutOfRangeError):
        library.ask("delete_records", {partition: library.RecordsToDelete(200)})


def test_nothing_is_asked_before_the_start(library: Aiokafka) -> None:
    async def asked() -> None:
        admin = library.AIOKafkaAdminClient(bootstrap_servers=library.broker.bootstrap_servers)
        try:
            with pytest.raises(library.NodeNotReadyError):
                await admin.list_topics()
        finally:
            await admin.close()
            await admin.close()

    run(asked())


@pytest.mark.parametrize("turns", [1, 2, 8])
def test_calls_that_are_under_way_when_it_is_closed(embedded_broker: Broker, turns: int) -> None:
    """They are answered, or have lost their connection. So it is in the original, which leaves tasks there."""
    library = Aiokafka("face", embedded_broker)
    topic = embedded_broker.new_topic()

    async def closed() -> None:
        admin = library.AIOKafkaAdminClient(bootstrap_servers=embedded_broker.bootstrap_servers)
        await admin.start()
        tasks = [asyncio.create_task(admin.describe_topics([topic])) for _ in range(2)]
        for _ in range(turns):
            await asyncio.sleep(0)
        await admin.close()
        for ended in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(ended, list | library.KafkaConnectionError), ended

    run(closed())


@pytest.mark.parametrize("side", SIDES)
def test_an_address_where_nobody_listens(side: str, embedded_broker: Broker) -> None:
    library = Aiokafka(side, embedded_broker)

    async def started() -> None:
        admin = library.AIOKafkaAdminClient(bootstrap_servers="127.0.0.1:1")
        for _ in range(2):
            # At once, not after request_timeout_ms; and again, because programs try until the cluster is there.
            with pytest.raises(library.KafkaConnectionError):
                await asyncio.wait_for(admin.start(), 10)
        await admin.close()

    run(started())


@pytest.mark.parametrize("side", SIDES)
def test_constructors_want_a_loop_and_sense(side: str, embedded_broker: Broker) -> None:
    library = Aiokafka(side, embedded_broker)
    with pytest.raises(RuntimeError):
        library.AIOKafkaAdminClient()

    async def made(**settings: Any) -> None:
        library.AIOKafkaAdminClient(**settings)

    assert_raises(ValueError, made(security_protocol="SSL"))
    assert_raises(ValueError, made(security_protocol="TELEGRAPH"))
    assert_raises(TypeError, made(no_such_setting=1))


def test_the_face_is_a_context_manager(embedded_broker: Broker) -> None:
    from kafkars.compat.aiokafka.admin import AIOKafkaAdminClient

    async def listed() -> list[str]:
        async with AIOKafkaAdminClient(bootstrap_servers=embedded_broker.bootstrap_servers) as admin:
            return await admin.list_topics()

    topic = embedded_broker.new_topic()
    assert topic in run(listed())


def assert_raises(kind: type[BaseException], made: Coroutine[Any, Any, None]) -> None:
    with pytest.raises(kind) as caught:
        run(made)
    # The engine's own names must not come through.
    assert not isinstance(caught.value, ConfigError)

"""Settings of topics and brokers, however their resources are written: one outcome on aiokafka and on the face."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

TOPIC, BROKER = 2, 4
INVALID_REQUEST = 42


def resources(library: Library) -> Any:
    return library.module("admin.config_resource")


def admin(library: Library) -> Any:
    return library.module("admin").AIOKafkaAdminClient(bootstrap_servers=library.broker.bootstrap_servers)


def told(answers: list[Any]) -> list[list[tuple[int, str, list[str]]]]:
    """Of each response its resources, with the names of the settings that are described."""
    return [
        [(row[2], row[3], sorted(entry[0] for entry in row[4])) for row in answer.resources if row[0] == 0]
        for answer in answers
    ]


def outcomes(answers: list[Any]) -> list[list[tuple[int, int, str]]]:
    return [[(row[0], row[2], row[3]) for row in answer.resources] for answer in answers]


async def setting(client: Any, resource: Any) -> str:
    """The value of the first setting that a resource names."""
    (answer,) = await client.describe_configs([resource])
    value: str = answer.resources[0][4][0][1]
    return value


async def until(client: Any, resource: Any, value: str) -> None:
    while await setting(client, resource) != value:  # noqa: ASYNC110  brokers tell nobody
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("number", [int, str], ids=["number", "text"])
@pytest.mark.parametrize("kind", ["BROKER", "broker", None], ids=["capitals", "small", "enum"])
def test_a_broker_is_named_by_its_number_or_by_that_as_text(library: Library, run: Run, number: Any, kind: Any) -> None:
    async def test() -> None:
        client, of = admin(library), resources(library)
        await client.start()
        node = (await client.describe_cluster())["brokers"][0]["node_id"]
        resource = of.ConfigResource(kind or of.ConfigResourceType.BROKER, number(node), {"log.retention.hours": None})
        assert told(await client.describe_configs([resource])) == [[(BROKER, str(node), ["log.retention.hours"])]]
        await client.close()

    run(test)


def test_topics_and_brokers_are_described_in_one_call(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        client, of = admin(library), resources(library)
        await client.start()
        node = (await client.describe_cluster())["brokers"][0]["node_id"]
        asked = [
            of.ConfigResource("topic", topic, {"retention.ms": None}),
            of.ConfigResource("broker", node, {"log.retention.hours": None}),
            of.ConfigResource("topic", topic, {"cleanup.policy": None}),
            of.ConfigResource("broker", str(node), {"log.cleaner.threads": None}),
        ]
        # Each broker is asked for its own settings, and anyone for those of topics.
        assert told(await client.describe_configs(asked)) == [
            [(BROKER, str(node), ["log.retention.hours"]), (BROKER, str(node), ["log.cleaner.threads"])],
            [(TOPIC, topic, ["retention.ms"]), (TOPIC, topic, ["cleanup.policy"])],
        ]
        assert await client.describe_configs([]) == []
        await client.close()

    run(test)


@pytest.mark.parametrize("configs", [None, {}, [], ()], ids=repr)
def test_no_names_mean_all_settings(library: Library, run: Run, configs: Any) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        client = admin(library)
        await client.start()
        ((row,),) = told(await client.describe_configs([resources(library).ConfigResource("topic", topic, configs)]))
        assert {"retention.ms", "cleanup.policy", "max.message.bytes"} <= set(row[2])
        await client.close()

    run(test)


@pytest.mark.parametrize(
    "configs", [["retention.ms"], ("retention.ms",), {"retention.ms"}, "retention.ms", 5], ids=repr
)
def test_names_are_keys_of_a_mapping(embedded: Library, run: Run, configs: Any) -> None:
    async def test() -> None:
        client = admin(embedded)
        await client.start()
        with pytest.raises(AttributeError):
            await client.describe_configs([resources(embedded).ConfigResource("topic", "unknown", configs)])
        await client.close()

    run(test)


def test_a_broker_named_by_its_number_is_changed_beside_a_topic(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        client, resource = admin(library), resources(library).ConfigResource
        await client.start()
        node = (await client.describe_cluster())["brokers"][0]["node_id"]
        threads, policy = {"log.cleaner.threads": 2}, {"cleanup.policy": "compact"}
        # Topics come first, also where there are none.
        done = await client.alter_configs([resource("broker", node, threads), resource("topic", topic, policy)])
        assert outcomes(done) == [[(0, TOPIC, topic)], [(0, BROKER, str(node))]]
        await until(client, resource("broker", node, threads), "2")
        await until(client, resource("topic", topic, policy), "compact")
        back = await client.alter_configs([resource("broker", node, {})])
        assert outcomes(back) == [[], [(0, BROKER, str(node))]]
        await until(client, resource("broker", node, threads), "1")
        assert outcomes(await client.alter_configs([])) == [[]]
        await client.close()

    run(test)


@pytest.mark.parametrize("settings", [{"retention.ms": None}, {"retention.ms": "5", "colour": None}], ids=repr)
def test_a_setting_of_none_is_refused_and_changes_nothing(library: Library, run: Run, settings: Any) -> None:
    topic, other = library.broker.new_topic(settings={"retention.ms": "1000"}), library.broker.new_topic()

    async def test() -> None:
        client, resource = admin(library), resources(library).ConfigResource
        await client.start()
        wanted = [resource("topic", topic, settings), resource("topic", other, {"retention.ms": "2000"})]
        (answer,) = await client.alter_configs(wanted)
        assert outcomes([answer]) == [[(INVALID_REQUEST, TOPIC, topic), (0, TOPIC, other)]]
        assert next(iter(answer.resources))[1]
        # The other one is changed; by then this one would be, too.
        await until(client, resource("topic", other, {"retention.ms": None}), "2000")
        assert await setting(client, resource("topic", topic, {"retention.ms": None})) == "1000"
        await client.close()

    run(test)


@pytest.mark.parametrize(("name", "error"), [("x", ValueError), ("", ValueError), (None, TypeError)], ids=repr)
@pytest.mark.parametrize("call", ["describe_configs", "alter_configs"])
def test_what_is_no_number_is_no_broker(embedded: Library, run: Run, name: Any, error: Any, call: str) -> None:
    async def test() -> None:
        client = admin(embedded)
        await client.start()
        with pytest.raises(error):
            await getattr(client, call)([resources(embedded).ConfigResource("broker", name, {})])
        await client.close()

    run(test)

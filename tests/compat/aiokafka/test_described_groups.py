"""Groups as `AIOKafkaAdminClient.describe_consumer_groups()` describes them: what members and leaders have said."""

from __future__ import annotations

import asyncio
from typing import Any

import kafkars.aio
import pytest
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.aiokafka_library import Library, Run


def admin(library: Library) -> Any:
    return library.module("admin").AIOKafkaAdminClient(bootstrap_servers=library.broker.bootstrap_servers)


async def described(library: Library, *groups: str) -> list[Any]:
    client = admin(library)
    await client.start()
    try:
        answers: list[Any] = await client.describe_consumer_groups(list(groups))
    finally:
        await client.close()
    return answers


def test_what_members_said_is_there_as_they_said_it(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)
    protocol = library.module("coordinator.protocol")

    async def test() -> None:
        group = library.group()
        # Of the original, so that both describe the same bytes.
        member = Library("aiokafka", library.broker).consumer(topic, group_id=group, client_id="somebody")
        await member.start()
        ((code, name, state, kind, assignor, members),) = (await described(library, group))[0].groups
        assert (code, name, state, kind, assignor) == (0, group, "Stable", "consumer", "roundrobin")
        ((member_id, client_id, host, metadata, assignment),) = members
        assert member_id.startswith("somebody-")
        assert (client_id, host) == ("somebody", "/127.0.0.1")
        said = b"\0\0\0\0\0\1" + len(topic).to_bytes(2, "big") + topic.encode()
        assert metadata == said + b"\0\0\0\0"
        assert assignment == said + b"\0\0\0\2" + b"\0\0\0\0" + b"\0\0\0\1" + b"\0\0\0\0"
        assert protocol.ConsumerProtocolMemberMetadata.decode(metadata).subscription == [topic]
        given = protocol.ConsumerProtocolMemberAssignment.decode(assignment)
        assert given.assignment == [(topic, [0, 1])]
        assert given.partitions() == [library.partition(topic, 0), library.partition(topic, 1)]
        await member.stop()

    run(test)


def test_both_describe_a_member_of_kafkars_alike(broker: Broker, run: Run) -> None:
    topic = broker.new_topic()
    original, face = Library("aiokafka", broker), Library("kafkars.compat.aiokafka", broker)

    async def test() -> None:
        group = face.group()
        settings: dict[str, Any] = {
            "group_id": group,
            "group_protocol": "classic",
            "bootstrap_servers": broker.bootstrap_servers,
        }
        async with kafkars.aio.Consumer(**settings) as member:
            member.subscribe([topic])
            while not member.assignment():
                await member.poll(0.1)
            (seen,), (expected,) = await described(face, group), await described(original, group)
            assert seen.to_object() == {**expected.to_object(), "throttle_time_ms": 0}
            assert seen.encode() == expected.encode()
            assert seen.groups[0][5][0][3]

    run(test)


@pytest.mark.parametrize("side", ["aiokafka", "kafkars.compat.aiokafka"])
def test_groups_of_one_coordinator_are_in_one_response(side: str, run: Run) -> None:
    # From version 3 of its request on, of Kafka 2.3, the original loses its place behind the first group.
    with EmbeddedBroker(nodes=2, version="2.2") as started:
        library = Library(side, Broker("embedded", started))
        for name, node in (("one", 1), ("two", 2), ("three", 1)):
            started.move_coordinator(name, node)

        async def test() -> None:
            answers = await described(library, "one", "two", "three", "one")
            told = [sorted((row[1], row[2]) for row in answer.groups) for answer in answers]
            assert told == [[("one", "Dead"), ("three", "Dead")], [("two", "Dead")]]
            assert await described(library) == []

        run(test)


@pytest.mark.parametrize("side", ["aiokafka", "kafkars.compat.aiokafka"])
def test_groups_are_listed_by_the_brokers_that_coordinate_them(side: str, run: Run) -> None:
    with EmbeddedBroker(nodes=2, topics={"topic": 1}) as started:
        library = Library(side, Broker("embedded", started))
        started.move_coordinator("one", 1)
        started.move_coordinator("two", 2)

        async def test() -> None:
            client = admin(library)
            await client.start()
            async with library.consumer("topic", group_id="one"), library.consumer("topic", group_id="two"):
                one, two = ("one", "consumer"), ("two", "consumer")
                for brokers, groups in (([1], [one]), ([2], [two]), ([1, 2], [one, two]), (None, [one, two]), ([], [])):
                    assert sorted(await client.list_consumer_groups(brokers)) == groups
                with pytest.raises(library.errors.NodeNotReadyError):
                    await client.list_consumer_groups([1, 99])
            await client.close()

        run(test)


@pytest.mark.parametrize("ends", ["kill_node", "pause_node"])
@pytest.mark.parametrize("side", ["aiokafka", "kafkars.compat.aiokafka"])
def test_only_brokers_whose_groups_are_wanted_are_asked(side: str, run: Run, ends: str) -> None:
    with EmbeddedBroker(nodes=2, topics={"topic": 1}) as started:
        library = Library(side, Broker("embedded", started))
        started.move_coordinator("one", 1)

        async def test() -> None:
            async with library.consumer(group_id="one") as consumer:
                consumer.assign([library.partition("topic")])
                await consumer.commit({library.partition("topic"): 1})
            getattr(started, ends)(2)
            first = started.bootstrap_servers.split(",")[0]
            client = library.module("admin").AIOKafkaAdminClient(bootstrap_servers=first, request_timeout_ms=1000)
            await client.start()
            assert [name for name, _ in await client.list_consumer_groups([1])] == ["one"]
            for brokers in ([2], [1, 2], None):
                with pytest.raises(library.errors.NodeNotReadyError):
                    await client.list_consumer_groups(brokers)
            await client.close()

        run(test)


def test_the_face_reads_all_groups_of_a_new_broker(face: Library, run: Run) -> None:
    topic = face.broker.new_topic()

    async def test() -> None:
        groups = [face.group(), face.group(), "nobody"]
        members = [face.consumer(topic, group_id=group) for group in groups[:2]]
        for member in members:
            await member.start()
        (answer,) = await described(face, *groups)
        assert [(row[0], row[1], row[2], len(row[5])) for row in answer.groups] == [
            (0, groups[0], "Stable", 1),
            (0, groups[1], "Stable", 1),
            (0, "nobody", "Dead", 0),
        ]
        for member in members:
            await member.stop()

    run(test)


@pytest.mark.parametrize("side", ["aiokafka", "kafkars.compat.aiokafka"])
def test_a_coordinator_that_may_not_be_told_is_an_error(side: str, run: Run) -> None:
    with EmbeddedBroker(acls=[]) as started:
        library = Library(side, Broker("embedded", started))

        async def test() -> None:
            with pytest.raises(library.errors.GroupAuthorizationFailedError):
                await described(library, "group")

        run(test)


def test_the_face_describes_groups_of_kip_848(broker: Broker, run: Run) -> None:
    topic = broker.new_topic()
    face = Library("kafkars.compat.aiokafka", broker)

    async def test() -> None:
        group = face.group()
        settings: dict[str, Any] = {
            "group_id": group,
            "group_protocol": "consumer",
            "bootstrap_servers": broker.bootstrap_servers,
        }
        async with kafkars.aio.Consumer(**settings) as member:
            member.subscribe([topic])
            while not member.assignment():
                await member.poll(0.1)
            (row,) = (await described(face, group))[0].groups
            while row[2] != "Stable":
                await asyncio.sleep(0.01)
                (row,) = (await described(face, group))[0].groups
            ((_, _, _, metadata, assignment),) = row[5]
            assert metadata == b""
            protocol = face.module("coordinator.protocol").ConsumerProtocolMemberAssignment
            assert protocol.decode(assignment).partitions() == [face.partition(topic)]

    run(test)

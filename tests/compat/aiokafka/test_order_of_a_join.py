"""In which order a listener and an assignor of the program's own hear of a join."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import until


def recording(library: Library, heard: list[str]) -> tuple[type, Any]:
    """An assignor and a listener that note what they hear."""
    roundrobin = library.module("coordinator.assignors.roundrobin").RoundRobinPartitionAssignor

    class Assignor(roundrobin):  # type: ignore[misc, valid-type]
        name = "recording"

        @classmethod
        def metadata(cls, topics: Any) -> Any:
            heard.append("metadata")
            return super().metadata(topics)

        @classmethod
        def assign(cls, cluster: Any, members: Any) -> Any:
            heard.append("assign")
            return super().assign(cluster, members)

        @classmethod
        def on_assignment(cls, assignment: Any) -> None:
            heard.append(f"on_assignment {len(assignment.partitions())}")

    class Listener(library.module().ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        async def on_partitions_revoked(self, revoked: Any) -> None:
            heard.append(f"revoked {len(revoked)}")
            await asyncio.sleep(0)

        async def on_partitions_assigned(self, assigned: Any) -> None:
            heard.append(f"assigned {len(assigned)}")

    return Assignor, Listener()


@pytest.mark.parametrize("when", ["before start", "after start"])
def test_a_first_join_and_a_rebalance(library: Library, run: Run, when: str) -> None:
    topic, group = library.broker.new_topic(partitions=2), library.group()
    heard: list[str] = []
    assignor, listener = recording(library, heard)
    settings = {"group_id": group, "heartbeat_interval_ms": 100, "partition_assignment_strategy": [assignor]}

    async def test() -> None:
        consumer = library.consumer(**settings)
        if when == "before start":
            consumer.subscribe([topic], listener=listener)
        await consumer.start()
        if when == "after start":
            consumer.subscribe([topic], listener=listener)
        await until(lambda: "assigned 2" in heard)
        assert heard == ["revoked 0", "metadata", "assign", "on_assignment 2", "assigned 2"]
        heard.clear()
        other = type(
            "Other", (assignor,), {each: getattr(assignor.__mro__[1], each) for each in ("metadata", "assign")}
        )
        other.on_assignment = lambda *_: None
        async with library.consumer(topic, **{**settings, "partition_assignment_strategy": [other]}):
            await until(lambda: "assigned 1" in heard)
            assert heard == ["revoked 2", "metadata", "assign", "on_assignment 1", "assigned 1"]
        await consumer.stop()

    run(test)


def test_a_subscription_that_ends_while_the_listener_hears_of_nothing(embedded: Library, run: Run) -> None:
    """The member must not join for topics that nobody wants any more."""
    topics = [embedded.broker.new_topic() for _ in range(2)]
    heard: list[str] = []
    _, listener = recording(embedded, heard)

    async def test() -> None:
        consumer = embedded.consumer(group_id=embedded.group(), heartbeat_interval_ms=100)
        await consumer.start()

        class Leaving(embedded.module().ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
            async def on_partitions_revoked(self, _: Any) -> None:
                heard.append("leaves")
                consumer.unsubscribe()
                consumer.subscribe(topics[1:], listener=listener)
                await asyncio.sleep(0)

            async def on_partitions_assigned(self, _: Any) -> None:
                heard.append("wrong")

        consumer.subscribe(topics[:1], listener=Leaving())
        await until(lambda: "assigned 1" in heard)
        # The original joins at once for the second, whose listener is not told that nothing was revoked.
        assert [each for each in heard if each != "revoked 0"] == ["leaves", "assigned 1"]
        assert {partition.topic for partition in consumer.assignment()} == set(topics[1:])
        await consumer.stop()

    run(test)


def test_a_listener_that_subscribes_hears_once_that_nothing_was_revoked(library: Library, run: Run) -> None:
    topics = [library.broker.new_topic() for _ in range(2)]
    heard: list[str] = []

    async def test() -> None:
        consumer = library.consumer(group_id=library.group(), heartbeat_interval_ms=100)

        class Listener(library.module().ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
            async def on_partitions_revoked(self, revoked: Any) -> None:
                heard.append(f"revoked {len(revoked)}")
                if len(heard) == 1:
                    consumer.subscribe(topics[1:], listener=self)

            async def on_partitions_assigned(self, assigned: Any) -> None:
                heard.append(f"assigned {len(assigned)}")

        consumer.subscribe(topics[:1], listener=Listener())
        await consumer.start()
        await until(lambda: "assigned 1" in heard)
        assert heard == ["revoked 0", "assigned 1"]
        assert {partition.topic for partition in consumer.assignment()} == set(topics[1:])
        await consumer.stop()

    run(test)

"""A consumer that subscribes to other topics has none of the old ones from then on, and waits for the new ones."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import PAUSE_BETWEEN_LOOKS

GROUPED = pytest.mark.parametrize("grouped", [True, False], ids=["group", "no group"])


def settings(library: Library, grouped: bool) -> dict[str, Any]:
    return {"group_id": library.group() if grouped else None, "heartbeat_interval_ms": 100}


@pytest.mark.parametrize("way", ["getone", "getmany", "iterate"])
@GROUPED
def test_no_record_of_a_topic_that_was_given_up(library: Library, run: Run, grouped: bool, way: str) -> None:
    old, new = library.broker.new_topic(), library.broker.new_topic()

    async def read(consumer: Any) -> str:
        match way:
            case "getone":
                return str((await consumer.getone()).topic)
            case "iterate":
                return str((await consumer.__anext__()).topic)
        [partition] = await consumer.getmany(timeout_ms=10_000, max_records=1)
        return str(partition.topic)

    async def test() -> None:
        await library.fill(old, 5)
        await library.fill(new, 5)
        async with library.consumer(old, **settings(library, grouped)) as consumer:
            assert (await consumer.getone()).topic == old
            consumer.subscribe([new])
            assert consumer.assignment() == set()
            assert consumer.subscription() == {new}
            assert await read(consumer) == new
            assert {partition.topic for partition in consumer.assignment()} == {new}

    run(test)


@GROUPED
def test_calls_about_partitions_that_were_given_up(embedded: Library, run: Run, grouped: bool) -> None:
    old, new = embedded.broker.new_topic(), embedded.broker.new_topic()
    partition = embedded.partition(old)

    async def test() -> None:
        await embedded.fill(old, 2)
        async with embedded.consumer(old, **settings(embedded, grouped)) as consumer:
            await consumer.getone()
            consumer.pause(partition)
            consumer.subscribe([new])
            assert consumer.paused() == set()
            with pytest.raises(embedded.errors.IllegalStateError):
                await consumer.position(partition)
            with pytest.raises(AssertionError):
                consumer.highwater(partition)
            with pytest.raises(AssertionError):
                await consumer.seek_to_end()
            if grouped:
                with pytest.raises(embedded.errors.IllegalStateError):
                    await consumer.commit()

    run(test)


def test_partitions_that_have_come_since_are_read_without_a_group(library: Library, run: Run) -> None:
    """Who subscribes again asks for them. In a group its leader looks for them now and then."""
    topic = library.broker.new_topic()
    admin = library.module("admin")

    async def test() -> None:
        async with library.consumer(topic) as consumer:
            assert consumer.assignment() == {library.partition(topic)}
            administrator = admin.AIOKafkaAdminClient(bootstrap_servers=library.broker.bootstrap_servers)
            await administrator.start()
            await administrator.create_partitions({topic: admin.NewPartitions(3)})
            # Brokers tell of new partitions a while after they were made.
            while len((await administrator.describe_topics([topic]))[0]["partitions"]) < 3:  # noqa: ASYNC110  nobody tells
                await asyncio.sleep(PAUSE_BETWEEN_LOOKS)
            await administrator.close()
            async with library.producer() as producer:
                await producer.send_and_wait(topic, b"new", partition=2)
            consumer.subscribe([topic])
            assert (await consumer.getone()).value == b"new"
            assert consumer.assignment() == {library.partition(topic, number) for number in range(3)}

    run(test)


def test_nothing_is_paused_after_unsubscribe(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 2)
        async with library.consumer(topic, group_id=library.group()) as consumer:
            await consumer.getone()
            consumer.unsubscribe()
            assert consumer.paused() == set()

    run(test)


@pytest.mark.parametrize("between", ["nothing", "unsubscribe"])
@pytest.mark.parametrize("call", ["position", "seek_to_end", "seek_to_beginning"])
def test_a_position_is_waited_for_through_a_new_subscription(
    embedded: Library, run: Run, call: str, between: str
) -> None:
    topic, other = embedded.broker.new_topic(), embedded.broker.new_topic()
    partition = embedded.partition(topic)

    async def test() -> None:
        await embedded.fill(topic, 3)
        async with embedded.consumer(topic, **settings(embedded, True)) as consumer:
            await consumer.getone()
            await consumer.commit()
            # The position is not known as long as this lasts.
            with embedded.broker.handle.intercept(
                "OffsetFetch" if call == "position" else "ListOffsets", "COORDINATOR_LOAD_IN_PROGRESS"
            ):
                consumer.subscribe([topic, other])
                while not consumer.assignment():  # noqa: ASYNC110  the libraries tell nobody
                    await asyncio.sleep(0.01)
                waits = asyncio.ensure_future(getattr(consumer, call)(partition))
                await asyncio.sleep(0)
                if between == "unsubscribe":
                    consumer.unsubscribe()
                consumer.subscribe([topic])
                await asyncio.sleep(0)
            assert await asyncio.wait_for(waits, 20) == (1 if call == "position" else False)

    run(test)


def test_a_position_is_not_waited_for_after_unsubscribe(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        with embedded.broker.handle.intercept("OffsetFetch", "COORDINATOR_LOAD_IN_PROGRESS"):
            async with embedded.consumer(topic, **settings(embedded, True)) as consumer:
                waits = asyncio.ensure_future(consumer.position(embedded.partition(topic)))
                await asyncio.sleep(0)
                consumer.unsubscribe()
                with pytest.raises(embedded.errors.IllegalStateError):
                    await asyncio.wait_for(waits, 20)

    run(test)


@pytest.mark.parametrize("call", ["seek_to_end", "seek_to_beginning"])
def test_a_seek_gives_up_with_the_time_limit(embedded: Library, run: Run, call: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 3)
        async with embedded.consumer(
            topic, **settings(embedded, True), request_timeout_ms=1_000, retry_backoff_ms=20
        ) as consumer:
            await consumer.getone()
            with embedded.broker.handle.intercept("ListOffsets", "LEADER_NOT_AVAILABLE"):
                assert await getattr(consumer, call)() is False
            assert await getattr(consumer, call)() is True

    run(test)


def test_a_pattern_that_matches_nothing_yet_makes_a_member(library: Library, run: Run) -> None:
    name, group = library.broker.new_topic(), library.group()
    log: list[tuple[str, set[Any]]] = []

    class Listener(library.module("abc").ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        def on_partitions_revoked(self, revoked: Any) -> None:
            log.append(("revoked", set(revoked)))

        def on_partitions_assigned(self, assigned: Any) -> None:
            log.append(("assigned", set(assigned)))

    async def test() -> None:
        consumer = library.consumer(group_id=group, metadata_max_age_ms=100, heartbeat_interval_ms=50)
        consumer.subscribe(pattern=f"^{name}-later", listener=Listener())
        await consumer.start()
        assert log == [("revoked", set()), ("assigned", set())]
        assert consumer.subscription() == consumer.assignment() == set()
        later = f"{name}-later"
        await library.fill(later, 1)
        assert (await consumer.getone()).topic == later
        assert log[2:] == [("revoked", set()), ("assigned", {library.partition(later)})]
        consumer.unsubscribe()
        assert consumer.assignment() == set()
        await consumer.stop()

    run(test)


def test_a_member_without_partitions_leaves_by_unsubscribe(face: Library, run: Run) -> None:
    """The original's handler of metadata does not survive it."""
    topic, group = face.broker.new_topic(), face.group()

    async def test() -> None:
        async with face.consumer(group_id=group) as consumer:
            consumer.subscribe(pattern=f"^{topic}-nothing")
            async with face.consumer(topic, group_id=group) as other:
                assert other.assignment()
                consumer.unsubscribe()
                consumer.subscribe([topic])
                while not consumer.assignment() and not other.assignment():  # noqa: ASYNC110  nobody is told
                    await asyncio.sleep(0.01)

    run(test)


def test_nothing_is_committed_before_anything_is_assigned(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.consumer(group_id=library.group()) as consumer:
            consumer.subscribe([topic])
            with pytest.raises(library.errors.IllegalStateError):
                await consumer.commit()

    run(test)


def test_nothing_is_assigned_when_the_first_call_takes_nothing_away(library: Library, run: Run) -> None:
    topic, seen = library.broker.new_topic(), []

    class Listener(library.module("abc").ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        async def on_partitions_revoked(self, revoked: Any) -> None:
            assert not revoked
            try:
                await consumer.commit()
                seen.append((set(consumer.assignment()), "committed"))
            except library.errors.IllegalStateError:
                seen.append((set(consumer.assignment()), "nothing is assigned"))

        async def on_partitions_assigned(self, assigned: Any) -> None:
            seen.append((set(consumer.assignment()), f"assigned {len(assigned)}"))

    consumer: Any = None

    async def test() -> None:
        nonlocal consumer
        consumer = library.consumer(group_id=library.group(), enable_auto_commit=False)
        consumer.subscribe([topic], listener=Listener())
        await consumer.start()
        while len(seen) < 2:  # noqa: ASYNC110  start() of the original does not wait for coroutines
            await asyncio.sleep(0.01)
        await consumer.stop()
        assert seen == [(set(), "nothing is assigned"), ({library.partition(topic)}, "assigned 1")]

    run(test)

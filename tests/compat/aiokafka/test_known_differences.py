"""What the face once did otherwise than aiokafka, found by aiokafka's own tests and by programs that moved over."""

from __future__ import annotations

import asyncio
import importlib
import warnings
from typing import Any

import pytest
from kafkars.compat.aiokafka.consumer._membership import Membership

from tests.compat.aiokafka.conftest import LIBRARIES
from tests.support.aiokafka_library import Library, Run


def listener(library: Library) -> Any:
    """A listener that remembers what it was told."""

    class Listener(library.module("abc").ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.assigned: list[set[Any]] = []
            self.called = asyncio.Event()

        async def on_partitions_revoked(self, revoked: Any) -> None:
            pass

        async def on_partitions_assigned(self, assigned: Any) -> None:
            self.assigned.append(set(assigned))
            self.called.set()

    return Listener()


def test_partitions_are_assigned_after_unsubscribe(library: Library, run: Run) -> None:
    topic, other = library.broker.new_topic(), library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 2)
        await library.fill(other, 2)
        async with library.consumer(topic, group_id=library.group()) as consumer:
            assert (await consumer.getone()).topic == topic
            consumer.unsubscribe()
            assert consumer.assignment() == set()
            assert consumer.subscription() == set()
            consumer.assign([library.partition(other)])
            assert consumer.assignment() == {library.partition(other)}
            await consumer.seek_to_beginning()
            assert (await consumer.getone()).topic == other

    run(test)


def test_a_topic_is_subscribed_after_partitions_were_given_up(library: Library, run: Run) -> None:
    topic, other = library.broker.new_topic(), library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 1)
        await library.fill(other, 1)
        async with library.consumer(group_id=library.group()) as consumer:
            consumer.assign([library.partition(topic)])
            await consumer.seek_to_beginning()
            assert (await consumer.getone()).topic == topic
            # aiokafka does not survive it while it still looks for the coordinator of a Kafka that has just started.
            await consumer.committed(library.partition(topic))
            consumer.unsubscribe()
            consumer.subscribe([other])
            assert (await consumer.getone()).topic == other

    run(test)


def test_kinds_of_subscription_exclude_each_other(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic, group_id=embedded.group()) as consumer:
            with pytest.raises(embedded.errors.IllegalStateError):
                consumer.assign([embedded.partition(topic)])
            with pytest.raises(embedded.errors.IllegalStateError):
                consumer.subscribe(pattern="x.*")

    run(test)


def test_a_pattern_is_subscribed_after_unsubscribe(face: Library, run: Run) -> None:
    """The original fails here: its handler of metadata looks at a subscription that is None."""
    topic = face.broker.new_topic()

    async def test() -> None:
        async with face.consumer(topic, group_id=face.group()) as consumer:
            consumer.unsubscribe()
            consumer.subscribe(pattern=topic)
            while not consumer.assignment():  # noqa: ASYNC110  the listener is not what is tested
                await asyncio.sleep(0.01)

    run(test)


def test_a_new_listener_of_the_same_topics_is_called(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        first, second = listener(library), listener(library)
        async with library.consumer(group_id=library.group()) as consumer:
            consumer.subscribe([topic], listener=first)
            await first.called.wait()
            consumer.subscribe([topic], listener=second)
            await second.called.wait()
        assert second.assigned[-1] == {library.partition(topic)}

    run(test)


@pytest.mark.parametrize("by", ["topics", "pattern"])
def test_looking_for_new_topics_takes_no_partition_away(
    face: Library, run: Run, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """Each `metadata_max_age_ms` the face looks; while nothing is new, nobody hears of it and positions stay."""
    topic = face.broker.new_topic()
    looks = 0
    look = Membership.refresh

    async def counted(self: Membership) -> None:
        nonlocal looks
        await look(self)
        looks += 1

    monkeypatch.setattr(Membership, "refresh", counted)

    async def test() -> None:
        await face.fill(topic, 3)
        told = listener(face)
        more = {"enable_auto_commit": False, "metadata_max_age_ms": 10, "heartbeat_interval_ms": 20}
        async with face.consumer(group_id=face.group(), **more) as consumer:
            wish = {"topics": [topic]} if by == "topics" else {"pattern": topic}
            consumer.subscribe(**wish, listener=told)
            for offset in range(3):
                assert (await consumer.getone()).offset == offset
                seen = looks
                while looks < seen + 5:  # noqa: ASYNC110  it happens by itself
                    await asyncio.sleep(0.005)
        assert told.assigned == [{face.partition(topic)}]

    run(test)


def test_interval_commits_happen_while_nothing_is_read(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 5)
        group, partition = library.group(), library.partition(topic)
        async with (
            library.consumer(topic, group_id=group, auto_commit_interval_ms=200) as consumer,
            library.consumer(group_id=group, enable_auto_commit=False) as beside,
        ):
            assert sum(map(len, (await consumer.getmany(timeout_ms=5_000)).values())) == 5
            while await beside.committed(partition) != 5:  # noqa: ASYNC110  the coordinator is asked each time
                await asyncio.sleep(0.02)

    run(test)


def test_a_cancelled_commit_of_a_transaction_ends_it(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer(transactional_id=library.group()) as producer:
            await producer.begin_transaction()
            await producer.send(topic, b"first")
            task = asyncio.create_task(producer.commit_transaction())
            await asyncio.sleep(0)
            # A broker in the same process may have ended it by then.
            was_under_way = task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() == was_under_way
            async with library.consumer(topic, isolation_level="read_committed") as consumer:
                assert (await consumer.getone()).value == b"first"
            async with producer.transaction():
                await producer.send(topic, b"second")

    run(test)


def test_a_batch_is_refused_while_the_transaction_is_committed(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(transactional_id=embedded.group()) as producer:
            async with producer.transaction():
                await producer.send_and_wait(topic, b"first")
            batch = producer.create_batch()
            assert batch.append(key=None, value=b"late", timestamp=None) is not None
            await producer.begin_transaction()
            await producer.send_and_wait(topic, b"second")
            task = asyncio.create_task(producer.commit_transaction())
            await asyncio.sleep(0)
            with pytest.raises(embedded.errors.IllegalOperation):
                await producer.send_batch(batch, topic, partition=0)
            await task

    run(test)


def test_times_of_an_unknown_partition_are_a_timeout(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic, request_timeout_ms=3000) as consumer:
            with pytest.raises(embedded.errors.KafkaTimeoutError):
                await consumer.offsets_for_times({embedded.partition(topic, 7): 0})
            for ask in (consumer.beginning_offsets, consumer.end_offsets):
                with pytest.raises(embedded.errors.KafkaTimeoutError):
                    await ask([embedded.partition(topic, 7)])

    run(test)


def test_a_first_record_that_is_too_large_for_a_batch(embedded: Library, run: Run) -> None:
    async def test() -> None:
        async with embedded.producer(max_batch_size=100) as producer:
            # aiokafka 0.14 takes the first record whatever its size, and only then the batch is full.
            batch = producer.create_batch()
            assert batch.append(key=None, value=b"x" * 200, timestamp=None) is not None
            assert batch.append(key=None, value=b"x", timestamp=None) is None
            assert (batch.record_count(), batch.closed()) == (1, True)

    run(test)


def filled(library: str, limit: int) -> list[int]:
    """The sizes of a batch of at most so many bytes, which is filled with records that grow."""
    kind = importlib.import_module(f"{library}.producer.message_accumulator").BatchBuilder
    batch = kind(limit, 0, is_transactional=False, key_serializer=None, value_serializer=None)
    sizes: list[int] = []
    for number in range(limit):
        header = [("name", b"h" * number)] if number % 3 == 0 else []
        times = 1_700_000_000_000 + 100 * number
        if batch.append(timestamp=times, key=b"key", value=b"v" * 7 * number, headers=header) is None:
            break
        sizes.append(batch.size())
    return sizes


def test_a_batch_is_full_where_that_of_the_original_is() -> None:
    for limit in range(60, 700):
        assert filled(LIBRARIES["face"], limit) == filled(LIBRARIES["aiokafka"], limit), limit


@pytest.mark.parametrize("kind", ["consumer", "producer"])
def test_the_argument_loop_is_deprecated(embedded: Library, run: Run, kind: str) -> None:
    async def test() -> None:
        make: Any = getattr(embedded, kind)
        with pytest.warns(DeprecationWarning, match="loop"):
            made = make(loop=asyncio.get_running_loop())
        await made.stop()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = make()
        await made.stop()

    run(test)


@pytest.mark.parametrize("kind", ["consumer", "producer"])
def test_a_client_made_outside_of_a_loop(embedded: Library, kind: str) -> None:
    make: Any = getattr(embedded, kind)
    with pytest.raises(RuntimeError):
        make()

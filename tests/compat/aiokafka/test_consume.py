"""`AIOKafkaConsumer` without a group."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import gc
import pickle
import weakref
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import SECONDS


def places(found: dict[Any, list[Any]]) -> dict[int, list[int]]:
    return {partition.partition: [record.offset for record in records] for partition, records in found.items()}


def test_records_come_as_they_were_sent(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer() as producer:
            await producer.send_and_wait(
                topic, b"value", b"key", headers=[("name", b"1"), ("none", None)], timestamp_ms=77
            )
            await producer.send_and_wait(topic, None, b"gone", timestamp_ms=78)
        async with library.consumer(topic) as consumer:
            record = await consumer.getone()
            assert repr(record) == (
                f"ConsumerRecord(topic={topic!r}, partition=0, offset=0, timestamp=77, timestamp_type=0, key=b'key', "
                "value=b'value', checksum=None, serialized_key_size=3, serialized_value_size=5, "
                "headers=(('name', b'1'), ('none', None)))"
            )
            assert isinstance(record, library.module("structs").ConsumerRecord)
            tombstone = await consumer.getone()
            assert (tombstone.key, tombstone.value, tombstone.serialized_value_size) == (b"gone", None, -1)
            assert tombstone.headers == ()

    run(test)


def test_a_record_is_a_mutable_value(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        async with embedded.consumer(topic) as consumer:
            record = await consumer.getone()
        fields = [getattr(record, name) for name in type(record).__match_args__]
        made = type(record)(*fields)
        assert record == made
        assert made == copy.copy(record)
        assert pickle.loads(pickle.dumps(record)) == record
        assert dataclasses.asdict(record)["value"] == b"v0"
        record.value = {"parsed": True}
        record.topic = "elsewhere"
        assert (record.value, record.topic, record.key) == ({"parsed": True}, "elsewhere", b"k0")
        assert record != made
        assert dataclasses.replace(made, offset=9).offset == 9
        assert made != fields
        with pytest.raises(TypeError):
            hash(record)
        with pytest.raises(TypeError):
            type(record)("topic")

    run(test)


def test_a_record_may_be_derived_from(embedded: Library) -> None:
    base = embedded.module("structs").ConsumerRecord

    class Raw(base):  # type: ignore[misc]
        pass

    fields = ("topic", 0, 1, 2, 0, b"key", b"value", None, 3, 5, ())
    kept = []
    for number in range(2000):
        record = Raw(*fields)
        record.extra = [number, record]
        record.value = bytes(100)
        if number % 7 == 0:
            kept.append(record)
    gc.collect()
    assert [record.extra[0] for record in kept] == list(range(0, 2000, 7))
    assert kept[0].topic == "topic"
    del kept, record
    gc.collect()


def test_iteration_reads_in_order_and_ends_when_stopped(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 5)
        consumer = library.consumer(topic)
        await consumer.start()
        seen = []
        async for record in consumer:
            seen.append(record.value)
            if len(seen) == 5:
                asyncio.get_running_loop().call_soon(lambda: tasks.append(asyncio.ensure_future(consumer.stop())))
        assert seen == [b"v%d" % number for number in range(5)]
        await asyncio.gather(*tasks)

    tasks: list[Any] = []
    run(test)


def test_getmany_gives_lists_by_partition(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)

    async def test() -> None:
        await library.fill(topic, 10, partitions=2)
        async with library.consumer(topic) as consumer:
            found: dict[int, list[int]] = {0: [], 1: []}
            while sum(map(len, found.values())) < 10:
                part = places(await consumer.getmany(timeout_ms=1000, max_records=3))
                assert sum(map(len, part.values())) <= 3
                for partition, offsets in part.items():
                    found[partition] += offsets
            assert found == {0: list(range(5)), 1: list(range(5))}
            assert await consumer.getmany(timeout_ms=20) == {}
            assert await consumer.getmany() == {}
            await consumer.seek_to_beginning()
            both = {partition: [] for partition in sorted(consumer.assignment())}
            while sum(map(len, both.values())) < 10:
                for partition, records in (await consumer.getmany(timeout_ms=1000)).items():
                    both[partition] += [record.offset for record in records]
            assert all(offsets == list(range(5)) for offsets in both.values())

    run(test)


def test_partitions_that_are_not_asked_for_wait(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=3)

    async def test() -> None:
        await library.fill(topic, 9, partitions=3)
        async with library.consumer(topic) as consumer:
            two = library.partition(topic, 2)
            for offset in range(3):
                record = await consumer.getone(two)
                assert (record.partition, record.offset) == (2, offset)
            one = library.partition(topic, 1)
            assert places(await consumer.getmany(one, timeout_ms=1000, max_records=2)) == {1: [0, 1]}
            assert await consumer.getmany(two, timeout_ms=20) == {}
            rest: dict[int, list[int]] = {}
            while sum(map(len, rest.values())) < 4:
                for partition, offsets in places(await consumer.getmany(timeout_ms=1000)).items():
                    rest.setdefault(partition, []).extend(offsets)
            assert rest == {0: [0, 1, 2], 1: [2]}

    run(test)


def test_a_wait_for_one_partition_is_not_disturbed_by_others(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic(partitions=2)

    async def test() -> None:
        await embedded.fill(topic, 4)
        async with embedded.consumer(topic) as consumer:
            waiting = asyncio.ensure_future(consumer.getone(embedded.partition(topic, 1)))
            assert (await consumer.getone()).partition == 0
            assert not waiting.done()
            async with embedded.producer() as producer:
                await producer.send_and_wait(topic, b"late", partition=1)
            assert (await waiting).value == b"late"
            assert [(await consumer.getone()).offset for _ in range(3)] == [1, 2, 3]

    run(test)


@pytest.mark.parametrize("named", ["topic", ("topic", 0), None])
def test_only_partitions_name_partitions(embedded: Library, run: Run, named: Any) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic) as consumer:
            with pytest.raises(AssertionError):
                await consumer.getone(named)
            with pytest.raises(AssertionError):
                await consumer.getmany(named)

    run(test)


@pytest.mark.parametrize("most", [0, -1, "1", 1.5])
def test_max_records_is_a_positive_integer(embedded: Library, run: Run, most: Any) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic) as consumer:
            with pytest.raises(ValueError, match="max_records"):
                await consumer.getmany(max_records=most)
        with pytest.raises(ValueError, match="max_poll_records"):
            embedded.consumer(topic, max_poll_records=most)

    run(test)


def test_a_cancelled_getone_loses_no_record(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic) as consumer, embedded.producer() as producer:
            for number in range(20):
                waiting = asyncio.ensure_future(consumer.getone())
                await asyncio.sleep(0)
                await producer.send_and_wait(topic, b"%d" % number)
                waiting.cancel()
                (record,) = await asyncio.gather(waiting, return_exceptions=True)
                if isinstance(record, asyncio.CancelledError):
                    record = await consumer.getone()
                assert record.offset == number
            assert await consumer.position(embedded.partition(topic)) == 20

    run(test)


def test_waiting_gives_up_with_the_timeout(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic) as consumer:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(consumer.getone(), 0.05)
            async with embedded.producer() as producer:
                await producer.send_and_wait(topic, b"value")
            assert (await consumer.getone()).value == b"value"

    run(test)


def test_deserializers_see_none_and_what_they_raise_keeps_the_place(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()
    seen = []

    def value(part: bytes | None) -> str | None:
        seen.append(part)
        if part == b"bad":
            raise ZeroDivisionError(part)
        return None if part is None else part.decode()

    async def test() -> None:
        async with library.producer() as producer:
            for part in (b"good", None, b"bad", b"never"):
                await producer.send_and_wait(topic, part, b"key")
        async with library.consumer(topic, value_deserializer=value, key_deserializer=lambda key: [key]) as consumer:
            record = await consumer.getone()
            assert (record.key, record.value, record.serialized_value_size) == ([b"key"], "good", 4)
            assert (await consumer.getone()).value is None
            for _ in range(2):
                with pytest.raises(ZeroDivisionError):
                    await consumer.getone()
                assert await consumer.position(library.partition(topic)) == 2
            with pytest.raises(ZeroDivisionError):
                await consumer.getmany(timeout_ms=1000)
            assert await consumer.position(library.partition(topic)) == 2
            consumer.seek(library.partition(topic), 3)
            assert (await consumer.getone()).value == "never"

    run(test)
    assert seen[:3] == [b"good", None, b"bad"]


def test_stopping_ends_what_waits(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        consumer = embedded.consumer(topic)
        await consumer.start()
        one = asyncio.ensure_future(consumer.getone())
        many = asyncio.ensure_future(consumer.getmany(timeout_ms=1000 * SECONDS))
        await asyncio.sleep(0)
        await consumer.stop()
        ended = await asyncio.gather(one, many, return_exceptions=True)
        assert isinstance(ended[0], embedded.errors.ConsumerStoppedError)
        assert ended[1] == {}
        await consumer.stop()
        for call in (consumer.getone, consumer.getmany, consumer.__aiter__):
            with pytest.raises(embedded.errors.ConsumerStoppedError):
                await call()

    run(test)


def test_unreachable_brokers_are_told_at_the_start(embedded: Library, run: Run) -> None:
    async def test() -> None:
        consumer = embedded.consumer("topic", bootstrap_servers="127.0.0.1:1")
        with pytest.raises(embedded.errors.KafkaConnectionError):
            await consumer.start()
        await consumer.stop()
        producer = embedded.producer(bootstrap_servers="127.0.0.1:1")
        with pytest.raises(embedded.errors.KafkaConnectionError):
            await producer.start()
        await producer.stop()

    run(test)


def test_clients_are_made_where_a_loop_runs(embedded: Library) -> None:
    with pytest.raises(RuntimeError):
        embedded.consumer("topic")
    with pytest.raises(RuntimeError):
        embedded.producer()


def test_unknown_settings_are_refused_by_the_signature(embedded: Library, run: Run) -> None:
    async def test() -> None:
        with pytest.raises(TypeError):
            embedded.consumer("topic", no_such_setting=1)
        with pytest.raises(TypeError):
            embedded.producer(no_such_setting=1)

    run(test)


@pytest.mark.parametrize("kind", ["consumer", "producer"])
def test_a_client_that_is_not_stopped_says_so(embedded: Library, run: Run, kind: str) -> None:
    heard = []

    async def test() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(context["message"]))
        with pytest.warns(ResourceWarning, match="Unclosed AIOKafka"):
            getattr(embedded, kind)()

    run(test)
    assert heard[0].startswith("Unclosed AIOKafka")


async def collected(there: weakref.ref[Any]) -> bool:
    """True once it is; a step of a group's that has just begun may have it in its hands."""
    for _ in range(int(SECONDS / 0.005)):
        gc.collect()
        if there() is None:
            return True
        await asyncio.sleep(0.005)
    return False


@pytest.mark.parametrize("kind", ["consumer", "producer"])
def test_a_client_that_is_forgotten_while_it_runs_is_collected(face: Library, run: Run, kind: str) -> None:
    topic = face.broker.new_topic()

    class Listener(face.module("abc").ConsumerRebalanceListener):
        def __init__(self, consumer: Any) -> None:
            self.consumer = consumer

        def on_partitions_revoked(self, revoked: Any) -> None: ...
        def on_partitions_assigned(self, assigned: Any) -> None: ...

    async def test() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        if kind == "consumer":
            client = face.consumer(group_id=face.group())
            client.subscribe([topic], listener=Listener(client))
        else:
            client = face.producer()
            client.itself = client
        await client.start()
        there = weakref.ref(client)
        del client
        with pytest.warns(ResourceWarning, match="Unclosed AIOKafka"):
            assert await collected(there)

    run(test)


def test_what_fetches_told_is_known(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 3)
        async with library.consumer(topic) as consumer:
            partition = library.partition(topic)
            await consumer.getone()
            assert consumer.highwater(partition) == 3
            assert consumer.last_stable_offset(partition) in {3, -1}
            assert consumer.last_poll_timestamp(partition) > 1_600_000_000_000
            for question in (consumer.highwater, consumer.last_stable_offset, consumer.last_poll_timestamp):
                with pytest.raises(AssertionError):
                    question(library.partition("elsewhere"))
            assert consumer.partitions_for_topic(topic) == {0}
            assert consumer.partitions_for_topic("elsewhere") is None
            assert topic in await consumer.topics()

    run(test)

"""AIOConsumer: the same messages and callbacks from the library and its face, on both brokers."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

import kafkars
import pytest

from tests.brokers import Broker
from tests.support.waiting import SECONDS


@pytest.fixture
def aio(ck: ModuleType) -> ModuleType:
    """`confluent_kafka.aio`, of either."""
    return importlib.import_module(ck.__name__ + ".aio")


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    async def bounded() -> Any:
        return await asyncio.wait_for(work(), SECONDS)

    return asyncio.run(bounded())


def config(broker: Broker, group: str, **properties: Any) -> dict[str, Any]:
    return {
        "bootstrap.servers": broker.bootstrap_servers,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "log_level": 0,
        **properties,
    }


def fill(broker: Broker, topic: str, count: int) -> None:
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send_many(topic, [b"%d" % number for number in range(count)], partitions=0).result(SECONDS)


async def read(consumer: Any, count: int) -> list[Any]:
    messages: list[Any] = []
    while len(messages) < count:
        message = await consumer.poll(1.0)
        if message is not None:
            assert message.error() is None
            messages.append(message)
    return messages


def test_messages_come_one_by_one_and_several_at_once(aio: ModuleType, broker: Broker, topic: str) -> None:
    fill(broker, topic, 30)

    async def work() -> None:
        conf = config(broker, topic)
        before = dict(conf)
        async with aio.AIOConsumer(conf) as consumer:
            await consumer.subscribe([topic])
            first = await read(consumer, 10)
            assert [message.value() for message in first] == [b"%d" % number for number in range(10)]
            assert [message.offset() for message in await consumer.consume(15, 10)] == list(range(10, 25))
            assert [message.offset() for message in await consumer.consume(num_messages=99, timeout=0.5)] == list(
                range(25, 30)
            )
            assert await consumer.poll(timeout=0.05) is None
            assert await consumer.consume(1, 0.05) == []
        assert conf == before

    run(work)


def test_a_message_that_comes_later_ends_the_wait(aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        async with aio.AIOConsumer(config(broker, topic)) as consumer:
            await consumer.subscribe([topic])
            waiting = asyncio.ensure_future(consumer.poll(SECONDS))
            assert await consumer.poll(0.1) is None
            await asyncio.to_thread(fill, broker, topic, 1)
            message = await waiting
            assert message.offset() == 0

    run(work)


def test_callbacks_of_a_rebalance_are_awaited(ck: ModuleType, aio: ModuleType, broker: Broker, topic: str) -> None:
    fill(broker, topic, 3)
    told: list[Any] = []

    async def work() -> None:
        async def come(given: Any, partitions: list[Any]) -> None:
            assert given is consumer
            await asyncio.sleep(0)
            told.append(("come", [(each.topic, each.partition) for each in partitions]))

        async def go(given: Any, partitions: list[Any]) -> None:
            assert given is consumer
            await consumer.commit(asynchronous=False)
            told.append(("go", [(each.topic, each.partition) for each in partitions]))

        consumer = aio.AIOConsumer(config(broker, topic, **{"enable.auto.commit": False}))
        await consumer.subscribe([topic], on_assign=come, on_revoke=go)
        await read(consumer, 2)
        assert told == [("come", [(topic, 0)])]
        await consumer.close()
        assert told == [("come", [(topic, 0)]), ("go", [(topic, 0)])]
        async with aio.AIOConsumer(config(broker, topic)) as later:
            (found,) = await later.committed([ck.TopicPartition(topic, 0)])
            assert found.offset == 2

    run(work)


def test_positions_and_offsets(ck: ModuleType, aio: ModuleType, broker: Broker, topic: str) -> None:
    fill(broker, topic, 5)
    place = ck.TopicPartition(topic, 0)

    async def work() -> None:
        settings = {"enable.auto.offset.store": False, "auto.commit.interval.ms": 600_000}
        async with aio.AIOConsumer(config(broker, topic, **settings)) as consumer:
            assert await consumer.assign([ck.TopicPartition(topic, 0, 1)]) is None
            message = (await read(consumer, 1))[0]
            assert message.offset() == 1
            assert await consumer.assignment() == [place]
            assert [each.offset for each in await consumer.position([place])] == [2]
            assert await consumer.get_watermark_offsets(place) == (0, 5)
            (found,) = await consumer.offsets_for_times([ck.TopicPartition(topic, 0, 0)])
            assert found.offset == 0
            assert await consumer.store_offsets(message=message) is None
            (committed,) = await consumer.commit(asynchronous=False)
            assert committed.offset == 2
            assert [each.offset for each in await consumer.committed([place], timeout=10)] == [2]
            assert await consumer.pause([place]) is None
            assert await consumer.resume([place]) is None
            await consumer.seek(ck.TopicPartition(topic, 0, 4))
            message = (await read(consumer, 1))[0]
            while message.offset() < 4:
                # What was fetched before may still come.
                message = (await read(consumer, 1))[0]
            assert await consumer.consumer_group_metadata()
            assert list((await consumer.list_topics(topic, timeout=10)).topics) == [topic]
            assert await consumer.cluster_id()
            assert await consumer.unassign() is None
            assert await consumer.assignment() == []
            await consumer.incremental_assign([ck.TopicPartition(topic, 0, 0)])
            assert await consumer.assignment() == [place]
            await consumer.incremental_unassign([place])
            assert await consumer.assignment() == []
            assert await consumer.unsubscribe() is None

    run(work)


def test_a_closed_consumer_is_an_error(aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        consumer = aio.AIOConsumer(config(broker, topic))
        await consumer.close()
        with pytest.raises(RuntimeError):
            await consumer.poll(0.1)
        with pytest.raises(RuntimeError):
            await consumer.consume(1, 0.1)

    run(work)


def test_what_cannot_be_is_refused(ck: ModuleType, aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        with pytest.raises(ValueError, match=r"group\.id"):
            aio.AIOConsumer({"bootstrap.servers": "127.0.0.1:1"})
        with pytest.raises(ValueError, match="max_workers"):
            aio.AIOConsumer(config(broker, topic), max_workers=0)
        with pytest.raises(ck.KafkaException):
            aio.AIOConsumer(config(broker, topic, nonsense=1))
        async with aio.AIOConsumer(config(broker, topic)) as consumer:
            with pytest.raises(ValueError, match="num_messages"):
                await consumer.consume(-1)

    run(work)


def test_callbacks_of_the_client_may_be_coroutine_functions(aio: ModuleType, broker: Broker, topic: str) -> None:
    fill(broker, topic, 1)

    async def work() -> None:
        committed, counted = asyncio.Event(), asyncio.Event()

        async def on_commit(error: Any, partitions: list[Any]) -> None:
            assert error is None
            assert [each.offset for each in partitions] == [1]
            committed.set()

        async def statistics(text: str) -> None:
            assert '"type": "consumer"' in text or '"type":"consumer"' in text
            counted.set()

        properties = {
            "on_commit": on_commit,
            "stats_cb": statistics,
            "statistics.interval.ms": 100,
            "enable.auto.commit": False,
        }
        async with aio.AIOConsumer(config(broker, topic, **properties)) as consumer:
            await consumer.subscribe([topic])
            await read(consumer, 1)
            await consumer.commit()
            while not (committed.is_set() and counted.is_set()):
                await consumer.poll(0.1)

    run(work)


@pytest.mark.parametrize("ck", ["kafkars.compat.confluent_kafka"], indirect=True)
def test_a_poll_that_is_cancelled_loses_no_message(aio: ModuleType, broker: Broker, topic: str) -> None:
    """In the library a thread goes on polling, and the message is lost."""

    async def work() -> None:
        async with aio.AIOConsumer(config(broker, topic)) as consumer:
            await consumer.subscribe([topic])
            assert await consumer.poll(0.5) is None
            waiting = asyncio.ensure_future(consumer.poll(SECONDS))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await asyncio.to_thread(fill, broker, topic, 1)
            assert [message.offset() for message in await read(consumer, 1)] == [0]

    run(work)


def test_what_a_call_still_gathers_is_not_committed(
    ck: ModuleType, aio: ModuleType, broker: Broker, topic: str
) -> None:
    fill(broker, topic, 2)

    async def work() -> None:
        conf = config(broker, topic, **{"auto.commit.interval.ms": 50})
        here = [ck.TopicPartition(topic, 0)]
        async with aio.AIOConsumer(config(broker, topic)) as asking:
            async with aio.AIOConsumer(conf) as consumer:
                await consumer.subscribe([topic])
                assert len(await consumer.consume(2, SECONDS)) == 2
                gathering = asyncio.ensure_future(consumer.consume(1000, 3.0))
                seen = []
                while not gathering.done():
                    await asyncio.to_thread(fill, broker, topic, 1)
                    seen.append((await asking.committed(here))[0].offset)
                gathered = len(await gathering)
                assert gathered > 2
                # One may be from just after the end.
                assert set(seen[:-1]) <= {2, ck.OFFSET_INVALID}
            assert (await asking.committed(here))[0].offset == 2 + gathered

    run(work)


def test_a_consumer_goes_on_in_another_event_loop(aio: ModuleType, broker: Broker, topic: str) -> None:
    fill(broker, topic, 1)
    made: list[Any] = []

    async def begin() -> None:
        made.append(aio.AIOConsumer(config(broker, topic, **{"enable.auto.commit": False})))
        await made[0].subscribe([topic])
        await read(made[0], 1)

    async def go_on() -> None:
        (consumer,) = made
        assert [each.offset for each in await consumer.commit(asynchronous=False)] == [1]
        assert await consumer.poll(0.1) is None
        await consumer.close()

    run(begin)
    run(go_on)


@pytest.mark.parametrize("how", ["poll", "consume"])
def test_a_call_under_way_finds_nothing_when_the_consumer_is_closed(
    aio: ModuleType, broker: Broker, topic: str, how: str
) -> None:
    async def work() -> None:
        consumer = aio.AIOConsumer(config(broker, topic))
        await consumer.subscribe([topic])
        assert await consumer.poll(0.1) is None
        waiting = asyncio.create_task(consumer.poll(5.0) if how == "poll" else consumer.consume(100, 5.0))
        await asyncio.sleep(0.1)
        await consumer.close()
        assert not await waiting
        with pytest.raises(RuntimeError):
            await consumer.poll(0.1)

    run(work)


# The library's waits for itself.
@pytest.mark.parametrize("ck", ["kafkars.compat.confluent_kafka"], indirect=True)
def test_close_in_a_callback_of_a_poll_does_not_wait_for_the_callback(
    aio: ModuleType, broker: Broker, topic: str
) -> None:
    told: list[str] = []

    async def work() -> None:
        async def on_assign(consumer: Any, _: list[Any]) -> None:
            await consumer.close()
            told.append("closed")

        consumer = aio.AIOConsumer(config(broker, topic))
        await consumer.subscribe([topic], on_assign=on_assign)
        with pytest.raises(RuntimeError, match="closed"):
            await read(consumer, 1)
        await consumer.close()

    started = time.monotonic()
    run(work)
    assert told == ["closed"]
    assert time.monotonic() - started < SECONDS / 2


@pytest.mark.parametrize("ck", ["kafkars.compat.confluent_kafka"], indirect=True)
def test_the_end_of_a_partition_is_a_message(ck: ModuleType, aio: ModuleType, broker: Broker, topic: str) -> None:
    fill(broker, topic, 1)

    async def work() -> None:
        async with aio.AIOConsumer(config(broker, topic, **{"enable.partition.eof": True})) as consumer:
            await consumer.subscribe([topic])
            first, second = await consumer.consume(2, SECONDS)
            assert first.offset() == 0
            assert second.error().code() == ck.KafkaError._PARTITION_EOF

    run(work)


def test_objects_go_out_and_come_in(ck: ModuleType, aio: ModuleType, broker: Broker, topic: str) -> None:
    serialization = importlib.import_module(ck.__name__ + ".serialization")
    error = importlib.import_module(ck.__name__ + ".error")

    async def shout(value: str, context: Any) -> bytes:
        assert (context.topic, context.field) == (topic, "value")
        return value.upper().encode()

    async def work() -> None:
        settings = {"bootstrap.servers": broker.bootstrap_servers, "log_level": 0}
        serializers = {"key.serializer": serialization.IntegerSerializer(), "value.serializer": shout}
        async with await aio.AsyncSerializingProducer({**settings, **serializers}) as producer:
            futures = [await producer.produce(topic, key=7, value="abc"), await producer.produce(topic, 8, "d")]
            with pytest.raises(error.KeySerializationError):
                await producer.produce(topic, key="no number", value="x")
            await producer.flush()
            assert [bytes((await future).value()) for future in futures] == [b"ABC", b"D"]
        deserializers = {
            "key.deserializer": serialization.IntegerDeserializer(),
            "value.deserializer": serialization.StringDeserializer(),
        }
        async with await aio.AsyncDeserializingConsumer(config(broker, topic, **deserializers)) as consumer:
            await consumer.subscribe([topic])
            (message,) = await read(consumer, 1)
            assert (message.key(), message.value()) == (7, "ABC")
        wrong = {"value.deserializer": serialization.IntegerDeserializer()}
        async with await aio.AsyncDeserializingConsumer(config(broker, topic + "-2", **wrong)) as consumer:
            await consumer.subscribe([topic])
            with pytest.raises(error.ValueDeserializationError) as caught:
                await read(consumer, 1)
            assert caught.value.kafka_message.value() == b"ABC"

    run(work)


def test_serializers_of_asyncio_can_be_changed_later(
    ck: ModuleType, aio: ModuleType, broker: Broker, topic: str
) -> None:
    serialization = importlib.import_module(ck.__name__ + ".serialization")
    integer = serialization.IntegerSerializer()

    async def work() -> None:
        settings = {"bootstrap.servers": broker.bootstrap_servers, "log_level": 0}
        async with await aio.AsyncSerializingProducer({**settings, "key.serializer": integer}) as producer:
            assert (producer._key_serializer, producer._value_serializer) == (integer, None)
            producer._key_serializer, producer._value_serializer = None, integer
            future = await producer.produce(topic, key=b"key", value=7)
            await producer.flush()
            await future
        async with await aio.AsyncDeserializingConsumer(config(broker, topic)) as consumer:
            assert (consumer._key_deserializer, consumer._value_deserializer) == (None, None)
            consumer._value_deserializer = serialization.IntegerDeserializer()
            await consumer.subscribe([topic])
            (message,) = await read(consumer, 1)
            assert (bytes(message.key()), message.value()) == (b"key", 7)

    run(work)

"""`AIOKafkaProducer` without transactions."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run


async def read(library: Library, topic: str, count: int, **settings: Any) -> list[Any]:
    async with library.consumer(topic, **settings) as consumer:
        return [await consumer.getone() for _ in range(count)]


def test_a_send_gives_a_future_of_the_metadata(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer() as producer:
            future = await producer.send(topic, b"value", timestamp_ms=1234)
            assert asyncio.isfuture(future)
            metadata = await future
            assert isinstance(metadata, library.module("structs").RecordMetadata)
            partition = library.partition(topic)
            assert metadata[:6] == (topic, 0, partition, 0, 1234, 0)
            assert metadata.topic_partition == partition
            assert future.done()
            assert (await producer.send_and_wait(topic, b"value")).offset == 1
            futures = [await producer.send(topic, b"%d" % number) for number in range(50)]
            assert [metadata.offset for metadata in await asyncio.gather(*futures)] == list(range(2, 52))

    run(test)


def test_arguments_in_the_order_of_aiokafka(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)

    async def test() -> None:
        async with library.producer() as producer:
            await producer.send_and_wait(topic, b"value", b"key", 1, 77, [("name", b"1")])
        (record,) = await read(library, topic, 1)
        assert (record.partition, record.timestamp, record.headers) == (1, 77, (("name", b"1"),))

    run(test)


def test_what_cannot_be_sent(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic(partitions=2)

    async def test() -> None:
        async with embedded.producer() as producer:
            for arguments in ((topic,), (topic, None, None)):
                with pytest.raises(AssertionError):
                    await producer.send(*arguments)
            for partition in (-1, 2):
                with pytest.raises(AssertionError):
                    await producer.send(topic, b"value", partition=partition)
            for value in ("text", 5, ["list"]):
                with pytest.raises(TypeError):
                    await producer.send(topic, value)
                with pytest.raises(TypeError):
                    await producer.send(topic, b"value", value)
            for headers in ({"name": b"1"}, (("name", b"1"),), [("name", "1")], [5]):
                with pytest.raises(TypeError):
                    await producer.send_and_wait(topic, b"value", headers=headers)
            with pytest.raises(embedded.errors.MessageSizeTooLargeError):
                await producer.send(topic, bytes(2_000_000))
            for value in (bytearray(b"1"), memoryview(b"2")):
                await producer.send_and_wait(topic, value, partition=0)
        assert [record.value for record in await read(embedded, topic, 2)] == [b"1", b"2"]

    run(test)


def test_a_stopped_producer_sends_nothing(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        producer = embedded.producer(linger_ms=50)
        await producer.start()
        last = await producer.send(topic, b"value")
        await producer.stop()
        assert (await last).offset == 0
        await producer.stop()
        await producer.flush()
        with pytest.raises(embedded.errors.ProducerClosed):
            await producer.send(topic, b"value")
        with pytest.raises(embedded.errors.ProducerClosed):
            await producer.send_batch(producer.create_batch(), topic, partition=0)

    run(test)


def test_flush_waits_for_everything(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer(linger_ms=20) as producer:
            futures = [await producer.send(topic, b"value") for _ in range(10)]
            await producer.flush()
            assert all(future.done() for future in futures)

    run(test)


def test_a_cancelled_future_does_not_cancel_the_record(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer(linger_ms=20) as producer:
            future = await producer.send(topic, b"value")
            future.cancel()
            assert (await producer.send_and_wait(topic, b"next")).offset == 1

    run(test)


def test_serializers_see_none_and_raise_as_they_are(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()
    seen: list[Any] = []

    def text(part: Any) -> bytes | None:
        seen.append(part)
        if part == "bad":
            raise ZeroDivisionError(part)
        return None if part is None else part.encode()

    async def test() -> None:
        async with embedded.producer(key_serializer=text, value_serializer=text) as producer:
            await producer.send_and_wait(topic, "value")
            await producer.send_and_wait(topic, None, "key")
            with pytest.raises(ZeroDivisionError):
                await producer.send(topic, "bad")
        records = await read(embedded, topic, 2)
        assert [(record.key, record.value) for record in records] == [(None, b"value"), (b"key", None)]

    run(test)
    assert seen[:4] == [None, "value", "key", None]


def test_a_partitioner_of_the_application(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic(partitions=3)
    asked: list[Any] = []

    def last(key: bytes | None, everything: list[int], available: list[int]) -> int:
        asked.append((key, list(everything), sorted(available)))
        return everything[-1]

    async def test() -> None:
        async with embedded.producer(partitioner=last) as producer:
            assert (await producer.send_and_wait(topic, b"value", b"key")).partition == 2
            assert (await producer.send_and_wait(topic, b"value", partition=0)).partition == 0
            assert (await producer.send_and_wait(topic, b"value")).partition == 2

    run(test)
    assert asked == [(b"key", [0, 1, 2], [0, 1, 2]), (None, [0, 1, 2], [0, 1, 2])]


def test_a_partitioner_derived_from_the_usual_one(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic(partitions=3)

    class Last(embedded.module("partitioner").DefaultPartitioner):  # type: ignore[misc]
        @classmethod
        def __call__(cls, key: bytes | None, everything: list[int], available: list[int]) -> int:
            del key, available
            return max(everything)

    async def test() -> None:
        async with embedded.producer(partitioner=Last()) as producer:
            for key in (None, b"a", b"b"):
                assert (await producer.send_and_wait(topic, b"value", key)).partition == 2

    run(test)


def test_cancelled_waits_leave_the_producer_as_it_is(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(linger_ms=30) as producer:
            # A record that still waits for its topic is not sent when its call is cancelled.
            await producer.send_and_wait(topic, b"first")
            future = await producer.send(topic, b"0")
            flushing = asyncio.ensure_future(producer.flush())
            await asyncio.sleep(0)
            flushing.cancel()
            sending = asyncio.ensure_future(producer.send_and_wait(topic, b"1"))
            await asyncio.sleep(0)
            sending.cancel()
            await asyncio.gather(flushing, sending, return_exceptions=True)
            assert (await future).offset == 1
            assert (await producer.send_and_wait(topic, b"2")).offset == 3
            await producer.flush()

    run(test)


def test_keys_choose_partitions_as_in_the_original(face: Library, run: Run) -> None:
    topic = face.broker.new_topic(partitions=7)
    keys = [b"key-%d" % number for number in range(40)]

    async def test() -> None:
        chosen = []
        for library in (face, Library("aiokafka", face.broker)):
            async with library.producer() as producer:
                futures = [await producer.send(topic, b"value", key) for key in keys]
                chosen.append([metadata.partition for metadata in await asyncio.gather(*futures)])
                partitioner = library.module("partitioner").DefaultPartitioner()
                assert [partitioner(key, list(range(7)), list(range(7))) for key in keys] == chosen[0]
        assert chosen[0] == chosen[1]
        async with face.producer() as producer:
            futures = [await producer.send(topic, b"value") for _ in range(200)]
            spread = Counter(metadata.partition for metadata in await asyncio.gather(*futures))
        assert len(spread) == 7

    run(test)


@pytest.mark.parametrize("acks", [0, 1, -1, "all"])
def test_acknowledgements(library: Library, run: Run, acks: Any) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer(acks=acks) as producer:
            metadata = await producer.send_and_wait(topic, b"value")
            assert (metadata is None) if acks == 0 else (metadata.offset == 0)
            await producer.flush()
        assert (await read(library, topic, 1))[0].value == b"value"

    run(test)


@pytest.mark.parametrize("compression", [None, "gzip", "snappy", "lz4", "zstd"])
def test_compression(embedded: Library, run: Run, compression: str | None) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(compression_type=compression, enable_idempotence=True, linger_ms=5) as producer:
            futures = [await producer.send(topic, b"value" * number) for number in range(20)]
            await asyncio.gather(*futures)
        values = [record.value for record in await read(embedded, topic, 20)]
        assert values == [b"value" * number for number in range(20)]

    run(test)


@pytest.mark.parametrize(
    "settings",
    [
        {"acks": 5},
        {"acks": "one"},
        {"compression_type": "rar"},
        {"enable_idempotence": True, "acks": 1},
        {"transactional_id": "id", "acks": 0},
        {"security_protocol": "TLS"},
        {"security_protocol": "SSL"},
        {"security_protocol": "SASL_PLAINTEXT"},
    ],
    ids=str,
)
def test_settings_that_make_no_sense(embedded: Library, run: Run, settings: dict[str, Any]) -> None:
    async def test() -> None:
        with pytest.raises(ValueError, match=r".+"):
            embedded.producer(**settings)

    run(test)


def test_batches_filled_by_hand(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)

    async def test() -> None:
        async with library.producer(max_batch_size=1000) as producer:
            assert await producer.partitions_for(topic) == {0, 1}
            batch = producer.create_batch()
            assert (batch.size(), batch.record_count(), batch.closed()) == (61, 0, False)
            first = batch.append(key=b"key", value=b"value", timestamp=77, headers=[("name", b"1")])
            assert (first.offset, first.timestamp, first.crc) == (0, 77, None)
            assert first.size == batch.size() - 61
            count = 1
            while batch.append(key=None, value=bytes(100), timestamp=None) is not None:
                count += 1
            assert batch.record_count() == count
            assert 700 < batch.size() <= 1000
            assert batch.closed()
            with pytest.raises(AssertionError):
                await producer.send_batch(batch, topic, partition=2)
            metadata = await (await producer.send_batch(batch, topic, partition=1))
            assert (metadata.partition, metadata.offset) == (1, 0)
            assert batch.append(key=None, value=b"late", timestamp=None) is None
            with pytest.raises(TypeError):
                producer.create_batch().append(b"positional")
            with pytest.raises(TypeError):
                producer.create_batch().append(key=None, value="text", timestamp=None)
        records = await read(library, topic, count)
        assert (records[0].key, records[0].timestamp, records[0].headers) == (b"key", 77, (("name", b"1"),))
        assert [record.offset for record in records] == list(range(count))

    run(test)


def test_a_batch_is_as_large_as_it_was_made_for(library: Library, run: Run) -> None:
    """`max_request_size` bounds each record; compressed, the batch is small for the broker."""
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer(max_batch_size=2 * 2**20, compression_type="gzip") as producer:
            batch = producer.create_batch()
            count = 0
            while batch.append(key=None, value=bytes(50_000), timestamp=None) is not None:
                count += 1
            assert batch.size() > 2**20
            assert (await (await producer.send_batch(batch, topic, partition=0))).offset == 0
        assert len(await read(library, topic, count)) == count

    run(test)


def test_batches_go_through_the_serializers(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(value_serializer=lambda value: value.encode()) as producer:
            batch = producer.create_batch()
            batch.append(key=b"key", value="text", timestamp=None)
            await (await producer.send_batch(batch, topic, partition=0))
        assert (await read(embedded, topic, 1))[0].value == b"text"

    run(test)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_stop_that_is_cancelled_delivers_what_was_sent(
    embedded: Library, run: Run, recwarn: pytest.WarningsRecorder, steps: int
) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        producer = embedded.producer(linger_ms=3_000)
        await producer.start()
        await producer.send_and_wait(topic, b"before", partition=0)
        future = await producer.send(topic, b"lingers", partition=0)
        with embedded.broker.handle.intercept("Produce", "delay", seconds=3):
            stopping = asyncio.ensure_future(producer.stop())
            for _ in range(steps):
                await asyncio.sleep(0)
            stopping.cancel()
            await asyncio.wait([stopping])
            assert stopping.cancelled()
            assert (await future).offset == 1
        # A second stop() does nothing, and the original has left its connections open.
        await producer.stop()
        await producer.client.close()

    run(test)
    assert not [str(each.message) for each in recwarn if "never awaited" in str(each.message)]


@pytest.mark.parametrize("headers", [(), [], {}, None])
def test_what_has_no_headers_is_forwarded(library: Library, run: Run, headers: Any) -> None:
    topic, other = library.broker.new_topic(), library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 1)
        async with library.consumer(topic, other) as consumer, library.producer() as producer:
            record = await consumer.getone()
            assert record.headers == ()
            await producer.send_and_wait(other, record.value, headers=record.headers)
            assert (await consumer.getone()).headers == ()
            await producer.send_and_wait(other, record.value, headers=headers)
            assert (await consumer.getone()).headers == ()

    run(test)


@pytest.mark.parametrize("call", ["send", "send_and_wait"])
def test_what_a_task_was_made_for_before_stop_is_sent(library: Library, run: Run, call: str) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        producer = library.producer()
        await producer.start()
        await producer.send_and_wait(topic, b"first")

        async def send(number: int) -> Any:
            if call == "send_and_wait":
                return await producer.send_and_wait(topic, b"%d" % number)
            return await (await producer.send(topic, b"%d" % number))

        sending = [asyncio.ensure_future(send(number)) for number in range(3)]
        await producer.stop()
        assert sorted([(await each).offset for each in sending]) == [1, 2, 3]
        with pytest.raises(library.errors.ProducerClosed):
            await producer.send(topic, b"late")

    run(test)

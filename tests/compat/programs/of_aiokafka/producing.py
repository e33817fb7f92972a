"""Producers: one record, many, batches by hand, serializers, partitioners, transactions."""

from __future__ import annotations

import asyncio
import json
import zlib

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import IllegalOperation, KafkaError

from tests.compat.programs.case import Case


async def read(case: Case, *topics: str, count: int, **settings: object) -> list[object]:
    """The first records of topics, by partition and offset."""
    consumer = AIOKafkaConsumer(
        *topics, bootstrap_servers=case.servers, auto_offset_reset="earliest", fetch_max_wait_ms=100, **settings
    )
    await consumer.start()
    try:
        records = [await consumer.getone() for _ in range(count)]
        extra = await consumer.getmany(timeout_ms=300)
    finally:
        await consumer.stop()
    assert not extra, extra
    return sorted(records, key=lambda record: (record.topic, record.partition, record.offset))


async def one_record(case: Case) -> None:
    topic = case.topic()
    producer = AIOKafkaProducer(bootstrap_servers=case.servers)
    await producer.start()
    try:
        sent = await producer.send_and_wait(topic, b"hello", key=b"k", timestamp_ms=1_600_000_000_000)
        case.tell(sent.topic, sent.partition, sent.offset, sent.topic_partition, sent.timestamp, sent.timestamp_type)
        case.tell(await producer.partitions_for(topic))
    finally:
        await producer.stop()
    for record in await read(case, topic, count=1):
        case.tell(record.topic, record.partition, record.offset, record.key, record.value)
        case.tell(record.timestamp, record.timestamp_type, record.headers, record.checksum)
        case.tell(record.serialized_key_size, record.serialized_value_size)


async def futures_in_order(case: Case) -> None:
    topic = case.topic(partitions=2)
    async with AIOKafkaProducer(bootstrap_servers=case.servers, linger_ms=5, acks="all") as producer:
        futures = [await producer.send(topic, b"%d" % number, partition=number % 2) for number in range(20)]
        done: list[int] = []
        for number, future in enumerate(futures):
            future.add_done_callback(lambda _, number=number: done.append(number % 2))
        stored = await asyncio.gather(*futures)
        case.tell([(one.partition, one.offset) for one in stored])
        await asyncio.sleep(0)
        case.tell(len(done))
        waiting = await producer.send(topic, b"last", partition=0)
        await producer.flush()
        case.tell(waiting.done())
    case.tell([(record.partition, record.offset, record.value) for record in await read(case, topic, count=21)])


async def acknowledgements(case: Case) -> None:
    topic = case.topic()
    for acks in (0, 1, -1, "all"):
        async with AIOKafkaProducer(bootstrap_servers=case.servers, acks=acks) as producer:
            sent = await producer.send_and_wait(topic, b"acks")
            case.tell(acks, None if sent is None else sent.offset >= 0)
    async with AIOKafkaProducer(bootstrap_servers=case.servers, enable_idempotence=True) as producer:
        await producer.send_and_wait(topic, b"once")
    case.tell([record.value for record in await read(case, topic, count=5)])


async def serializers_and_compression(case: Case) -> None:
    topic = case.topic()
    for codec in (None, "gzip", "snappy", "lz4", "zstd"):
        producer = AIOKafkaProducer(
            bootstrap_servers=case.servers,
            compression_type=codec,
            key_serializer=str.encode,
            value_serializer=lambda value: None if value is None else json.dumps(value).encode(),
        )
        async with producer:
            await producer.send_and_wait(topic, {"codec": codec, "list": [1, 2]}, key="é", headers=[("h", b"\x00\xff")])
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        await producer.send_and_wait(topic, None, key=b"gone")
    seen: list[object] = []

    def value_of(data: bytes | None) -> object:
        seen.append(data is None)
        return None if data is None else json.loads(data)

    for record in await read(case, topic, count=6, key_deserializer=bytes.decode, value_deserializer=value_of):
        case.tell(record.offset, record.key, record.value, record.headers)
        case.tell(record.serialized_key_size, record.serialized_value_size)
    case.tell(seen)


async def partitioners(case: Case) -> None:
    topic = case.topic(partitions=5)

    def by_length(key: bytes | None, everyone: list[int], available: list[int]) -> int:
        assert set(available) <= set(everyone)
        return everyone[len(key or b"") % len(everyone)]

    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        for key in (b"a", b"bb", b"ccc", b"dddd", "schlüssel".encode(), b"\xff\x80"):
            case.tell((await producer.send_and_wait(topic, b"default", key=key)).partition)
    async with AIOKafkaProducer(bootstrap_servers=case.servers, partitioner=by_length) as producer:
        for key in (b"a", b"bb", b"ccc", None, b"eeeee"):
            case.tell((await producer.send_and_wait(topic, b"own", key=key)).partition)
    crc = lambda key, everyone, _: everyone[zlib.crc32(key or b"") % len(everyone)]
    async with AIOKafkaProducer(bootstrap_servers=case.servers, partitioner=crc) as producer:
        case.tell((await producer.send_and_wait(topic, b"crc", key=b"key")).partition)


async def batches_by_hand(case: Case) -> None:
    topic = case.topic(partitions=2)
    async with AIOKafkaProducer(bootstrap_servers=case.servers, max_batch_size=400) as producer:
        batch = producer.create_batch()
        taken = 0
        while batch.append(key=None, value=b"value %03d" % taken, timestamp=1_600_000_000_000 + taken) is not None:
            taken += 1
        case.tell(batch.record_count() == taken, 5 < taken < 40, batch.size() <= 400)
        batch.close()
        case.tell(batch.append(key=None, value=b"late", timestamp=None))
        first = await (await producer.send_batch(batch, topic, partition=1))
        case.tell(first.partition, first.offset)
        small = producer.create_batch()
        appended = small.append(key=b"k", value=b"v", timestamp=1_600_000_000_000)
        case.tell(appended.offset, appended.timestamp)
        case.tell((await (await producer.send_batch(small, topic, partition=1))).offset == taken)
    records = await read(case, topic, count=taken + 1)
    case.tell(
        [record.value for record in records[:3]], [record.timestamp - 1_600_000_000_000 for record in records[:3]]
    )
    case.tell(records[-1].key, records[-1].value)


async def transactions(case: Case) -> None:
    topic, identity = case.topic(), case.name("tx")
    async with AIOKafkaProducer(bootstrap_servers=case.servers, transactional_id=identity) as producer:
        async with producer.transaction():
            await producer.send_and_wait(topic, b"committed 1")
            await producer.send(topic, b"committed 2")
        try:
            async with producer.transaction():
                await producer.send_and_wait(topic, b"aborted by an exception")
                raise ValueError("changed my mind")
        except ValueError as error:
            case.tell(error)
        await producer.begin_transaction()
        await producer.send_and_wait(topic, b"aborted by hand")
        await producer.abort_transaction()
        await producer.begin_transaction()
        await producer.send_and_wait(topic, b"committed 3")
        await producer.commit_transaction()
        await case.raised_by(producer.commit_transaction())
        await case.raised_by(producer.abort_transaction())
        await producer.begin_transaction()
        await case.raised_by(producer.begin_transaction())
        await producer.abort_transaction()
    committed = await read(case, topic, count=3, isolation_level="read_committed")
    case.tell([(record.offset, record.value) for record in committed])
    case.tell([(record.offset, record.value) for record in await read(case, topic, count=5)])
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        try:
            await producer.begin_transaction()
        except (IllegalOperation, KafkaError) as error:
            case.tell(error)


async def consume_process_produce(case: Case) -> None:
    source, target, group = case.topic("source"), case.topic("target"), case.name()
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        for number in range(6):
            await producer.send_and_wait(source, b"%d" % number, key=b"%d" % (number % 2))
    consumer = AIOKafkaConsumer(
        source,
        bootstrap_servers=case.servers,
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
    )
    producer = AIOKafkaProducer(bootstrap_servers=case.servers, transactional_id=case.name("tx"))
    await consumer.start()
    await producer.start()
    try:
        seen = 0
        while seen < 6:
            batch = await consumer.getmany(timeout_ms=10_000, max_records=3)
            async with producer.transaction():
                offsets = {}
                for partition, records in batch.items():
                    for record in records:
                        await producer.send(target, b"2*" + record.value, key=record.key)
                        seen += 1
                    offsets[partition] = records[-1].offset + 1
                await producer.send_offsets_to_transaction(offsets, group)
        # Kafka tells the group's coordinator after it has answered; the original does not wait for that.
        while await consumer.committed(TopicPartition(source, 0)) != seen:  # noqa: ASYNC110  it is asked each time
            await asyncio.sleep(0.01)
        case.tell(await consumer.committed(TopicPartition(source, 0)))
    finally:
        await consumer.stop()
        await producer.stop()
    found = await read(case, target, count=6, isolation_level="read_committed")
    case.tell([(record.key, record.value) for record in found])


PROGRAMS = [
    one_record,
    futures_in_order,
    acknowledgements,
    serializers_and_compression,
    partitioners,
    batches_by_hand,
    transactions,
    consume_process_produce,
]

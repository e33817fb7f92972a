"""Consumers: positions, commits, seeking, assignment by hand, flow control, state outside of Kafka."""

from __future__ import annotations

import asyncio
import re
from collections import Counter

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, OffsetAndMetadata, TopicPartition

from tests.compat.programs.case import Case

START = 1_600_000_000_000


async def fill(case: Case, topic: str, count: int, partitions: int = 1, first: int = 0) -> None:
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        for number in range(first, first + count):
            await producer.send_and_wait(
                topic,
                b"%d" % number,
                key=b"k%d" % (number % 3),
                partition=number % partitions,
                timestamp_ms=START + number,
            )


def consumer_of(case: Case, *topics: str, **settings: object) -> AIOKafkaConsumer:
    settings = {"auto_offset_reset": "earliest", "fetch_max_wait_ms": 100, **settings}
    return AIOKafkaConsumer(*topics, bootstrap_servers=case.servers, **settings)


async def iterate(case: Case) -> None:
    topic = case.topic()
    await fill(case, topic, 5)
    async with consumer_of(case, topic) as consumer:
        async for record in consumer:
            case.tell(record.topic, record.partition, record.offset, record.key, record.value, record.timestamp)
            if record.offset == 4:
                break
        case.tell(consumer.assignment(), consumer.subscription(), consumer.partitions_for_topic(topic))
        case.tell(topic in await consumer.topics(), consumer.partitions_for_topic("never-created"))


async def position_and_committed(case: Case) -> None:
    topic = case.topic()
    partition = TopicPartition(topic, 0)
    await fill(case, topic, 4)
    async with consumer_of(case, topic, group_id=case.name(), enable_auto_commit=False) as consumer:
        case.tell(await consumer.committed(partition))
        record = await consumer.getone()
        case.tell(await consumer.position(partition) == record.offset + 1)
        await consumer.commit()
        case.tell(await consumer.committed(partition))
        await consumer.commit({partition: 3})
        case.tell(await consumer.committed(partition))
        await consumer.commit({partition: (2, "text beside it")})
        await consumer.commit({partition: OffsetAndMetadata(4, "more")})
        case.tell(await consumer.committed(partition))
        for wrong in ({}, {"t": 1}, {partition: "x"}, {TopicPartition(topic, 7): 1}, {partition: (1, 2)}):
            await case.raised_by(consumer.commit(wrong))
    async with consumer_of(case, topic) as consumer:
        await case.raised_by(consumer.commit())
        await case.raised_by(consumer.committed(partition))


async def automatic_commits(case: Case) -> None:
    topic, group = case.topic(), case.name()
    await fill(case, topic, 6)
    async with consumer_of(case, topic, group_id=group, auto_commit_interval_ms=100) as consumer:
        case.tell([(await consumer.getone()).offset for _ in range(3)])
    async with consumer_of(case, topic, group_id=group) as consumer:
        case.tell((await consumer.getone()).offset)


async def batches_committed_by_hand(case: Case) -> None:
    topic, group = case.topic(partitions=2), case.name()
    await fill(case, topic, 20, partitions=2)
    async with consumer_of(case, topic, group_id=group, enable_auto_commit=False) as consumer:
        seen: Counter[int] = Counter()
        while seen.total() < 20:
            for partition, records in (await consumer.getmany(timeout_ms=5000, max_records=6)).items():
                assert 0 < len(records) <= 6
                seen[partition.partition] += len(records)
                await consumer.commit({partition: records[-1].offset + 1})
        case.tell(seen)
        case.tell({one: await consumer.committed(one) for one in consumer.assignment()})
        case.tell(await consumer.getmany(timeout_ms=50))


async def only_new_records(case: Case) -> None:
    topic = case.topic()
    await fill(case, topic, 3)
    async with consumer_of(case, topic, auto_offset_reset="latest") as consumer:
        case.tell(await consumer.position(TopicPartition(topic, 0)))
        await fill(case, topic, 2, first=3)
        case.tell([(await consumer.getone()).value for _ in range(2)])


async def seeking(case: Case) -> None:
    topic = case.topic()
    partition = TopicPartition(topic, 0)
    await fill(case, topic, 10)
    async with consumer_of(case, topic, group_id=case.name(), enable_auto_commit=False) as consumer:
        record = await consumer.getone()
        consumer.seek(partition, record.offset)
        case.tell(await consumer.getone() == record)
        consumer.seek(partition, 7)
        case.tell((await consumer.getone()).offset)
        await consumer.seek_to_beginning(partition)
        case.tell((await consumer.getone()).offset, await consumer.position(partition))
        await consumer.seek_to_end()
        case.tell(await consumer.position(partition), await consumer.getmany(timeout_ms=100))
        await consumer.commit({partition: 5})
        case.tell(await consumer.seek_to_committed())
        case.tell((await consumer.getone()).offset)
        case.tell(await consumer.beginning_offsets([partition]), await consumer.end_offsets([partition]))
        found = await consumer.offsets_for_times({partition: START + 4})
        case.tell({one: (hit.offset, hit.timestamp) for one, hit in found.items()})
        case.tell(await consumer.offsets_for_times({partition: START * 2}))
        case.raised(consumer.seek, partition, -1)
        case.raised(consumer.seek, partition, "5")
        case.raised(consumer.seek, TopicPartition(topic, 3), 1)
        await case.raised_by(consumer.position(TopicPartition(topic, 3)))
        await case.raised_by(consumer.offsets_for_times({partition: -1}))


async def assignment_by_hand(case: Case) -> None:
    topic = case.topic(partitions=3)
    await fill(case, topic, 9, partitions=3)
    wanted = [TopicPartition(topic, 1), TopicPartition(topic, 2)]
    consumer = consumer_of(case)
    await consumer.start()
    try:
        consumer.assign(wanted)
        case.tell(consumer.assignment())
        records = [await consumer.getone() for _ in range(6)]
        case.tell(sorted((record.partition, record.offset) for record in records))
        case.raised(consumer.subscribe, [topic])
        consumer.unsubscribe()
        case.tell(consumer.assignment(), consumer.subscription())
        consumer.subscribe([topic])
        case.raised(consumer.assign, wanted)
        case.raised(consumer.subscribe, topic)
        case.raised(consumer.subscribe, pattern="(")
    finally:
        await consumer.stop()


async def flow_control(case: Case) -> None:
    topic = case.topic(partitions=2)
    await fill(case, topic, 10, partitions=2)
    zero, one = TopicPartition(topic, 0), TopicPartition(topic, 1)
    async with consumer_of(case, topic) as consumer:
        seen = []
        while len(seen) < 5:
            for partition, records in (await consumer.getmany(one, timeout_ms=5000)).items():
                seen += [(partition.partition, record.value) for record in records]
        case.tell(seen)
        case.tell(consumer.highwater(one), await consumer.position(one), consumer.last_poll_timestamp(one) > START)
        consumer.pause(zero)
        case.tell(consumer.paused(), await consumer.getmany(timeout_ms=200))
        consumer.resume(zero)
        case.tell(consumer.paused(), [(await consumer.getone()).value for _ in range(5)])
        await case.raised_by(consumer.getmany("topic", timeout_ms=1))
        await case.raised_by(consumer.getmany(timeout_ms=1, max_records=0))


async def state_outside(case: Case) -> None:
    topic = case.topic()
    partition = TopicPartition(topic, 0)
    await fill(case, topic, 9)
    table: dict[str, tuple[int, int]] = {}
    for stop_at in (3, 8):
        counts = Counter({key: count for key, (count, _) in table.items()})
        offset = max((offset for _, offset in table.values()), default=-1)
        consumer = consumer_of(case, enable_auto_commit=False)
        await consumer.start()
        consumer.assign([partition])
        consumer.seek(partition, offset + 1)
        async for record in consumer:
            key = record.key.decode()
            counts[key] += 1
            table[key] = (counts[key], record.offset)
            if record.offset == stop_at:
                break
        await consumer.stop()
        case.tell(table)


async def transactional_records(case: Case) -> None:
    topic = case.topic()
    partition = TopicPartition(topic, 0)
    async with AIOKafkaProducer(bootstrap_servers=case.servers, transactional_id=case.name("tx")) as producer:
        async with producer.transaction():
            await producer.send_and_wait(topic, b"seen")
        await producer.begin_transaction()
        await producer.send_and_wait(topic, b"open")
        async with consumer_of(case, topic, isolation_level="read_committed") as consumer:
            case.tell((await consumer.getone()).value)
            case.tell(await consumer.getmany(timeout_ms=300))
            case.tell(consumer.last_stable_offset(partition), await consumer.end_offsets([partition]))
            await consumer.seek_to_end(partition)
            case.tell(await consumer.position(partition))
            await producer.commit_transaction()
            case.tell((await consumer.getone()).value)


async def stopping(case: Case) -> None:
    topic = case.topic()
    consumer = consumer_of(case, topic)
    await consumer.start()
    waiting = asyncio.create_task(consumer.getone())
    iterating = asyncio.create_task(_collect(consumer))
    await asyncio.sleep(0.1)
    await consumer.stop()
    await case.raised_by(waiting)
    case.tell(await iterating)
    await case.raised_by(consumer.getone())
    await case.raised_by(consumer.getmany())
    await consumer.stop()


async def _collect(consumer: AIOKafkaConsumer) -> list[object]:
    return [record async for record in consumer]


async def cancelling(case: Case) -> None:
    topic = case.topic()
    async with consumer_of(case, topic) as consumer:
        waiting = asyncio.create_task(consumer.getone())
        await asyncio.sleep(0.05)
        waiting.cancel()
        case.tell(await asyncio.gather(waiting, return_exceptions=True))
        await fill(case, topic, 3)
        case.tell([(await consumer.getone()).offset for _ in range(3)])


async def subscription_by_pattern(case: Case) -> None:
    first = case.topic("first")
    await fill(case, first, 2)
    consumer = consumer_of(case, group_id=case.name(), metadata_max_age_ms=300)
    await consumer.start()
    try:
        consumer.subscribe(pattern=f"^{re.escape(case.stem)}-(first|second)-.*")
        case.tell([(record.topic, record.value) for record in [await consumer.getone() for _ in range(2)]])
        case.topic("other")
        second = case.topic("second")
        await fill(case, second, 2)
        case.tell([(record.topic, record.value) for record in [await consumer.getone() for _ in range(2)]])
        case.tell(consumer.subscription())
    finally:
        await consumer.stop()


PROGRAMS = [
    iterate,
    position_and_committed,
    automatic_commits,
    batches_committed_by_hand,
    only_new_records,
    seeking,
    assignment_by_hand,
    flow_control,
    state_outside,
    transactional_records,
    stopping,
    cancelling,
    subscription_by_pattern,
]

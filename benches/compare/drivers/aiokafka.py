"""aiokafka: `getmany`, `getone`, and `send` with its futures, awaited one by one or gathered."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import aiokafka
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.helpers import create_ssl_context

from benches.compare.latency import Pace, received, stamp
from benches.compare.payload import checksum_of_one, pool
from benches.compare.task import Outcome

if TYPE_CHECKING:
    from benches.compare.task import Task, Window

POLL_MS = 1000
GATHERED = 1000


def version() -> str:
    return f"aiokafka {aiokafka.__version__}"


def consume_batch(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)

    async def run() -> Outcome:
        count = touched = checksum = 0
        with window:
            consumer = await start_consumer(task, config)
            while count < task.records:
                taken = await consumer.getmany(timeout_ms=POLL_MS, max_records=task.settings.take)
                for records in taken.values():
                    for record in records:
                        touched += len(record.key) + len(record.value)
                    count += len(records)
                    if task.verify:
                        checksum += sum(checksum_of_one(record.key, record.value) for record in records)
            window.end()
            await consumer.stop()
        return Outcome(count, touched, checksum if task.verify else None, config)

    return asyncio.run(run())


def consume_one_asyncio(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)

    async def run() -> Outcome:
        count = touched = checksum = 0
        verify, records = task.verify, task.records
        with window:
            consumer = await start_consumer(task, config)
            while True:
                record = await consumer.getone()
                touched += len(record.key) + len(record.value)
                count += 1
                if verify:
                    checksum += checksum_of_one(record.key, record.value)
                if count == records:
                    break
            window.end()
            await consumer.stop()
        return Outcome(count, touched, checksum if verify else None, config)

    return asyncio.run(run())


def produce_asyncio(task: Task, window: Window) -> Outcome:
    config = producer_config(task)
    records = pool(task.size)

    async def run() -> Outcome:
        delivered = 0
        waiting: deque[asyncio.Future[Any]] = deque()
        with window:
            producer = AIOKafkaProducer(**config)
            await producer.start()
            for index in range(task.records):
                key, value = records[index % len(records)]
                waiting.append(await producer.send(task.topic, value, key))
                if len(waiting) > task.settings.outstanding:
                    delivered += (await waiting.popleft()).offset >= 0
            while waiting:
                delivered += (await waiting.popleft()).offset >= 0
            window.end()
            await producer.stop()
        return Outcome(delivered, effective=config)

    return asyncio.run(run())


def produce_gathered_asyncio(task: Task, window: Window) -> Outcome:
    """As many sends at a time as `GATHERED`, whose futures are gathered; what that costs on futures that are done is
    measured beside it, and taken off.
    """
    config = producer_config(task)
    records = pool(task.size)

    async def run() -> Outcome:
        delivered = 0
        with window:
            producer = AIOKafkaProducer(**config)
            await producer.start()
            for start in range(0, task.records, GATHERED):
                some = [records[index % len(records)] for index in range(start, min(task.records, start + GATHERED))]
                sent = [await producer.send(task.topic, value, key) for key, value in some]
                delivered += sum(metadata.offset >= 0 for metadata in await asyncio.gather(*sent))
            window.end()
            await producer.stop()
        return Outcome(delivered, effective=config, beside=await gathering(task.records))

    return asyncio.run(run())


async def gathering(count: int) -> float:
    """Seconds of CPU of gathering so many futures that are done."""
    loop = asyncio.get_running_loop()
    found = 0.0
    for start in range(0, count, GATHERED):
        futures = [loop.create_future() for _ in range(min(count - start, GATHERED))]
        for future in futures:
            future.set_result(None)
        began = time.process_time()
        await asyncio.gather(*futures)
        found += time.process_time() - began
    return found


def latency_asyncio(task: Task, window: Window) -> Outcome:
    config = {**producer_config(task), "linger_ms": 0}

    async def run() -> Outcome:
        pace = Pace(task)
        arrivals: list[int] = []
        producer = AIOKafkaProducer(**config)
        await producer.start()
        consumer = await start_consumer(task, consumer_config(task))

        async def consume() -> None:
            while len(arrivals) < task.records:
                received((await consumer.getone()).value, pace, arrivals)

        reader = asyncio.create_task(consume())
        with window:
            async for index in pace.in_time_asyncio():
                await producer.send(task.topic, stamp(index, task.size))
            await reader
            window.end()
        await producer.stop()
        await consumer.stop()
        return Outcome(len(arrivals), effective=config, latencies=arrivals)

    return asyncio.run(run())


def connect(task: Task, window: Window) -> Outcome:
    config = {"bootstrap_servers": task.address, **security(task)}

    async def run() -> Outcome:
        with window:
            for _ in range(task.records):
                client = AIOKafkaClient(**config)
                await client.bootstrap()
                await client.close()
            window.end()
        return Outcome(task.records, effective=config)

    return asyncio.run(run())


async def start_consumer(task: Task, config: dict[str, Any]) -> AIOKafkaConsumer:
    consumer = AIOKafkaConsumer(**config)
    await consumer.start()
    partitions = [TopicPartition(task.topic, partition) for partition in range(task.partitions)]
    consumer.assign(partitions)
    await consumer.seek_to_beginning(*partitions)
    return consumer


def security(task: Task) -> dict[str, Any]:
    """Settings for TLS, where the task wants it."""
    if not task.ca:
        return {}
    return {"security_protocol": "SSL", "ssl_context": create_ssl_context(cafile=task.ca)}


def consumer_config(task: Task) -> dict[str, Any]:
    settings = task.settings
    return {
        "bootstrap_servers": task.address,
        **security(task),
        "enable_auto_commit": False,
        "auto_offset_reset": "earliest",
        "fetch_max_bytes": settings.fetch_max_bytes,
        "max_partition_fetch_bytes": settings.partition_fetch_bytes,
        "fetch_min_bytes": settings.fetch_min_bytes,
        "fetch_max_wait_ms": settings.fetch_wait_ms,
    }


def producer_config(task: Task) -> dict[str, Any]:
    settings = task.settings
    return {
        "bootstrap_servers": task.address,
        **security(task),
        "acks": settings.acks,
        "linger_ms": settings.linger_ms,
        "max_batch_size": settings.batch_size,
        "enable_idempotence": settings.idempotence,
        "compression_type": None if task.codec == "none" else task.codec,
    }


JOBS = {
    "consume-batch": consume_batch,
    "consume-one-asyncio": consume_one_asyncio,
    "produce-asyncio": produce_asyncio,
    "produce-gathered-asyncio": produce_gathered_asyncio,
    "latency-asyncio": latency_asyncio,
    "connect": connect,
}

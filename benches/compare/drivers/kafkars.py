"""kafkars: `poll_batch`, `poll`, `send`, and the same under `kafkars.aio`."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from importlib.metadata import version as distribution_version
from typing import TYPE_CHECKING, Any

import kafkars
import kafkars.aio
from kafkars import TopicPartition

from benches.compare.latency import Pace, received, stamp
from benches.compare.payload import checksum_of_one, pool
from benches.compare.task import Outcome

if TYPE_CHECKING:
    from benches.compare.task import Task, Window

POLL_SECONDS = 1.0
DELIVERY_SECONDS = 60.0


def version() -> str:
    return f"kafkars {distribution_version('kafkars')}"


def consume_batch(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)
    count = touched = checksum = 0
    take = task.settings.take
    with window:
        consumer = kafkars.Consumer(**config)
        consumer.assign(partitions(task))
        while count < task.records:
            records = consumer.poll_batch(take, POLL_SECONDS)
            for record in records:
                touched += len(record.key) + len(record.value)
            count += len(records)
            if task.verify:
                checksum += sum(checksum_of_one(record.key, record.value) for record in records)
        window.end()
        consumer.close()
    return Outcome(count, touched, checksum if task.verify else None, config)


def consume_batch_asyncio(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)
    take = task.settings.take

    async def run() -> Outcome:
        count = touched = checksum = 0
        with window:
            consumer = kafkars.aio.Consumer(**config)
            consumer.assign(partitions(task))
            while count < task.records:
                records = await consumer.poll_batch(take, POLL_SECONDS)
                for record in records:
                    touched += len(record.key) + len(record.value)
                count += len(records)
                if task.verify:
                    checksum += sum(checksum_of_one(record.key, record.value) for record in records)
            window.end()
            await consumer.close()
        return Outcome(count, touched, checksum if task.verify else None, config)

    return asyncio.run(run())


def consume_one(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)
    count = touched = checksum = 0
    verify, records = task.verify, task.records
    with window:
        consumer = kafkars.Consumer(**config)
        consumer.assign(partitions(task))
        while True:
            record = consumer.poll(POLL_SECONDS)
            if record is None:
                continue
            touched += len(record.key) + len(record.value)
            count += 1
            if verify:
                checksum += checksum_of_one(record.key, record.value)
            if count == records:
                break
        window.end()
        consumer.close()
    return Outcome(count, touched, checksum if verify else None, config)


def consume_one_asyncio(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)

    async def run() -> Outcome:
        count = touched = checksum = 0
        verify, records = task.verify, task.records
        with window:
            consumer = kafkars.aio.Consumer(**config)
            consumer.assign(partitions(task))
            while True:
                record = await consumer.poll(POLL_SECONDS)
                if record is None:
                    continue
                touched += len(record.key) + len(record.value)
                count += 1
                if verify:
                    checksum += checksum_of_one(record.key, record.value)
                if count == records:
                    break
            window.end()
            await consumer.close()
        return Outcome(count, touched, checksum if verify else None, config)

    return asyncio.run(run())


def produce(task: Task, window: Window) -> Outcome:
    config = producer_config(task)
    records = pool(task.size)
    delivered = 0
    waiting: deque[Any] = deque()
    with window:
        producer = kafkars.Producer(**config)
        for index in range(task.records):
            key, value = records[index % len(records)]
            waiting.append(producer.send(task.topic, value, key=key))
            if len(waiting) > task.settings.outstanding:
                delivered += waiting.popleft().result(DELIVERY_SECONDS).offset >= 0
        while waiting:
            delivered += waiting.popleft().result(DELIVERY_SECONDS).offset >= 0
        window.end()
        producer.close()
    return Outcome(delivered, effective=config)


def produce_asyncio(task: Task, window: Window) -> Outcome:
    config = producer_config(task)
    records = pool(task.size)

    async def run() -> Outcome:
        delivered = 0
        waiting: deque[Any] = deque()
        with window:
            producer = kafkars.aio.Producer(**config)
            for index in range(task.records):
                key, value = records[index % len(records)]
                waiting.append(producer.send(task.topic, value, key=key))
                if len(waiting) > task.settings.outstanding:
                    delivered += (await waiting.popleft()).offset >= 0
            while waiting:
                delivered += (await waiting.popleft()).offset >= 0
            window.end()
            await producer.close()
        return Outcome(delivered, effective=config)

    return asyncio.run(run())


def latency(task: Task, window: Window) -> Outcome:
    config = {**producer_config(task), "linger_ms": 0}
    producer = kafkars.Producer(**config)
    consumer = kafkars.Consumer(**consumer_config(task))
    consumer.assign(partitions(task))
    pace = Pace(task)
    arrivals: list[int] = []

    def consume() -> None:
        while len(arrivals) < task.records:
            record = consumer.poll(POLL_SECONDS)
            if record is not None:
                received(record.value, pace, arrivals)

    reader = threading.Thread(target=consume)
    reader.start()
    with window:
        for index in pace.in_time():
            producer.send(task.topic, stamp(index, task.size))
        reader.join()
        window.end()
    producer.close()
    consumer.close()
    return Outcome(len(arrivals), effective=config, latencies=arrivals)


def latency_asyncio(task: Task, window: Window) -> Outcome:
    config = {**producer_config(task), "linger_ms": 0}

    async def run() -> Outcome:
        pace = Pace(task)
        arrivals: list[int] = []
        producer = kafkars.aio.Producer(**config)
        consumer = kafkars.aio.Consumer(**consumer_config(task))
        consumer.assign(partitions(task))

        async def consume() -> None:
            while len(arrivals) < task.records:
                record = await consumer.poll(POLL_SECONDS)
                if record is not None:
                    received(record.value, pace, arrivals)

        reader = asyncio.create_task(consume())
        with window:
            async for index in pace.in_time_asyncio():
                producer.send(task.topic, stamp(index, task.size))
            await reader
            window.end()
        await producer.close()
        await consumer.close()
        return Outcome(len(arrivals), effective=config, latencies=arrivals)

    return asyncio.run(run())


def connect(task: Task, window: Window) -> Outcome:
    config = {"bootstrap_servers": task.address, **security(task)}
    with window:
        for _ in range(task.records):
            with kafkars.Admin(**config) as admin:
                admin.list_topics()
        window.end()
    return Outcome(task.records, effective=config)


def partitions(task: Task) -> list[TopicPartition]:
    return [TopicPartition(task.topic, partition) for partition in range(task.partitions)]


def security(task: Task) -> dict[str, Any]:
    """Settings for TLS, where the task wants it."""
    return {"security_protocol": "ssl", "ssl_ca_location": task.ca} if task.ca else {}


def consumer_config(task: Task) -> dict[str, Any]:
    settings = task.settings
    return {
        "bootstrap_servers": task.address,
        **security(task),
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
        "batch_size": settings.batch_size,
        "max_in_flight_requests_per_connection": settings.in_flight,
        "enable_idempotence": settings.idempotence,
        "compression_type": task.codec,
    }


JOBS = {
    "consume-batch": consume_batch,
    "consume-batch-asyncio": consume_batch_asyncio,
    "consume-one": consume_one,
    "consume-one-asyncio": consume_one_asyncio,
    "produce": produce,
    "produce-asyncio": produce_asyncio,
    "latency": latency,
    "latency-asyncio": latency_asyncio,
    "connect": connect,
}

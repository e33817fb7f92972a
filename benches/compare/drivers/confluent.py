"""confluent-kafka: `consume(n)`, `poll`, `produce(on_delivery=)`, and the clients of `confluent_kafka.aio`."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import confluent_kafka
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.aio import AIOConsumer, AIOProducer

from benches.compare.latency import Pace, received, stamp
from benches.compare.payload import checksum_of_one, pool
from benches.compare.task import Outcome

if TYPE_CHECKING:
    from confluent_kafka import Message

    from benches.compare.task import Task, Window

POLL_SECONDS = 1.0
ANSWER_SECONDS = 30.0


def version() -> str:
    return f"confluent-kafka {confluent_kafka.version()} (librdkafka {confluent_kafka.libversion()[0]})"


def consume_batch(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)
    count = touched = checksum = 0
    take = task.settings.take
    with window:
        consumer = Consumer(config)
        consumer.assign(from_the_beginning(task))
        while count < task.records:
            # It waits until it has all it was asked for, so not for more than there is.
            messages = consumer.consume(min(take, task.records - count), POLL_SECONDS)
            for message in messages:
                touched += len(message.key()) + len(message.value())
            count += len(messages)
            if task.verify:
                checksum += sum(checksum_of_one(message.key(), message.value()) for message in messages)
        window.end()
        consumer.close()
    return Outcome(count, touched, checksum if task.verify else None, config)


def consume_one(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)
    count = touched = checksum = 0
    verify, records = task.verify, task.records
    with window:
        consumer = Consumer(config)
        consumer.assign(from_the_beginning(task))
        while True:
            message = consumer.poll(POLL_SECONDS)
            if message is None:
                continue
            touched += len(message.key()) + len(message.value())
            count += 1
            if verify:
                checksum += checksum_of_one(message.key(), message.value())
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
            consumer = AIOConsumer(config)
            await consumer.assign(from_the_beginning(task))
            while True:
                message = await consumer.poll(POLL_SECONDS)
                if message is None:
                    continue
                touched += len(message.key()) + len(message.value())
                count += 1
                if verify:
                    checksum += checksum_of_one(message.key(), message.value())
                if count == records:
                    break
            window.end()
            await consumer.close()
        return Outcome(count, touched, checksum if verify else None, config)

    return asyncio.run(run())


def produce(task: Task, window: Window) -> Outcome:
    config = producer_config(task)
    records = pool(task.size)
    topic = task.topic
    delivered = 0

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        nonlocal delivered
        if error is not None or message.offset() < 0:
            raise RuntimeError(f"not delivered: {error}")
        delivered += 1

    with window:
        producer = Producer(config)
        for index in range(task.records):
            key, value = records[index % len(records)]
            while True:
                try:
                    producer.produce(topic, value, key, on_delivery=on_delivery)
                    break
                except BufferError:
                    producer.poll(0.01)
            producer.poll(0)
        producer.flush()
        window.end()
    return Outcome(delivered, effective=config)


def produce_asyncio(task: Task, window: Window) -> Outcome:
    config = producer_config(task)
    records = pool(task.size)

    async def run() -> Outcome:
        delivered = 0
        waiting: deque[asyncio.Future[Any]] = deque()
        with window:
            producer = AIOProducer(config)
            for index in range(task.records):
                key, value = records[index % len(records)]
                waiting.append(await producer.produce(task.topic, value, key))
                if len(waiting) > task.settings.outstanding:
                    delivered += (await waiting.popleft()).offset() >= 0
            await producer.flush()
            while waiting:
                delivered += (await waiting.popleft()).offset() >= 0
            window.end()
            await producer.close()
        return Outcome(delivered, effective=config)

    return asyncio.run(run())


def latency(task: Task, window: Window) -> Outcome:
    config = {**consumer_config(task), **producer_config(task), "linger.ms": 0}
    consumer = Consumer(consumer_config(task))
    producer = Producer({**producer_config(task), "linger.ms": 0})
    consumer.assign([TopicPartition(task.topic, 0, OFFSET_BEGINNING)])
    pace = Pace(task)
    arrivals: list[int] = []

    def consume() -> None:
        while len(arrivals) < task.records:
            message = consumer.poll(POLL_SECONDS)
            if message is not None:
                received(message.value(), pace, arrivals)

    reader = threading.Thread(target=consume)
    reader.start()
    with window:
        for index in pace.in_time():
            producer.produce(task.topic, stamp(index, task.size))
            producer.poll(0)
        reader.join()
        window.end()
    producer.flush()
    consumer.close()
    return Outcome(len(arrivals), effective=config, latencies=arrivals)


def connect(task: Task, window: Window) -> Outcome:
    config = {"bootstrap.servers": task.address, **security(task)}
    with window:
        for _ in range(task.records):
            admin = AdminClient(config)
            admin.list_topics(timeout=ANSWER_SECONDS)
            del admin
        window.end()
    return Outcome(task.records, effective=config)


def from_the_beginning(task: Task) -> list[TopicPartition]:
    return [TopicPartition(task.topic, partition, OFFSET_BEGINNING) for partition in range(task.partitions)]


def security(task: Task) -> dict[str, Any]:
    """Properties for TLS, where the task wants it."""
    return {"security.protocol": "ssl", "ssl.ca.location": task.ca} if task.ca else {}


def consumer_config(task: Task) -> dict[str, Any]:
    settings = task.settings
    return {
        "bootstrap.servers": task.address,
        **security(task),
        "group.id": "benches",  # librdkafka wants one, also for manual assignment
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "fetch.max.bytes": settings.fetch_max_bytes,
        "max.partition.fetch.bytes": settings.partition_fetch_bytes,
        "fetch.min.bytes": settings.fetch_min_bytes,
        "fetch.wait.max.ms": settings.fetch_wait_ms,
        **task.own,
    }


def producer_config(task: Task) -> dict[str, Any]:
    settings = task.settings
    return {
        "bootstrap.servers": task.address,
        **security(task),
        "acks": settings.acks,
        "linger.ms": settings.linger_ms,
        "batch.size": settings.batch_size,
        "max.in.flight.requests.per.connection": settings.in_flight,
        "enable.idempotence": settings.idempotence,
        "compression.type": task.codec,
        "partitioner": "murmur2_random",  # what the others do by default
        **task.own,
    }


JOBS = {
    "consume-batch": consume_batch,
    "consume-one": consume_one,
    "consume-one-asyncio": consume_one_asyncio,
    "produce": produce,
    "produce-asyncio": produce_asyncio,
    "latency": latency,
    "connect": connect,
}

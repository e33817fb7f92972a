"""kafka-python: `poll`, iteration, and `send` with its futures."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import kafka
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from benches.compare.latency import Pace, received, stamp
from benches.compare.payload import checksum_of_one, pool
from benches.compare.task import Outcome

if TYPE_CHECKING:
    from benches.compare.task import Task, Window

POLL_MS = 1000
DELIVERY_SECONDS = 60


def version() -> str:
    return f"kafka-python {kafka.__version__}"


def consume_batch(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)
    count = touched = checksum = 0
    with window:
        consumer = start_consumer(task, config)
        while count < task.records:
            for records in consumer.poll(POLL_MS, max_records=task.settings.take).values():
                for record in records:
                    touched += len(record.key) + len(record.value)
                count += len(records)
                if task.verify:
                    checksum += sum(checksum_of_one(record.key, record.value) for record in records)
        window.end()
        consumer.close()
    return Outcome(count, touched, checksum if task.verify else None, config)


def consume_one(task: Task, window: Window) -> Outcome:
    config = consumer_config(task)
    count = touched = checksum = 0
    verify, records = task.verify, task.records
    with window:
        consumer = start_consumer(task, config)
        for record in consumer:
            touched += len(record.key) + len(record.value)
            count += 1
            if verify:
                checksum += checksum_of_one(record.key, record.value)
            if count == records:
                break
        window.end()
        consumer.close()
    return Outcome(count, touched, checksum if verify else None, config)


def produce(task: Task, window: Window) -> Outcome:
    config = producer_config(task)
    records = pool(task.size)
    delivered = 0
    waiting: deque[Any] = deque()
    with window:
        producer = KafkaProducer(**config)
        for index in range(task.records):
            key, value = records[index % len(records)]
            waiting.append(producer.send(task.topic, value, key))
            if len(waiting) > task.settings.outstanding:
                delivered += waiting.popleft().get(DELIVERY_SECONDS).offset >= 0
        while waiting:
            delivered += waiting.popleft().get(DELIVERY_SECONDS).offset >= 0
        window.end()
        producer.close()
    return Outcome(delivered, effective=config)


def latency(task: Task, window: Window) -> Outcome:
    config = {**producer_config(task), "linger_ms": 0}
    producer = KafkaProducer(**config)
    pace = Pace(task)
    arrivals: list[int] = []
    consumer = start_consumer(task, consumer_config(task))

    def consume() -> None:
        for record in consumer:
            received(record.value, pace, arrivals)
            if len(arrivals) == task.records:
                break

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


def start_consumer(task: Task, config: dict[str, Any]) -> KafkaConsumer:
    consumer = KafkaConsumer(**config)
    partitions = [TopicPartition(task.topic, partition) for partition in range(task.partitions)]
    consumer.assign(partitions)
    consumer.seek_to_beginning(*partitions)
    return consumer


def security(task: Task) -> dict[str, Any]:
    """Settings for TLS, where the task wants it."""
    return {"security_protocol": "SSL", "ssl_cafile": task.ca} if task.ca else {}


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
        "max_poll_records": settings.take,
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
        "compression_type": None if task.codec == "none" else task.codec,
    }


JOBS = {
    "consume-batch": consume_batch,
    "consume-one": consume_one,
    "produce": produce,
    "latency": latency,
}

"""kq: functions are put into a topic as jobs, and a worker runs them.

Arguments: bootstrap servers, prefix of topics.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.admin import NewTopic
from kq import Job, Queue, Worker

# It writes what a job has raised.
logging.getLogger("kq").setLevel(logging.CRITICAL)
SERVERS, PREFIX = sys.argv[1:]
JOBS = 6


def add(one: int, other: int) -> int:
    return one + other


def fail(text: str) -> None:
    raise ValueError(text)


def run() -> list[object]:
    topic = f"{PREFIX}-jobs"
    admin = KafkaAdminClient(bootstrap_servers=SERVERS)
    admin.create_topics([NewTopic(topic, 2, 1)])
    admin.close()
    told: list[object] = []

    def callback(*happened: Any) -> None:
        status, message, job, result, exception, _ = happened
        name = type(exception).__name__ if exception is not None else None
        told.append([status, job.args, result, name, message.partition in (0, 1), message.topic == topic])

    queue = Queue(topic=topic, producer=KafkaProducer(bootstrap_servers=SERVERS), timeout=10)
    for number in range(JOBS - 2):
        queue.enqueue(add, number, 10)
    queue.enqueue(fail, "no")
    queue.using(timeout=5, key=b"key").enqueue(Job(func=add, args=[1, 1], kwargs={}, timeout=5, key=b"key"))
    consumer = KafkaConsumer(
        bootstrap_servers=SERVERS, group_id=f"{PREFIX}-workers", auto_offset_reset="earliest", enable_auto_commit=False
    )
    done = Worker(topic=topic, consumer=consumer, callback=callback).start(max_messages=JOBS)
    # What was done is committed: another worker of the group gets nothing of it.
    consumer.close()
    other = KafkaConsumer(
        topic,
        bootstrap_servers=SERVERS,
        group_id=f"{PREFIX}-workers",
        auto_offset_reset="earliest",
        consumer_timeout_ms=1500,
    )
    left = len(list(other))
    other.close()
    return [done, left, *sorted(told, key=str)]


print(json.dumps(run()))

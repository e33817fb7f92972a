"""What a member of a group keeps of its partitions over a rebalance, for the table of `versions.py`."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from tests.support.waiting import StuckError

WAIT = 40.0
EACH = 60
"""Records of a partition."""
ONE, OTHER = 20, 30
"""Where a member stands in its two partitions: a position that it has of a commit, or after that, is far below."""


def poll_until(consumer: Any, is_there: Callable[[], Any]) -> None:
    """Polls one record at a time, which nobody looks at."""
    deadline = time.monotonic() + WAIT
    while not is_there():
        if time.monotonic() > deadline:
            raise StuckError("the group did not rebalance")
        consumer.poll(1000, max_records=1)


def filled(place: Any, name: str) -> str:
    """A topic with two partitions, and records in both."""
    topic = place.own(name)
    admin = place.admin()
    admin.create_topics([place.module("admin").NewTopic(topic, 2, 1)])
    admin.close()
    producer = place.producer()
    for number in range(2 * EACH):
        producer.send(topic, b"value", partition=number % 2)
    producer.flush()
    producer.close()
    return topic


def member(place: Any, topic: str) -> Any:
    """A member that stands at ONE and OTHER in its partitions, the second of which is paused; 1 is committed."""
    consumer = place.consumer(topic, group_id=topic, enable_auto_commit=False, heartbeat_interval_ms=100)
    poll_until(consumer, consumer.assignment)
    one, other = parts(place, topic)
    consumer.pause(one, other)
    consumer.seek(one, 1)
    consumer.seek(other, 1)
    consumer.commit()
    consumer.seek(one, ONE)
    consumer.seek(other, OTHER)
    consumer.resume(one)
    return consumer


def parts(place: Any, topic: str) -> list[Any]:
    return [place.kafka.TopicPartition(topic, number) for number in range(2)]


def kept_by_another_subscription(place: Any) -> Any:
    """Paused partitions after `subscribe()` to one topic more, whether positions are as before, and whether reading
    goes on there.
    """
    topic, more = filled(place, "kept"), filled(place, "more")
    consumer = member(place, topic)
    one, other = parts(place, topic)
    consumer.pause(one)
    consumer.subscribe([topic, more])
    poll_until(consumer, lambda: len(consumer.assignment()) == 4)
    told = [sorted(each.partition for each in consumer.paused())]
    told.append([consumer.position(one) == ONE, consumer.position(other) == OTHER])
    consumer.pause(*parts(place, more))
    consumer.resume(one, other)
    first: dict[Any, int] = {}
    deadline = time.monotonic() + WAIT
    while not {one, other} <= first.keys():
        assert time.monotonic() < deadline, "nothing was read"
        for partition, records in consumer.poll(100).items():
            first.setdefault(partition, records[0].offset)
    consumer.close()
    return [*told, [first[one] == ONE, first[other] == OTHER]]


def kept_beside_another_member(place: Any) -> Any:
    """The same of the partition that stays while another member comes, and of both when it has gone."""
    topic = filled(place, "beside")
    consumer = member(place, topic)
    partitions = parts(place, topic)
    consumer.pause(partitions[0])
    is_over = Event()

    def take_part() -> None:
        beside = place.consumer(topic, group_id=topic, enable_auto_commit=False, heartbeat_interval_ms=100)
        while not is_over.is_set():
            beside.poll(500, max_records=1)
        beside.close()

    thread = Thread(target=take_part)
    thread.start()
    try:
        poll_until(consumer, lambda: len(consumer.assignment()) == 1)
        (stays,) = consumer.assignment()
        # Which of the two stays is up to the ids of members.
        stood = ONE if stays == partitions[0] else OTHER
        told = [consumer.paused() == {stays}, consumer.position(stays) == stood]
        # This is kept once more; what was with the other member begins where the group has committed.
        consumer.seek(stays, 40)
    finally:
        is_over.set()
    poll_until(consumer, lambda: len(consumer.assignment()) == 2)
    thread.join(WAIT)
    came = next(each for each in partitions if each != stays)
    told += [consumer.paused() == {stays}, consumer.position(stays) == 40, consumer.position(came) < ONE]
    consumer.close()
    return told

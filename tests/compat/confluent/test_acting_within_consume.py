"""What a callback does while `consume()` has messages already applies to these, too: to seek, pause or give up a
partition is to get nothing that was taken of it before.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import pytest
from kafkars.compat.confluent_kafka._handlers import ConsumerPolls
from kafkars.compat.confluent_kafka._trouble import Trouble

from tests.compat.confluent.conftest import FACE, SECONDS, Clients
from tests.kafka.cluster import wait_until

COUNT = 5
"""Messages of the first partition; the second has none."""
TAKEN_AFTER = 0.4
"""Seconds after which a call has taken all there is. Where that takes longer less is tested, with the same result."""
QUIET = 0.3

Act = Callable[[Any, ModuleType, str], object]


def one(ck: ModuleType, topic: str, offset: int = 0) -> Any:
    return ck.TopicPartition(topic, 0, offset)


ACTS: dict[str, Act] = {
    "nothing": lambda _consumer, _ck, _topic: None,
    "seek": lambda consumer, ck, topic: consumer.seek(one(ck, topic, 2)),
    "seek back": lambda consumer, ck, topic: consumer.seek(one(ck, topic, 0)),
    "seek to the end": lambda consumer, ck, topic: consumer.seek(one(ck, topic, ck.OFFSET_END)),
    "pause": lambda consumer, ck, topic: consumer.pause([one(ck, topic)]),
    "pause, resume": lambda consumer, ck, topic: (
        consumer.pause([one(ck, topic)]),
        consumer.resume([one(ck, topic)]),
    ),
    "seek, pause": lambda consumer, ck, topic: (consumer.seek(one(ck, topic, 2)), consumer.pause([one(ck, topic)])),
    "pause, seek": lambda consumer, ck, topic: (consumer.pause([one(ck, topic)]), consumer.seek(one(ck, topic, 2))),
    "pause, seek, resume": lambda consumer, ck, topic: (
        consumer.pause([one(ck, topic)]),
        consumer.seek(one(ck, topic, 2)),
        consumer.resume([one(ck, topic)]),
    ),
    "incremental_unassign": lambda consumer, ck, topic: consumer.incremental_unassign([one(ck, topic)]),
    "unassign": lambda consumer, _ck, _topic: consumer.unassign(),
    "assign the other": lambda consumer, ck, topic: consumer.assign([ck.TopicPartition(topic, 1, 0)]),
    "assign": lambda consumer, ck, topic: consumer.assign([one(ck, topic, 3)]),
    "incremental_unassign, incremental_assign": lambda consumer, ck, topic: (
        consumer.incremental_unassign([one(ck, topic)]),
        consumer.incremental_assign([one(ck, topic, 3)]),
    ),
}

FROM: dict[str, int | None] = {
    "nothing": 0,
    "seek": 2,
    "seek back": 0,
    "seek to the end": COUNT,
    "pause": None,
    "pause, resume": 0,
    "seek, pause": None,
    "pause, seek": None,
    "pause, seek, resume": 2,
    "incremental_unassign": None,
    "unassign": None,
    "assign the other": None,
    "assign": 3,
    "incremental_unassign, incremental_assign": 3,
}
"""The offset from which the partition is read then; None if it is not."""
WITHOUT_THE_OTHER = {"unassign", "assign"}


def seen(clients: Clients, act: Act, expected: int, *, has_ends: bool) -> tuple[list[Any], list[Any], int, int]:
    """What is read of each partition; `None` is an end. Then the position, and what is committed."""
    ck, topic = clients.ck, clients.topic(2)
    writer = clients.writer()
    for number in range(COUNT):
        writer.produce(topic, f"value-{number}", partition=0)
    assert writer.flush(SECONDS) == 0
    began: list[float] = []
    acted: list[bool] = []

    def stats_cb(_stats: str) -> None:
        if began and not acted and time.monotonic() - began[0] > TAKEN_AFTER:
            acted.append(True)
            act(consumer, ck, topic)

    group = clients.group()
    consumer = clients.consumer(
        {
            "group.id": group,
            "enable.partition.eof": has_ends,
            "auto.commit.interval.ms": 600_000,
            "fetch.wait.max.ms": 10,
            "statistics.interval.ms": 50,
            "stats_cb": stats_cb,
        }
    )
    consumer.assign([ck.TopicPartition(topic, number, 0) for number in range(2)])
    began.append(time.monotonic())
    found: list[Any] = consumer.consume(100, TAKEN_AFTER + QUIET)
    while not acted or len(found) < expected:
        assert time.monotonic() - began[0] < SECONDS, [each.offset() for each in found]
        found += consumer.consume(100, QUIET)
    found += consumer.consume(100, QUIET)
    read: tuple[list[Any], list[Any]] = ([], [])
    for each in found:
        read[each.partition()].append(None if each.error() is not None else each.offset())
    (position,) = consumer.position([one(ck, topic)])
    consumer.close()
    (committed,) = clients.consumer({"group.id": group}).committed([one(ck, topic)], SECONDS)
    return *read, position.offset, committed.offset


@pytest.mark.parametrize("has_ends", [False, True], ids=["", "with ends"])
def test_what_a_callback_does_applies_to_what_is_taken(clients: Clients, has_ends: bool) -> None:
    def result(name: str) -> tuple[list[Any], list[Any], int, int]:
        start = FROM[name]
        first: list[Any] = [] if start is None else [*range(start, COUNT), *([None] if has_ends else [])]
        other = [None] if has_ends and name not in WITHOUT_THE_OTHER else []
        end = COUNT if start is not None and start < COUNT else clients.ck.OFFSET_INVALID
        return first, other, end, end

    expected = {name: result(name) for name in ACTS}

    def run(name: str) -> tuple[list[Any], list[Any], int, int]:
        first, other, *_ = expected[name]
        return seen(clients, ACTS[name], len(first) + len(other), has_ends=has_ends)

    with ThreadPoolExecutor(len(ACTS)) as pool:
        assert dict(zip(ACTS, pool.map(run, ACTS), strict=True)) == expected


@pytest.mark.parametrize("act", ["seek", "unassign", "assign the other", "assign", "pause, seek, resume"])
def test_what_another_thread_does_applies_to_what_is_taken(clients: Clients, act: str) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("in the library it waits until the call has ended")
    topic = clients.topic(messages=COUNT)
    consumer = clients.consumer({"enable.auto.commit": False})
    consumer.assign([one(clients.ck, topic)])
    found: list[Any] = []
    start = FROM[act]
    thread = threading.Thread(target=lambda: found.extend(consumer.consume(100, 1.5)))
    thread.start()
    wait_until(lambda: consumer._engine_.position((topic, 0)) == COUNT, SECONDS, "all is taken")
    ACTS[act](consumer, clients.ck, topic)
    thread.join(SECONDS)
    expected = [] if start is None else list(range(start, COUNT))
    deadline = time.monotonic() + SECONDS
    while len(found) < len(expected) and time.monotonic() < deadline:
        found += consumer.consume(100, QUIET)
    assert [each.offset() for each in found] == expected
    (position,) = consumer.position([one(clients.ck, topic)])
    assert position.offset == (COUNT if expected else clients.ck.OFFSET_INVALID)
    committed = [each.offset for each in consumer.commit(asynchronous=False)] if expected else []
    assert committed == [COUNT] * bool(expected)


# --- interrupts


class Interrupt(BaseException):
    """As KeyboardInterrupt, which would end the tests."""


def test_an_interrupt_while_an_end_is_told_loses_neither_messages_nor_the_end(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("there is no Python code")
    make = ConsumerPolls.partition_end
    interrupts = [Interrupt()]

    def partition_end(polls: ConsumerPolls, topic: str, partition: int, offset: int) -> Any:
        if interrupts:
            raise interrupts.pop()
        return make(polls, topic, partition, offset)

    monkeypatch.setattr(ConsumerPolls, "partition_end", partition_end)
    topic = clients.topic(messages=COUNT)
    consumer = clients.consumer({"enable.partition.eof": True})
    consumer.assign([one(clients.ck, topic)])
    assert [each.offset() for each in consumer.consume(COUNT + 1, SECONDS)] == list(range(COUNT))
    with pytest.raises(Interrupt):
        consumer.consume(1, SECONDS)
    assert [each.error().name() for each in consumer.consume(1, SECONDS)] == ["_PARTITION_EOF"]


def test_an_interrupt_while_missing_topics_are_told_loses_none(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("there is no Python code")
    tell = Trouble.missing
    interrupts = [Interrupt()]

    def missing(trouble: Trouble, topic: str, code: int) -> None:
        if interrupts and topic == "nobody-made-b":
            raise interrupts.pop()
        tell(trouble, topic, code)

    monkeypatch.setattr(Trouble, "missing", missing)
    consumer = clients.consumer()
    consumer.subscribe(["nobody-made-a", "nobody-made-b"])
    told: list[str] = []

    def consumed() -> bool:
        told.extend(each.topic() for each in consumer.consume(10, 0.1) if each.error() is not None)
        return len(told) == 2

    with pytest.raises(Interrupt):
        wait_until(consumed, SECONDS, "the interrupt")
    wait_until(consumed, SECONDS, "both topics are told")
    assert sorted(told) == ["nobody-made-a", "nobody-made-b"]

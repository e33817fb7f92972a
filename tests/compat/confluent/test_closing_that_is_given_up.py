"""Clients whose close() is interrupted or cancelled: what is queued is sent, and what was read is committed, all the
same.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, poll_until, read_all
from tests.compat.confluent.test_serdes import awaited

FACE_ALONE = (FACE, "embedded_broker")
VALUES = [b"0", b"1", b"2"]


@contextmanager
def no_leader(clients: Clients, seconds: float) -> Iterator[None]:
    """Nothing is stored for a while."""
    if not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("needs the embedded broker's faults")
    fault = clients.broker.handle.intercept("Produce", "NOT_LEADER_OR_FOLLOWER")
    timer = threading.Timer(seconds, fault.remove)
    timer.start()
    yield
    timer.join()


@pytest.mark.parametrize("is_waiting", [True, False], ids=["a commit waits", "none waits"])
@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
def test_close_without_a_coordinator_ends_in_its_time(
    clients: Clients, monkeypatch: pytest.MonkeyPatch, is_waiting: bool
) -> None:
    """With the wait for its last commit, and for one before it."""
    face = "kafkars.compat.confluent_kafka"
    monkeypatch.setattr(import_module(f"{face}._consumer"), "LEAVE_SECONDS", 3.0)
    monkeypatch.setattr(import_module(f"{face}._commits"), "CLOSE_SECONDS", 2.0)
    topic = clients.topic(messages=2)
    consumer = clients.consumer({"group.id": clients.group()})
    consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
    poll_until(consumer, 2)
    with clients.broker.handle.intercept("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"):
        if is_waiting:
            consumer.commit(asynchronous=True)
        started = time.monotonic()
        consumer.close()
        assert time.monotonic() - started < 4.5


def test_a_signal_whose_handler_closes_within_close_is_no_error(clients: Clients) -> None:
    """As a handler of SIGTERM beside `finally: consumer.close()`."""
    if not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("needs the embedded broker's faults")
    topic, group = clients.topic(messages=2), clients.group()
    consumer = clients.consumer({"group.id": group, "enable.auto.commit": True})
    consumer.subscribe([topic])
    poll_until(consumer, 2)
    before = signal.signal(signal.SIGINT, lambda *_: consumer.close())
    pressed = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    try:
        with clients.broker.handle.intercept("OffsetCommit", "delay", seconds=1.0):
            pressed.start()
            consumer.close()
            pressed.join()
    finally:
        signal.signal(signal.SIGINT, before)
    [found] = clients.consumer({"group.id": group}).committed([clients.ck.TopicPartition(topic, 0)], SECONDS)
    assert found.offset == 2


@pytest.mark.parametrize("ends", ["close", "with"])
def test_a_close_that_is_interrupted_loses_nothing(clients: Clients, ends: str) -> None:
    topic = clients.topic()
    producer = clients.producer()
    with no_leader(clients, 1.0):
        for value in VALUES:
            producer.produce(topic, value)
        pressed = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        pressed.start()
        if ends == "close":
            with pytest.raises(KeyboardInterrupt):
                producer.close()
        else:
            # The library's block fails by itself then.
            with pytest.raises((KeyboardInterrupt, SystemError)), producer:
                pass
        pressed.join()
    producer.close()
    assert [each.value() for each in read_all(clients, topic, len(VALUES))] == VALUES


def test_the_close_that_is_interrupted_gives_the_reports(clients: Clients, caplog: pytest.LogCaptureFixture) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("the library raises SystemError")
    topic, heard = clients.topic(), []
    producer = clients.producer()
    with no_leader(clients, 1.0):
        for value in VALUES:
            producer.produce(topic, value, on_delivery=lambda error, message: heard.append((error, message.value())))
        pressed = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        pressed.start()
        with pytest.raises(KeyboardInterrupt):
            producer.close()
        pressed.join()
    assert heard == [(None, value) for value in VALUES]
    assert [each.getMessage().partition(";")[0] for each in caplog.records if each.name == "kafkars.compat"] == [
        "interrupted"
    ]
    with pytest.raises(RuntimeError):
        producer.produce(topic, b"late")


def test_an_interrupt_does_not_keep_the_transaction_open(clients: Clients) -> None:
    if not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("needs the embedded broker's faults")
    topic = clients.topic()
    producer = clients.producer({"transactional.id": topic})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, VALUES[0])
    producer.flush(SECONDS)
    fault = clients.broker.handle.intercept("EndTxn", "CONCURRENT_TRANSACTIONS")
    ended = threading.Timer(1.0, fault.remove)
    pressed = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    for each in (ended, pressed):
        each.start()
    # The library raises SystemError from time to time.
    with pytest.raises((KeyboardInterrupt, SystemError)):
        producer.close()
    for each in (ended, pressed):
        each.join()
    [record] = clients.broker.handle.records(topic)
    assert record.state == "aborted"


def test_a_second_interrupt_ends_the_wait_and_the_next_close_goes_on(clients: Clients) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("the library waits until all is sent")
    topic, heard = clients.topic(), []
    producer = clients.producer()
    with no_leader(clients, 1.5):
        for value in VALUES:
            producer.produce(topic, value, on_delivery=lambda error, message: heard.append((error, message.value())))
        pressed = [threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)) for after in (0.3, 0.7)]
        for each in pressed:
            each.start()
        with pytest.raises(KeyboardInterrupt):
            producer.close()
        assert heard == []
    producer.close()
    assert heard == [(None, value) for value in VALUES]


class StopError(Exception):
    """What a handler of SIGTERM raises."""


def test_so_it_is_with_other_signals(clients: Clients) -> None:
    topic = clients.topic()
    producer = clients.producer()

    def stop(*_: object) -> None:
        raise StopError

    before = signal.signal(signal.SIGTERM, stop)
    try:
        with no_leader(clients, 1.0):
            for value in VALUES:
                producer.produce(topic, value)
            ended = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))
            ended.start()
            with pytest.raises(StopError):
                producer.close()
            ended.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert [each.value() for each in read_all(clients, topic, len(VALUES))] == VALUES


async def queued(clients: Clients, topic: str) -> tuple[Any, list[Any]]:
    aio = import_module(f"{clients.ck.__name__}.aio")
    producer = aio.AIOProducer({"bootstrap.servers": clients.broker.bootstrap_servers, "log_level": 0})
    return producer, [await producer.produce(topic, value) for value in VALUES]


def test_cancelling_close_of_asyncio_gives_up_the_wait_only(clients: Clients) -> None:
    topic = clients.topic()

    async def work() -> None:
        producer, futures = await queued(clients, topic)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(producer.close(), 0.2)
        if clients.ck.__name__ == FACE:
            with pytest.raises(RuntimeError):
                await producer.produce(topic, b"late")
            await producer.close()
        done = await asyncio.wait_for(asyncio.gather(*futures), SECONDS)
        assert [each.value() for each in done] == VALUES

    with no_leader(clients, 1.0):
        asyncio.run(work())
    assert [each.value() for each in read_all(clients, topic, len(VALUES))] == VALUES


def test_the_end_of_the_loop_waits_for_a_close_that_was_cancelled(clients: Clients) -> None:
    topic = clients.topic()

    async def work() -> None:
        producer, _ = await queued(clients, topic)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(producer.close(), 0.2)

    with no_leader(clients, 1.0):
        asyncio.run(work())
    assert [each.value() for each in read_all(clients, topic, len(VALUES))] == VALUES


def reader(clients: Clients, topic: str, settings: dict[str, Any], count: int) -> Any:
    """A member of a group that has read, and whose first commit is that of its end."""
    consumer = clients.consumer({"enable.auto.commit": True, "auto.commit.interval.ms": 600_000, **settings})
    consumer.subscribe([topic])
    assert len(poll_until(consumer, count)) == count
    return consumer


def committed(clients: Clients, group: str, topic: str) -> int:
    asking = clients.consumer({"group.id": group})
    return int(asking.committed([clients.ck.TopicPartition(topic, 0)], timeout=SECONDS)[0].offset)


@pytest.mark.parametrize("request_of", ["OffsetCommit", "LeaveGroup"])
def test_an_interrupt_does_not_keep_a_consumer_from_its_last_commit(clients: Clients, request_of: str) -> None:
    if not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("needs the embedded broker's faults")
    topic, group = clients.topic(messages=3), clients.group()
    consumer = reader(clients, topic, {"group.id": group}, 3)
    clients.broker.handle.intercept(request_of, "delay", seconds=1.0, times=1)
    pressed = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    pressed.start()
    with pytest.raises((KeyboardInterrupt, SystemError)):
        consumer.close()
    pressed.join()
    assert committed(clients, group, topic) == 3
    # It is closed.
    with pytest.raises(RuntimeError):
        consumer.poll(0)


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_a_close_within_the_on_revoke_of_another_leaves_it_the_last_commit(clients: Clients, strategy: str) -> None:
    """The library hangs."""
    topic, group = clients.topic(messages=2), clients.group()
    settings = {"group.id": group, "enable.auto.commit": True, "partition.assignment.strategy": strategy}
    consumer = clients.consumer(settings)
    consumer.subscribe([topic], on_revoke=lambda one, _: one.close())
    assert len(poll_until(consumer, 2)) == 2
    consumer.close()
    assert committed(clients, group, topic) == 2


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
def test_further_interrupts_end_the_close_of_a_consumer(clients: Clients) -> None:
    """The library waits until it has left."""
    topic = clients.topic(messages=1)
    consumer = reader(clients, topic, {"group.id": clients.group()}, 1)
    faults = [clients.broker.handle.intercept(request, "drop") for request in ("OffsetCommit", "LeaveGroup")]
    pressed = [threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)) for after in (0.3, 0.8, 1.3)]
    for each in pressed:
        each.start()
    with pytest.raises(KeyboardInterrupt):
        consumer.close()
    for each in pressed:
        each.cancel()
        each.join()
    for fault in faults:
        fault.remove()


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
@pytest.mark.parametrize("is_member", [True, False], ids=["member", "on its own"])
def test_an_on_commit_that_raises_is_called_once(clients: Clients, is_member: bool) -> None:
    topic, heard = clients.topic(messages=1), []

    def told(error: Any, _: Any) -> None:
        heard.append(error.name())
        raise LookupError

    consumer = clients.consumer({"enable.auto.commit": True, "auto.commit.interval.ms": 600_000, "on_commit": told})
    if is_member:
        consumer.subscribe([topic])
    else:
        consumer.assign([clients.ck.TopicPartition(topic, 0)])
    assert len(poll_until(consumer, 1)) == 1
    refused = clients.broker.handle.intercept("OffsetCommit", "GROUP_AUTHORIZATION_FAILED")
    with refused as fault, pytest.raises(LookupError):
        consumer.close()
    assert heard == ["GROUP_AUTHORIZATION_FAILED"]
    assert fault.hits == 1


MOMENTS = [step / 20_000 for step in range(30)]
"""Seconds after close() was called: most of them before it waits for an answer the first time, or just then."""


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
def test_so_it_is_at_every_moment(clients: Clients) -> None:
    topic = clients.topic(messages=2)
    came: list[bool] = []
    before = signal.getsignal(signal.SIGINT)

    def interrupted(_: int, frame: FrameType | None) -> None:
        came.append(is_within(frame, clients.ck.Consumer._end_.__code__))
        if came[-1]:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)
    try:
        for moment in MOMENTS:
            group = clients.group()
            consumer = reader(clients, topic, {"group.id": group}, 2)
            pressed = threading.Timer(moment, os.kill, (os.getpid(), signal.SIGINT))
            pressed.start()
            with suppress(KeyboardInterrupt):
                consumer.close()
            pressed.join()
            assert committed(clients, group, topic) == 2
    finally:
        signal.signal(signal.SIGINT, before)
    assert any(came)


def is_within(frame: FrameType | None, code: CodeType) -> bool:
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


async def aio_reader(clients: Clients, kind: str, group: str) -> Any:
    settings = {"group.id": group, "auto.offset.reset": "earliest", "log_level": 0}
    made = getattr(import_module(f"{clients.ck.__name__}.aio"), kind)(
        {"bootstrap.servers": clients.broker.bootstrap_servers, **settings}
    )
    return await awaited(made)


@pytest.mark.parametrize("kind", ["AIOConsumer", "AsyncDeserializingConsumer"])
def test_a_close_that_is_cut_short_is_the_only_one(clients: Clients, kind: str) -> None:
    topic, group, done = clients.topic(messages=2), clients.group(), []

    async def revoked(_consumer: Any, partitions: list[Any]) -> None:
        await asyncio.sleep(0.5)
        done.append(len(partitions))

    async def work() -> None:
        consumer = await aio_reader(clients, kind, group)
        await consumer.subscribe([topic], on_revoke=revoked)
        read = []
        while len(read) < 2:
            read += await consumer.consume(2 - len(read), 1)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(consumer.close(), 0.1)
        assert done == [1]
        # The library refuses this.
        with suppress(RuntimeError):
            await consumer.close()

    asyncio.run(work())
    assert committed(clients, group, topic) == 2


WITHIN: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "at once": lambda consumer: consumer.close(),
    "in a task": lambda consumer: asyncio.gather(consumer.close()),
    "within a time": lambda consumer: asyncio.wait_for(consumer.close(), SECONDS),
}


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
@pytest.mark.parametrize("closed", WITHIN.values(), ids=WITHIN)
def test_on_revoke_may_close_again(clients: Clients, closed: Callable[[Any], Awaitable[Any]]) -> None:
    topic, group, done = clients.topic(messages=2), clients.group(), []

    async def revoked(consumer: Any, _: list[Any]) -> None:
        await closed(consumer)
        done.append("closed")

    async def work() -> None:
        consumer = await aio_reader(clients, "AIOConsumer", group)
        await consumer.subscribe([topic], on_revoke=revoked)
        assert len(await consumer.consume(2, SECONDS)) == 2
        await consumer.close()

    asyncio.run(work())
    assert done == ["closed"]
    assert committed(clients, group, topic) == 2


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
def test_a_close_is_cancelled_before_its_thread_has_begun(clients: Clients) -> None:
    """The library's close() is left undone then."""
    topic, group, done = clients.topic(messages=2), clients.group(), []

    async def revoked(_consumer: Any, partitions: list[Any]) -> None:
        done.append(len(partitions))

    async def work() -> None:
        consumer = await aio_reader(clients, "AIOConsumer", group)
        await consumer.subscribe([topic], on_revoke=revoked)
        assert len(await consumer.consume(2, SECONDS)) == 2
        closing = asyncio.ensure_future(consumer.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.gather(consumer.close(), consumer.close(), return_exceptions=True)
        assert closing.cancelled()

    asyncio.run(work())
    assert done == [1]
    assert committed(clients, group, topic) == 2

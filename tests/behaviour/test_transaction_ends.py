"""However the end of a transaction is disturbed, it comes: the next one begins, and nothing of an aborted one is read.

What disturbs are callbacks that raise, records that are refused, and tasks that are cancelled.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars import ConsumerGroupMetadata, DeliveryFuture, Producer
from kafkars.errors import BrokerError, KafkaError, KafkaTimeoutError, TransactionFailedError
from kafkars.testing import EmbeddedBroker, Fault

from tests.support.awaits import run
from tests.support.waiting import SECONDS, eventually

NAMES = itertools.count(1)
DELAY = 0.12


class OwnError(Exception):
    """What a block raises."""


class CallbackError(Exception):
    """What a callback raises."""


class CallbackKafkaError(KafkaError):
    """What a callback raises that asks a future for its result."""


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(auto_create_topics=False) as made:
        yield made


@pytest.fixture
def topic(broker: EmbeddedBroker) -> str:
    name = f"ends-{next(NAMES)}"
    broker.create_topic(name, partitions=1)
    return name


def settings(broker: EmbeddedBroker, **more: Any) -> dict[str, Any]:
    return {
        "bootstrap_servers": broker.bootstrap_servers,
        "transactional_id": f"transaction-ends-{next(NAMES)}",
        **more,
    }


def committed(broker: EmbeddedBroker, topic: str) -> list[bytes]:
    found: list[bytes] = []
    options: dict[str, Any] = {"auto_offset_reset": "earliest", "isolation_level": "read_committed"}
    with kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, **options) as consumer:
        consumer.assign([(topic, 0)])

        def read() -> bool:
            found.extend(record.value for record in consumer.poll_batch(timeout=0.05))
            return consumer.position((topic, 0)) >= broker.offsets(topic, 0)[1]

        eventually(read, "all is read")
    return found


def chain(error: BaseException | None) -> list[BaseException]:
    """An exception and all that it tells of."""
    found: list[BaseException] = []
    left = [error]
    while left:
        each = left.pop()
        if each is not None and not any(each is known for known in found):
            found.append(each)
            left += [each.__context__, each.__cause__]
    return found


class Program:
    """One transaction of a synchronous producer, and what its calls raised."""

    def __init__(self, broker: EmbeddedBroker, topic: str, kind: type[BaseException], *, refused: bool) -> None:
        self.broker, self.topic, self.kind, self.refused = broker, topic, kind, refused
        self.producer: Producer[Any, Any] = Producer(**settings(broker))
        self.producer.init_transactions(SECONDS)
        with self.producer.transaction():
            self.producer.send(topic, b"warm")
        self.faults: list[Fault] = []
        self.raised: list[BaseException] = []
        self.by_callbacks: list[BaseException] = []

    def call(self, function: Callable[[], object]) -> BaseException | None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001  # the test makes KeyboardInterrupt
            self.raised.append(error)
            return error
        return None

    def callback(self, _future: DeliveryFuture) -> None:
        error = self.kind("callback")
        self.by_callbacks.append(error)
        raise error

    def fill(self) -> None:
        if self.refused:
            self.faults.append(self.broker.intercept("Produce", "TOPIC_AUTHORIZATION_FAILED", times=1))
        self.producer.send(self.topic, b"A", on_delivery=self.callback)
        self.producer.send(self.topic, b"B", on_delivery=self.callback)
        # The call that comes next is under way when the callbacks run.
        self.faults += [self.broker.intercept(api, "delay", seconds=DELAY, times=1) for api in ("Produce", "EndTxn")]

    def block(self, *, ends_well: bool) -> None:
        with self.producer.transaction():
            self.fill()
            if not ends_well:
                raise OwnError

    def end(self) -> None:
        """Ends what is open, as who has no block does."""
        for end in [self.producer.abort_transaction, self.producer.commit_transaction] * 5:
            if not self.producer.in_transaction:
                return
            self.call(lambda end=end: end(SECONDS))  # type: ignore[misc]
        raise AssertionError(f"it does not end: {self.raised}")

    def run_callbacks(self) -> None:
        while self.call(lambda: self.producer.poll(0)) is not None:
            pass


@pytest.mark.parametrize("refused", [False, True], ids=["stored", "refused"])
@pytest.mark.parametrize("kind", [CallbackError, CallbackKafkaError, KeyboardInterrupt])
@pytest.mark.parametrize("step", ["flush", "offsets", "commit", "abort", "block", "block that raises"])
def test_a_callback_that_raises_takes_the_place_of_nothing(
    broker: EmbeddedBroker, topic: str, step: str, kind: type[BaseException], refused: bool
) -> None:
    program = Program(broker, topic, kind, refused=refused)
    producer = program.producer
    offsets = {(topic, 0): 1}
    steps: dict[str, Callable[[], object]] = {
        "flush": lambda: producer.flush(SECONDS),
        "offsets": lambda: producer.send_offsets_to_transaction(offsets, ConsumerGroupMetadata("ends"), SECONDS),
        "commit": lambda: producer.commit_transaction(SECONDS),
        "abort": lambda: producer.abort_transaction(SECONDS),
        "block": lambda: program.block(ends_well=True),
        "block that raises": lambda: program.block(ends_well=False),
    }
    if not step.startswith("block"):
        producer.begin_transaction()
        program.fill()
    error = program.call(steps[step])
    commits = step in {"commit", "block"}
    interrupted = kind is KeyboardInterrupt
    if not step.startswith("block"):
        if step == "flush" and not interrupted:
            assert len(producer) == 0
        program.end()
    elif step == "block that raises" and not isinstance(error, KeyboardInterrupt):
        assert isinstance(error, OwnError)
    if commits and refused and not interrupted:
        assert isinstance(error, TransactionFailedError)
        assert error.abortable
    program.run_callbacks()
    for fault in program.faults:
        fault.remove()
    with producer.transaction():
        producer.send(topic, b"next")
    producer.close(SECONDS)
    found = committed(broker, topic)
    assert found[0] == b"warm"
    assert found[-1] == b"next"
    between = [b"A", b"B"] if commits and not refused else []
    # Who is told to stop is not told whether the commit has begun.
    assert found[1:-1] == between or (interrupted and found[1:-1] == [])
    told = [each for raised in program.raised for each in chain(raised)]
    assert len(program.by_callbacks) == 2
    for expected in program.by_callbacks:
        assert any(each is expected for each in told), f"{expected!r} is not in {told}"
    if step == "block that raises":
        assert any(isinstance(each, OwnError) for each in told)


def test_a_commit_that_times_out_in_a_block_is_carried_out_and_the_next_block_waits(
    broker: EmbeddedBroker, topic: str
) -> None:
    with Producer[Any, Any](**settings(broker, max_block_ms=4_000)) as producer:
        producer.init_transactions(SECONDS)
        with pytest.raises(KafkaTimeoutError), producer.transaction():
            broker.intercept("Produce", "delay", seconds=6.0, times=1)
            producer.send(topic, b"A")
        with producer.transaction():
            producer.send(topic, b"next")
    assert committed(broker, topic) == [b"A", b"next"]


async def one_block(
    broker: EmbeddedBroker, producer: kafkars.aio.Producer[Any, Any], topic: str, slow: str, *, refused: bool
) -> None:
    """A transaction whose end takes its time."""
    async with producer.transaction():
        if refused:
            broker.intercept("Produce", "TOPIC_AUTHORIZATION_FAILED", times=1)
        elif slow == "Produce":
            broker.intercept("Produce", "delay", seconds=0.3, times=1)
        answer = producer.send_nowait(topic, b"A")
        if slow == "unknown topic":
            producer.send_nowait("unknown", b"A")
        elif slow != "Produce":
            await asyncio.wait([asyncio.ensure_future(answer)])
        if slow == "raises":
            broker.intercept("EndTxn", "delay", seconds=0.3, times=1)
            raise OwnError
        broker.intercept("EndTxn", "delay", seconds=0.3, times=1)


@pytest.mark.parametrize("way", ["cancel", "cancel twice", "time-out"])
@pytest.mark.parametrize("refused", [False, True], ids=["stored", "refused"])
@pytest.mark.parametrize("slow", ["Produce", "EndTxn", "unknown topic", "raises"])
def test_a_block_that_is_cancelled_at_its_end_ends(
    broker: EmbeddedBroker, topic: str, slow: str, refused: bool, way: str
) -> None:
    async def test() -> None:
        async with kafkars.aio.Producer[Any, Any](**settings(broker)) as producer:
            await producer.init_transactions(SECONDS)
            async with producer.transaction():
                await producer.send(topic, b"warm")
            broker.forget_requests()
            task = asyncio.ensure_future(one_block(broker, producer, topic, slow, refused=refused))
            # Under way is its record, or its end.
            api = "EndTxn" if slow in {"EndTxn", "raises"} else "Produce"
            await asyncio.to_thread(broker.wait_for_request, api)
            if way == "time-out":
                task = asyncio.ensure_future(asyncio.wait_for(task, 0.05))
            else:
                task.cancel()
                await asyncio.sleep(0)
                if way == "cancel twice":
                    task.cancel()
            # On a slow machine it may have ended before.
            await asyncio.gather(task, return_exceptions=True)
            async with producer.transaction():
                await producer.send(topic, b"next")

    run(test())
    found = committed(broker, topic)
    assert found in ([b"warm", b"next"], [b"warm", b"A", b"next"])
    if refused or slow in {"unknown topic", "raises"}:
        assert b"A" not in found


def test_a_commit_that_waits_never_ends_a_later_transaction(broker: EmbeddedBroker, topic: str) -> None:
    async def test() -> None:
        async with kafkars.aio.Producer[Any, Any](**settings(broker, max_block_ms=500)) as producer:
            await producer.init_transactions(SECONDS)
            await producer.partitions_for(topic, timeout=SECONDS)
            await producer.begin_transaction()
            await producer.send(topic, b"A")
            waits = producer.send_nowait("unknown", b"A")
            commit = asyncio.ensure_future(producer.commit_transaction(SECONDS))
            await asyncio.sleep(0)
            commit.cancel()
            await producer.abort_transaction(SECONDS)
            await producer.begin_transaction()
            # What the commit waits for is over: if it went on, it would be now.
            with pytest.raises(KafkaError):
                await waits
            for _ in range(3):
                await producer.send(topic, b"B")
            assert producer.in_transaction
            assert len(broker.requests("EndTxn")) == 1
            await producer.abort_transaction(SECONDS)

    run(test())
    assert committed(broker, topic) == []


def test_a_callback_error_during_flush_does_not_end_it(broker: EmbeddedBroker, topic: str) -> None:
    with Producer[Any, Any](bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send(topic, b"0").result(SECONDS)

        def fail(_future: DeliveryFuture) -> None:
            raise CallbackError

        producer.send(topic, b"1", on_delivery=fail).result(SECONDS)
        broker.intercept("Produce", "delay", seconds=0.3, times=1)
        sent = producer.send(topic, b"2")
        with pytest.raises(CallbackError):
            producer.flush(SECONDS)
        assert sent.done()
    assert committed(broker, topic) == [b"0", b"1", b"2"]


def test_a_refused_record_is_told_where_no_callback_raises(broker: EmbeddedBroker, topic: str) -> None:
    with Producer[Any, Any](**settings(broker)) as producer:
        producer.init_transactions(SECONDS)
        broker.intercept("Produce", "TOPIC_AUTHORIZATION_FAILED", times=1)
        with pytest.raises(TransactionFailedError) as caught, producer.transaction():
            producer.send(topic, b"A", on_delivery=lambda future: future.result(0))
        told = chain(caught.value)
        assert any(isinstance(each, BrokerError) for each in told)
        with producer.transaction():
            producer.send(topic, b"next")
    assert committed(broker, topic) == [b"next"]


@pytest.mark.parametrize("step", ["init", "commit", "abort"])
def test_a_call_made_again_hears_of_the_success_that_came_meanwhile(
    broker: EmbeddedBroker, topic: str, step: str
) -> None:
    with Producer(**settings(broker)) as producer:
        producer.partitions_for(topic)
        if step != "init":
            producer.init_transactions()
            producer.begin_transaction()
            producer.send(topic, b"once").result(SECONDS)
        api = "InitProducerId" if step == "init" else "EndTxn"
        broker.forget_requests()
        fault = broker.intercept(api, "delay", seconds=2.0, times=1)
        call = getattr(producer, f"{step}_transaction" + ("s" if step == "init" else ""))
        with pytest.raises(KafkaTimeoutError, match="call it again"):
            call(0.05)
        eventually(lambda: fault.hits and not producer.in_transaction, "the call has ended by itself")
        call(SECONDS)
        if step != "init":
            with pytest.raises(KafkaError, match="no transaction is open"):
                call(SECONDS)
        assert len(broker.requests(api)) == 1
        producer.begin_transaction()
        producer.send(topic, b"twice").result(SECONDS)
        producer.commit_transaction()
    assert committed(broker, topic) == {"init": [b"twice"], "commit": [b"once", b"twice"], "abort": [b"twice"]}[step]

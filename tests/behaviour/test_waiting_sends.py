"""Sends that wait: for a topic, for their partition, for room. Each holds up what was called after it, and nothing
else."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from kafkars import Consumer, TopicPartition
from kafkars import Producer as SyncProducer
from kafkars.aio import Producer
from kafkars.errors import (
    BufferFullError,
    ClosedError,
    KafkaError,
    MetadataTimeoutError,
    RecordTooLargeError,
    TransactionFailedError,
    TransactionStateError,
    TransactionTimedOutError,
)
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.support.waiting import SECONDS, Stopwatch

PATIENCE_MS = int(SECONDS * 1_000)
CHOICES: dict[str, dict[str, Any]] = {"engine": {}, "function": {"partitioner": lambda _key, _count: 0}}


@pytest.fixture(params=CHOICES)
def choice(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Who chooses the partition: the engine, or a function of the application, which needs the topic and its own
    thread."""
    return CHOICES[request.param]


class Scene:
    """A producer, a topic that there is (`there`), and topics that may come."""

    def __init__(self, broker: EmbeddedBroker, producer: Any) -> None:
        self.broker = broker
        self.producer = producer

    def come(self, topic: str) -> None:
        """A topic is made."""
        self.broker.create_topic(topic, partitions=1)

    def stored(self, *topics: str) -> list[bytes | None]:
        """What a reader of committed records finds, in any order."""
        found: list[bytes | None] = []
        with Consumer(bootstrap_servers=self.broker.bootstrap_servers, isolation_level="read_committed") as consumer:
            for topic in topics:
                place = TopicPartition(topic, 0)
                end = consumer.end_offsets([place], timeout=SECONDS)[place]
                consumer.assign({place: 0})
                while consumer.position(place) < end:
                    found += [record.value for record in consumer.poll_batch(timeout=1)]
        return found


@asynccontextmanager
async def scene(**settings: Any) -> AsyncIterator[Scene]:
    with EmbeddedBroker(topics={"there": 1}, auto_create_topics=False) as broker:
        settings = {"max_block_ms": PATIENCE_MS, **settings}
        producer = Producer(bootstrap_servers=broker.bootstrap_servers, **settings)
        try:
            if "transactional_id" in settings:
                await producer.init_transactions(SECONDS)
            yield Scene(broker, producer)
        finally:
            await producer.close(1)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(test(), 2 * SECONDS)

    asyncio.run(limited())


def test_a_flush_waits_for_what_was_sent_before_it(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(**choice) as it:
            before = it.producer.send_nowait("first", b"before")
            flush = asyncio.ensure_future(it.producer.flush(SECONDS))
            after = it.producer.send_nowait("second", b"after")
            it.come("first")
            left = await flush
            assert (await before).offset == 0
            assert left == 0
            assert not after.done()

    run(test)


def test_nothing_is_taken_from_the_call_of_close_on_and_what_waits_is_sent(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(**choice) as it:
            waiting = it.producer.send_nowait("late", b"in time")
            close = asyncio.ensure_future(it.producer.close(SECONDS))
            await asyncio.sleep(0)
            with pytest.raises(ClosedError):
                await it.producer.send("there", b"too late")
            it.come("late")
            assert await close == 0
            assert (await waiting).offset == 0
            assert it.stored("there", "late") == [b"in time"]

    run(test)


def test_nothing_is_taken_from_the_call_of_commit_on_and_what_waits_is_part_of_it(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(transactional_id="commits", **choice) as it:
            await it.producer.begin_transaction()
            waiting = it.producer.send_nowait("late", b"part of it")
            commit = it.producer.commit_transaction(SECONDS)
            for topic in ("there", "late", "unknown"):
                with pytest.raises(TransactionStateError):
                    await it.producer.send(topic, b"too late")
            it.come("late")
            await commit
            assert (await waiting).offset == 0
            await it.producer.begin_transaction()
            await it.producer.send("there", b"the next one")
            await it.producer.commit_transaction(SECONDS)
            assert it.stored("there", "late") == [b"the next one", b"part of it"]

    run(test)


def test_a_commit_that_waited_in_vain_leaves_the_transaction_open(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(transactional_id="waits", **choice) as it:
            await it.producer.begin_transaction()
            waiting = it.producer.send_nowait("late", b"first")
            with pytest.raises(KafkaError, match="still wait for their topic"):
                await it.producer.commit_transaction(0.05)
            more = it.producer.send_nowait("late", b"second")
            it.come("late")
            await it.producer.commit_transaction(SECONDS)
            assert [(await waiting).offset, (await more).offset] == [0, 1]
            assert it.stored("late") == [b"first", b"second"]

    run(test)


def test_what_is_sent_outside_of_a_transaction_is_part_of_none(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(transactional_id="outside", **choice) as it:
            refused = [outcome(it.producer, "before the first")]
            await it.producer.begin_transaction()
            await it.producer.send("there", b"aborted")
            waiting = it.producer.send_nowait("late", b"aborted with it")
            abort = it.producer.abort_transaction(SECONDS)
            refused.append(outcome(it.producer, "while it is aborted"))
            await abort
            refused.append(outcome(it.producer, "between two"))
            assert [type(await each) for each in refused] == [TransactionStateError] * 3
            with pytest.raises(KafkaError):
                await waiting
            await it.producer.begin_transaction()
            it.come("late")
            await it.producer.send("there", b"committed")
            await it.producer.commit_transaction(SECONDS)
            assert it.stored("there", "late") == [b"committed"]

    run(test)


def outcome(producer: Any, value: str) -> Awaitable[BaseException | None]:
    """How a send that is made now ends."""
    try:
        sent = producer.send_nowait("late", value.encode())
    except KafkaError as failure:
        return told(failure)
    return failure_of(sent)


async def told(failure: BaseException) -> BaseException:
    return failure


async def failure_of(sent: Awaitable[Any]) -> BaseException | None:
    try:
        await sent
    except KafkaError as failure:
        return failure
    return None


def test_a_synchronous_send_outside_of_a_transaction_is_refused_before_it_waits(choice: dict[str, Any]) -> None:
    with EmbeddedBroker(auto_create_topics=False) as broker:
        producer: Any = SyncProducer(
            bootstrap_servers=broker.bootstrap_servers, transactional_id="s", max_block_ms=PATIENCE_MS, **choice
        )
        with producer:
            producer.init_transactions(SECONDS)
            started = time.monotonic()
            with pytest.raises(TransactionStateError):
                producer.send("unknown", b"1")
            with pytest.raises(TransactionStateError):
                producer.send_many("unknown", [b"1"])
            assert time.monotonic() - started < SECONDS / 2


def test_what_is_withdrawn_holds_nothing_up(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(transactional_id="withdraws", **choice) as it:
            await it.producer.begin_transaction()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(it.producer.send("never", b"withdrawn"), 0.05)
            assert len(it.producer) == 0
            assert it.producer.purge() == 0
            assert await it.producer.flush(SECONDS) == 0
            await it.producer.send("there", b"kept")
            await it.producer.commit_transaction(SECONDS)
            it.come("never")
            assert it.stored("there", "never") == [b"kept"]
            assert await it.producer.close(SECONDS) == 0

    run(test)


def test_a_record_behind_a_withdrawn_one_goes_on_at_once(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(**choice) as it:
            first = asyncio.ensure_future(it.producer.send("late", b"withdrawn"))
            second = it.producer.send_nowait("late", b"kept")
            await asyncio.sleep(0)
            first.cancel()
            it.come("late")
            assert (await second).offset == 0
            assert it.stored("late") == [b"kept"]

    run(test)


def test_each_send_waits_for_its_own_time(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(**choice) as it:
            # Short limits begin when there is a broker to ask.
            await it.producer.partitions_for("there", timeout=SECONDS)
            patient = it.producer.send_nowait("never", b"patient")
            calls = [
                it.producer.send_many("never", [b"1"], timeout=0.05),
                it.producer.enqueue_many("never", [b"2"], timeout=0.1),
            ]
            if not choice:
                batch = it.producer.create_batch()
                batch.append(value=b"3")
                calls.append(it.producer.send_batch(batch, "never", partition=0, timeout=0.15))
            for call in calls:
                with pytest.raises(MetadataTimeoutError):
                    answer = await call
                    await answer
            assert not patient.done()

    run(test)


def test_the_end_of_one_sends_time_is_not_that_of_another(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(**choice) as it:
            patient = it.producer.send_nowait("never", b"patient")
            for _ in range(30):
                with suppress(asyncio.TimeoutError, KafkaError):
                    await asyncio.wait_for(it.producer.send_many("never", [b"1"], timeout=0.02), 0.02)
                assert not patient.done()

    run(test)


def test_a_commit_that_is_given_up_opens_no_door_while_another_waits(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(transactional_id="twice", **choice) as it:
            await it.producer.begin_transaction()
            waiting = it.producer.send_nowait("late", b"first")
            first = it.producer.commit_transaction(0.1)
            second = asyncio.ensure_future(it.producer.commit_transaction(SECONDS))
            with pytest.raises(KafkaError, match="still wait"):
                await first
            with pytest.raises(TransactionStateError):
                await it.producer.send("there", b"too late")
            it.come("late")
            await second
            assert (await waiting).offset == 0
            assert it.stored("there", "late") == [b"first"]

    run(test)


def test_what_waits_keeps_nothing_else_from_leaving_in_a_flush(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(linger_ms=PATIENCE_MS, **choice) as it:
            await it.producer.partitions_for("there")
            waiting = it.producer.send_nowait("never", b"waits")
            sent = it.producer.send_nowait("there", b"leaves")
            flush = asyncio.ensure_future(it.producer.flush(SECONDS))
            assert (await asyncio.wait_for(asyncio.shield(sent), SECONDS / 2)).offset == 0
            assert not waiting.done()
            waiting.cancel()
            assert await flush == 0

    run(test)


def test_a_flush_does_not_wait_for_what_is_sent_after_it(choice: dict[str, Any]) -> None:
    async def test() -> None:
        with EmbeddedCluster(nodes=2, topics={"there": 2, "late": 1}, auto_create_topics=False) as cluster:
            settings: dict[str, Any] = {"bootstrap_servers": cluster.bootstrap_servers, "request_timeout_ms": 1_000}
            async with Producer[Any, Any](**settings, **choice) as producer:
                # The record of `late` goes to one node, the one that is sent later to the other.
                leaders = {each.partition: each.leader for each in await producer.partitions_for("there")}
                await asyncio.gather(*(producer.send("there", b"known", partition=each) for each in leaders))
                async with Producer[Any, Any](**settings) as other:
                    (late,) = await other.partitions_for("late")
                (place,) = (each for each, leader in leaders.items() if leader != late.leader and leader is not None)
                away = leaders[place]
                with cluster.intercept("Metadata", "UNKNOWN_TOPIC_OR_PARTITION"):
                    waiting = producer.send_nowait("late", b"before")
                    flush = asyncio.ensure_future(producer.flush(SECONDS))
                    cluster.pause_node(away)
                    after = producer.send_nowait("there", b"after", partition=place)
                left = await asyncio.wait_for(flush, SECONDS / 2)
                assert (await waiting).offset == 0
                assert (left, after.done()) == (0, False)
                cluster.resume_node(away)
                await after

    run(test)


@pytest.mark.parametrize("cause", ["too large", "refused by the broker"])
def test_a_commit_that_cannot_be_does_not_wait(choice: dict[str, Any], cause: str) -> None:
    async def test() -> None:
        async with scene(transactional_id="fails", max_request_size=10_000, **choice) as it:
            await it.producer.begin_transaction()
            waiting = it.producer.send_nowait("late", b"waits")
            if cause == "too large":
                with pytest.raises(RecordTooLargeError):
                    await it.producer.send("there", b"." * 20_000)
            else:
                # Told while the commit waits.
                it.broker.slow_down(latency=0.1)
                it.broker.intercept("Produce", "TOPIC_AUTHORIZATION_FAILED", times=1)
                refused = it.producer.send_nowait("there", b"1", partition=0)
            with Stopwatch() as watch, pytest.raises(TransactionFailedError):
                await it.producer.commit_transaction(SECONDS)
            assert watch.seconds < SECONDS / 2
            assert not waiting.done()
            await it.producer.abort_transaction(SECONDS)
            await failure_of(waiting)
            if cause != "too large":
                assert await failure_of(refused) is not None

    run(test)


def test_a_commit_is_told_at_once_that_the_transactions_time_is_over(choice: dict[str, Any]) -> None:
    async def test() -> None:
        async with scene(transactional_id="overdue", transaction_timeout_ms=3_000, **choice) as it:
            await it.producer.partitions_for("there")
            await it.producer.begin_transaction()
            await it.producer.send("there", b"1")
            waiting = it.producer.send_nowait("late", b"waits")
            with Stopwatch() as watch, pytest.raises(TransactionTimedOutError):
                await it.producer.commit_transaction(SECONDS)
            assert watch.seconds < SECONDS / 2
            await it.producer.abort_transaction(SECONDS)
            await failure_of(waiting)

    run(test)


@pytest.mark.parametrize("call", ["send", "send_many", "send_batch"])
def test_a_send_that_fails_late_breaks_its_own_transaction_alone(choice: dict[str, Any], call: str) -> None:
    # Its time must end in that of the second transaction, however slow the machine is.
    assert any(fails_late(choice, call, patience) for patience in (0.4, 2.0, SECONDS))


def fails_late(choice: dict[str, Any], call: str, patience: float) -> bool:
    with EmbeddedBroker(topics={"there": 1}, auto_create_topics=False) as broker:
        settings: dict[str, Any] = {"transactional_id": "own", "max_block_ms": int(patience * 1_000), **choice}
        producer: Any = SyncProducer(bootstrap_servers=broker.bootstrap_servers, **settings)

        def send() -> None:
            with pytest.raises(MetadataTimeoutError):
                if call == "send":
                    producer.send("missing", b"of the first")
                elif call == "send_many":
                    producer.send_many("missing", [b"of the first"])
                else:
                    batch = producer.create_batch()
                    batch.append(b"of the first")
                    producer.send_batch(batch, "missing", partition=0)

        with ThreadPoolExecutor() as threads, producer:
            producer.init_transactions(SECONDS)
            producer.partitions_for("there", timeout=SECONDS)
            producer.begin_transaction()
            producer.send("there", b"1").result(SECONDS)
            broker.forget_requests()
            late = threads.submit(send)
            # It waits now, as part of the first transaction.
            broker.wait_for_request("Metadata")
            with suppress(TransactionFailedError):
                producer.commit_transaction(SECONDS)
                producer.begin_transaction()
            if late.done():
                return False
            producer.send("there", b"2")
            late.result(SECONDS)
            producer.commit_transaction(SECONDS)
            assert Scene(broker, producer).stored("there") == [b"1", b"2"]
            return True


def test_a_partition_function_is_asked_once_for_each_in_the_order_of_the_sends() -> None:
    asked: list[bytes | None] = []

    def choose(key: bytes | None, _count: int) -> int:
        asked.append(key)
        return 0

    async def test() -> None:
        async with scene(partitioner=choose) as it:
            sent = [it.producer.send_nowait("late", b"v", key=str(number).encode()) for number in range(50)]
            sent[10].cancel()
            it.come("late")
            offsets = [(await each).offset for number, each in enumerate(sent) if number != 10]
            assert offsets == list(range(49))
            assert asked == [str(number).encode() for number in range(50) if number != 10]

    run(test)


def test_what_must_not_wait_does_not_wait_behind_what_waits_for_room() -> None:
    async def test() -> None:
        async with scene(buffer_memory=20_000, batch_size=1_000, max_request_size=5_000) as it:
            await it.producer.send("there", b"first")
            it.broker.intercept("Produce", "delay", seconds=0.3, times=1)
            sent = []
            with pytest.raises(BufferFullError):
                while len(sent) < 1_000:
                    sent.append(it.producer.send_nowait("there", b"." * 900))
            waiting = it.producer.send("there", b"." * 900)
            with pytest.raises(BufferFullError):
                it.producer.send_nowait("there", b"." * 900)
            await waiting
            await asyncio.gather(*sent)

    run(test)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_a_partition_function_can_end_the_program(kind: type[BaseException]) -> None:
    def choose(_key: bytes | None, _count: int) -> int:
        raise kind

    futures: list[Any] = []

    async def test() -> None:
        async with scene(partitioner=choose) as it:
            futures.append(it.producer.send_nowait("late", b"v"))
            it.come("late")
            await asyncio.sleep(SECONDS)

    with Stopwatch() as watch, pytest.raises(kind):
        asyncio.run(test())
    assert watch.seconds < SECONDS / 2
    (future,) = futures
    assert isinstance(future.exception(), kind)


@pytest.mark.alone
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_sends_that_were_given_up_leave_nothing_behind() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    async def test() -> None:
        async with scene(partitioner=lambda _key, _count: 0, max_block_ms=20) as it:
            at_start = 0
            for turn in range(25):
                sent = [it.producer.send_nowait(f"never-{turn}", b"v") for _ in range(1_000)]
                await asyncio.gather(*sent, return_exceptions=True)
                if turn == 4:
                    at_start = resident()
            # 410 bytes each stayed, 8 MB in all.
            assert resident() - at_start < 3_000_000

    run(test)


@pytest.mark.alone
def test_choosing_partitions_costs_the_same_however_many_wait() -> None:
    def cost(count: int) -> float:
        spent = 0.0

        async def test() -> None:
            nonlocal spent
            async with scene(partitioner=lambda _key, _count: 0) as it:
                sent = [it.producer.send_nowait("late", b"v") for _ in range(count)]
                started = time.process_time()
                it.come("late")
                await asyncio.gather(*sent)
                spent = (time.process_time() - started) / count

        run(test)
        return spent

    few, many = min(cost(1_000) for _ in range(3)), min(cost(8_000) for _ in range(3))
    assert many < 4 * few


@pytest.mark.alone
def test_waiting_for_a_partition_costs_the_same_however_many_wait() -> None:
    def cost(count: int) -> float:
        spent = 0.0

        async def test() -> None:
            nonlocal spent
            async with scene(partitioner=lambda _key, _count: 0) as it:
                started = time.thread_time()
                for _ in range(count):
                    it.producer.send_nowait("never", b"v")
                spent = (time.thread_time() - started) / count
                it.producer.purge()

        run(test)
        return spent

    few, many = min(cost(1_000) for _ in range(3)), min(cost(8_000) for _ in range(3))
    assert many < 4 * few

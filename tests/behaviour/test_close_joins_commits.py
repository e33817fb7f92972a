"""`close()` waits for a commit that has begun, whoever has begun it; where its time is over first, the caller of the
commit is told whether the outcome is known."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import kafkars
import pytest
from kafkars import aio
from kafkars.errors import ClosedError, KafkaError, TransactionOutcomeUnknownError, TransactionStateError
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.waiting import SECONDS, Stopwatch, eventually

NAMES = itertools.count(1)
SEED = int(os.environ.get("KAFKARS_SEED", "1"))
HISTORIES = int(os.environ.get("KAFKARS_HISTORIES", "10"))
VALUES = [b"%d" % number for number in range(5)]
NO_TIME = 0.3


def name() -> str:
    return f"close-joins-{os.getpid()}-{next(NAMES)}"


class Scene:
    """A transactional producer of one flavour, a topic, and what a reader of committed records finds in it.

    Attributes:
        committing: Ends with what `commit_transaction()` raised.
    """

    def __init__(self, bootstrap_servers: str, topic: str, **settings: Any) -> None:
        self.topic = topic
        self.servers = bootstrap_servers
        self.settings = {
            "bootstrap_servers": bootstrap_servers,
            "transactional_id": name(),
            "retry_backoff_ms": 50,
            **settings,
        }
        self.producer: Any = None
        self.committing: Any = None

    async def open(self) -> None:
        """Begins a transaction with all values in it."""
        raise NotImplementedError

    async def commit(self) -> None:
        """Calls for the commit, which has begun when this ends, and does not wait for its end."""
        raise NotImplementedError

    async def close(self, timeout: float) -> int:
        raise NotImplementedError

    async def outcome(self) -> BaseException | None:
        """What the commit raised."""
        raise NotImplementedError

    def read(self) -> list[bytes | None]:
        """What is committed, after the coordinator has settled what the producer has left open."""
        after = kafkars.Producer[Any, Any](**self.settings)
        after.init_transactions(SECONDS)
        after.close(SECONDS)
        found: list[bytes | None] = []
        options: dict[str, Any] = {"auto_offset_reset": "earliest", "isolation_level": "read_committed"}
        with kafkars.Consumer(bootstrap_servers=self.servers, **options) as consumer:
            place = (self.topic, 0)
            consumer.assign([place])
            end = consumer.end_offsets([place], timeout=SECONDS)[kafkars.TopicPartition(*place)]

            def at_end() -> bool:
                found.extend(record.value for record in consumer.poll_batch(timeout=0.05))
                return consumer.position(place) >= end

            eventually(at_end, "all is read")
        return found


class AsyncScene(Scene):
    async def open(self) -> None:
        self.producer = aio.Producer[Any, Any](**self.settings)
        await self.producer.init_transactions(SECONDS)
        await self.producer.begin_transaction()
        for value in VALUES:
            self.producer.send_nowait(self.topic, value)

    async def commit(self) -> None:
        self.committing = asyncio.ensure_future(self.producer.commit_transaction(SECONDS))

    async def close(self, timeout: float) -> int:
        lost: int = await self.producer.close(timeout)
        return lost

    async def outcome(self) -> BaseException | None:
        (outcome,) = await asyncio.wait_for(asyncio.gather(self.committing, return_exceptions=True), SECONDS)
        assert outcome is None or isinstance(outcome, BaseException)
        return outcome


class SyncScene(Scene):
    async def open(self) -> None:
        def begin() -> None:
            self.producer = kafkars.Producer[Any, Any](**self.settings)
            self.producer.init_transactions(SECONDS)
            self.producer.begin_transaction()

        await asyncio.to_thread(begin)
        # Where the topic is not known the call waits, as part of no commit.
        await asyncio.to_thread(self.producer.send_many, self.topic, VALUES)

    async def commit(self) -> None:
        raised: list[BaseException | None] = []

        def commit() -> None:
            try:
                self.producer.commit_transaction(SECONDS)
            except BaseException as failure:  # noqa: BLE001  # it is what the thread has to tell
                raised.append(failure)
            else:
                raised.append(None)

        thread = threading.Thread(target=commit)
        thread.start()
        self.committing = (thread, raised)

        def begun() -> bool:
            try:
                # From the call on nothing more is taken.
                self.producer.send_offsets_to_transaction({}, kafkars.ConsumerGroupMetadata("none"), SECONDS)
            except KafkaError:
                return True
            return False

        await asyncio.to_thread(eventually, begun, "the commit has begun")

    async def close(self, timeout: float) -> int:
        return await asyncio.to_thread(self.producer.close, timeout)

    async def outcome(self) -> BaseException | None:
        thread, raised = self.committing
        await asyncio.to_thread(thread.join, SECONDS)
        assert raised, "the commit does not end"
        failure: BaseException | None = raised[0]
        return failure


SCENES: dict[str, type[Scene]] = {"sync": SyncScene, "asyncio": AsyncScene}


@pytest.fixture(params=SCENES)
def scene(request: pytest.FixtureRequest) -> type[Scene]:
    return SCENES[request.param]


@pytest.fixture
def embedded() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1}, auto_create_topics=False) as broker:
        yield broker


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(test(), 3 * SECONDS)

    asyncio.run(limited())


TROUBLE: dict[str, dict[str, Any]] = {
    "none": {},
    "slow records": {"api": "Produce", "action": "delay", "seconds": 0.4, "times": 1},
    "slow end": {"api": "EndTxn", "action": "delay", "seconds": 0.4, "times": 1},
    "coordinator loads": {"api": "EndTxn", "action": "COORDINATOR_LOAD_IN_PROGRESS", "times": 3},
    "cut before": {"api": "EndTxn", "action": "disconnect", "times": 2},
    "cut after": {"api": "EndTxn", "action": "disconnect_after", "times": 1},
}


@pytest.mark.parametrize("trouble", TROUBLE)
def test_a_commit_that_has_begun_is_joined(embedded: EmbeddedBroker, scene: type[Scene], trouble: str) -> None:
    async def test() -> None:
        it = scene(embedded.bootstrap_servers, "t")
        await it.open()
        if TROUBLE[trouble]:
            embedded.intercept(**TROUBLE[trouble])
        await it.commit()
        assert await it.close(SECONDS) == 0
        assert await it.outcome() is None
        assert it.read() == VALUES

    run(test)


def test_a_commit_whose_records_wait_is_joined(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        it = AsyncScene(embedded.bootstrap_servers, "late")
        await it.open()
        await it.commit()
        closing = asyncio.ensure_future(it.close(SECONDS))
        await asyncio.sleep(0)
        embedded.create_topic("late", partitions=1)
        assert await closing == 0
        assert await it.outcome() is None
        assert it.read() == VALUES

    run(test)


def test_a_block_that_was_left_at_its_commit_is_committed_by_close(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        it = AsyncScene(embedded.bootstrap_servers, "t")
        it.producer = aio.Producer[Any, Any](**it.settings)
        await it.producer.init_transactions(SECONDS)
        embedded.intercept("EndTxn", "COORDINATOR_LOAD_IN_PROGRESS", times=3)

        async def block() -> None:
            async with it.producer.transaction():
                for value in VALUES:
                    await it.producer.send("t", value)

        task = asyncio.ensure_future(block())
        await asyncio.to_thread(embedded.wait_for_request, "EndTxn")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await it.close(SECONDS) == 0
        assert it.read() == VALUES

    run(test)


def test_without_an_answer_the_outcome_is_unknown(embedded: EmbeddedBroker, scene: type[Scene]) -> None:
    async def test() -> None:
        it = scene(embedded.bootstrap_servers, "t")
        await it.open()
        fault = embedded.intercept("EndTxn", "drop")
        await it.commit()
        await asyncio.to_thread(embedded.wait_for_request, "EndTxn")
        with Stopwatch() as watch:
            assert await it.close(NO_TIME) == 0
        assert watch.seconds < SECONDS / 2
        failure = await it.outcome()
        assert isinstance(failure, TransactionOutcomeUnknownError)
        assert failure.fatal
        assert "is not known" in str(failure)
        fault.remove()
        assert it.read() == []

    run(test)


def test_what_has_not_come_to_its_commit_is_told_to_be_closed(embedded: EmbeddedBroker, scene: type[Scene]) -> None:
    async def test() -> None:
        it = scene(embedded.bootstrap_servers, "t", request_timeout_ms=60_000)
        with embedded.intercept("Produce", "drop"):
            await it.open()
            await it.commit()
            assert await it.close(NO_TIME) == len(VALUES)
            failure = await it.outcome()
        assert type(failure) is ClosedError
        assert it.read() == []

    run(test)


def test_a_close_without_time_commits_nothing_without_what_waited(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        it = AsyncScene(embedded.bootstrap_servers, "t")
        await it.open()
        waiting = it.producer.send_nowait("late", b"never")
        await it.commit()
        assert await it.close(0.05) >= 1
        failure = await it.outcome()
        assert isinstance(failure, KafkaError)
        with pytest.raises(KafkaError):
            await waiting
        assert it.read() == []

    run(test)


@pytest.mark.parametrize("seed", range(SEED, SEED + HISTORIES))
def test_what_a_commit_says_is_so(embedded: EmbeddedBroker, scene: type[Scene], seed: int) -> None:
    """However long the commit takes and whatever becomes of its requests, whenever the close comes and however much
    time it has."""
    source = random.Random(seed)

    async def test() -> None:
        it = scene(embedded.bootstrap_servers, "t", request_timeout_ms=1_000)
        await it.open()
        faults = []
        for _ in range(source.randint(0, 3)):
            action = source.choice(
                ["delay", "disconnect", "disconnect_after", "drop", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR"]
            )
            api = "Produce" if action in {"delay", "disconnect"} and source.random() < 0.4 else "EndTxn"
            faults.append(embedded.intercept(api, action, seconds=0.1, times=source.randint(1, 2)))
        await it.commit()
        if source.random() < 0.5:
            await asyncio.to_thread(embedded.wait_for_request, source.choice(["Produce", "EndTxn"]))
        has_time = source.random() < 0.5
        lost = await it.close(SECONDS if has_time else source.choice([0, 0.05, 0.2]))
        failure = await it.outcome()
        for fault in faults:
            fault.remove()
        found = it.read()
        if failure is None:
            assert (found, lost) == (VALUES, 0)
        elif isinstance(failure, TransactionOutcomeUnknownError):
            assert found in ([], VALUES)
        else:
            assert isinstance(failure, KafkaError)
            assert found == []
        if has_time:
            assert failure is None

    run(test)


def test_on_every_broker_what_a_commit_says_is_so(broker: Broker, scene: type[Scene]) -> None:
    async def test() -> None:
        for turn in range(6):
            it = scene(broker.bootstrap_servers, broker.new_topic())
            await it.open()
            if turn % 2:
                # Between records that are under way and those that are stored.
                await asyncio.to_thread(eventually, lambda it=it: len(it.producer) == 0, "all is stored")
            await it.commit()
            assert await it.close(SECONDS) == 0
            assert await it.outcome() is None
            assert it.read() == VALUES
            with pytest.raises((ClosedError, TransactionStateError)):
                await asyncio.wait_for(AGAIN[scene](it.producer), SECONDS)

    run(test)


async def again(producer: Any) -> None:
    await producer.commit_transaction(SECONDS)


async def again_sync(producer: Any) -> None:
    await asyncio.to_thread(producer.commit_transaction, SECONDS)


AGAIN: dict[type[Scene], Callable[[Any], Awaitable[None]]] = {SyncScene: again_sync, AsyncScene: again}

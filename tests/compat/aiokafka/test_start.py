"""`start()` again, after there was no broker: a service may be up before Kafka is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.proxy import CALM, Proxy, Weather

KINDS = ("producer", "transactions", "consumer", "member")
IMPATIENT_S = 0.5
SILENCE = Weather(delay=60.0)


def client(library: Library, kind: str, topic: str, address: str) -> Any:
    """A client whose only address is that one."""
    match kind:
        case "producer":
            return library.producer(bootstrap_servers=address)
        case "transactions":
            return library.producer(bootstrap_servers=address, transactional_id=library.group())
        case "consumer":
            return library.consumer(topic, bootstrap_servers=address)
        case _:
            return library.consumer(topic, bootstrap_servers=address, group_id=library.group())


async def works(kind: str, started: Any, topic: str) -> None:
    """Sends or reads with it."""
    match kind:
        case "producer":
            await started.send_and_wait(topic, b"more")
        case "transactions":
            async with started.transaction():
                await started.send_and_wait(topic, b"more")
        case _:
            assert (await started.getone()).value == b"v0"


@pytest.mark.parametrize("how", ["refused", "unanswered"])
@pytest.mark.parametrize("kind", KINDS)
def test_start_again_once_there_is_a_broker(embedded: Library, run: Run, kind: str, how: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        proxy = Proxy(1)
        proxy.forward([int(embedded.broker.bootstrap_servers.rpartition(":")[2])])
        async with AsyncExitStack() as stack:
            if how == "unanswered":
                proxy.weather = SILENCE
                stack.enter_context(proxy)
            started = client(embedded, kind, topic, proxy.bootstrap_servers)
            stack.push_async_callback(started.stop)
            for _ in range(2):
                with pytest.raises(embedded.errors.KafkaConnectionError if how == "refused" else TimeoutError):
                    await asyncio.wait_for(started.start(), IMPATIENT_S if how == "unanswered" else None)
            if how == "refused":
                stack.enter_context(proxy)
            proxy.weather = CALM
            proxy.cut_all()
            await started.start()
            await works(kind, started, topic)

    run(test)


@pytest.mark.parametrize("kind", ["producer", "consumer", "member"])
def test_start_while_a_broker_does_not_know_of_any_yet(embedded: Library, run: Run, kind: str) -> None:
    """The original has no broker to ask for the coordinator of transactions then, and fails with AssertionError."""
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        started = client(embedded, kind, topic, embedded.broker.bootstrap_servers)
        with embedded.broker.handle.intercept("Metadata", "UNKNOWN_SERVER_ERROR", times=1) as fault:
            await started.start()
            assert fault.hits == 1
        await works(kind, started, topic)
        await started.stop()

    run(test)


@pytest.mark.parametrize("kind", ["consumer", "member"])
def test_what_could_not_be_started_does_not_wait_for_records(embedded: Library, run: Run, kind: str) -> None:
    """A service that goes on without having been started must not look healthy."""
    partition = embedded.partition("topic")
    calls: dict[str, Callable[[Any], Any]] = {
        "getone": lambda consumer: consumer.getone(),
        "getmany": lambda consumer: consumer.getmany(timeout_ms=10),
        "position": lambda consumer: consumer.position(partition),
        "end_offsets": lambda consumer: consumer.end_offsets([partition]),
    }

    async def test() -> None:
        # Nobody listens there.
        with Proxy(1) as proxy:
            address = proxy.bootstrap_servers
        group = embedded.group() if kind == "member" else None
        consumer = embedded.consumer(bootstrap_servers=address, group_id=group)
        consumer.assign([partition])
        with pytest.raises(embedded.errors.KafkaConnectionError):
            await consumer.start()
        error = embedded.errors.IllegalStateError if embedded.is_face else AttributeError
        for call in calls.values():
            with pytest.raises(error):
                await asyncio.wait_for(call(consumer), 5)
        await consumer.stop()

    run(test)


RARELY_MS = 400
"""A `max_poll_interval_ms` that is over long before what these tests wait for."""


def rarely_polling(library: Library, topic: str) -> Any:
    return library.consumer(
        topic,
        group_id=library.group(),
        max_poll_interval_ms=RARELY_MS,
        rebalance_timeout_ms=RARELY_MS,
        heartbeat_interval_ms=100,
    )


@pytest.mark.parametrize("what", ["delay", "COORDINATOR_LOAD_IN_PROGRESS"])
def test_a_first_join_may_take_longer_than_the_poll_interval(embedded: Library, run: Run, what: str) -> None:
    """Who waits in `start()` cannot poll."""
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        consumer = rarely_polling(embedded, topic)
        if what == "delay":
            with embedded.broker.handle.intercept("JoinGroup", what, seconds=4 * RARELY_MS / 1000, times=1) as fault:
                await consumer.start()
                assert fault.hits == 1
        else:
            with embedded.broker.handle.intercept("JoinGroup", what):
                starting = asyncio.ensure_future(consumer.start())
                await asyncio.wait([starting], timeout=4 * RARELY_MS / 1000)
            await starting
        assert consumer.assignment() == {embedded.partition(topic)}
        assert (await consumer.getone()).value == b"v0"
        await consumer.stop()

    run(test)


def test_a_position_may_take_longer_than_the_poll_interval(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        with embedded.broker.handle.intercept("OffsetFetch", "delay", seconds=4 * RARELY_MS / 1000, times=1) as fault:
            consumer = rarely_polling(embedded, topic)
            await consumer.start()
            assert await consumer.position(embedded.partition(topic)) == 0
            assert fault.hits == 1
        assert (await consumer.getone()).value == b"v0"
        await consumer.stop()

    run(test)


async def stopped_meanwhile(start: Coroutine[Any, Any, None], stop: Callable[[], Awaitable[None]], ticks: int) -> None:
    """Stops a client that is being started, after some turns of the loop: its start ends and says nothing."""
    starts = asyncio.ensure_future(start)
    for _ in range(ticks):
        await asyncio.sleep(0)
    await stop()
    assert await starts is None


@pytest.mark.parametrize("ticks", [1, 3, 10, 100])
@pytest.mark.parametrize("kind", ["consumer", "member"])
def test_start_ends_where_the_consumer_is_stopped_meanwhile(face: Library, run: Run, kind: str, ticks: int) -> None:
    """So it does in the original, but for what it is waiting for then: that may never come."""
    topic = face.broker.new_topic()

    async def test() -> None:
        consumer = client(face, kind, topic, face.broker.bootstrap_servers)
        await stopped_meanwhile(consumer.start(), consumer.stop, ticks)

    run(test)


@pytest.mark.parametrize("ticks", [1, 3, 10, 30])
@pytest.mark.parametrize("kind", ["producer", "admin", "client"])
def test_start_of_what_is_stopped_meanwhile_says_nothing(embedded: Library, run: Run, kind: str, ticks: int) -> None:
    address = {"bootstrap_servers": embedded.broker.bootstrap_servers}

    async def test() -> None:
        match kind:
            case "producer":
                made: Any = embedded.producer()
                start, stop = made.start, made.stop
            case "admin":
                made = embedded.module("admin").AIOKafkaAdminClient(**address)
                start, stop = made.start, made.close
            case _:
                made = embedded.module("client").AIOKafkaClient(**address)
                start, stop = made.bootstrap, made.close
        await stopped_meanwhile(start(), stop, ticks)

    run(test)


@pytest.mark.parametrize("ticks", [1, 3, 10, 100])
def test_start_of_a_transactional_producer_that_is_stopped_meanwhile(face: Library, run: Run, ticks: int) -> None:
    """The original may go on waiting for the coordinator."""

    async def test() -> None:
        producer = face.producer(transactional_id=face.group())
        await stopped_meanwhile(producer.start(), producer.stop, ticks)

    run(test)


@pytest.mark.parametrize("kind", ["consumer", "member"])
def test_two_starts_beside_each_other_wait_for_the_same(embedded: Library, run: Run, kind: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        consumer = client(embedded, kind, topic, embedded.broker.bootstrap_servers)
        assert await asyncio.gather(consumer.start(), consumer.start()) == [None, None]
        await works(kind, consumer, topic)
        await consumer.stop()

    run(test)


CLIENTS = ("consumer", "producer", "admin", "client")


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_client_is_started_in_the_loop_in_which_it_was_made(embedded: Library, kind: str) -> None:
    address = {"bootstrap_servers": embedded.broker.bootstrap_servers}

    async def made() -> Any:
        match kind:
            case "admin":
                return embedded.module("admin").AIOKafkaAdminClient(**address)
            case "client":
                return embedded.module("client").AIOKafkaClient(**address)
            case _:
                return getattr(embedded, kind)()

    async def starts(client: Any) -> None:
        with pytest.raises(AssertionError):
            await (client.bootstrap if kind == "client" else client.start)()
        await (client.stop if hasattr(client, "stop") else client.close)()

    asyncio.run(starts(asyncio.run(made())))


def test_asking_for_a_position_is_no_poll(embedded: Library, run: Run) -> None:
    """A program that measures its lag and has stopped to read gives its partitions up all the same."""
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        consumer = embedded.consumer(
            topic, group_id=embedded.group(), max_poll_interval_ms=2000, heartbeat_interval_ms=300
        )
        await consumer.start()
        [partition] = consumer.assignment()
        embedded.broker.handle.forget_requests()
        for _ in range(60):
            with suppress(Exception):
                await asyncio.wait_for(consumer.position(partition), 0.5)
            if embedded.broker.handle.requests("LeaveGroup"):
                break
            await asyncio.sleep(0.2)
        else:
            pytest.fail("the member stays in its group")
        await consumer.stop()

    run(test)

"""Calls that never have to wait, one after the other, let the event loop run all the same: else no time limit, no
cancellation and no signal would reach the task that makes them.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from kafkars import aio
from kafkars._kafkars import turn_is_due
from kafkars.compat._turns import turn
from kafkars.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from kafkars.compat.confluent_kafka import TopicPartition
from kafkars.compat.confluent_kafka.aio import AIOConsumer, AIOProducer
from kafkars.errors import BootstrapError

from tests.awaiting.turning import RECORDS, work
from tests.support.waiting import SECONDS

NOWHERE: dict[str, Any] = {"bootstrap_servers": "127.0.0.1:9", "max_block_ms": 500}
Call = Callable[[], Awaitable[Any]]


@asynccontextmanager
async def native_poll(servers: str) -> AsyncIterator[Call]:
    async with aio.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        yield consumer.poll


@asynccontextmanager
async def native_iteration(servers: str) -> AsyncIterator[Call]:
    async with aio.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        yield aiter_of(consumer)


@asynccontextmanager
async def face_getone(servers: str) -> AsyncIterator[Call]:
    async with AIOKafkaConsumer("t", bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        yield consumer.getone


@asynccontextmanager
async def face_iteration(servers: str) -> AsyncIterator[Call]:
    async with AIOKafkaConsumer("t", bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        yield aiter_of(consumer)


@asynccontextmanager
async def face_send(servers: str) -> AsyncIterator[Call]:
    async with AIOKafkaProducer(bootstrap_servers=servers) as producer:
        await producer.send_and_wait("sent", b"")
        yield lambda: producer.send("sent", b"")


@asynccontextmanager
async def native_enqueue(servers: str) -> AsyncIterator[Call]:
    async with aio.Producer(bootstrap_servers=servers) as producer:
        await producer.send("sent", b"")
        yield lambda: producer.enqueue("sent", b"")


@asynccontextmanager
async def face_send_of_a_subclass(servers: str) -> AsyncIterator[Call]:
    class Own(AIOKafkaProducer):
        def _serialize(self, key: Any, value: Any, headers: Any) -> Any:
            return super()._serialize(key, value, headers)

    async with Own(bootstrap_servers=servers) as producer:
        await producer.send_and_wait("sent", b"")
        yield lambda: producer.send("sent", b"")


@asynccontextmanager
async def face_send_batch(servers: str) -> AsyncIterator[Call]:
    async with AIOKafkaProducer(bootstrap_servers=servers) as producer:
        await producer.send_and_wait("sent", b"")

        async def send() -> asyncio.Future[Any]:
            batch = producer.create_batch()
            batch.append(key=None, value=b"", timestamp=None)
            return await producer.send_batch(batch, "sent", partition=0)

        yield send


@asynccontextmanager
async def confluent_produce(servers: str) -> AsyncIterator[Call]:
    async with AIOProducer({"bootstrap.servers": servers}) as producer:
        await producer.produce("sent", b"")
        yield lambda: producer.produce("sent", b"")


@asynccontextmanager
async def confluent_poll(servers: str) -> AsyncIterator[Call]:
    consumer = AIOConsumer({"bootstrap.servers": servers, "group.id": "turns", "enable.auto.commit": False})
    await consumer.assign([TopicPartition("t", 0, 0)])
    yield consumer.poll
    await consumer.close()


@asynccontextmanager
async def confluent_consume(servers: str) -> AsyncIterator[Call]:
    async with confluent_poll(servers) as poll:
        # The bound method has its client.
        client: Any = poll
        yield lambda: client.__self__.consume(1, 10)


def aiter_of(consumer: Any) -> Call:
    call: Call = consumer.__aiter__().__anext__
    return call


READERS = [native_poll, native_iteration, face_getone, face_iteration, confluent_poll, confluent_consume]
SENDERS = [face_send, face_send_of_a_subclass, confluent_produce]


async def take_turns(taken: list[float], most: float = math.inf) -> None:
    """Another task: notes when it runs."""
    while len(taken) < most:
        taken.append(time.perf_counter())
        await asyncio.sleep(0)


async def wait_for_it(call: Awaitable[Any]) -> None:
    """A task that awaits the call."""
    await call


@pytest.mark.parametrize("client", [*READERS, *SENDERS, face_send_batch, native_enqueue])
def test_others_run_meanwhile(servers: str, client: Any) -> None:
    turns: list[float] = []
    # A batch each takes longer, and so do coroutines of an unoptimised build.
    calls = RECORDS // 5 if client in {face_send_batch, face_send_of_a_subclass} else RECORDS

    async def run() -> None:
        async with client(servers) as call:
            await call()
            other = asyncio.create_task(take_turns(turns))
            for _ in range(calls - 1):
                await call()
            other.cancel()

    asyncio.run(asyncio.wait_for(run(), SECONDS))
    assert len(turns) > calls / 2_000


async def call_and_work(call: Call) -> None:
    """Three milliseconds of the program's own for each call."""
    while True:
        await call()
        work(0.003)


@pytest.mark.parametrize("client", [*READERS, *SENDERS, face_send_batch, native_enqueue])
def test_others_run_while_a_task_works_between_its_calls(servers: str, client: Any) -> None:
    """What counts is the time, not only how many calls were made: 1,000 of these take three seconds."""
    turns: list[float] = []

    async def run() -> None:
        async with client(servers) as call:
            await call()
            working = asyncio.create_task(call_and_work(call))
            await take_turns(turns, 10)
            working.cancel()
            await asyncio.wait([working])

    asyncio.run(asyncio.wait_for(run(), SECONDS))
    waits = [later - earlier for earlier, later in itertools.pairwise(turns)]
    assert max(waits) < 1.0


@pytest.mark.parametrize("tasks", [1, 10])
@pytest.mark.parametrize("client", [*READERS, *SENDERS, face_send_batch, native_enqueue])
def test_tasks_that_work_between_their_calls_make_one_each_in_a_turn(servers: str, client: Any, tasks: int) -> None:
    """Where one call and the work after it take longer than a turn may."""
    made: list[int] = []
    count = 0

    async def call_and_count(call: Call) -> None:
        nonlocal count
        while True:
            await call()
            count += 1
            work(0.01)

    async def run() -> None:
        async with client(servers) as call:
            await call()
            working = [asyncio.create_task(call_and_count(call)) for _ in range(tasks)]
            while len(made) < 8:
                made.append(count)
                await asyncio.sleep(0)
            for task in working:
                task.cancel()
            await asyncio.wait(working)

    asyncio.run(asyncio.wait_for(run(), SECONDS))
    # In the first turns nobody has yielded yet, and calls that had to wait go on beside those that yield.
    most = max(later - earlier for earlier, later in itertools.pairwise(made[2:]))
    assert most <= tasks, made


@pytest.mark.parametrize("client", [face_getone, face_send, confluent_produce])
def test_others_run_while_a_task_works_for_long_between_its_calls(servers: str, client: Any) -> None:
    """However long that is."""
    count = 0

    async def call_and_count(call: Call) -> None:
        nonlocal count
        while count < 8:
            await call()
            count += 1
            work(1.1)

    async def run() -> None:
        async with client(servers) as call:
            await call()
            working = asyncio.create_task(call_and_count(call))
            for _ in range(3):
                await asyncio.sleep(0)
            working.cancel()
            await asyncio.wait([working])

    asyncio.run(asyncio.wait_for(run(), SECONDS))
    # One of the first turn is not asked, and one begins behind the turn.
    assert count <= 5


@pytest.mark.parametrize("client", [face_getone, native_enqueue, confluent_produce])
def test_first_calls_of_many_tasks_do_not_delay_the_turn_of_one_that_works(servers: str, client: Any) -> None:
    """The more tasks make a first call, the less often it is asked who makes them; time counts as well."""
    calls: list[float] = []

    async def call_and_note(call: Call) -> None:
        while True:
            await call()
            calls.append(time.perf_counter())
            work(0.003)

    async def first(call: Call) -> None:
        await call()

    async def run() -> list[float]:
        async with client(servers) as call, face_send(servers) as send:
            await call()
            many = [asyncio.create_task(first(send)) for _ in range(4_000)]
            working = asyncio.create_task(call_and_note(call))
            turns: list[float] = []
            await take_turns(turns, 4)
            working.cancel()
            await asyncio.wait([working, *many])
            return turns

    turns = asyncio.run(asyncio.wait_for(run(), SECONDS))
    in_a_turn = [sum(begun <= each < end for each in calls) for begun, end in itertools.pairwise(turns)]
    assert max(in_a_turn) <= 8, in_a_turn


@pytest.mark.parametrize("way", ["flushed", "gathered", "called back", "awaited"])
def test_others_run_while_a_task_awaits_what_is_there(servers: str, way: str) -> None:
    """Deliveries end without the loop: a task that always awaits old ones never waits."""
    turns: list[float] = []

    async def run() -> None:
        async with aio.Producer(bootstrap_servers=servers, linger_ms=0) as producer:
            sent = []
            for _ in range(300):
                sent.append(producer.send("sent", b""))
                if way == "awaited":
                    await asyncio.create_task(wait_for_it(sent[-1]))
            if way == "gathered":
                await asyncio.gather(*sent)
            elif way == "called back":
                for each in sent:
                    each.add_done_callback(lambda _: None)
            await producer.flush()
            await asyncio.sleep(0)

            async def await_all() -> None:
                for each in sent:
                    await each
                    work(0.005)

            working = asyncio.create_task(await_all())
            await take_turns(turns, 10)
            working.cancel()
            await asyncio.wait([working])

    asyncio.run(asyncio.wait_for(run(), SECONDS))
    waits = [later - earlier for earlier, later in itertools.pairwise(turns)]
    assert max(waits) < 1.0


CONSUMER_CALLS: dict[str, Callable[[AIOConsumer], Awaitable[Any]]] = {
    "assignment": lambda consumer: consumer.assignment(),
    "position": lambda consumer: consumer.position([TopicPartition("t", 0)]),
    "seek": lambda consumer: consumer.seek(TopicPartition("t", 0, 0)),
    "pause": lambda consumer: consumer.pause([TopicPartition("t", 0)]),
    "resume": lambda consumer: consumer.resume([TopicPartition("t", 0)]),
    "assign": lambda consumer: consumer.assign([TopicPartition("t", 0, 0)]),
    "store_offsets": lambda consumer: consumer.store_offsets(offsets=[TopicPartition("t", 0, 0)]),
    "consumer_group_metadata": lambda consumer: consumer.consumer_group_metadata(),
}
PRODUCER_CALLS: dict[str, Callable[[AIOProducer], Awaitable[Any]]] = {
    "poll": lambda producer: producer.poll(),
    "poll without end": lambda producer: producer.poll(-1),
    "flush": lambda producer: producer.flush(),
    "purge": lambda producer: producer.purge(),
}


async def others_run(call: Call) -> None:
    """Lets another task take turns while one makes a call without end."""
    turns: list[float] = []
    until = time.perf_counter() + SECONDS / 2

    async def make() -> None:
        while len(turns) < 20:
            assert time.perf_counter() < until, f"{len(turns)} turns"
            await call()

    await asyncio.gather(make(), take_turns(turns, 20))


@pytest.mark.parametrize("name", CONSUMER_CALLS)
def test_calls_that_confluents_consumer_makes_on_a_thread_let_others_run(servers: str, name: str) -> None:
    async def run() -> None:
        settings = {"bootstrap.servers": servers, "group.id": "turns", "enable.auto.offset.store": False}
        consumer = AIOConsumer(settings)
        await consumer.assign([TopicPartition("t", 0, 0)])
        await others_run(lambda: CONSUMER_CALLS[name](consumer))
        await consumer.close()

    asyncio.run(asyncio.wait_for(run(), SECONDS))


@pytest.mark.parametrize("name", PRODUCER_CALLS)
def test_calls_of_confluents_producer_let_others_run(servers: str, name: str) -> None:
    async def run() -> None:
        async with AIOProducer({"bootstrap.servers": servers}) as producer:
            await others_run(lambda: PRODUCER_CALLS[name](producer))

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def calls_without_end(tasks: int, turns: int, between: Callable[[int], Awaitable[None]]) -> list[int]:
    """How many calls each of so many tasks makes in so many turns; `between` is what a task does behind each."""
    counts = [0] * tasks

    async def call_and_count(number: int) -> None:
        while True:
            if turn_is_due():
                await turn()
            counts[number] += 1
            await between(number)

    async def run() -> None:
        calling = [asyncio.create_task(call_and_count(number)) for number in range(tasks)]
        await take_turns([], turns)
        for task in calling:
            task.cancel()
        await asyncio.wait(calling)

    asyncio.run(asyncio.wait_for(run(), SECONDS))
    return counts


@pytest.mark.parametrize("working", [0.0, 0.0005])
def test_tasks_that_call_without_end_share_the_loop(working: float) -> None:
    """Who runs first in a turn would else have all of it, and the others one call each, in every turn."""

    async def between(_: int) -> None:
        work(working)

    counts = calls_without_end(4, 100, between)
    assert max(counts) <= 4 * min(counts), counts


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_task_that_works_and_waits_does_not_take_the_time_of_the_next_one(place: int) -> None:
    """It leaves the loop without having yielded, and the time that it took is not that of who runs behind it."""

    async def between(number: int) -> None:
        if number == place:
            work(0.005)
            await asyncio.sleep(0)

    counts = calls_without_end(3, 50, between)
    others = [count for number, count in enumerate(counts) if number != place]
    assert max(others) <= 4 * min(others), counts


@pytest.mark.parametrize("client", [native_iteration, face_getone, confluent_poll])
def test_readers_share_the_loop(servers: str, client: Any) -> None:
    """Two that need no wait."""
    counts = [0, 0]

    async def read(number: int, call: Call) -> None:
        while max(counts) < RECORDS // 4:
            await call()
            counts[number] += 1

    async def run() -> None:
        async with client(servers) as one, client(servers) as other:
            await asyncio.gather(one(), other())
            await asyncio.gather(read(0, one), read(1, other))

    asyncio.run(asyncio.wait_for(run(), SECONDS))
    assert max(counts) <= 10 * min(counts), counts


def test_a_burst_after_a_pause_does_not_yield() -> None:
    """What was called before a pause says nothing of how long a task has kept the loop."""

    async def burst() -> list[bool]:
        return [turn_is_due() for _ in range(3)]

    async def run() -> list[bool]:
        turn_is_due()
        await asyncio.sleep(0.05)
        return await asyncio.create_task(burst())

    assert asyncio.run(run()) == [False] * 3


def test_a_loop_that_has_lost_what_it_was_to_call_is_asked_again() -> None:
    """A signal's handler may raise in the moment in which the loop calls it, and the loop be run again."""

    class Losing(asyncio.SelectorEventLoop):
        loses = True

        def call_soon(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:
            handle = super().call_soon(callback, *args, context=context)
            if self.loses and "NextTurn" in repr(callback):
                Losing.loses = False
                handle.cancel()
            return handle

    async def run() -> None:
        await others_run(call)

    async def call() -> None:
        if turn_is_due():
            await turn()

    loop = Losing()
    loop.run_until_complete(asyncio.wait_for(run(), SECONDS))
    loop.close()
    assert not Losing.loses


def test_a_loop_that_was_stopped_within_a_turn_holds_up_no_later_one() -> None:
    """What one loop was asked to tell, another one may be."""
    turns: list[float] = []

    async def call(calls: int, is_stopped: bool) -> None:
        if is_stopped:
            asyncio.get_running_loop().stop()
        for _ in range(calls):
            if turn_is_due():
                await turn()

    async def run() -> None:
        other = asyncio.create_task(take_turns(turns))
        await call(10_000, is_stopped=False)
        other.cancel()

    stopped = asyncio.new_event_loop()
    task = stopped.create_task(call(5_000, is_stopped=True))
    stopped.run_forever()
    asyncio.run(asyncio.wait_for(run(), SECONDS))
    assert 0 < len(turns) < 100, "a turn every 1,024 calls, or a few milliseconds"
    stopped.run_until_complete(task)
    stopped.close()


def test_a_time_limit_reaches_who_sends_without_end(servers: str) -> None:
    async def send(call: Call) -> None:
        while True:
            await call()

    async def run() -> None:
        async with face_send(servers) as call:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(send(call), 0.2)

    asyncio.run(run())


def test_who_is_cancelled_meanwhile_has_read_nothing_more(servers: str) -> None:
    """No record is lost or doubled where a task is cancelled at its turn."""

    async def run() -> list[int]:
        offsets: list[int] = []
        async with face_getone(servers) as getone:

            async def read(most: int) -> None:
                while len(offsets) < most:
                    offsets.append((await getone()).offset)

            for _ in range(5):
                task = asyncio.create_task(read(RECORDS))
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
            await read(RECORDS)
        return offsets

    assert asyncio.run(asyncio.wait_for(run(), SECONDS)) == list(range(RECORDS))


@pytest.mark.parametrize("client", SENDERS)
def test_calls_of_many_tasks_keep_their_order(servers: str, client: Any) -> None:
    """A turn of one of them would let the others overtake it."""
    count = 5_000

    async def run() -> list[int]:
        async with client(servers) as call:
            futures = await asyncio.gather(*(call() for _ in range(count)))
            await asyncio.gather(*futures)
            return [offset_of(future.result()) for future in futures]

    offsets = asyncio.run(asyncio.wait_for(run(), SECONDS))
    assert offsets == sorted(offsets)


@pytest.mark.parametrize("client", SENDERS)
def test_calls_of_many_tasks_keep_their_order_behind_tasks_that_made_many(servers: str, client: Any) -> None:
    """Tasks of a later loop may be where those were."""

    async def send(call: Call, count: int) -> list[Any]:
        futures = []
        for _ in range(count):
            work(0.001)
            futures.append(await call())
        return futures

    async def run(count: int) -> list[int]:
        async with client(servers) as call:
            sent = await asyncio.gather(*(send(call, count) for _ in range(30)))
            stored = await asyncio.gather(*itertools.chain(*sent))
            return [offset_of(each) for each in stored]

    for _ in range(25):
        # The second call of each comes after a turn.
        asyncio.run(asyncio.wait_for(run(2), SECONDS))
        offsets = asyncio.run(asyncio.wait_for(run(1), SECONDS))
        assert offsets == sorted(offsets)


async def send_noted(call: Call, steps: list[int], number: int) -> Any:
    """Notes a task's number when its call begins and when it has ended: side by side where it has not yielded."""
    steps.append(number)
    future = await call()
    steps.append(number)
    return future


@pytest.mark.parametrize("client", SENDERS)
def test_who_has_waited_makes_a_first_call(servers: str, client: Any) -> None:
    """To take what was waited for is no call. Nobody yields, so nobody overtakes."""
    steps: list[int] = []

    async def wait_and_send(stuck: Any, call: Call, number: int) -> Any:
        await stuck.flush()
        work(0.001)
        return await send_noted(call, steps, number)

    async def run() -> None:
        async with client(servers) as call, aio.Producer(**NOWHERE) as stuck:
            lost = stuck.send("t", b"")
            futures = await asyncio.gather(*(wait_and_send(stuck, call, number) for number in range(40)))
            with pytest.raises(BootstrapError):
                await lost
            await asyncio.gather(*futures)

    asyncio.run(asyncio.wait_for(run(), SECONDS))
    assert steps[::2] == steps[1::2]


def offset_of(stored: Any) -> int:
    """The offset that a face's result tells."""
    return int(stored.offset() if hasattr(stored, "error") else stored.offset)


@pytest.mark.parametrize("client", [face_send, face_send_of_a_subclass])
def test_who_is_cancelled_at_the_turn_has_sent_nothing_more(servers: str, client: Any) -> None:
    """Else whoever sends again what was cancelled would send it twice."""

    async def run() -> None:
        async with client(servers) as call:
            first = (await (await call())).offset
            for _ in range(3):
                sent: list[asyncio.Future[Any]] = []

                async def send(into: list[asyncio.Future[Any]]) -> None:
                    while True:
                        into.append(await call())

                task = asyncio.create_task(send(sent))
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
                last = (await (await call())).offset
                assert last == first + len(sent) + 1
                first = last

    asyncio.run(asyncio.wait_for(run(), SECONDS))


# --- first calls of tasks, which never yield


def make_steps() -> None:
    """So many in one turn that it is asked who has made them."""
    for _ in range(5_000):
        turn_is_due()


def test_what_a_task_did_in_one_turn_does_not_count_in_later_ones() -> None:
    """Also if it has yielded, and made its call, and nobody asked in that turn."""
    answers: list[bool] = []

    async def first() -> None:
        make_steps()
        for _ in range(3):
            await asyncio.sleep(0)
        answers.append(turn_is_due())

    async def second() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        make_steps()

    async def run() -> None:
        await asyncio.gather(second(), first())

    asyncio.run(run())
    assert answers == [False]


def test_a_task_is_not_taken_for_one_that_has_ended() -> None:
    """Tasks that begin when they are made, and end, leave their memory to the next one in the same turn. What
    `asyncio.eager_task_factory` does from Python 3.12 on is done by hand here.
    """

    class Eager:
        """Stands for a task."""

    places: set[int] = set()

    def call_as_another_task() -> bool:
        me = asyncio.current_task()
        assert me is not None
        loop, eager = asyncio.get_running_loop(), Eager()
        places.add(id(eager))
        asyncio.tasks._leave_task(loop, me)
        asyncio.tasks._enter_task(loop, eager)  # type: ignore[arg-type]  # it is no task
        try:
            return turn_is_due()
        finally:
            asyncio.tasks._leave_task(loop, eager)  # type: ignore[arg-type]  # it is no task
            asyncio.tasks._enter_task(loop, me)

    async def run() -> list[bool]:
        make_steps()
        return [call_as_another_task() for _ in range(100)]

    assert asyncio.run(run()) == [False] * 100
    assert len(places) < 100, "each had memory of its own, so nothing was tested"


@pytest.mark.parametrize("client", SENDERS)
def test_who_was_cancelled_at_its_turn_makes_a_first_call(servers: str, client: Any) -> None:
    """What it was about to make is not made, and its next call is overtaken by nobody."""

    async def send(call: Call) -> Any:
        with contextlib.suppress(asyncio.CancelledError):
            while True:
                await call()
                work(0.001)
        return await call()

    async def run() -> list[int]:
        async with client(servers) as call:
            tasks = [asyncio.create_task(send(call)) for _ in range(20)]
            for _ in range(2):
                await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            futures = await asyncio.gather(*tasks)
            return [offset_of(stored) for stored in await asyncio.gather(*futures)]

    for _ in range(5):
        offsets = asyncio.run(asyncio.wait_for(run(), SECONDS))
        assert offsets == sorted(offsets)


@pytest.mark.parametrize("client", SENDERS)
def test_who_was_woken_by_a_time_limit_makes_a_first_call(servers: str, client: Any) -> None:
    """Also in the turn in which it has begun to wait."""
    steps: list[int] = []

    async def wait_and_send(poll: Any, call: Call, number: int) -> Any:
        work(0.001)
        assert await poll(timeout=0.02) is None
        return await send_noted(call, steps, number)

    async def run() -> None:
        async with client(servers) as call, aio.Consumer(bootstrap_servers=servers) as consumer:
            consumer.assign({("t", 0): RECORDS})
            other = asyncio.create_task(wait_and_send(consumer.poll, call, -1))
            await asyncio.sleep(0)
            # Its limit is over when the others begin, and looked at behind them.
            sends = [asyncio.create_task(wait_and_send(consumer.poll, call, number)) for number in range(60)]
            work(0.03)
            await asyncio.gather(*await asyncio.gather(other, *sends))

    for _ in range(3):
        asyncio.run(asyncio.wait_for(run(), SECONDS))
        assert steps[::2] == steps[1::2]

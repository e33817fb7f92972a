"""The futures of asyncio calls behave as asyncio's own, and do not suspend where the answer is there."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import re
import warnings
from collections.abc import Awaitable, Coroutine
from typing import Any

import kafkars
import pytest
from kafkars import RecordMetadata, aio
from kafkars.aio import Call, Future
from kafkars.errors import MessageTooLargeError, RecordTooLargeError
from kafkars.testing import EmbeddedBroker

from tests.python.conftest import aio_consumer, aio_producer

SECONDS = 10


def as_any(value: Any) -> Any:
    """Type checkers know that our futures are no `asyncio.Future`; asyncio itself asks less."""
    return value


def steps(awaitable: Awaitable[Any]) -> int:
    """How often awaiting suspends before it ends, without a loop to resume it."""
    iterator = awaitable.__await__()
    try:
        next(iterator)
    except StopIteration:
        return 0
    iterator.close()
    return 1


def test_an_answer_that_is_there_does_not_suspend(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            sent = [producer.send("t", b"value") for _ in range(10)]
            await producer.flush()
            assert [steps(future) for future in sent] == [0] * 10
            assert steps(producer.enqueue("t", b"value")) == 0
            assert (await consumer.poll(SECONDS)) is not None
            # All in one batch: the rest is in the buffer.
            assert [steps(consumer.poll()) for _ in range(4)] == [0] * 4
            assert steps(consumer.poll_batch()) == 0
            assert steps(consumer.poll(0)) == 0

    asyncio.run(main())


def test_a_delivery_is_a_future_and_a_call_a_coroutine_as_well(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker) as producer:
            delivery, call = producer.send_nowait("t", b"value"), producer.send("t", b"value")
            assert (type(delivery), type(call)) == (Future, Call)
            for future in (delivery, call):
                assert asyncio.isfuture(as_any(future))
                assert inspect.isawaitable(future)
                assert asyncio.ensure_future(as_any(future)) is future
                assert future.get_loop() is asyncio.get_running_loop()
            assert (asyncio.iscoroutine(delivery), asyncio.iscoroutine(call)) == (False, True)
            assert (isinstance(delivery, Coroutine), isinstance(call, Coroutine)) == (False, True)
            await asyncio.gather(delivery, call)

    asyncio.run(main())


@pytest.mark.parametrize("topic", ["t", "nowhere yet"])
@pytest.mark.parametrize("end", ["cancel", "close"])
@pytest.mark.parametrize("before", ["callback", "callback taken back", "timed wait"])
def test_what_was_cancelled_is_done_for_whoever_comes_later(
    faulty_broker: EmbeddedBroker, topic: str, end: str, before: str
) -> None:
    """`gather` waited for ever: the call had waited for something once, and nothing was to come any more."""

    async def main() -> None:
        async with aio_producer(faulty_broker, linger_ms=60_000, allow_auto_create_topics=False) as producer:
            await producer.partitions_for("t")
            call = producer.send(topic.replace(" ", "-"), b"value")
            if before == "timed wait":
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(asyncio.shield(as_any(call)), 0.01)
            else:
                call.add_done_callback(print)
                if before == "callback taken back":
                    assert call.remove_done_callback(print) == 1
            if end == "close" and (topic == "t" or before != "callback taken back"):
                # A record in a batch goes on, and so does what somebody waits for.
                call.close()
            call.cancel()
            assert call.done()
            gathered = asyncio.gather(as_any(call), return_exceptions=True)
            (outcome,) = await asyncio.wait_for(gathered, SECONDS)
            assert isinstance(outcome, asyncio.CancelledError)
            producer.purge()

    asyncio.run(main())


def test_no_call_is_iterable_and_a_read_that_nobody_awaits_says_so(faulty_broker: EmbeddedBroker) -> None:
    """`for record in consumer.poll_batch()`: the records were gone, and their positions were committed."""

    async def main() -> None:
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            await asyncio.gather(*[producer.send("t", b"value") for _ in range(10)])
            assert (await consumer.poll(SECONDS)) is not None
            calls = [
                producer.send("t", b"value"),
                producer.send_nowait("t", b"value"),
                consumer.end_offsets([("t", 0)]),
            ]
            for call in calls:
                with pytest.raises(TypeError, match="is not iterable; await it first"):
                    list(as_any(call))
                await call
            for read in (consumer.poll, consumer.poll_batch):
                with (
                    pytest.raises(TypeError, match="is not iterable"),
                    pytest.warns(RuntimeWarning, match="never awaited"),
                ):
                    list(as_any(read()))
            left = 9 + 2
            while left > 0:
                batch = await consumer.poll_batch(timeout=SECONDS)
                assert batch, "nothing was taken"
                left -= len(batch)
            assert left == 0

    asyncio.run(main())


def test_a_call_is_no_iterator(faulty_broker: EmbeddedBroker) -> None:
    """`next(consumer.poll(), None)`: the record was gone."""

    async def main() -> None:
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            await producer.send("t", b"value")
            call = consumer.poll(SECONDS)
            for wrong in (call, producer.flush(SECONDS), producer.send("t", b"value")):
                with pytest.raises(TypeError, match="await this call"):
                    next(as_any(wrong))
                if wrong is not call:
                    await wrong
            assert (await call) is not None

    asyncio.run(main())


def test_a_call_that_nobody_awaits_says_so_where_nothing_comes_of_it(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        first = ("t", 0)
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            for name, make in {
                "position": lambda: consumer.position(first),
                "beginning_offsets": lambda: consumer.beginning_offsets([first]),
                "end_offsets": lambda: consumer.end_offsets([first]),
                "offsets_for_times": lambda: consumer.offsets_for_times({first: 0}),
                "partitions_for": lambda: consumer.partitions_for("t"),
                "topics": consumer.topics,
                "partitions_for() of an asyncio producer": lambda: producer.partitions_for("t"),
            }.items():
                with pytest.warns(RuntimeWarning, match=rf"^{re.escape(name)}.*was never awaited"):
                    make()
            faulty_broker.intercept("Produce", "delay", seconds=0.2, times=1)
            sent = producer.send("t", b"value")
            with pytest.warns(RuntimeWarning, match="flush.*was never awaited: nothing waits for the records"):
                producer.flush()
            await sent
        faulty_broker.intercept("Produce", "delay", seconds=0.2, times=1)
        producer = aio.Producer(bootstrap_servers=faulty_broker.bootstrap_servers)
        sent = producer.send("t", b"value")
        with pytest.warns(RuntimeWarning, match=r"^close\(\).*was never awaited: nothing waits for the records"):
            producer.close()
        await sent
        consumer = aio.Consumer(bootstrap_servers=faulty_broker.bootstrap_servers, group_id="g")
        consumer.subscribe("t")
        await consumer.poll(timeout=0)
        with pytest.warns(RuntimeWarning, match=r"^close\(\).*was never awaited: it is closed at once"):
            consumer.close()

    asyncio.run(main())


def test_a_call_that_nobody_awaits_says_so_also_once_it_has_ended(faulty_broker: EmbeddedBroker) -> None:
    """It was told of calls that happened to be under way when they were dropped."""

    async def main() -> None:
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            await producer.send("t", b"value")
            for name, make in {"flush": producer.flush, "position": lambda: consumer.position(("t", 0))}.items():
                kept: list[Any] = [make() for _ in range(20)]
                # Those above have ended, or are about to.
                await asyncio.sleep(0)
                assert await make() is not None
                with pytest.warns(RuntimeWarning, match=rf"^{name}.*was never awaited") as told:
                    kept.clear()
                assert len(told) == 20
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                asked = producer.flush()
                await producer.flush()
                assert asked.done()
                del asked

    asyncio.run(main())


def test_the_outcome_is_not_looked_for_in_the_call(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            sent, read = producer.send("t", b"value"), consumer.poll(SECONDS)
            for call, name in ((sent, "offset"), (read, "value")):
                with pytest.raises(
                    AttributeError, match=rf"^'kafkars\.aio\.\w+' object has no .*'{name}'; await it first$"
                ):
                    getattr(as_any(call), name)
                assert not hasattr(call, "_private")
                with pytest.raises(AttributeError, match=r"'_private'$"):
                    as_any(call)._private  # noqa: B018
                await call

    asyncio.run(main())


def test_blocks_and_loops_of_the_other_flavour_are_named(faulty_broker: EmbeddedBroker) -> None:
    servers = faulty_broker.bootstrap_servers

    async def enter(client: Any) -> None:
        async with client:
            pass

    async def read(client: Any) -> None:
        async for _ in client:
            pass

    for name in ("Producer", "Consumer", "Admin"):
        of_asyncio: Any = getattr(aio, name)(bootstrap_servers=servers)
        with pytest.raises(TypeError, match=rf"^{name} is of kafkars\.aio: write `async with`"), of_asyncio:
            pass
        asyncio.run(of_asyncio.close())
        synchronous: Any = getattr(kafkars, name)(bootstrap_servers=servers)
        with pytest.raises(TypeError, match=rf"^{name} is synchronous: write `with`"):
            asyncio.run(enter(synchronous))
        synchronous.close()
    consumer: Any = aio.Consumer(bootstrap_servers=servers)
    with pytest.raises(TypeError, match=r"^Consumer is of kafkars\.aio: write `async for`"):
        list(consumer)
    asyncio.run(consumer.close())
    with kafkars.Consumer(bootstrap_servers=servers) as plain, pytest.raises(TypeError, match="write `for`"):
        asyncio.run(read(plain))


def test_awaiting_by_hand_is_awaiting(faulty_broker: EmbeddedBroker) -> None:
    class Delegates:
        def __init__(self, call: Any, step_by_step: bool) -> None:
            self.call, self.step_by_step = call, step_by_step

        def __await__(self) -> Any:
            return self.steps() if self.step_by_step else self.call.__await__()

        def steps(self) -> Any:
            return (yield from self.call.__await__())

    async def main() -> None:
        async with aio_producer(faulty_broker, linger_ms=5) as producer, aio_consumer(faulty_broker) as consumer:
            for offset, step_by_step in enumerate((True, False)):
                sending = Delegates(producer.send("t", b"value"), step_by_step)
                assert (await asyncio.wait_for(sending, SECONDS)).offset == offset
                record = await Delegates(consumer.poll(SECONDS), step_by_step)
                assert record.offset == offset
                waiting = asyncio.ensure_future(Delegates(consumer.poll(SECONDS), step_by_step))
                await asyncio.sleep(0)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting

    asyncio.run(main())


def test_gather_wait_shield_and_timeouts_take_it(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker, linger_ms=20) as producer:

            def send() -> Future[RecordMetadata]:
                return producer.send_nowait("t", b"value")

            gathered = await asyncio.gather(*(send() for _ in range(100)))
            assert [metadata.offset for metadata in gathered] == list(range(100))
            assert (await asyncio.wait_for(send(), SECONDS)).offset == 100
            assert (await asyncio.shield(send())).offset == 101
            done, pending = await asyncio.wait([send() for _ in range(3)])
            assert sorted(future.result().offset for future in done) == [102, 103, 104]
            assert not pending
            firsts = [await first for first in asyncio.as_completed([send() for _ in range(3)])]
            assert sorted(metadata.offset for metadata in firsts) == [105, 106, 107]

    asyncio.run(main())


def test_a_task_is_made_of_a_call(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            tasks = [asyncio.create_task(producer.send("t", b"value")) for _ in range(3)]
            assert [(await task).offset for task in tasks] == [0, 1, 2]
            polls = [asyncio.create_task(consumer.poll()) for _ in range(3)]
            records = [await task for task in polls]
            # Records that come between the first steps of two tasks go to the later one, which need not wait.
            assert sorted(record.offset for record in records if record) == [0, 1, 2]
            assert await asyncio.create_task(producer.flush()) == 0
            waiting = asyncio.create_task(consumer.poll(None))
            await asyncio.sleep(0.01)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    asyncio.run(main())


def test_awaiting_twice_and_from_several_tasks_gives_the_same(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker, linger_ms=20) as producer:
            future = producer.send("t", b"value")

            async def wait() -> RecordMetadata:
                return await future

            answers = await asyncio.gather(*(wait() for _ in range(5)), future)
            assert set(answers) == {await future}

    asyncio.run(main())


def test_callbacks_run_once_on_the_loop_in_their_context(faulty_broker: EmbeddedBroker) -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")
    seen: list[tuple[str, bool]] = []

    async def main() -> None:
        # Nothing leaves before a flush.
        async with aio_producer(faulty_broker, linger_ms=60_000) as producer:
            future = producer.send("t", b"value")

            told = asyncio.Event()

            def note(done: Future[RecordMetadata]) -> None:
                seen.append((variable.get(), done is future))
                if len(seen) == 2:
                    told.set()

            variable.set("at the call")
            future.add_done_callback(note)
            given = contextvars.copy_context()
            given.run(variable.set, "given")
            future.add_done_callback(note, context=given)
            variable.set("later")
            future.add_done_callback(seen.append)  # type: ignore[arg-type]
            assert future.remove_done_callback(seen.append) == 1  # type: ignore[arg-type]
            assert not future.done()
            with pytest.raises(asyncio.InvalidStateError):
                future.result()
            with pytest.raises(asyncio.InvalidStateError):
                future.exception()
            assert await producer.flush(SECONDS) == 0
            await future
            await asyncio.wait_for(told.wait(), SECONDS)
            future.add_done_callback(note)
            assert len(seen) == 2
            await asyncio.sleep(0)

    asyncio.run(main())
    assert seen == [("at the call", True), ("given", True), ("later", True)]


def test_a_failing_callback_goes_to_the_loops_handler_and_stops_nobody(faulty_broker: EmbeddedBroker) -> None:
    reports: list[dict[str, Any]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, report: reports.append(report))
        async with aio_producer(faulty_broker, linger_ms=20) as producer:
            futures = [producer.send("t", b"value") for _ in range(3)]
            futures[0].add_done_callback(lambda _: 1 / 0)
            await asyncio.gather(*futures)

    asyncio.run(main())
    (report,) = reports
    assert isinstance(report["exception"], ZeroDivisionError)


def test_a_failure_is_raised_and_kept(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        faulty_broker.create_topic("small", configs={"max.message.bytes": "1000"})
        async with aio_producer(faulty_broker) as producer:
            future = producer.send("small", bytes(5_000))
            with pytest.raises(MessageTooLargeError):
                await future
            assert isinstance(future.exception(), MessageTooLargeError)
            answers = await asyncio.gather(
                producer.send("small", bytes(5_000)), producer.send("small", b""), return_exceptions=True
            )
            assert isinstance(answers[0], MessageTooLargeError)
            assert isinstance(answers[1], RecordMetadata)

    asyncio.run(main())


def test_a_failure_that_nobody_looks_at_is_reported(
    faulty_broker: EmbeddedBroker, caplog: pytest.LogCaptureFixture
) -> None:
    reports: list[dict[str, Any]] = []
    kept: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, report: reports.append(report))
        faulty_broker.create_topic("small", configs={"max.message.bytes": "1000"})
        async with aio_producer(faulty_broker) as producer:
            future = producer.send("small", bytes(5_000))
            future.add_done_callback(lambda _: None)
            await producer.flush()
            del future
            # A record that was refused before it left: no loop has waited for it, but one runs.
            producer.send("t", bytes(2_000_000))
            kept.append(producer.send("t", bytes(2_000_000)))

    asyncio.run(main())
    # The first goes with the task that its callback has waited in.
    assert len(reports) == 2
    assert {type(report["exception"]) for report in reports} == {MessageTooLargeError, RecordTooLargeError}
    for report in reports:
        assert report["message"] == "Future exception was never retrieved"
        assert isinstance(report["future"], asyncio.Future)
    assert "never retrieved" not in caplog.text
    # Nor does one run any more.
    kept.clear()
    assert "never retrieved" in caplog.text


def test_reporting_a_forgotten_failure_does_not_hide_the_error_that_made_it_forgotten(
    faulty_broker: EmbeddedBroker,
) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker) as producer:

            async def first_of_many() -> None:
                for future in [producer.send("t", bytes(2_000_000)) for _ in range(10)]:
                    await future

            with pytest.raises(RecordTooLargeError):
                await first_of_many()

    asyncio.run(main())


def test_many_loops_in_many_threads_share_a_producer(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> list[int]:
        loop = asyncio.get_running_loop()
        async with aio_producer(faulty_broker) as producer:

            async def send() -> list[int]:
                assert asyncio.get_running_loop() is not loop
                metadata = await asyncio.gather(*(producer.send("t", b"value") for _ in range(100)))
                return [each.offset for each in metadata]

            threads = [asyncio.to_thread(asyncio.run, send()) for _ in range(4)]
            return sorted(offset for offsets in await asyncio.gather(*threads) for offset in offsets)

    assert asyncio.run(main()) == list(range(400))


def test_one_thread_with_several_loops_one_after_the_other(faulty_broker: EmbeddedBroker) -> None:
    loops = [asyncio.new_event_loop() for _ in range(3)]

    async def once() -> int:
        async with aio_producer(faulty_broker) as producer:
            return (await producer.send("t", b"value")).offset

    offsets = [loop.run_until_complete(once()) for _ in range(3) for loop in loops]
    for loop in loops:
        loop.close()
    assert offsets == list(range(9))


class NoReaders(asyncio.SelectorEventLoop):
    """A loop that watches no files for others, as Windows' default one."""

    def add_reader(self, *_: object) -> None:
        raise NotImplementedError


def test_a_loop_that_watches_no_files(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> list[int]:
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            sent = [await producer.send("t", b"value") for _ in range(10)]
            read = [(await anext(consumer)).offset for _ in range(10)]
            assert await consumer.poll(0.05) is None
            assert [metadata.offset for metadata in sent] == read
            return read

    loop = NoReaders()
    try:
        assert loop.run_until_complete(main()) == list(range(10))
    finally:
        loop.close()


def test_uvloop(faulty_broker: EmbeddedBroker) -> None:
    uvloop = pytest.importorskip("uvloop")

    async def main() -> list[int]:
        async with aio_producer(faulty_broker) as producer, aio_consumer(faulty_broker) as consumer:
            await asyncio.gather(*(producer.send("t", b"value") for _ in range(100)))
            assert await consumer.poll(5) is not None
            return [(await anext(consumer)).offset for _ in range(99)]

    loop = uvloop.new_event_loop()
    try:
        assert loop.run_until_complete(main()) == list(range(1, 100))
    finally:
        loop.close()


def test_without_a_running_loop_only_waiting_fails(faulty_broker: EmbeddedBroker) -> None:
    async def make() -> Any:
        async with aio_producer(faulty_broker) as producer:
            return producer

    async def use() -> None:
        async with aio_producer(faulty_broker, linger_ms=5) as producer:
            future = await asyncio.to_thread(producer.send_nowait, "t", b"value")
            assert (await future).offset == 0

            def wait_in_a_thread() -> None:
                with pytest.raises(RuntimeError, match="no running event loop"):
                    producer.send_nowait("t", b"value").__await__().__next__()

            await asyncio.to_thread(wait_in_a_thread)

    asyncio.run(use())

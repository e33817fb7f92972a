"""AIOProducer: futures of messages, the same from the library and its face, on both brokers."""

from __future__ import annotations

import asyncio
import gc
import importlib
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import kafkars
import pytest
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.compat.confluent.conftest import FACE
from tests.support.peers import closed_port
from tests.support.waiting import SECONDS


@pytest.fixture
def aio(ck: ModuleType) -> ModuleType:
    """`confluent_kafka.aio`, of either."""
    return importlib.import_module(ck.__name__ + ".aio")


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    async def bounded() -> Any:
        return await asyncio.wait_for(work(), SECONDS)

    return asyncio.run(bounded())


def config(broker: Broker, **properties: Any) -> dict[str, Any]:
    return {"bootstrap.servers": broker.bootstrap_servers, "log_level": 0, **properties}


def test_awaiting_produce_gives_the_future_of_a_message(aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        conf = config(broker)
        before = dict(conf)
        async with aio.AIOProducer(conf) as producer:
            future = await producer.produce(topic, "größe", key=b"k")
            assert isinstance(future, asyncio.Future)
            # The library counts its events as well.
            assert len(producer) >= 1
            assert await producer.flush() == 0
            message = await future
            assert (message.topic(), message.partition(), message.offset(), message.error()) == (topic, 0, 0, None)
            assert (bytes(message.key()), bytes(message.value())) == (b"k", "größe".encode())
            kind, milliseconds = message.timestamp()
            assert kind == 1
            assert milliseconds > 1_600_000_000_000
            assert message.latency() > 0
            assert message.headers() is None
            assert await producer.poll() == 0
            assert await producer.poll(timeout=0.01) == 0
        assert conf == before

    run(work)


def test_messages_arrive_in_order(aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> list[Any]:
        async with aio.AIOProducer(config(broker)) as producer:
            futures = [await producer.produce(topic, b"%d" % number) for number in range(500)]
            await producer.flush()
            return [message.offset() for message in await asyncio.gather(*futures)]

    assert run(work) == list(range(500))


def test_failures_are_exceptions_of_the_future(ck: ModuleType, aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        async with aio.AIOProducer(config(broker)) as producer:
            nowhere = await producer.produce(topic, b"v", partition=9)
            large = await producer.produce(topic, b"v" * 2_000_000)
            await producer.flush(SECONDS)
            for future, name in ((nowhere, "_UNKNOWN_PARTITION"), (large, "MSG_SIZE_TOO_LARGE")):
                with pytest.raises(ck.KafkaException) as caught:
                    await future
                assert caught.value.args[0].name() == name

    run(work)


def test_closing_sends_what_is_queued(aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        producer = aio.AIOProducer(config(broker))
        future = await producer.produce(topic, b"v")
        await producer.close()
        assert (await future).offset() == 0
        assert len(producer) == 0
        with pytest.raises(RuntimeError):
            await producer.flush()

    run(work)


def test_transactions(ck: ModuleType, aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        async with aio.AIOProducer(config(broker, **{"transactional.id": topic})) as producer:
            await producer.init_transactions(SECONDS)
            for end, value in (("commit", b"kept"), ("abort", b"dropped"), ("commit", b"kept too")):
                await producer.begin_transaction()
                future = await producer.produce(topic, value)
                await producer.flush()
                await getattr(producer, f"{end}_transaction")(SECONDS)
                assert (await future).value() == value
        async with aio.AIOProducer(config(broker)) as plain:
            for call in (plain.init_transactions, plain.begin_transaction, plain.commit_transaction):
                with pytest.raises(ck.KafkaException) as caught:
                    await call()
                assert caught.value.args[0].name() == "_NOT_CONFIGURED"

    run(work)
    reader = kafkars.Consumer(
        bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest", isolation_level="read_committed"
    )
    with reader:
        reader.assign([(topic, 0)])
        values = []
        while len(values) < 2:
            record = reader.poll(SECONDS)
            assert record is not None
            values.append(record.value)
    assert values == [b"kept", b"kept too"]


def test_a_transaction_with_a_message_to_no_topic_is_not_committed(
    ck: ModuleType, aio: ModuleType, broker: Broker, topic: str
) -> None:
    async def work() -> None:
        async with aio.AIOProducer(config(broker, **{"transactional.id": f"{topic}-no-topic"})) as producer:
            await producer.init_transactions(SECONDS)
            await producer.begin_transaction()
            # The library's class only sends what it has collected in a flush, and that is what fails there.
            futures = [await producer.produce(name, b"v") for name in (topic, "not a topic!")]
            try:
                await producer.commit_transaction(SECONDS)
            except ck.KafkaException as refused:
                error = refused.args[0]
                assert (error.name(), error.txn_requires_abort()) == ("_INCONSISTENT", True)
                await producer.abort_transaction(SECONDS)
            else:
                # Once in some 40 times the library commits what is left, and says nothing.
                assert ck.__name__ != FACE
            await asyncio.gather(*futures, return_exceptions=True)

    run(work)


def test_a_producer_shuts_the_given_executor_down(aio: ModuleType, embedded_broker: Broker) -> None:
    executor = ThreadPoolExecutor(2)

    async def work() -> None:
        with pytest.raises(TypeError):
            aio.AIOProducer(config(embedded_broker), buffer_timeout="soon")
        await aio.AIOProducer(config(embedded_broker), executor=executor).close()

    run(work)
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(int)


@pytest.fixture
def unsent(aio: ModuleType) -> Callable[..., Any]:
    """Makes a producer of messages that cannot be sent."""
    conf = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0, "message.timeout.ms": 60_000}
    made: Callable[..., Any] = lambda **how: aio.AIOProducer(conf, **how)  # noqa: E731
    return made


def test_purged_messages_have_their_future_cancelled(unsent: Callable[..., Any]) -> None:
    async def work() -> None:
        producer = unsent()
        future = await producer.produce("t", b"v")
        await producer.purge()
        with pytest.raises(asyncio.CancelledError):
            await future
        await producer.close()

    run(work)


@pytest.mark.parametrize("how", ["after a flush", "after the buffer time", "a full batch"])
def test_purged_messages_that_were_handed_over_have_an_error(
    ck: ModuleType, unsent: Callable[..., Any], how: str
) -> None:
    """So that the task that waits for one is not taken for cancelled."""

    async def outcome(future: Any) -> str:
        try:
            return str(await future)
        except ck.KafkaException as problem:
            return str(problem.args[0].name())

    async def work() -> None:
        producer = unsent(batch_size=1) if how == "a full batch" else unsent(buffer_timeout=0.1)
        waiting = asyncio.create_task(outcome(await producer.produce("t", b"v")))
        if how == "after a flush":
            await producer.flush(0.2)
        elif how == "after the buffer time":
            # The library looks ten times a second.
            await asyncio.sleep(0.5)
        await producer.purge()
        while not waiting.done():
            await producer.poll(0.05)
        assert await waiting == "_PURGE_QUEUE"
        assert len(producer) == 0
        await producer.close()

    run(work)


def test_a_purged_message_under_way_says_so(aio: ModuleType) -> None:
    async def work() -> None:
        with EmbeddedBroker() as own, own.intercept("Produce", "drop"):
            own.create_topic("t", 1)
            producer = aio.AIOProducer(config(own), batch_size=1)
            future = await producer.produce("t", b"v")
            await asyncio.to_thread(own.wait_for_request, "Produce", timeout=SECONDS)
            await producer.purge()
            while not future.done():
                await producer.poll(0.05)
            assert future.exception().args[0].name() == "_PURGE_INFLIGHT"
            await producer.close()

    run(work)


def test_the_cluster_can_be_asked(aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        async with aio.AIOProducer(config(broker)) as producer:
            found = await producer.list_topics(topic, timeout=SECONDS)
            assert list(found.topics) == [topic]
            assert await producer.cluster_id() == found.cluster_id
            assert await producer.set_sasl_credentials("a", "b") is None

    run(work)


def test_what_cannot_be_is_refused(ck: ModuleType, aio: ModuleType) -> None:
    async def work() -> None:
        with pytest.raises(ValueError, match="max_workers"):
            aio.AIOProducer({"bootstrap.servers": "127.0.0.1:1"}, max_workers=0)
        with pytest.raises(ck.KafkaException):
            aio.AIOProducer({"nonsense": 1})

    run(work)


def test_the_number_of_threads_may_be_left_open(aio: ModuleType, embedded_broker: Broker) -> None:
    async def work() -> None:
        async with aio.AIOProducer(config(embedded_broker), max_workers=None):
            pass

    run(work)


@pytest.mark.parametrize("ck", ["kafkars.compat.confluent_kafka"], indirect=True)
def test_what_the_library_refuses_or_forgets_is_done(aio: ModuleType, broker: Broker, topic: str) -> None:
    """Headers and timestamps raise in the library, callbacks are never called, and a wrong value spoils its batch."""
    told: list[Any] = []

    async def report(error: Any, message: Any) -> None:
        told.append((error, message.offset()))

    async def work() -> None:
        async with aio.AIOProducer(config(broker)) as producer:
            wrong = await producer.produce(topic, 5)
            with pytest.raises(TypeError):
                await wrong
            future = await producer.produce(topic, b"v", headers={"a": b"b"}, timestamp=1234, on_delivery=report)
            assert (await future).timestamp() == (1, 1234)
            await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="closed"):
            await producer.produce(topic, b"v")
        await producer.close()

    run(work)
    assert told == [(None, 0)]
    with kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as reader:
        reader.assign([(topic, 0)])
        record = reader.poll(SECONDS)
        assert record is not None
        assert record.headers == (("a", b"b"),)


@pytest.mark.parametrize("ck", ["kafkars.compat.confluent_kafka"], indirect=True)
def test_a_full_queue_waits(aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        async with aio.AIOProducer(config(broker, **{"queue.buffering.max.messages": 2})) as producer:
            for _ in range(20):
                await producer.produce(topic, b"v")
                assert len(producer) <= 2

    run(work)


@pytest.mark.parametrize("ck", ["kafkars.compat.confluent_kafka"], indirect=True)
def test_statistics_reach_a_coroutine_function(aio: ModuleType, broker: Broker) -> None:
    async def work() -> None:
        told = asyncio.Event()

        async def statistics(text: str) -> None:
            assert '"type": "producer"' in text
            told.set()

        async with aio.AIOProducer(config(broker, **{"statistics.interval.ms": 10, "stats_cb": statistics})):
            await asyncio.wait_for(told.wait(), SECONDS)

    run(work)


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address where nobody listens."""
    with closed_port() as address:
        yield address


def test_error_cb_hears_on_the_loop_of_a_cluster_out_of_reach(aio: ModuleType, nowhere: str) -> None:
    async def work() -> None:
        heard: list[str] = []
        loops: list[asyncio.AbstractEventLoop] = []

        async def error_cb(error: Any) -> None:
            heard.append(error.name())
            loops.append(asyncio.get_running_loop())

        conf = {"bootstrap.servers": nowhere, "log_level": 0, "error_cb": error_cb}
        producer = aio.AIOProducer(conf)
        while not {"_TRANSPORT", "_ALL_BROKERS_DOWN"} <= set(heard):
            await producer.poll(timeout=0.05)
        assert set(loops) == {asyncio.get_running_loop()}
        await producer.close()

    run(work)


def test_error_cb_needs_no_poll_and_hears_nothing_after_the_end() -> None:
    async def work() -> None:
        down = asyncio.Event()

        def error_cb(error: Any) -> None:
            if error.name() == "_ALL_BROKERS_DOWN":
                down.set()

        with EmbeddedBroker() as own:
            conf = {"bootstrap.servers": own.bootstrap_servers, "error_cb": error_cb}
            producer = importlib.import_module(FACE + ".aio").AIOProducer(conf)
            await producer.list_topics(timeout=SECONDS)
            assert not down.is_set()
        await down.wait()
        await producer.close()
        down.clear()
        assert producer._watch_._timer.cancelled()

    run(work)


def test_a_producer_with_error_cb_is_forgotten_with_its_timer(nowhere: str) -> None:
    async def work() -> None:
        face = importlib.import_module(FACE + ".aio")
        producer = face.AIOProducer({"bootstrap.servers": nowhere, "error_cb": lambda _: None})
        watch = weakref.ref(producer._watch_)
        del producer
        gc.collect()
        assert watch() is None

    run(work)


def test_a_flush_ends_with_the_futures_of_what_was_produced_before(aio: ModuleType, broker: Broker, topic: str) -> None:
    async def work() -> None:
        async with aio.AIOProducer(config(broker)) as producer:

            async def produce(count: int) -> None:
                futures = [await producer.produce(topic, b"%d" % number) for number in range(count)]
                assert await producer.flush() == 0
                assert [each for each in futures if not each.done()] == []

            for count in [1, 300, 1, 1]:
                await produce(count)
            await asyncio.gather(*(produce(3) for _ in range(20)))

    run(work)


@pytest.mark.parametrize("ck", [FACE], indirect=True)
def test_calls_that_wait_for_room_are_served_in_order(aio: ModuleType, broker: Broker, topic: str) -> None:
    """In the library most of them fail with _QUEUE_FULL."""

    async def work() -> None:
        places: dict[int, int] = {}
        async with aio.AIOProducer(config(broker, **{"queue.buffering.max.messages": 20})) as producer:

            async def produce(number: int) -> None:
                future = await producer.produce(topic, b"%d" % number, partition=0)
                places[number] = (await future).offset()

            calls = []
            for number in range(200):
                calls.append(asyncio.create_task(produce(number)))
                # Some come when others wait already, and there may be room.
                if number > 100:
                    await asyncio.sleep(0)
            await asyncio.gather(*calls)
        assert [number for number in range(200) if places[number] != number] == []

    run(work)


# --- more than one loop


@pytest.fixture
def other_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs on another thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join(SECONDS)
    loop.close()


def on(loop: asyncio.AbstractEventLoop, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run_coroutine_threadsafe(work(), loop).result(SECONDS)


def test_a_producer_goes_on_in_other_event_loops(aio: ModuleType, broker: Broker, topic: str) -> None:
    made: list[Any] = []

    async def begin() -> None:
        made.append(aio.AIOProducer(config(broker)))
        await made[0].produce(topic, b"0")
        await made[0].flush()

    async def go_on() -> None:
        (producer,) = made
        futures = [await producer.produce(topic, b"v") for _ in range(20)]
        assert await producer.flush() == 0
        assert [(await each).error() for each in futures] == [None] * 20
        assert await producer.poll(0) == 0

    async def end() -> None:
        last = await made[0].produce(topic, b"v")
        await made[0].close()
        assert (await last).offset() == 41

    for each in (begin, go_on, go_on, end):
        run(each)


def test_two_event_loops_use_a_producer_at_once(
    aio: ModuleType, broker: Broker, topic: str, other_loop: asyncio.AbstractEventLoop
) -> None:
    async def make() -> Any:
        return aio.AIOProducer(config(broker))

    producer = on(other_loop, make)
    offsets: list[int] = []

    async def produce() -> None:
        for _ in range(5):
            futures = [await producer.produce(topic, b"v", partition=0) for _ in range(10)]
            # The library's flush does not wait for what another one is just handing over.
            while not all(each.done() for each in futures):
                await producer.flush(0.1)
            offsets.extend([(await each).offset() for each in futures])

    beside = asyncio.run_coroutine_threadsafe(produce(), other_loop)
    run(produce)
    beside.result(SECONDS)
    assert sorted(offsets) == list(range(100))
    run(producer.close)


def test_error_cb_runs_on_the_loop_that_has_made_the_producer(
    aio: ModuleType, nowhere: str, other_loop: asyncio.AbstractEventLoop
) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def error_cb(_: Any) -> None:
        loops.append(asyncio.get_running_loop())

    async def make() -> Any:
        return aio.AIOProducer({"bootstrap.servers": nowhere, "log_level": 0, "error_cb": error_cb})

    producer = on(other_loop, make)

    async def work() -> None:
        while not loops:
            await producer.poll(0.05)
        await producer.close()

    run(work)
    assert set(loops) == {other_loop}


@pytest.mark.parametrize("ck", [FACE], indirect=True)
@pytest.mark.parametrize("is_cancelled", [False, True], ids=["waits", "given up"])
def test_what_a_closed_loop_has_left_takes_no_room(aio: ModuleType, nowhere: str, is_cancelled: bool) -> None:
    made: list[Any] = []

    async def begin() -> None:
        made.append(aio.AIOProducer({"bootstrap.servers": nowhere, "log_level": 0, "queue.buffering.max.messages": 2}))
        for _ in range(2):
            future = await made[0].produce("t", b"v")
            if is_cancelled:
                future.cancel()

    async def go_on() -> None:
        await asyncio.gather(*(made[0].produce("t", b"v") for _ in range(2)))
        assert len(made[0]) == 2
        await made[0].purge()
        await made[0].close()

    run(begin)
    run(go_on)


@pytest.mark.parametrize("ck", [FACE], indirect=True)
def test_a_message_that_cannot_be_taken_holds_up_no_flush(aio: ModuleType, broker: Broker, topic: str) -> None:
    """The library refuses headers."""

    class Headers(dict[str, bytes]):
        def items(self) -> Any:
            raise LookupError("no headers")

    async def work() -> None:
        async with aio.AIOProducer(config(broker)) as producer:
            with pytest.raises(LookupError, match="no headers"):
                await producer.produce(topic, b"v", headers=Headers(a=b"b"))
            assert len(producer) == 0
            assert await producer.flush() == 0

    run(work)

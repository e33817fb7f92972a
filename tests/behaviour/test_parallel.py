"""Records worked on in parallel by a group's members: in order for each key, committed only when finished."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars import TopicPartition
from kafkars.errors import ClientStateError, ConfigError, HandlerError

from tests.support.clients import Clients, numbers
from tests.support.waiting import SECONDS, eventually

pytestmark = pytest.mark.timeout(90)

PARTITIONS = 4


class Runner:
    """Runs parallel consumers of one flavour, each in a thread, until the end of the test."""

    def __init__(self, clients: Clients) -> None:
        self.clients = clients
        self.topic = clients.broker.new_topic(PARTITIONS)
        self.group_id = f"parallel-{self.topic}"
        self.running: list[Running] = []

    def start(self, handle: Callable[[Any], object], **settings: Any) -> Running:
        given = {
            "bootstrap_servers": self.clients.broker.bootstrap_servers,
            "group_id": self.group_id,
            "auto_offset_reset": "earliest",
            "heartbeat_interval_ms": 200,
            "session_timeout_ms": 10_000,
            "workers": 8,
        }
        kind = SyncRunning if self.clients.api.name == "sync" else AsyncRunning
        running = kind(handle, self.topic, {**given, **settings})
        self.running.append(running)
        return running

    def fill(self, keys: int, each: int) -> list[tuple[bytes, bytes]]:
        """Records of some keys, in turns; answers key and value of each."""
        sent = [(b"key-%d" % key, b"%d" % number) for number in range(each) for key in range(keys)]
        with self.clients.api.Producer(bootstrap_servers=self.clients.broker.bootstrap_servers) as producer:
            for key, value in sent:
                producer.send(self.topic, value, key)
            assert producer.flush(SECONDS) == 0
        return sent

    def committed(self) -> int:
        """Offsets committed by the group, of all partitions together."""
        with self.clients.api.Consumer(
            bootstrap_servers=self.clients.broker.bootstrap_servers, group_id=self.group_id
        ) as consumer:
            found = consumer.committed([(self.topic, partition) for partition in range(PARTITIONS)])
        return sum(position.offset for position in found.values())

    def close(self) -> None:
        for running in self.running:
            running.stop()
        for running in self.running:
            running.ended()


class Running:
    """One parallel consumer at work."""

    consumer: Any

    def __init__(self) -> None:
        self.outcome: Future[None] = Future()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        try:
            self.run_consumer()
        except BaseException as error:  # noqa: BLE001  # handed to the test
            self.outcome.set_exception(error)
        else:
            self.outcome.set_result(None)

    def run_consumer(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        self.consumer.stop()

    def ended(self) -> BaseException | None:
        """What `run()` raised, once it has come to an end."""
        return self.outcome.exception(SECONDS)


class SyncRunning(Running):
    def __init__(self, handle: Callable[[Any], object], topic: str, settings: Any) -> None:
        self.consumer = kafkars.ParallelConsumer(handle, topic, **settings)
        super().__init__()

    def run_consumer(self) -> None:
        self.consumer.run()


class AsyncRunning(Running):
    """The handler blocks where a test wants it to, so it runs in a thread of its own, as such code would."""

    def __init__(self, handle: Callable[[Any], object], topic: str, settings: Any) -> None:
        async def in_a_thread(record: Any) -> None:
            await asyncio.to_thread(handle, record)

        self.consumer = kafkars.aio.ParallelConsumer(in_a_thread, topic, **settings)
        self.loop = asyncio.new_event_loop()
        super().__init__()

    def run_consumer(self) -> None:
        with closing(self.loop):
            self.loop.run_until_complete(self.consumer.run())

    def stop(self) -> None:
        if not self.outcome.done():
            self.loop.call_soon_threadsafe(self.consumer.stop)


@pytest.fixture
def runner(clients: Clients) -> Iterator[Runner]:
    made = Runner(clients)
    yield made
    made.close()


class Collector:
    """A handler that keeps what it got; `holds` makes it wait for records of a choice."""

    def __init__(self, holds: Callable[[Any], bool] = lambda _: False, *, in_order: bool = True) -> None:
        self.holds = holds
        self.in_order = in_order
        self.released = threading.Event()
        self.lock = threading.Lock()
        self.started: list[Any] = []
        self.finished: list[tuple[bytes, bytes]] = []
        self.at_work: dict[bytes, int] = defaultdict(int)
        self.most_at_work = 0

    def __call__(self, record: Any) -> None:
        with self.lock:
            self.started.append(record)
            self.at_work[record.key] += 1
            assert self.at_work[record.key] == 1 or not self.in_order, "two records of one key at a time"
            self.most_at_work = max(self.most_at_work, sum(self.at_work.values()))
        if self.holds(record):
            assert self.released.wait(SECONDS)
        with self.lock:
            self.at_work[record.key] -= 1
            self.finished.append((record.key, record.value))


def test_everything_is_handled_once_in_the_order_of_its_key(runner: Runner) -> None:
    sent = runner.fill(keys=20, each=50)
    collector = Collector()
    running = runner.start(collector)
    eventually(lambda: len(collector.finished) >= len(sent), "everything is handled")
    running.stop()
    assert running.ended() is None
    assert sorted(collector.finished) == sorted(sent)
    for key in {key for key, _ in sent}:
        assert [value for other, value in collector.finished if other == key] == numbers(50)
    assert runner.committed() == len(sent)


def test_one_slow_key_holds_up_neither_the_others_nor_more_than_its_own_commit(runner: Runner) -> None:
    sent = runner.fill(keys=20, each=10)
    collector = Collector(holds=lambda record: (record.key, record.value) == (b"key-3", b"0"))
    running = runner.start(collector, commit_interval=0.05)
    others = [pair for pair in sent if pair[0] != b"key-3"]
    eventually(lambda: len(collector.finished) == len(others), "the other keys are handled")
    (slow,) = (record for record in collector.started if record.key == b"key-3")
    place = TopicPartition(slow.topic, slow.partition)
    with runner.clients.api.Consumer(
        bootstrap_servers=runner.clients.broker.bootstrap_servers, group_id=runner.group_id
    ) as looker:
        look = lambda: looker.committed([(runner.topic, each) for each in range(PARTITIONS)])  # noqa: E731
        eventually(lambda: len(look()) >= PARTITIONS - 1, "the other partitions are committed")
        assert look().get(place, (0,))[0] <= slow.offset
    assert running.consumer.status().oldest > 0
    collector.released.set()
    eventually(lambda: len(collector.finished) == len(sent), "the slow key is handled too")
    running.stop()
    assert running.ended() is None
    assert runner.committed() == len(sent)


def test_what_is_under_way_is_bounded(runner: Runner) -> None:
    sent = runner.fill(keys=100, each=5)
    collector = Collector(holds=lambda _: True, in_order=False)
    running = runner.start(collector, workers=4, max_in_flight=10, ordering="unordered")
    eventually(lambda: running.consumer.status().in_flight == 10, "as much is under way as may be")
    assert collector.most_at_work <= 4
    collector.released.set()
    eventually(lambda: len(collector.finished) == len(sent), "everything is handled")
    assert collector.most_at_work <= 4


def test_a_failing_record_stops_it_and_is_delivered_again(runner: Runner) -> None:
    sent = runner.fill(keys=5, each=4)
    before: list[tuple[bytes, bytes]] = []

    def failing(record: Any) -> None:
        if (record.key, record.value) == (b"key-1", b"2"):
            raise ValueError("not this one")
        before.append((record.key, record.value))

    error = runner.start(failing).ended()
    assert isinstance(error, HandlerError)
    assert (error.record.key, error.record.value) == (b"key-1", b"2")
    assert (error.partition, error.offset) == (error.record.partition, error.record.offset)
    assert isinstance(error.__cause__, ValueError)
    assert "ValueError: not this one" in str(error)

    collector = Collector()
    running = runner.start(collector)
    eventually(lambda: (b"key-1", b"2") in collector.finished, "the record is delivered again")
    eventually(lambda: set(before) | set(collector.finished) == set(sent), "the rest is delivered")
    # What follows the record in its key was not handled before it.
    assert (b"key-1", b"3") not in before
    running.stop()
    assert running.ended() is None
    assert runner.committed() == len(sent)


def test_a_failure_that_is_dealt_with_counts_as_finished(runner: Runner) -> None:
    sent = runner.fill(keys=5, each=4)
    failed: list[tuple[bytes, str]] = []
    finished = []

    def failing(record: Any) -> None:
        if record.value == b"2":
            raise ValueError("not this one")
        finished.append(record)

    running = runner.start(failing, on_error=lambda record, error: failed.append((record.key, str(error))))
    eventually(lambda: len(finished) + len(failed) == len(sent), "everything is handled")
    running.stop()
    assert running.ended() is None
    assert sorted(failed) == [(b"key-%d" % key, "not this one") for key in range(5)]
    assert runner.committed() == len(sent)


@pytest.mark.parametrize("deals_with", [True, False])
def test_a_handler_of_the_other_kind_has_handled_nothing(clients: Clients, topic: str, deals_with: bool) -> None:
    """A coroutine function whose coroutines nobody awaits: all was committed, and nothing handled."""
    with kafkars.Producer(bootstrap_servers=clients.broker.bootstrap_servers) as producer:
        producer.send(topic, b"value")
    dealt_with: list[Any] = []
    settings = {
        "bootstrap_servers": clients.broker.bootstrap_servers,
        "group_id": f"g-{topic}",
        "auto_offset_reset": "earliest",
        "on_error": (lambda *what: dealt_with.append(what)) if deals_with else None,
    }

    async def handle(_: Any) -> None:
        raise AssertionError("nobody awaits this")

    with pytest.raises(TypeError, match="is a coroutine function, and nobody awaits what it returns"):
        kafkars.ParallelConsumer(handle, topic, **settings)
    with pytest.raises(HandlerError, match="coroutine, which nothing awaits: it has not run") as raised:
        kafkars.ParallelConsumer(lambda record: handle(record.value), topic, **settings).run()
    assert isinstance(raised.value.__cause__, TypeError)

    async def run() -> None:
        await kafkars.aio.ParallelConsumer(lambda _: None, topic, **settings).run()  # type: ignore[arg-type,return-value]

    with pytest.raises(HandlerError, match="NoneType, which cannot be awaited"):
        asyncio.run(asyncio.wait_for(run(), SECONDS))
    assert not dealt_with
    with kafkars.Admin(bootstrap_servers=clients.broker.bootstrap_servers) as admin:
        groups = admin.list_group_offsets([f"g-{topic}"])
    assert groups[f"g-{topic}"] == {}


def test_what_cannot_be_called_handles_nothing(clients: Clients) -> None:
    settings = {"bootstrap_servers": clients.broker.bootstrap_servers, "group_id": "g"}
    for made in (kafkars.ParallelConsumer, kafkars.aio.ParallelConsumer):
        with pytest.raises(ConfigError, match="handle: expected a function, not int"):
            made(5, "a", **settings)  # type: ignore[arg-type]


def test_partitions_that_go_are_drained_first(runner: Runner) -> None:
    sent = runner.fill(keys=20, each=20)
    first, second = Collector(), Collector()
    first.holds = lambda _: True
    runner.start(first, workers=2)
    eventually(lambda: len(first.started) == 2, "the first member is at work")
    runner.start(second)
    # The group waits for the first member, which waits for its records.
    threading.Timer(0.3, first.released.set).start()

    def second_has_work() -> bool:
        sent.extend(runner.fill(keys=20, each=1))
        return bool(second.finished)

    eventually(second_has_work, "the second member gets partitions")
    eventually(lambda: len(first.finished) + len(second.finished) >= len(sent), "everything is handled")
    assert sorted(first.finished + second.finished) == sorted(sent)


def test_a_handler_that_hangs_keeps_partitions_no_longer_than_the_drain_timeout(runner: Runner) -> None:
    sent = runner.fill(keys=20, each=5)
    hanging, second = Collector(), Collector()
    hanging.holds = lambda _: True
    first = runner.start(hanging, workers=2, drain_timeout=0.2)
    eventually(lambda: len(hanging.started) == 2, "the first member is at work")
    first.stop()
    assert first.ended() is None
    running = runner.start(second)
    eventually(lambda: len(second.finished) == len(sent), "the second member handles everything")
    hanging.released.set()
    running.stop()
    assert running.ended() is None
    assert runner.committed() == len(sent)


def test_it_runs_once(runner: Runner) -> None:
    running = runner.start(Collector())
    running.stop()
    assert running.ended() is None
    if runner.clients.api.name == "sync":
        with pytest.raises(ClientStateError, match="make another"):
            running.consumer.run()
    else:
        with pytest.raises(ClientStateError, match="make another"):
            asyncio.run(running.consumer.run())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"workers": 0}, "workers: 0 is not a whole number above 0"),
        ({"max_in_flight": 1.5}, "max_in_flight: 1.5 is not a whole number"),
        ({"ordering": "topic"}, "ordering: 'topic' is none of 'key', 'partition', 'unordered'"),
        ({"drain_timeout": -1}, "drain_timeout: -1 is not a number of seconds"),
        ({"drain_timeout": 400}, r"drain_timeout: 400 s is not less than max_poll_interval_ms \(300000 ms\)"),
        ({"group_id": None}, "group_id: missing"),
        ({"enable_auto_commit": True}, "enable_auto_commit: leave it out"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_settings_that_make_no_sense(clients: Clients, settings: dict[str, Any], message: str) -> None:
    given = {"bootstrap_servers": "localhost:9092", "group_id": "g", **settings}
    module = kafkars if clients.api.name == "sync" else kafkars.aio
    with pytest.raises(ConfigError, match=message):
        module.ParallelConsumer(print, "t", **given)

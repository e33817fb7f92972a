"""`MultiProcessConsumer`: processes that are forked or spawned while the engine runs in this one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat.kafka_legacy import KafkaClient, MultiProcessConsumer, SimpleProducer
from kafkars.compat.kafka_legacy.common import KafkaError
from kafkars.compat.kafka_legacy.consumer.multiprocess import Events

from tests.brokers import Broker
from tests.support.waiting import SECONDS, Stopwatch

METHODS = [each for each in ("fork", "spawn") if each in multiprocessing.get_all_start_methods()]


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each way to start a process, as a program would set it."""
    before = multiprocessing.get_start_method()
    multiprocessing.set_start_method(request.param, force=True)
    yield request.param
    multiprocessing.set_start_method(before, force=True)


def fill(client: KafkaClient, topic: str, count: int, partitions: int) -> set[bytes]:
    producer = SimpleProducer(client, random_start=False)
    for partition in range(partitions):
        producer.send_messages(topic, *[b"%d-%d" % (partition, number) for number in range(count)])
    return {b"%d-%d" % (partition, number) for partition in range(partitions) for number in range(count)}


@pytest.mark.usefixtures("method")
def test_processes_share_the_partitions(broker: Broker, client: KafkaClient, group: Any) -> None:
    topic, name = broker.new_topic(partitions=4), group()
    sent = fill(client, topic, 30, 4)
    consumer = MultiProcessConsumer(client, name, topic, num_procs=2, auto_commit_every_n=10, auto_commit_every_t=None)
    assert len(consumer.procs) == 2
    assert repr(consumer).endswith("consumers=2>")
    assert consumer.pending() == 120
    some = consumer.get_messages(count=5, timeout=SECONDS)
    assert len(some) == 5
    others = list(consumer)
    found = [each.message.value for each in some + others]
    assert set(found) == sent
    assert len(found) == 120
    assert consumer.offsets == dict.fromkeys(range(4), 30)
    assert consumer.pending() == 0
    consumer.stop()
    consumer.stop()
    assert not any(process.is_alive() for process in consumer.procs)
    # What was given out is committed, also of the last few.
    later = MultiProcessConsumer(client, name, topic, partitions_per_proc=2)
    assert len(later.procs) == 2
    assert sum(later.offsets.values()) >= 110
    later.stop()


@pytest.mark.usefixtures("method")
def test_calls_one_after_the_other_lose_nothing(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic(partitions=2)
    sent = fill(embedded, topic, 20, 2)
    consumer = MultiProcessConsumer(embedded, group(), topic, num_procs=2, auto_commit=False)
    consumer.provide_partition_info()
    found: list[tuple[int, Any]] = []
    for count in (1, 3, 7, 2, 12, 15):
        some = consumer.get_messages(count=count, timeout=SECONDS)
        assert len(some) == count
        found += some
    assert {message.message.value for _, message in found} == sent
    for partition in (0, 1):
        assert [message.offset for at, message in found if at == partition] == list(range(20))
    with Stopwatch() as watch:
        assert consumer.get_messages(count=1, timeout=0.5) == []
        assert consumer.get_messages(count=1, block=False) == []
    assert 0.5 <= watch.seconds < SECONDS
    consumer.stop()


@pytest.mark.parametrize(
    ("options", "chunks"),
    [
        ({}, [5]),
        ({"num_procs": 2}, [3, 2]),
        ({"partitions_per_proc": 2}, [2, 2, 1]),
        ({"partitions_per_proc": 5}, [5]),
        ({"num_procs": 4, "partitions_per_proc": 3}, [3, 2]),
        ({"partitions": [0, 3], "num_procs": 2}, [1, 1]),
    ],
)
def test_how_partitions_are_shared_out(
    embedded_broker: Broker,
    embedded: KafkaClient,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    chunks: list[int],
) -> None:
    topic = embedded_broker.new_topic(partitions=5)
    given: list[list[int]] = []

    class Process:
        """Is not started."""

        def __init__(self, args: tuple[Any, ...], **_options: Any) -> None:
            given.append(args[-1]["partitions"])

        def start(self) -> None: ...
        def join(self, timeout: float | None = None) -> None: ...
        def terminate(self) -> None: ...

    monkeypatch.setattr(multiprocessing, "Process", Process)
    consumer = MultiProcessConsumer(embedded, None, topic, auto_commit=False, **options)
    assert [len(chunk) for chunk in given] == chunks
    assert sorted(each for chunk in given for each in chunk) == sorted(options.get("partitions", range(5)))
    assert Events._fields == ("start", "pause", "exit")
    consumer.stop()


def test_a_program_that_ends_without_stopping(embedded_broker: Broker, embedded: KafkaClient, tmp_path: Path) -> None:
    topic = embedded_broker.new_topic(partitions=2)
    fill(embedded, topic, 5, 2)
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(f"""
            import multiprocessing
            from kafkars.compat import install
            install("kafka", version="0.9.5")
            from kafka import KafkaClient, MultiProcessConsumer

            if __name__ == "__main__":
                multiprocessing.set_start_method("spawn")
                client = KafkaClient({embedded_broker.bootstrap_servers!r})
                consumer = MultiProcessConsumer(client, b"group", {topic!r}, num_procs=2)
                print(len(consumer.get_messages(count=10, timeout=30)))
        """)
    )
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=50, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "10\n", "")


@pytest.mark.usefixtures("method")
def test_a_process_that_cannot_start_is_told_at_once(
    embedded_broker: Broker, embedded: KafkaClient, group: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    topic = embedded_broker.new_topic(partitions=2)
    fill(embedded, topic, 3, 2)
    # What each process would refuse.
    consumer = MultiProcessConsumer(embedded, group(), topic, num_procs=2, buffer_size=100, max_buffer_size=10)
    with Stopwatch() as watch:
        for _ in range(2):
            with pytest.raises(KafkaError, match=r"has ended.*ValueError: buffer_size"):
                list(consumer)
            with pytest.raises(KafkaError, match=r"has ended.*ValueError: buffer_size"):
                consumer.get_messages(count=1, timeout=None)
        consumer.stop()
    assert watch.seconds < SECONDS
    assert "ValueError" in capfd.readouterr().err


@pytest.mark.usefixtures("method")
def test_a_process_that_is_killed_is_told_of(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic(partitions=2)
    sent = fill(embedded, topic, 5, 2)
    consumer = MultiProcessConsumer(embedded, group(), topic, num_procs=2, auto_commit=False)
    found = {each.message.value for each in consumer.get_messages(count=10, timeout=SECONDS)}
    assert found == sent
    os.kill(consumer.procs[0].pid, signal.SIGKILL)
    with Stopwatch() as watch:
        with pytest.raises(KafkaError, match=r"has ended.*SIGKILL"):
            consumer.get_messages(count=1, timeout=None)
        with pytest.raises(KafkaError, match=r"has ended.*SIGKILL"):
            list(consumer)
        consumer.stop()
    assert watch.seconds < SECONDS
    assert not any(process.is_alive() for process in consumer.procs)


def test_a_constructor_that_fails_leaves_no_process(
    embedded_broker: Broker, embedded: KafkaClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = embedded_broker.new_topic(partitions=2)
    started: list[Any] = []
    start = multiprocessing.Process.start

    def start_one(process: Any) -> None:
        if len(started) == 1:
            raise OSError("no more processes")
        started.append(process)
        start(process)

    monkeypatch.setattr(multiprocessing.Process, "start", start_one)
    with pytest.raises(OSError, match="no more processes"):
        MultiProcessConsumer(embedded, None, topic, num_procs=2, auto_commit=False)
    assert [each.is_alive() for each in started] == [False]

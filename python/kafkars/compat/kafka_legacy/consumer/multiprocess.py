"""A consumer of one topic whose partitions are read by processes of their own (`kafka.consumer.multiprocess`)."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import queue
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kafkars.compat.kafka_legacy.client import KafkaClient
from kafkars.compat.kafka_legacy.common import KafkaError
from kafkars.compat.kafka_legacy.consumer.base import (
    AUTO_COMMIT_INTERVAL,
    AUTO_COMMIT_MSG_COUNT,
    FULL_QUEUE_WAIT_TIME_SECONDS,
    MAX_BACKOFF_SECONDS,
    NO_MESSAGES_WAIT_TIME_SECONDS,
    Consumer,
)
from kafkars.compat.kafka_legacy.consumer.simple import SimpleConsumer

__all__ = ["Events", "MultiProcessConsumer"]

log = logging.getLogger("kafka.consumer.multiprocess")

QUEUE_SIZE = 1024
IDLE_SECONDS = 1
LATE_SECONDS = 5
"""How long an iteration waits for messages that are in the log. Numbers at its end may be of none: markers of
transactions."""
PULSE_SECONDS = 0.5
START_SECONDS = 60
"""How long an iteration waits for processes that are still starting."""


class Events(NamedTuple):
    """What the processes are told: to read, to pause when they have read what was asked for, to end."""

    start: Any
    pause: Any
    exit: Any


def _mp_consume(
    client: KafkaClient,
    group: bytes | None,
    topic: bytes,
    output: Any,
    size: Any,
    events: Events,
    ready: Any,
    options: dict[str, Any],
) -> None:
    """What a process does: reads its partitions when it is told to, and puts messages into a queue."""
    try:
        _consume(client, group, topic, output, size, events, ready, options)
    except (EOFError, ConnectionError, FileNotFoundError) as error:
        # What holds the events went with the process that has begun this one.
        log.debug("the consumer is gone: %r", error)


def _consume(
    client: KafkaClient,
    group: bytes | None,
    topic: bytes,
    output: Any,
    size: Any,
    events: Events,
    ready: Any,
    options: dict[str, Any],
) -> None:
    interval = 1
    told = False
    while not events.exit.is_set():
        try:
            client.reinit()
            consumer = SimpleConsumer(
                client, group, topic, auto_commit=False, auto_commit_every_n=None, auto_commit_every_t=None, **options
            )
            consumer.provide_partition_info()
            if not told:
                told = True
                ready.release()
            _read(consumer, output, size, events)
            consumer.stop()
            client.close()
        except KafkaError as error:  # noqa: PERF203  it is tried again
            log.error("Problem communicating with Kafka (%s), retrying in %d seconds...", error, interval)  # noqa: TRY400
            events.exit.wait(interval)
            interval = min(interval * 2, MAX_BACKOFF_SECONDS)


def _read(consumer: SimpleConsumer, output: Any, size: Any, events: Events) -> None:
    count = 0
    while True:
        if not events.start.is_set():
            count = 0
            events.start.wait()
        if events.exit.is_set():
            return
        message = consumer.get_message()
        if message is None:
            time.sleep(NO_MESSAGES_WAIT_TIME_SECONDS)
            count = 0
            continue
        while not events.exit.is_set():
            try:
                output.put(message, timeout=FULL_QUEUE_WAIT_TIME_SECONDS)
                break
            except queue.Full:
                continue
        count += 1
        if count == size.value:
            # Whoever asked for so many has them; without the pause everything there is would be read.
            events.pause.wait()
            count = 0


class MultiProcessConsumer(Consumer):
    """Reads all partitions of a topic, or some, in several processes, which are made as `multiprocessing` is set to
    make them.

    Offsets are committed by this process, for messages that it has given out.

    Args:
        client: Who asks and commits; each process has a copy.
        group: Under which name offsets are committed; None for no commits.
        topic: What is read.
        partitions: Which partitions; all when none is given.
        auto_commit: Whether offsets are committed without being told to.
        auto_commit_every_n: After how many messages; None for any number.
        auto_commit_every_t: Every how many milliseconds; None for never.
        num_procs: How many processes.
        partitions_per_proc: How many partitions a process has at most, instead.
        **simple_consumer_options: For the `SimpleConsumer` of each process.
    """

    def __init__(
        self,
        client: KafkaClient,
        group: str | bytes | None,
        topic: str | bytes,
        partitions: Sequence[int] | None = None,
        auto_commit: bool = True,
        auto_commit_every_n: int | None = AUTO_COMMIT_MSG_COUNT,
        auto_commit_every_t: float | None = AUTO_COMMIT_INTERVAL,
        num_procs: int = 1,
        partitions_per_proc: int = 0,
        **simple_consumer_options: Any,
    ) -> None:
        super().__init__(
            client,
            group,
            topic,
            partitions=partitions,
            auto_commit=auto_commit,
            auto_commit_every_n=auto_commit_every_n,
            auto_commit_every_t=auto_commit_every_t,
        )
        self._manager = multiprocessing.Manager()
        self.queue = self._manager.Queue(QUEUE_SIZE)
        self.events = Events(start=self._manager.Event(), pause=self._manager.Event(), exit=self._manager.Event())
        self.size = self._manager.Value("i", 0)
        self._ready = self._manager.Semaphore(0)
        self._starting = 0
        self._stopped = False
        wanted = list(self.offsets)
        if partitions_per_proc:
            num_procs = -(-len(wanted) // partitions_per_proc)
        simple_consumer_options.pop("partitions", None)
        self.procs = []
        for number in range(num_procs):
            options = {"partitions": wanted[number::num_procs], **simple_consumer_options}
            arguments = (
                client.copy(),
                self.group,
                self.topic,
                self.queue,
                self.size,
                self.events,
                self._ready,
                options,
            )
            process = multiprocessing.Process(target=_mp_consume, args=arguments, daemon=True)
            process.start()
            self.procs.append(process)
            self._starting += 1

    def __repr__(self) -> str:
        return f"<MultiProcessConsumer group={self.group!r}, topic={self.topic!r}, consumers={len(self.procs)}>"

    def stop(self) -> None:
        """Ends the processes, and commits as `Consumer.stop` does. What they have read and nobody has got is not
        committed.
        """
        if self._stopped:
            return
        self._stopped = True
        # At the end of the program what holds the events may be gone already; the processes end with this one then.
        with contextlib.suppress(OSError, EOFError):
            for event in (self.events.exit, self.events.pause, self.events.start):
                event.set()
        for process in self.procs:
            process.join(START_SECONDS)
            process.terminate()
            process.join()
        super().stop()
        self._manager.shutdown()

    def __iter__(self) -> Iterator[Any]:
        """Messages, until none has come for a second."""
        self.size.value = 0
        self.events.pause.set()
        self._await_processes(START_SECONDS)
        limit = time.monotonic() + LATE_SECONDS
        while True:
            self.events.start.set()
            try:
                partition, message = self.queue.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                if time.monotonic() < limit and self._is_more_there():
                    continue
                break
            limit = time.monotonic() + LATE_SECONDS
            self.offsets[partition] = message.offset + 1
            self.events.start.clear()
            self.count_since_commit += 1
            self._auto_commit()
            yield message
        self.events.start.clear()

    def get_messages(self, count: int = 1, block: bool | int = True, timeout: float | None = 10) -> list[Any]:
        """Messages. The processes read more than is asked for, which later calls get.

        Args:
            count: At most so many.
            block: Whether to wait for all of them; a number waits for so many.
            timeout: For how many seconds; None for ever.
        """
        end = None if timeout is None else time.monotonic() + timeout
        self.size.value = count
        self.events.pause.clear()
        messages: list[Any] = []
        offsets: dict[int, int] = {}
        while len(messages) < count:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                break
            if self.queue.empty():
                self.events.start.set()
            wait = block is True or (block is not False and block > len(messages))
            try:
                partition, message = self.queue.get(wait, PULSE_SECONDS if left is None else min(left, PULSE_SECONDS))
            except queue.Empty:
                if not wait:
                    break
                # A process that counts from the call before pauses too soon.
                self.events.pause.set()
                self.events.pause.clear()
                continue
            messages.append((partition, message) if self.partition_info else message)
            offsets[partition] = message.offset + 1
        self.size.value = 0
        self.events.start.clear()
        self.events.pause.set()
        self.offsets.update(offsets)
        self.count_since_commit += len(messages)
        self._auto_commit()
        return messages

    def _is_more_there(self) -> bool:
        """Whether the log has messages that were not given out: then the processes are slow, and not idle."""
        try:
            return self.pending() > 0
        except KafkaError:
            return False

    def _await_processes(self, seconds: float) -> None:
        """Waits until each process can read, so that the second without messages is not the one in which they start."""
        end = time.monotonic() + seconds
        while self._starting and self._ready.acquire(True, max(0.0, end - time.monotonic())):
            self._starting -= 1

"""A consumer of one topic whose partitions are read by processes of their own (`kafka.consumer.multiprocess`)."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import queue
import signal
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
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
STOP_SECONDS = 5
"""How long `stop()` waits for a process that does not answer, before it ends it: it has nothing that would be lost."""


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
    """What a process does: reads its partitions when it is told to, and puts messages into a queue.

    Through `ready` it tells that it can read (None), and what ends it (text).
    """
    try:
        _consume(client, group, topic, output, size, events, ready, options)
    except (EOFError, ConnectionError, FileNotFoundError) as error:
        # What holds the events went with the process that has begun this one.
        log.debug("the consumer is gone: %r", error)
    except BaseException as error:
        with contextlib.suppress(OSError):
            ready.send(f"{type(error).__name__}: {error}")
        raise


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
                ready.send(None)
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
        self._stopped = False
        wanted = list(self.offsets)
        if partitions_per_proc:
            num_procs = -(-len(wanted) // partitions_per_proc)
        simple_consumer_options.pop("partitions", None)
        self.procs: list[Any] = []
        # What each process says of itself, and which have not said yet that they can read.
        self._told: list[Any] = []
        self._starting: set[Any] = set()
        self._causes: dict[Any, str] = {}
        self._looked = time.monotonic()
        try:
            for number in range(num_procs):
                self._start({"partitions": wanted[number::num_procs], **simple_consumer_options})
        except BaseException:
            self.stop()
            raise

    def _start(self, options: dict[str, Any]) -> None:
        told, telling = multiprocessing.Pipe(duplex=False)
        self._told.append(told)
        self._starting.add(told)
        arguments = (
            self.client.copy(),
            self.group,
            self.topic,
            self.queue,
            self.size,
            self.events,
            telling,
            options,
        )
        process = multiprocessing.Process(target=_mp_consume, args=arguments, daemon=True)
        try:
            process.start()
        finally:
            telling.close()
        self.procs.append(process)

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
            process.join(STOP_SECONDS)
            process.terminate()
            process.join()
        for each in self._told:
            each.close()
        super().stop()
        self._manager.shutdown()

    def __iter__(self) -> Iterator[Any]:
        """Messages, until none has come for a second.

        Raises:
            KafkaError: A process has ended, which nobody told it to; the error says why. Its partitions would be left
                out.
        """
        self.size.value = 0
        self.events.pause.set()
        self._await_processes(START_SECONDS)
        limit = time.monotonic() + LATE_SECONDS
        while True:
            self.events.start.set()
            try:
                partition, message = self.queue.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                self._check_processes()
                if time.monotonic() < limit and self._is_more_there():
                    continue
                break
            limit = time.monotonic() + LATE_SECONDS
            self.offsets[partition] = message.offset + 1
            self.events.start.clear()
            self.count_since_commit += 1
            self._auto_commit()
            yield message
            if time.monotonic() > self._looked + PULSE_SECONDS:
                self._check_processes()
        self.events.start.clear()

    def get_messages(self, count: int = 1, block: bool | int = True, timeout: float | None = 10) -> list[Any]:
        """Messages. The processes read more than is asked for, which later calls get.

        Args:
            count: At most so many.
            block: Whether to wait for all of them; a number waits for so many.
            timeout: For how many seconds; None for ever.

        Raises:
            KafkaError: A process has ended, as of an iteration. A call that has messages returns them; the next one
                raises.
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
                if not messages:
                    self._check_processes()
                elif self._is_one_dead():
                    break
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
        """True if the log has messages that were not given out: then the processes are slow, and not idle."""
        try:
            return self.pending() > 0
        except KafkaError:
            return False

    def _await_processes(self, seconds: float) -> None:
        """Waits until each process can read, so that the second without messages is not the one in which they start.

        Raises:
            KafkaError: One of them has ended instead.
        """
        end = time.monotonic() + seconds
        while self._starting:
            heard = wait([*self._starting, *(each.sentinel for each in self.procs)], max(0.0, end - time.monotonic()))
            if not heard:
                return
            self._check_processes()

    def _check_processes(self) -> None:
        """Tells of a process that has ended: its partitions are not read any more.

        Raises:
            KafkaError: There is one.
        """
        self._looked = time.monotonic()
        for process, told in zip(self.procs, self._told, strict=True):
            code = process.exitcode
            self._hear(told)
            if code is not None and not self._stopped:
                cause = self._causes.get(told) or _end_of(code)
                raise KafkaError(f"a process of {self!r} has ended, and its partitions are not read any more: {cause}")

    def _is_one_dead(self) -> bool:
        return any(each.exitcode is not None for each in self.procs)

    def _hear(self, told: Any) -> None:
        """Takes what a process has said of itself."""
        with contextlib.suppress(OSError, EOFError):
            while told.poll():
                said = told.recv()
                self._starting.discard(told)
                if said is not None:
                    self._causes[told] = said


def _end_of(code: int) -> str:
    """How a process has ended that did not say why."""
    if code >= 0:
        return f"exit code {code}; what it wrote to the standard error output says more"
    with contextlib.suppress(ValueError):
        return f"ended by {signal.Signals(-code).name}"
    return f"ended by signal {-code}"

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
"""Seconds for which an iteration waits for messages that the log has. Its last offsets may be no messages but markers
of
transactions."""
PULSE_SECONDS = 0.5
START_SECONDS = 60
"""Seconds for which an iteration waits for processes that are starting."""
STOP_SECONDS = 5
"""Seconds for which `stop()` waits for a process before it kills it, which loses nothing."""


class Events(NamedTuple):
    """Signals to the processes: to read, to pause after the requested number of messages, to end."""

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
    """The main function of a process: reads its partitions when it is told to, and puts the messages into a queue.

    Sends None through `ready` when it can read, and text when it ends with an error.
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
    """Reads all partitions of a topic, or some, in several processes, which `multiprocessing` starts by its current
    start method.

    This process commits, and only offsets of messages that it has returned.

    Args:
        client: The `KafkaClient` for requests and commits; each process gets a copy.
        group: The group of committed offsets; None for no commits.
        topic: The topic.
        partitions: The partitions; None for all.
        auto_commit: True commits automatically.
        auto_commit_every_n: Messages between automatic commits; None for no such number.
        auto_commit_every_t: Milliseconds between automatic commits; None for no such interval.
        num_procs: The number of processes.
        partitions_per_proc: The limit of partitions for each process, in place of `num_procs`.
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
        # The messages of each process about itself, and the processes that are still starting.
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
        """Ends the processes, and commits as `Consumer.stop` does. Messages that they have read and nobody got are not
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
        """Iterates over messages until none has come for a second.

        Raises:
            KafkaError: A process has ended with an error, which the message tells; its partitions would be left
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
        """Returns messages. The processes read ahead; later calls get the rest.

        Args:
            count: The largest number of messages.
            block: True waits for `count` messages; a number waits for so many.
            timeout: Time limit in seconds; None for none.

        Raises:
            KafkaError: A process has ended with an error. A call that has messages returns them; the next one
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
                # A process that still counts for the previous call would pause too soon.
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
        """True if the log has messages that were not returned yet: the processes are slow, and not idle."""
        try:
            return self.pending() > 0
        except KafkaError:
            return False

    def _await_processes(self, seconds: float) -> None:
        """Waits until each process can read, so that the second without messages is not the one in which they start.

        Raises:
            KafkaError: A process has ended instead.
        """
        end = time.monotonic() + seconds
        while self._starting:
            heard = wait([*self._starting, *(each.sentinel for each in self.procs)], max(0.0, end - time.monotonic()))
            if not heard:
                return
            self._check_processes()

    def _check_processes(self) -> None:
        """Raises if a process has ended, because its partitions are not read any more.

        Raises:
            KafkaError: A process has ended.
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
        """Handles a message of a process about itself."""
        with contextlib.suppress(OSError, EOFError):
            while told.poll():
                said = told.recv()
                self._starting.discard(told)
                if said is not None:
                    self._causes[told] = said


def _end_of(code: int) -> str:
    """Returns the text for the exit code of a process that ended without a message."""
    if code >= 0:
        return f"exit code {code}; what it wrote to the standard error output says more"
    with contextlib.suppress(ValueError):
        return f"ended by {signal.Signals(-code).name}"
    return f"ended by signal {-code}"

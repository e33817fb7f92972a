"""The thread of an asynchronous producer: it collects messages, sends them in batches, and retries."""

from __future__ import annotations

import logging
import time
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue, SimpleQueue
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from kafkars.compat.kafka_legacy._messages import CODEC_NONE, MessageSet
from kafkars.compat.kafka_legacy.common import (
    RETRY_BACKOFF_ERROR_TYPES,
    RETRY_ERROR_TYPES,
    RETRY_REFRESH_ERROR_TYPES,
    FailedPayloadsError,
    KafkaError,
    Message,
    ProduceRequest,
    RequestTimedOutError,
    RetryOptions,
    TopicAndPartition,
    UnknownError,
    kafka_errors,
)
from kafkars.compat.kafka_legacy.producer._limits import LONGEST
from kafkars.compat.kafka_legacy.protocol import create_message

if TYPE_CHECKING:
    from kafkars.compat.kafka_legacy.client import KafkaClient

log = logging.getLogger("kafka.producer")

STOP_ASYNC_PRODUCER = -1
"""An entry of the queue, in place of a partition, that wakes the thread so that it ends."""

Waiting = tuple[TopicAndPartition, bytes | None, bytes | None]
"""An entry of the queue: partition, value, key."""


@dataclass(frozen=True)
class Sending:
    """The settings of an asynchronous producer."""

    codec: int
    codec_compresslevel: int | None
    batch_time: float
    batch_size: int
    req_acks: int
    ack_timeout: int
    retry: RetryOptions
    log_messages_on_error: bool
    stop_timeout: float


class ThreadEnd:
    """The state of the thread's end, which the program and the thread share."""

    def __init__(self) -> None:
        self.cause: BaseException | None = None
        """The exception that has ended the thread prematurely."""
        self.deadline: float | None = None
        """The time on the monotonic clock until which waiting messages are sent; None while the thread is not to
        end."""
        self.is_over = False
        """True if no thread takes messages out of the queue any more."""
        self._lock = Lock()
        self._unsent: list[Any] = []

    def check(self) -> None:
        """Checks that the thread has not ended.

        Raises:
            KafkaError: The thread has ended; messages may be unsent.
        """
        if self.cause is not None:
            raise KafkaError(
                f"the thread of the asynchronous producer has ended, and messages may be unsent: {self.cause!r}"
            ) from self.cause

    def left_in(self, queue: Queue[Any] | SimpleQueue[Any]) -> Sequence[Any]:
        """Returns the entries that are left in the queue after the end of the thread, for whoever put one in later."""
        with self._lock:
            with suppress(Empty):
                while True:
                    found = queue.get_nowait()
                    if found[0] != STOP_ASYNC_PRODUCER:
                        self._unsent.append(found)
            return self._unsent


@dataclass
class Attempt:
    """Requests that have failed together, with the number of attempts of each, and the time of their retry."""

    tries: dict[ProduceRequest, int]
    due: float


def message_set(
    pairs: Sequence[tuple[bytes | None, bytes | None]], codec: int, level: int | None
) -> tuple[Message, ...]:
    """Creates messages from values and keys, which kafkars compresses if a codec is given."""
    messages = [create_message(value, key) for value, key in pairs]
    return tuple(messages) if codec == CODEC_NONE else MessageSet(messages, codec, level)


class Upstream:
    """Empties a queue of (partition, value, key) into a cluster, until it is told to stop.

    Failed requests are retried after a pause. Meanwhile messages of other partitions are sent; those of the same
    partition wait, so that they are stored in their order.

    Args:
        queue: The messages.
        client: The client, which nobody else uses.
        stop: Set to end the thread, which ends when nothing is left, or `stop_timeout` later.
        sending: The settings.
        fate: The shared state of the thread's end.
    """

    def __init__(
        self,
        queue: Queue[Any] | SimpleQueue[Any],
        client: KafkaClient,
        stop: Event,
        sending: Sending,
        fate: ThreadEnd | None = None,
    ) -> None:
        self._queue = queue
        self._client = client
        self._stop = stop
        self._how = sending
        self._fate = ThreadEnd() if fate is None else fate
        # Taken out of the queue: messages for the next batch, and those that wait for a failed request of their
        # partition.
        self._taken: list[Waiting] = []
        self._behind: dict[TopicAndPartition, deque[Waiting]] = {}
        self._batch_end: float | None = None
        self._again: list[Attempt] = []

    def run(self) -> None:
        """Sends until the thread is to end."""
        self._connect()
        while not (self._stop.is_set() and self._queue.empty() and not self.unsent()):
            if self._left() <= 0:
                log.debug("Async producer stopping due to stop_timeout")
                break
            requests = self._collect()
            if requests:
                self._send(dict.fromkeys(requests, 0))
            for attempt in [each for each in self._again if each.due <= time.monotonic()]:
                if self._left() > 0:
                    self._again.remove(attempt)
                    self._send(attempt.tries)
        self._client.close()

    def unsent(self) -> Counter[TopicAndPartition]:
        """Returns the number of messages by partition that were taken and not sent, as far as is known: a response may
        be lost.
        """
        found = Counter(place for place, _, _ in self._taken)
        for place, behind in self._behind.items():
            found[place] += len(behind)
        for attempt in self._again:
            for request in attempt.tries:
                found[TopicAndPartition(*request[:2])] += len(request.messages)
        return +found

    def _left(self) -> float:
        """Returns the seconds left when the thread is to end, else `LONGEST`."""
        if not self._stop.is_set():
            return LONGEST
        if self._fate.deadline is None:
            self._fate.deadline = time.monotonic() + self._how.stop_timeout
        return self._fate.deadline - time.monotonic()

    def _connect(self) -> None:
        """Connects, with retries; messages can wait."""
        while not self._stop.is_set():
            try:
                self._client.reinit()
            except Exception:  # noqa: BLE001, PERF203  whatever it is, it may pass
                log.warning(
                    "Async producer failed to connect to brokers; backoff for %s(ms) before retrying",
                    self._how.retry.backoff_ms,
                )
                self._stop.wait(self._how.retry.backoff_ms / 1000)
            else:
                return

    def _collect(self) -> list[ProduceRequest]:
        """Collects a batch: a number of messages, or those of a number of seconds; returns early if a retry is due."""
        if self._batch_end is None:
            self._batch_end = time.monotonic() + self._how.batch_time
        due = min((each.due for each in self._again), default=self._batch_end)
        until = min(self._batch_end, due)
        self._take_what_is_free()
        while len(self._taken) < self._how.batch_size:
            left = until - time.monotonic()
            if self._behind and not self._has_room():
                self._pause(left)
                break
            try:
                # At the end it takes the messages that are there, without waiting.
                found: Any = self._queue.get(block=left > 0 and not self._stop.is_set(), timeout=max(left, 0))
            except Empty:
                break
            if found[0] == STOP_ASYNC_PRODUCER:
                self._stop.set()
                break
            self._place(found)
        if self._stop.is_set() and not self._taken:
            self._pause(due - time.monotonic() if self._again else 0)
        is_whole = len(self._taken) >= self._how.batch_size or self._stop.is_set()
        return self._batch() if is_whole or time.monotonic() >= self._batch_end else []

    def _batch(self) -> list[ProduceRequest]:
        """Returns the requests for the messages that were taken."""
        waiting: dict[TopicAndPartition, list[tuple[bytes | None, bytes | None]]] = defaultdict(list)
        for place, value, key in self._taken:
            waiting[place].append((value, key))
        self._taken, self._batch_end = [], None
        how = self._how
        return [
            ProduceRequest(place.topic, place.partition, message_set(pairs, how.codec, how.codec_compresslevel))
            for place, pairs in waiting.items()
        ]

    def _has_room(self) -> bool:
        """True if more messages may be taken: with a limited queue, as many may wait here behind failures."""
        limit = getattr(self._queue, "maxsize", 0)
        return limit <= 0 or sum(len(each) for each in self._behind.values()) < limit

    def _place(self, found: Waiting) -> None:
        # Quick for the usual case that nothing has failed, because it runs for each message.
        behind = self._behind.get(found[0]) if self._behind else None
        (self._taken if behind is None else behind).append(found)

    def _take_what_is_free(self) -> None:
        """Takes waiting messages whose partition has no failed request any more."""
        failed = {TopicAndPartition(*each[:2]) for attempt in self._again for each in attempt.tries}
        for place in [each for each in self._behind if each not in failed]:
            behind = self._behind[place]
            while behind and len(self._taken) < self._how.batch_size:
                self._taken.append(behind.popleft())
            if not behind:
                del self._behind[place]

    def _send(self, requests: dict[ProduceRequest, int]) -> None:
        """Sends requests, and keeps those that are to be retried."""
        failures = self._failures(list(requests))
        for request, kind in failures.items():
            log.error("%s sending to %s:%d with msgs %s", kind.__name__, *request[:2], self._told(request))
        again = {request: kind for request, kind in failures.items() if self._is_repeated(kind)}
        limit = self._how.retry.limit
        tries = {each: requests[each] + 1 for each in again if limit is None or requests[each] < limit}
        self._refresh(list(again.values()))
        for request in tries:
            log.info("Retrying ProduceRequest to %s:%d with msgs %s", *request[:2], self._told(request))
            self._behind.setdefault(TopicAndPartition(*request[:2]), deque())
        if tries:
            self._again.append(Attempt(tries, time.monotonic() + self._backoff(list(again.values()))))

    def _failures(self, sent: Sequence[ProduceRequest]) -> dict[ProduceRequest, type[KafkaError]]:
        """Sends requests, and returns the failures."""
        try:
            answers: Sequence[Any] = self._client.send_produce_request(
                sent, acks=self._how.req_acks, timeout=self._how.ack_timeout, fail_on_error=False
            )
        except KafkaError as error:
            # A partition has no leader: nothing was sent, and the others are sent without it.
            if len(sent) == 1:
                return {sent[0]: type(error)}
            return {each: kind for one in sent for each, kind in self._failures([one]).items()}
        except Exception:
            log.exception("Async producer cannot send")
            return dict.fromkeys(sent, UnknownError)
        return dict(_failures(sent, answers))

    def _is_repeated(self, kind: type[KafkaError]) -> bool:
        if issubclass(kind, RequestTimedOutError):
            return self._how.retry.retry_on_timeouts
        return issubclass(kind, RETRY_ERROR_TYPES)

    def _backoff(self, kinds: Sequence[type[KafkaError]]) -> float:
        """Returns the seconds until failed requests are retried."""
        if not any(issubclass(kind, RETRY_BACKOFF_ERROR_TYPES) for kind in kinds) or not self._how.retry.backoff_ms:
            return 0.0
        log.warning("Async producer backoff for %s(ms) before retrying", self._how.retry.backoff_ms)
        return self._how.retry.backoff_ms / 1000

    def _refresh(self, kinds: Sequence[type[KafkaError]]) -> None:
        """Fetches metadata, if a failure calls for it."""
        if any(issubclass(kind, RETRY_REFRESH_ERROR_TYPES) for kind in kinds):
            log.warning("Async producer forcing metadata refresh metadata before retrying")
            try:
                self._client.load_metadata_for_topics()
            except Exception:
                log.exception("Async producer couldn't reload topic metadata.")

    def _pause(self, seconds: float) -> None:
        if self._stop.is_set():
            time.sleep(max(0.0, min(seconds, self._left())))
        else:
            self._stop.wait(max(0.0, seconds))

    def _told(self, request: ProduceRequest) -> object:
        """Returns what the log shows of a request's messages."""
        return request.messages if self._how.log_messages_on_error else hash(tuple(request.messages))


def _failures(sent: Sequence[ProduceRequest], answers: Sequence[Any]) -> list[tuple[ProduceRequest, type[KafkaError]]]:
    found: list[tuple[ProduceRequest, type[KafkaError]]] = []
    for number, answer in enumerate(answers):
        if isinstance(answer, FailedPayloadsError):
            found.append((sent[number], FailedPayloadsError))
        elif getattr(answer, "error", 0):
            found.append((sent[number], kafka_errors.get(answer.error, UnknownError)))
    return found

"""What an asynchronous producer's thread does: collects messages, sends them in batches, tries again."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Event
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
from kafkars.compat.kafka_legacy.protocol import create_message

if TYPE_CHECKING:
    from kafkars.compat.kafka_legacy.client import KafkaClient

log = logging.getLogger("kafka.producer")

STOP_ASYNC_PRODUCER = -1
"""What is put into the queue in the place of a partition to wake the thread for its end."""


@dataclass(frozen=True)
class Sending:
    """How an asynchronous producer sends."""

    codec: int
    codec_compresslevel: int | None
    batch_time: float
    batch_size: int
    req_acks: int
    ack_timeout: int
    retry: RetryOptions
    log_messages_on_error: bool
    stop_timeout: float


def message_set(
    pairs: Sequence[tuple[bytes | None, bytes | None]], codec: int, level: int | None
) -> tuple[Message, ...]:
    """Messages of values and keys, which the engine compresses where a codec is given."""
    messages = [create_message(value, key) for value, key in pairs]
    return tuple(messages) if codec == CODEC_NONE else MessageSet(messages, codec, level)


class Upstream:
    """Empties a queue of (partition, value, key) into a cluster, until it is told to stop.

    Args:
        queue: What is sent.
        client: Who sends it; nobody else uses it.
        stop: Set by whoever wants the thread to end, which it does when the queue is empty, or `stop_timeout` later.
        sending: How.
    """

    def __init__(self, queue: Queue[Any], client: KafkaClient, stop: Event, sending: Sending) -> None:
        self._queue = queue
        self._client = client
        self._stop = stop
        self._how = sending
        # Requests that have failed, and how often.
        self._again: dict[ProduceRequest, int] = {}

    def run(self) -> None:
        """Sends until the end."""
        self._connect()
        limit: float | None = None
        while not (self._stop.is_set() and self._queue.empty() and not self._again):
            if self._stop.is_set():
                limit = time.monotonic() + self._how.stop_timeout if limit is None else limit
                if time.monotonic() > limit:
                    log.debug("Async producer stopping due to stop_timeout")
                    break
            requests = self._again or dict.fromkeys(self._collect(), 0)
            if requests:
                self._send(requests)
        self._client.close()
        unsent = len(self._again) + self._queue.qsize()
        if unsent:
            log.error("Stopped producer with %d unsent messages", unsent)

    def _connect(self) -> None:
        """Goes on trying; what has to be sent can wait."""
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
        """Waits for a batch: so many messages, or those of so many seconds."""
        end = time.monotonic() + self._how.batch_time
        waiting: dict[TopicAndPartition, list[tuple[bytes | None, bytes | None]]] = defaultdict(list)
        for _ in range(self._how.batch_size):
            left = end - time.monotonic()
            try:
                # What is there is taken at the end, too, but nothing is waited for.
                place, value, key = self._queue.get(block=left > 0 and not self._stop.is_set(), timeout=max(left, 0))
            except Empty:
                break
            if place == STOP_ASYNC_PRODUCER:
                self._stop.set()
                break
            waiting[place].append((value, key))
        how = self._how
        return [
            ProduceRequest(place.topic, place.partition, message_set(pairs, how.codec, how.codec_compresslevel))
            for place, pairs in waiting.items()
        ]

    def _send(self, requests: dict[ProduceRequest, int]) -> None:
        """Sends, and keeps what is to be sent again."""
        failures = self._failures(list(requests))
        for request, kind in failures.items():
            log.error("%s sending to %s:%d with msgs %s", kind.__name__, *request[:2], self._told(request))
        again = {request: kind for request, kind in failures.items() if self._is_repeated(kind)}
        limit = self._how.retry.limit
        self._again = {each: requests[each] + 1 for each in again if limit is None or requests[each] < limit}
        self._prepare(list(again.values()))
        for request in self._again:
            log.info("Retrying ProduceRequest to %s:%d with msgs %s", *request[:2], self._told(request))

    def _failures(self, sent: Sequence[ProduceRequest]) -> dict[ProduceRequest, type[KafkaError]]:
        """Sends, and tells what went wrong."""
        try:
            answers: Sequence[Any] = self._client.send_produce_request(
                sent, acks=self._how.req_acks, timeout=self._how.ack_timeout, fail_on_error=False
            )
        except KafkaError as error:
            # Nobody leads one of the partitions: nothing was sent, and the others can do without it.
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

    def _prepare(self, kinds: Sequence[type[KafkaError]]) -> None:
        """Waits and asks who leads, as the failures want it."""
        if any(issubclass(kind, RETRY_BACKOFF_ERROR_TYPES) for kind in kinds) and self._how.retry.backoff_ms:
            log.warning("Async producer backoff for %s(ms) before retrying", self._how.retry.backoff_ms)
            time.sleep(self._how.retry.backoff_ms / 1000)
        if any(issubclass(kind, RETRY_REFRESH_ERROR_TYPES) for kind in kinds):
            log.warning("Async producer forcing metadata refresh metadata before retrying")
            try:
                self._client.load_metadata_for_topics()
            except Exception:
                log.exception("Async producer couldn't reload topic metadata.")

    def _told(self, request: ProduceRequest) -> object:
        """What the log may say of messages."""
        return request.messages if self._how.log_messages_on_error else hash(tuple(request.messages))


def _failures(sent: Sequence[ProduceRequest], answers: Sequence[Any]) -> list[tuple[ProduceRequest, type[KafkaError]]]:
    found: list[tuple[ProduceRequest, type[KafkaError]]] = []
    for number, answer in enumerate(answers):
        if isinstance(answer, FailedPayloadsError):
            found.append((sent[number], FailedPayloadsError))
        elif getattr(answer, "error", 0):
            found.append((sent[number], kafka_errors.get(answer.error, UnknownError)))
    return found

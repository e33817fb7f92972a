"""The base of both producers (`kafka.producer.base`)."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from queue import Full, Queue, SimpleQueue
from threading import Event, Thread
from typing import Any

from kafkars.compat.kafka_legacy.client import KafkaClient
from kafkars.compat.kafka_legacy.common import (
    AsyncProducerQueueFull,
    KafkaError,
    ProduceRequest,
    RetryOptions,
    TopicAndPartition,
    UnsupportedCodecError,
)
from kafkars.compat.kafka_legacy.producer._limits import count, seconds
from kafkars.compat.kafka_legacy.producer._upstream import (
    STOP_ASYNC_PRODUCER,
    Sending,
    ThreadEnd,
    Upstream,
    message_set,
)
from kafkars.compat.kafka_legacy.protocol import ALL_CODECS, CODEC_NONE
from kafkars.compat.kafka_legacy.util import kafka_bytestring

__all__ = ["Producer"]

log = logging.getLogger("kafka.producer")

BATCH_SEND_DEFAULT_INTERVAL = 20
BATCH_SEND_MSG_COUNT = 20
ASYNC_QUEUE_MAXSIZE = 0
ASYNC_QUEUE_PUT_TIMEOUT = 0
ASYNC_RETRY_LIMIT = None
ASYNC_RETRY_BACKOFF_MS = 100
ASYNC_RETRY_ON_TIMEOUTS = True
ASYNC_LOG_MESSAGES_ON_ERROR = True
ASYNC_STOP_TIMEOUT_SECS = 30
SYNC_FAIL_ON_ERROR_DEFAULT = True
LAST_RESPONSE_SECONDS = 0.25
"""Seconds beyond its limit for which `stop()` waits for the response of a request that is under way."""
GIVING_UP_SECONDS = 5.0
"""Seconds for a thread to end after its requests were given up."""


class Unlimited(SimpleQueue[Any]):
    """A queue without a limit: it costs a tenth of a `Queue`, and has the same methods."""

    maxsize = 0

    def full(self) -> bool:
        """False: it is never full."""
        return False


def _send_upstream(
    queue: Queue[Any] | Unlimited,
    client: KafkaClient,
    codec: int,
    batch_time: float,
    batch_size: int,
    req_acks: int,
    ack_timeout: int,
    retry_options: RetryOptions,
    stop_event: Event,
    log_messages_on_error: bool = ASYNC_LOG_MESSAGES_ON_ERROR,
    stop_timeout: float = ASYNC_STOP_TIMEOUT_SECS,
    codec_compresslevel: int | None = None,
    fate: ThreadEnd | None = None,
) -> None:
    """Sends the messages of a queue until it is told to stop: the thread of an asynchronous producer."""
    sending = Sending(
        codec=codec,
        codec_compresslevel=codec_compresslevel,
        batch_time=batch_time,
        batch_size=batch_size,
        req_acks=req_acks,
        ack_timeout=ack_timeout,
        retry=retry_options,
        log_messages_on_error=log_messages_on_error,
        stop_timeout=stop_timeout,
    )
    end = ThreadEnd() if fate is None else fate
    upstream = Upstream(queue, client, stop_event, sending, end)
    try:
        upstream.run()
    except BaseException as error:
        log.exception("Async producer ended with %d messages waiting", queue.qsize())
        if fate is None:
            raise
        end.cause = error
    finally:
        end.is_over = True
        unsent = upstream.unsent() + Counter(each[0] for each in end.left_in(queue))
        if unsent:
            places = ", ".join(f"{count} for {place.topic!r}:{place.partition}" for place, count in unsent.items())
            log.error("Stopped producer with %d unsent messages: %s", unsent.total(), places)


class Producer:
    """Sends messages to partitions that the caller names.

    Synchronously: a call returns when its messages are stored. Asynchronously: it returns at once, and a thread with a
    copy of the client sends batches. `async` is a keyword of Python now; it is given as `async_`, or as
    `**{"async": True}`, or in its place among the arguments.

    Args:
        client: The `KafkaClient`.
        req_acks: Required acknowledgements: `ACK_NOT_REQUIRED`, `ACK_AFTER_LOCAL_WRITE` or `ACK_AFTER_CLUSTER_COMMIT`.
        ack_timeout: Ignored.
        codec: `CODEC_NONE`, `CODEC_GZIP` or `CODEC_SNAPPY` of `kafka.protocol`.
        codec_compresslevel: 1 to 9 for gzip; None for 9.
        sync_fail_on_error: True raises the failure of a synchronous call; False returns it.
        async_: True sends asynchronously.
        batch_send: The older name of `async_`.
        batch_send_every_n: The number of messages in a batch, if asynchronous.
        batch_send_every_t: The seconds after which an incomplete batch is sent, if asynchronous.
        async_retry_limit: The number of retries of a failed batch; None for no limit.
        async_retry_backoff_ms: Milliseconds before a retry.
        async_retry_on_timeouts: True retries after a `RequestTimedOutError`, too.
        async_queue_maxsize: The limit of waiting messages; 0 for none.
        async_queue_put_timeout: Seconds that a call waits for room; 0 does not wait, None has no limit.
        async_log_messages_on_error: True logs failed messages; False a hash that tells them apart.
        async_stop_timeout: Seconds for which `stop()` keeps sending; None for no limit.
        **options: `async`, in place of `async_`.

    Raises:
        UnsupportedCodecError: The codec is unknown.
        AssertionError: A limit of the asynchronous producer is not positive.
        TypeError, ValueError: A limit is not a number.
    """

    ACK_NOT_REQUIRED = 0
    ACK_AFTER_LOCAL_WRITE = 1
    ACK_AFTER_CLUSTER_COMMIT = -1
    DEFAULT_ACK_TIMEOUT = 1000

    def __init__(
        self,
        client: KafkaClient,
        req_acks: int = ACK_AFTER_LOCAL_WRITE,
        ack_timeout: int = DEFAULT_ACK_TIMEOUT,
        codec: int | None = None,
        codec_compresslevel: int | None = None,
        sync_fail_on_error: bool = SYNC_FAIL_ON_ERROR_DEFAULT,
        async_: bool = False,
        batch_send: bool = False,
        batch_send_every_n: int = BATCH_SEND_MSG_COUNT,
        batch_send_every_t: float = BATCH_SEND_DEFAULT_INTERVAL,
        async_retry_limit: int | None = ASYNC_RETRY_LIMIT,
        async_retry_backoff_ms: int = ASYNC_RETRY_BACKOFF_MS,
        async_retry_on_timeouts: bool = ASYNC_RETRY_ON_TIMEOUTS,
        async_queue_maxsize: int = ASYNC_QUEUE_MAXSIZE,
        async_queue_put_timeout: float | None = ASYNC_QUEUE_PUT_TIMEOUT,
        async_log_messages_on_error: bool = ASYNC_LOG_MESSAGES_ON_ERROR,
        async_stop_timeout: float | None = ASYNC_STOP_TIMEOUT_SECS,
        **options: bool,
    ) -> None:
        # Set before anything can fail: `__del__` runs for half-made objects, too.
        self.stopped = True
        self.async_ = bool(options.pop("async", async_) or batch_send)
        # For programs that read it under its old name.
        vars(self)["async"] = self.async_
        if options:
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument {next(iter(options))!r}")
        if codec is not None and codec not in ALL_CODECS:
            raise UnsupportedCodecError(f"Codec 0x{codec:02x} unsupported")
        self.client = client
        self.req_acks = req_acks
        self.ack_timeout = ack_timeout
        self.codec = CODEC_NONE if codec is None else codec
        self.codec_compresslevel = codec_compresslevel
        self.sync_fail_on_error = sync_fail_on_error
        if self.async_:
            for name, least in (("batch_send_every_n", batch_send_every_n), ("batch_send_every_t", batch_send_every_t)):
                if least <= 0:
                    raise AssertionError(f"{name} must be above 0, not {least}")
            if async_queue_maxsize < 0:
                raise AssertionError(f"async_queue_maxsize must not be below 0: {async_queue_maxsize}")
            self.queue: Queue[Any] | Unlimited = Queue(async_queue_maxsize) if async_queue_maxsize else Unlimited()
            self.async_queue_put_timeout = async_queue_put_timeout and seconds(
                "async_queue_put_timeout", async_queue_put_timeout
            )
            if not isinstance(req_acks, int):
                raise TypeError(f"req_acks is a whole number, not {req_acks!r}")
            backoff = max(0, count("async_retry_backoff_ms", async_retry_backoff_ms or 0))
            limit = None if async_retry_limit is None else count("async_retry_limit", async_retry_limit)
            self._fate = ThreadEnd()
            self.thread_stop_event = Event()
            self._stop_timeout = seconds("async_stop_timeout", async_stop_timeout)
            # The thread's own client; other threads only call it to end its waits.
            self._sender = client.copy()
            self._sender.take_what_fits()
            self.thread = Thread(
                target=_send_upstream,
                args=(
                    self.queue,
                    self._sender,
                    self.codec,
                    seconds("batch_send_every_t", batch_send_every_t),
                    count("batch_send_every_n", batch_send_every_n),
                    req_acks,
                    ack_timeout,
                    RetryOptions(limit, backoff, async_retry_on_timeouts),
                    self.thread_stop_event,
                ),
                kwargs={
                    "log_messages_on_error": async_log_messages_on_error,
                    "stop_timeout": self._stop_timeout,
                    "fate": self._fate,
                    "codec_compresslevel": codec_compresslevel,
                },
                daemon=True,
                name="kafka.producer",
            )
            self.thread.start()
            self._process = os.getpid()
            self._cleanup_func = _stopper()
            atexit.register(self._cleanup_func, self)
        self.stopped = False

    def send_messages(self, topic: str | bytes, partition: int, *msg: bytes | None) -> list[Any]:
        """Sends messages without a key.

        Args:
            topic: The topic.
            partition: The partition.
            *msg: The messages, each bytes.

        Returns:
            A list of one `ProduceResponse`; empty if asynchronous or without acknowledgements.

        Raises:
            TypeError: A message is not bytes. Nothing was sent.
            AsyncProducerQueueFull: The queue is full, or the producer was stopped meanwhile; `failed_msgs` are the
                messages that are therefore not sent.
            KafkaError: The producer is stopped, its thread has ended, or a synchronous call failed.
        """
        return self._send_messages(kafka_bytestring(topic), partition, *msg)

    def stop(self, timeout: float | None = None) -> None:
        """Sends waiting messages for at most `async_stop_timeout` seconds, and ends the thread of an asynchronous
        producer.

        Messages that are not sent by then are dropped; an error is logged with their numbers by partition.

        Args:
            timeout: Ignored.

        Raises:
            KafkaError: The thread had ended before; messages may be unsent.
        """
        if timeout is not None:
            log.warning("timeout argument to stop() is deprecated - it will be removed in future release")
        if not self.async_:
            log.warning("producer.stop() called, but producer is not async")
            return
        if self.stopped:
            log.warning("producer.stop() called, but producer is already stopped")
            return
        self.stopped = True
        if self._process != os.getpid():
            # In a forked child, waiting messages are the parent's to send.
            return
        # Wakes a thread that waits at an empty queue; if the queue is full it does not wait.
        with contextlib.suppress(Full):
            self.queue.put_nowait((STOP_ASYNC_PRODUCER, None, None))
        self._fate.deadline = time.monotonic() + self._stop_timeout
        self.thread_stop_event.set()
        self.thread.join(self._stop_timeout + LAST_RESPONSE_SECONDS)
        if self.thread.is_alive():
            # It is waiting for a broker that does not answer.
            self._sender.give_up()
            self.thread.join(GIVING_UP_SECONDS)
        if self.thread.is_alive():
            log.error("Stopped producer while its thread waits for a broker: messages may be unsent")
        atexit.unregister(self._cleanup_func)
        self._fate.check()

    def __del__(self) -> None:
        """Stops an asynchronous producer."""
        if not self.stopped and self.async_:
            self.stop()

    def _send_messages(self, topic: bytes, partition: int, *msg: bytes | None, key: bytes | None = None) -> list[Any]:
        for each in msg:
            if each is None and key is None:
                raise TypeError("key and payload can't be null in one")
            if each is not None and not isinstance(each, bytes):
                raise TypeError("all produce message payloads must be null or type bytes")
        if key is not None and not isinstance(key, bytes):
            raise TypeError("the key must be type bytes")
        if not self.async_:
            return self._send_now(topic, partition, msg, key)
        if self.stopped:
            raise KafkaError("the producer is stopped: it takes no more messages")
        if self._process != os.getpid():
            raise KafkaError(
                "the producer was made before os.fork(), and its thread is in the parent: make one in the child"
            )
        self._fate.check()
        self._queue_up(TopicAndPartition(topic, partition), msg, key)
        return []

    def _send_now(self, topic: bytes, partition: int, msg: tuple[bytes | None, ...], key: bytes | None) -> list[Any]:
        messages = message_set([(each, key) for each in msg], self.codec, self.codec_compresslevel)
        try:
            return self.client.send_produce_request(
                [ProduceRequest(topic, partition, messages)],
                acks=self.req_acks,
                timeout=self.ack_timeout,
                fail_on_error=self.sync_fail_on_error,
            )
        except Exception:
            log.exception("Unable to send messages")
            raise

    def _queue_up(self, place: TopicAndPartition, msg: tuple[bytes | None, ...], key: bytes | None) -> None:
        queued = []
        for number, each in enumerate(msg):
            waiting = (place, each, key)
            try:
                wait = self.async_queue_put_timeout
                self.queue.put(waiting, block=wait is None or wait > 0, timeout=wait or None)
            except Full:
                raise AsyncProducerQueueFull(
                    msg[number:], f"Producer async queue overfilled. Current queue size {self.queue.qsize()}."
                ) from None
            queued.append(waiting)
            if self._fate.is_over:
                # stop() was called meanwhile: no thread takes it any more.
                self._tell_unsent(queued, msg[number + 1 :])

    def _tell_unsent(self, queued: Sequence[Any], rest: Sequence[bytes | None]) -> None:
        left = self._fate.left_in(self.queue)
        unsent = [each[1] for each in queued if any(each is other for other in left)]
        if unsent or rest:
            raise AsyncProducerQueueFull((*unsent, *rest), "the producer was stopped meanwhile: it sends no more")


def _stopper() -> Callable[[Producer], None]:
    """Returns a function that stops a producer at the end of the program; unique, because `atexit` removes equal
    ones.
    """

    def stop(producer: Producer) -> None:
        if not producer.stopped:
            producer.stop()

    return stop

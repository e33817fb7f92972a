"""`confluent_kafka.Producer`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kafkars import errors
from kafkars._discreet import discreet
from kafkars._kafkars import ConfluentProducer, Message, PendingFlag
from kafkars._kafkars import Producer as Engine
from kafkars.compat.confluent_kafka import _arguments as arguments
from kafkars.compat.confluent_kafka._config import producer_settings
from kafkars.compat.confluent_kafka._ending import Ending
from kafkars.compat.confluent_kafka._events import events_of
from kafkars.compat.confluent_kafka._group_metadata import unpacked
from kafkars.compat.confluent_kafka._handlers import ProducerPolls
from kafkars.compat.confluent_kafka._partition import TopicPartition, check_text
from kafkars.compat.confluent_kafka._transaction_calls import (
    ABORT_SECONDS,
    TransactionCalls,
    offsets_to_send,
    warn_of_open_transaction,
)
from kafkars.compat.confluent_kafka._translate import fatal_of, local_error, of_engine, refusal, translated
from kafkars.compat.confluent_kafka._trouble import Trouble
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException
from kafkars.config.checks import Derived
from kafkars.config.producer import ProducerConfig

if TYPE_CHECKING:
    from typing_extensions import Self

DeliveryCallback = Callable[[KafkaError | None, Message], object]

NUMBERS = range(-(2**31), 2**31)
"""The range of partition numbers."""

FOR_EVER = 365 * 86_400.0
"""Seconds that stand for no limit, because None means kafkars' own default."""


class Producer(ConfluentProducer):
    """Sends messages. `produce()` queues them; callbacks run in `poll()` and `flush()`, on the calling thread.

    Args:
        config: Properties of librdkafka by their dotted names, and `error_cb`, `stats_cb`, `throttle_cb`,
            `on_delivery`, `logger`.
        kwargs: The same by name; they win.

    Raises:
        KafkaException: A property is unknown or cannot be used; the code is `_INVALID_ARG`.
        TypeError: There is no configuration.
    """

    # No instance dictionary: every call of produce() would look there first.
    # Names end with an underscore because the library's class has none that a subclass could meet.
    __slots__ = ("__weakref__", "_calls_", "_engine_", "_events_", "_face_", "_pending_", "_settings_", "_trouble_")

    @discreet
    def __init__(self, config: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        """See the class."""
        arguments.first_time(self)
        settings = producer_settings(() if config is None else (config,), kwargs)
        face = settings.face
        with translated("Failed to create producer"), Derived():
            self._settings_ = settings
            self._engine_: Any = Engine(ProducerConfig(**settings.engine))
        self._pending_ = PendingFlag()
        self._face_ = face
        self._calls_ = TransactionCalls()
        self._trouble_ = Trouble(face, self._engine_._brokers, settings.credentials.refused)
        self._events_ = events_of(face, settings.values, self._engine_, self._pending_)
        self._open_(
            self._engine_,
            self._pending_,
            ProducerPolls(self._events_, self._trouble_),
            face.queue_max_messages,
            face.queue_max_bytes,
            face.on_delivery,
            face.delivery_report_only_error,
            settings.engine["delivery_timeout_ms"] / 1000,
        )
        self._trouble_.watch(self._engine_, self._pending_)

    def produce_batch(
        self,
        topic: str,
        messages: list[dict[str, Any]],
        partition: int = -1,
        callback: DeliveryCallback | None = None,
        on_delivery: DeliveryCallback | None = None,
    ) -> int:
        """Queues many messages of one topic.

        Args:
            topic: Their topic.
            messages: For each a dict of `value`, `key`, `partition`, `headers` and `callback`, as far as there are any.
            partition: Of those that name none.
            callback: Of those that name none.
            on_delivery: The same.

        Returns:
            How many were taken; each of the others has its `KafkaError` under `_error`.
        """
        if not isinstance(topic, str):
            raise TypeError(f"topic must be str, not {type(topic).__name__}")
        check_text(topic)
        if not NUMBERS.start <= operator.index(partition) < NUMBERS.stop:
            raise OverflowError(f"partition {partition} does not fit 32 bits")
        if not isinstance(messages, list):
            raise TypeError(f"messages must be a list, not {type(messages).__name__}")
        if not messages:
            return 0
        self._check_()
        check_messages(messages)
        # Not that of a subclass, whose arguments may have another order.
        produce = super().produce
        taken = 0
        for message in messages:
            report = message.get("callback") or callback or on_delivery
            try:
                produce(
                    topic,
                    message.get("value"),
                    message.get("key"),
                    partition if message.get("partition") is None else message["partition"],
                    report,
                    headers=message.get("headers"),
                )
            except BufferError as problem:
                message["_error"] = local_error("_QUEUE_FULL", str(problem))
            except (TypeError, OverflowError) as problem:
                message["_error"] = local_error("_INVALID_ARG", str(problem))
            except KafkaException as problem:
                message["_error"] = problem.args[0]
            else:
                taken += 1
        return taken

    def purge(self, in_queue: bool = True, in_flight: bool = True, blocking: bool = True) -> None:
        """Gives up messages; their callbacks get `_PURGE_QUEUE` or `_PURGE_INFLIGHT` in a later poll.

        Args:
            in_queue: Those that wait to be sent.
            in_flight: Those that were sent and have no answer; brokers may store them.
            blocking: Accepted, no effect: it never takes long.
        """
        del blocking
        self._check_()
        with translated("Purge failed"):
            self._engine_.purge(in_queue=bool(in_queue), in_flight=bool(in_flight))

    # --- transactions

    def init_transactions(self, timeout: float = -1) -> None:
        """Gets a producer id for the `transactional.id`; once, before the first transaction.

        Raises:
            KafkaException: What can be done tell `retriable()` and `fatal()` of its error.
        """
        ending = self._ending_(timeout, "the producer gets its id")
        self._transactional_()
        again = self._again_(self._engine_.init_transactions)
        init = again if self._calls_.cut == "init_transactions" else self._engine_.init_transactions
        failure = self._failure_()
        with ending.raising_at_the_end():
            self._calls_.run("init_transactions", lambda: ending.wait(init, again=again), ending, failure=failure)

    def begin_transaction(self) -> None:
        """Opens a transaction: every message from now on is part of it.

        Raises:
            KafkaException: There is one, or `init_transactions()` was not called.
        """
        self._transactional_()
        # Where an interrupt has come right behind the end of the last one.
        self._forget_transaction_()
        begin = self._engine_.begin_transaction
        self._calls_.run(
            "begin_transaction", begin, self._ending_(0, "the transaction begins"), failure=self._failure_()
        )

    def send_offsets_to_transaction(
        self, positions: list[TopicPartition], group_metadata: object, timeout: float = -1
    ) -> None:
        """Adds committed offsets of a consumer's group to the transaction.

        Args:
            positions: Partitions with the offsets to go on at.
            group_metadata: What `Consumer.consumer_group_metadata()` gave.
            timeout: Most seconds to wait.

        Raises:
            KafkaException: What can be done tell `retriable()`, `fatal()` and `txn_requires_abort()` of its error.
        """
        ending = self._ending_(timeout, "the offsets are sent")
        self._check_()
        group = unpacked(group_metadata)
        offsets = offsets_to_send(positions)
        self._transactional_()
        if not offsets:
            # A consumer that has read nothing yet has no offsets.
            return
        failure = self._failure_()

        def send(seconds: float) -> None:
            self._engine_.send_offsets_to_transaction(offsets, group, seconds)

        with ending.raising_at_the_end():
            try:
                self._calls_.run("send_offsets_to_transaction", lambda: ending.wait(send), ending, failure=failure)
            finally:
                if self._calls_.abortable is not None:
                    self._commits_(True)

    def commit_transaction(self, timeout: float = -1) -> None:
        """Sends what is left, runs its callbacks, and ends the transaction so that its messages are read.

        Raises:
            KafkaException: What can be done tell `retriable()`, `fatal()` and `txn_requires_abort()` of its error.
        """
        ending = self._ending_(timeout, "the transaction is committed")
        self._transactional_()

        def step() -> None:
            # From now on the transaction takes no message, also while those before it are sent.
            self._commits_(self._engine_.in_transaction)
            self._send_left_(ending)
            commit = self._engine_.commit_transaction
            ending.wait(commit, again=self._again_(commit))

        with ending.raising_at_the_end():
            self._calls_.run(
                "commit_transaction",
                step,
                ending,
                check=lambda: self._check_not_in_report_("commit_transaction"),
                ended=lambda: self._commits_(False),
            )
            self._tell_rest_(ending)

    def _ending_(self, timeout: float, goes_on: str) -> Ending:
        """Returns the waits of a call of transactions."""
        return Ending(limit(timeout), goes_on)

    def _again_(self, call: Callable[[float], object]) -> Callable[[float], object]:
        """Returns the same call where it may have ended already, of which nobody has heard."""

        def again(seconds: float) -> None:
            try:
                call(seconds)
            except errors.TransactionStateError:
                if self._engine_.in_transaction or self._engine_._transaction_failure() is not None:
                    raise

        return again

    def _send_left_(self, ending: Ending) -> None:
        """Sends what is left of the transaction that is to be committed.

        Args:
            ending: The wait for it.

        Raises:
            KafkaError: There is not the time for it, a message was lost, or the producer cannot go on.
        """
        if self._engine_.in_transaction:
            left = 0

            def send(seconds: float) -> None:
                nonlocal left
                left = self._flush_(ending, seconds)

            ending.wait(send)
            lost = self._lost_(commits=True)
            if lost:
                raise inconsistent(lost)
            if left:
                # kafkars would leave out messages that still wait for their topic.
                text = f"Failed to flush all outstanding messages within the API timeout: {left} message(s) remaining"
                raise errors.KafkaTimeoutError(text)

    def _flush_(self, ending: Ending, seconds: float) -> int:
        """Flushes, and returns how many messages are left; what callbacks raise is kept.

        Raises:
            KafkaError: The producer cannot go on.
        """
        try:
            left, raised = self._flushed_(seconds)
        except KafkaException as problem:
            # The handler of a signal may raise this class, too: it is known by what the engine says.
            failure = self._engine_._transaction_failure()
            if failure is None or str(fatal_of(failure)) != str(problem):
                raise
            raise failure  # noqa: B904  whose cause counts
        if raised is not None:
            ending.kept.append(raised)
        return left

    def _tell_rest_(self, ending: Ending) -> None:
        """Gives all reports, so that none of a transaction that has ended is given, or raises, in the next one."""
        with translated(transactional=True):
            ending.through(lambda: self._flush_(ending, 0))

    def abort_transaction(self, timeout: float = -1) -> None:
        """Gives up what is left, runs its callbacks, and ends the transaction so that none of its messages is read.

        Raises:
            KafkaException: What can be done tell `retriable()` and `fatal()` of its error.
        """
        ending = self._ending_(timeout, "the transaction is aborted")
        self._transactional_()
        abort = self._engine_.abort_transaction

        with ending.raising_at_the_end():
            self._calls_.run(
                "abort_transaction",
                lambda: ending.wait(abort, again=self._again_(abort)),
                ending,
                ended=self._forget_transaction_,
            )
            self._tell_rest_(ending)

    def _forget_transaction_(self) -> None:
        """Nothing of a transaction says what may follow it when it has ended."""
        if not self._engine_.in_transaction:
            self._forget_lost_()
            self._commits_(False)
            self._calls_.abortable = None

    # --- the cluster

    def list_topics(self, topic: str | None = None, timeout: float = -1) -> Any:
        """The cluster's brokers and topics, or one topic.

        Raises:
            KafkaException: No answer in time.
        """
        limit = arguments.seconds(timeout)
        arguments.topic(topic)
        self._check_handle_()
        from kafkars.compat.confluent_kafka import _cluster  # noqa: PLC0415  with it come administrators

        found = _cluster.list_topics(self._settings_.engine, topic, limit)
        known = None if topic is None else found.topics.get(topic)
        if known is not None and known.error is None:
            # As in the library: the producer has the topic's metadata from now on.
            with suppress(errors.KafkaError):
                self._engine_.partitions_for(topic, timeout=limit)
        return found

    def cluster_id(self, timeout: float = -1) -> str | None:
        """The cluster's id.

        Raises:
            KafkaException: No answer in time.
        """
        limit = arguments.seconds(timeout)
        self._check_handle_()
        from kafkars.compat.confluent_kafka import _cluster  # noqa: PLC0415  with it come administrators

        return _cluster.cluster_id(self._settings_.engine, limit)

    @discreet
    def set_sasl_credentials(self, username: str, password: str) -> None:
        """Sets the name and the password of later logins."""
        arguments.credentials(username, password)
        self._check_handle_()
        self._settings_.credentials.change(username, password)

    # --- life

    def close(self, timeout: float | None = -1) -> bool:
        """Aborts the open transaction, or sends what is left; runs callbacks, and ends. May be called again.

        Args:
            timeout: Most seconds to wait; what is left then is given up. -1 and None set no limit.

        Returns:
            True.

        Raises:
            KafkaException: It was called in the report of a message, or by a callback within a call of transactions;
                the code is `_STATE`, and nothing is closed.
            KeyboardInterrupt: Ctrl+C came, and all was aborted or sent and the producer is closed. A second Ctrl+C is
                raised at once: the producer goes on sending what is queued and takes no more messages, and another call
                closes it. So it is with exceptions of handlers of other signals.
            Exception: What a callback has raised last; the producer is closed.
        """
        if getattr(self, "_engine_", None) is None or self._engine_.closed:
            return True
        ending = self._ending_(-1 if timeout is None else timeout, "messages are sent that are queued still")
        self._check_not_in_report_("close")
        self._calls_.end()
        self._start_closing_()
        failed: list[errors.KafkaError] = []
        with ending.raising_at_the_end():
            ending.through(lambda: self._end_(ending, failed))
            for problem in failed:
                warn_of_open_transaction(KafkaException(of_engine(problem, transactional=True)))
        return True

    def _end_(self, ending: Ending, failed: list[errors.KafkaError]) -> None:
        """The steps of `close()`, which are done again where an interrupt comes between them.

        Args:
            ending: The waits.
            failed: Gets the reason why a transaction is left open.
        """
        if not self._engine_.closed:
            # A commit under way in another thread is to end as it would.
            ending.wait(self._calls_.wait, ABORT_SECONDS)
            # An open transaction would hold up its readers until `transaction.timeout.ms`.
            if self._engine_.in_transaction:
                abort = self._engine_.abort_transaction
                try:
                    ending.wait(abort, ABORT_SECONDS, self._again_(abort))
                except errors.KafkaError as problem:
                    failed[:] = [problem]
            # Whoever closes does not go on, and need not hear that the producer cannot.
            with suppress(errors.KafkaError):
                ending.wait(lambda left: self._flush_(ending, left))
            # Not where a second interrupt has ended the wait: what is queued would be given up.
            self._engine_.close(0.0)
        self._events_.close()

    def __enter__(self) -> Self:
        """See `close()`. As in the library, this is no error for a closed producer."""
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, exc_traceback: TracebackType | None
    ) -> None:
        """See `close()`; that of a subclass is not called, as in the library."""
        Producer.close(self)

    def _check_handle_(self) -> None:
        """Raises the error of a closed producer, in the words of calls that only ask the cluster."""
        try:
            self._check_()
        except RuntimeError:
            raise RuntimeError("Handle has been closed") from None

    def _failure_(self) -> errors.KafkaError | None:
        """Returns the error of a transaction that can only be aborted, or of a producer that cannot go on."""
        if self._must_abort_():
            return inconsistent(self._lost_(commits=False))
        found: errors.KafkaError | None = self._engine_._transaction_failure()
        return found

    def _transactional_(self) -> None:
        self._check_()
        if not self._settings_.engine["transactional_id"]:
            raise refusal("_NOT_CONFIGURED", "the transactional API needs transactional.id")


def inconsistent(lost: int) -> errors.KafkaError:
    """Returns the error of a transaction that must not be committed without messages that were lost."""
    text = f"{lost} message(s) failed delivery (see individual delivery reports); abort the transaction"
    return errors.TransactionFailedError(text)


def limit(timeout: float) -> float:
    """Returns a time limit for kafkars, for which None means its own default."""
    seconds = arguments.seconds(timeout)
    return FOR_EVER if seconds is None else seconds


def check_messages(messages: list[Any]) -> None:
    """Checks the messages of a call of `produce_batch()` before any of them is queued."""
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            raise TypeError(f"Message at index {index} must be a dict, not {type(message).__name__}")
        for part in ("value", "key"):
            if not isinstance(message.get(part), bytes | str | None):
                raise TypeError(f"Message {part} at index {index} must be bytes or str")
        if not isinstance(message.get("partition"), int | None):
            raise TypeError(f"Message partition at index {index} must be int")
        if message.get("headers") is not None and not is_headers(message["headers"]):
            raise ValueError(f"invalid headers at index {index}")
        if message.get("timestamp") is not None:
            raise NotImplementedError("Message timestamps are not currently supported in batch mode; call produce()")


def is_headers(given: object) -> bool:
    """True if messages of a batch may have these headers."""
    if isinstance(given, dict):
        return all(isinstance(value, bytes | str | None) for value in given.values())
    return isinstance(given, list) and all(map(is_header, given))


def is_header(given: object) -> bool:
    if not isinstance(given, tuple):
        return False
    match given:
        case (_, bytes() | str() | None):
            return True
        case _:
            return False

"""Errors that are nobody's call: as messages, for `error_cb`, or for neither."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from kafkars import errors
from kafkars._kafkars import Message
from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.compat.confluent_kafka._translate import CONNECTING, local_error, of_connection, of_engine
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException

PASSING = (errors.SessionExpiredError, errors.RebalanceTimeoutError, errors.CommitFailedError)
"""The member joins again by itself, and the program hears of its partitions by `on_lost`."""

UNREACHED = (
    errors.BootstrapError,
    errors.BrokerConnectionError,
    errors.ConsumerStuckError,
    *CONNECTING,
)
"""The cluster and not what is read from it."""


BrokerStatus = tuple[int | None, str, errors.KafkaError | None, dict[str, int]]
"""A broker's number, or None of a bootstrap address; its address; why it cannot be connected to; its counters."""


def all_down(count: int) -> KafkaError:
    return local_error("_ALL_BROKERS_DOWN", f"{count}/{count} brokers are down")


class Trouble:
    """The errors of one client.

    Args:
        error_cb: Called with errors of the client as a whole.
        brokers: Tells how it stands with each broker.
    """

    def __init__(
        self, error_cb: Callable[[KafkaError], object] | None, brokers: Callable[[], list[BrokerStatus]]
    ) -> None:
        self._error_cb = error_cb
        self._brokers = brokers
        self._failing: dict[str, int] = {}
        self._news: deque[KafkaError] = deque()
        self._is_down = False
        self._is_lost = False
        self._told: set[tuple[str, int | None, int | None, int]] = set()
        self._messages: deque[Message] = deque()
        self._lock = threading.Lock()
        self._fatal: KafkaError | None = None

    def forget(self) -> None:
        """Something else is read: its errors are told anew."""
        self._told.clear()

    def next_message(self) -> tuple[Message | None, bool]:
        """A message that waits to be handed out, and whether there are more."""
        with self._lock:
            message = self._messages.popleft() if self._messages else None
            return message, bool(self._messages)

    def check_alive(self) -> None:
        """Fails where the client has met a fatal error."""
        if self._fatal is not None:
            raise KafkaException(local_error("_FATAL", self._fatal.str()))

    def missing(self, topic: str) -> None:
        """A subscribed topic does not exist: a later poll says so."""
        code = BROKER["UNKNOWN_TOPIC_OR_PART"]
        error = KafkaError(code, f"Subscribed topic not available: {topic}: it does not exist")
        with self._lock:
            self._messages.append(Message(topic, value=error.str().encode(), error=error))

    def unknown(self, topic: str, partition: int) -> None:
        """An assigned partition cannot exist: a later poll says so."""
        error = local_error("_UNKNOWN_PARTITION", f"{topic} [{partition}] does not exist")
        with self._lock:
            self._messages.append(Message(topic, partition, value=error.str().encode(), error=error))

    def message_of(self, problem: errors.KafkaError) -> Message | None:
        """An error of reading, as a message; after a fatal one the client cannot go on, and its calls fail."""
        if isinstance(problem, PASSING):
            return None
        if isinstance(problem, UNREACHED):
            self.reached(problem)
            return None
        error = of_engine(problem)
        if error.fatal():
            self._fatal = error
            self.tell(error)
            error = local_error("_FATAL", f"Fatal error: {error.str()}")
            return Message(None, 0, value=error.str().encode(), error=error)
        if isinstance(problem, errors.OffsetOutOfRangeError):
            # Only told with auto.offset.reset=error, which librdkafka names instead.
            error = local_error("_AUTO_OFFSET_RESET", error.str())
        elif isinstance(problem, errors.InvalidArgumentError):
            error = local_error("_UNKNOWN_PARTITION", error.str())
        if problem.topic is not None:
            told = (problem.topic, problem.partition, problem.offset, error.code())
            if told in self._told:
                return None
            self._told.add(told)
        return Message(problem.topic, problem.partition, problem.offset, value=error.str().encode(), error=error)

    def look(self) -> int:
        """Tells `error_cb` of brokers that cannot be connected to any more, or for another reason than before, and when
        there is none left. Returns how many errors that were.
        """
        if self._error_cb is None:
            return 0
        failing: dict[str, int] = {}
        brokers = self._brokers()
        for node, address, problem, _ in brokers:
            if problem is None:
                continue
            name = f"{address}/{'bootstrap' if node is None else node}"
            error = of_connection(problem)
            failing[name] = error.code()
            if self._failing.get(name) != error.code():
                self._news.append(KafkaError(error.code(), f"{name}: {error.str()}"))
        is_down = len(failing) == len(brokers) > 0
        if is_down and not self._is_down:
            self._news.append(all_down(len(brokers)))
        self._failing, self._is_down = failing, is_down
        told = 0
        while self._news:
            # What the program raises comes through; the others are told next time.
            self.tell(self._news.popleft())
            told += 1
        return told

    def is_down(self) -> bool:
        """True if no broker can be connected to."""
        brokers = self._brokers()
        return bool(brokers) and all(problem is not None for _, _, problem, _ in brokers)

    def reached(self, problem: errors.KafkaError | None) -> None:
        """The cluster cannot be reached, or can: `error_cb` hears of each loss once."""
        self.look()
        if problem is None:
            self._is_lost = False
            return
        if self._is_lost or self._is_down:
            return
        self._is_lost = True
        causes = problem.causes if isinstance(problem, errors.BootstrapError) else ()
        for address, cause in causes:
            self.tell(local_error("_TRANSPORT", f"{address}/bootstrap: {cause}"))
        if not causes:
            self.tell(of_connection(problem))
        # One broker may refuse while others serve.
        if causes or not self._brokers() or self.is_down():
            self.tell(all_down(max(len(causes), 1)))

    def tell(self, error: KafkaError) -> None:
        """Calls `error_cb`."""
        if self._error_cb is not None:
            self._error_cb(error)

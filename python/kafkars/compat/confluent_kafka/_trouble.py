"""Errors that belong to no call: they become messages, calls of `error_cb`, or neither."""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from kafkars import errors
from kafkars._kafkars import Message, PendingFlag
from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.compat.confluent_kafka._translate import CONNECTING, local_error, of_connection, of_engine
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException

if TYPE_CHECKING:
    from kafkars.compat.confluent_kafka._arguments import Place
    from kafkars.compat.confluent_kafka._face import Face

PASSING = (errors.SessionExpiredError, errors.RebalanceTimeoutError, errors.CommitFailedError)
"""Errors after which the member joins again by itself; `on_lost` reports its partitions."""

UNREACHED = (
    errors.BootstrapError,
    errors.BrokerConnectionError,
    errors.ConsumerStuckError,
    *CONNECTING,
)
"""Errors of the cluster, not of a partition."""


UNTIMED = (0, -1)
"""The timestamp of a message that has none."""

BrokerStatus = tuple[int | None, str, errors.KafkaError | None, int | None, dict[str, Any]]
"""A broker's id (None for a bootstrap address), its address, why it cannot be connected to, the number of that failure,
and its counters, with its traffic.
"""

ALL_DOWN_AGAIN = 10.0
"""Seconds after which `error_cb` hears once more that no broker is left."""


def message_of(error: KafkaError, topic: str | None = None, partition: int = 0, offset: int | None = None) -> Message:
    """Returns an error as the message of a poll: its text is the value, and it has no time."""
    return Message(topic, partition, offset, value=error.str().encode(), error=error, timestamp=UNTIMED)


def all_down(count: int) -> KafkaError:
    return local_error("_ALL_BROKERS_DOWN", f"{count}/{count} brokers are down")


class Trouble:
    """The errors of one client.

    Args:
        face: Its `error_cb` is called with errors of the client as a whole, its `logger` gets those of connections.
        brokers: Tells how it stands with each broker.
        before: Errors of the time when the client was made.
    """

    def __init__(
        self, face: Face, brokers: Callable[[], list[BrokerStatus]], before: Iterable[KafkaError] = ()
    ) -> None:
        self._error_cb = face.error_cb
        self._logger = face.logger if face.log_level <= logging.ERROR else None
        # What log lines call the client.
        self._client = ""
        self._brokers = brokers
        self._failing: dict[str, int | None] = {}
        self._news: deque[KafkaError] = deque(before)
        self._is_down = False
        # When it was told last that no broker is left.
        self._down_told = -math.inf
        self._is_lost = False
        self._told: set[tuple[object, ...]] = set()
        self.waiting: deque[Message] = deque()
        """Messages for the program, the next one first."""
        self._fatal: KafkaError | None = None

    @property
    def is_wanted(self) -> bool:
        """True if the program wants to hear of brokers that cannot be reached."""
        return self._error_cb is not None or self._logger is not None

    def watch(self, engine: Any, flag: PendingFlag) -> None:
        """Sets a flag whenever `look()` has something to tell, if the program wants to hear of it."""
        if self.is_wanted:
            self._client = engine._client_name()
            engine._watch_brokers(flag)
            if self._news:
                flag.set()

    def forget(self, at: Place | None = None) -> None:
        """Forgets reported errors of a partition, or of all, after a new assignment: its errors are reported anew."""
        if at is None:
            self._told.clear()
        else:
            self._told = {each for each in self._told if each[0] != at}

    def check_alive(self) -> None:
        """Raises the fatal error of the client, if it has had one."""
        end = self.end()
        if end is not None:
            raise KafkaException(end)

    def end(self) -> KafkaError | None:
        """Returns what calls say after a fatal error of the client; None if it has had none."""
        return None if self._fatal is None else local_error("_FATAL", self._fatal.str())

    def missing(self, topic: str, code: int) -> None:
        """Makes a later poll report a subscribed topic that does not exist, or that this client may not be told of."""
        if code == BROKER["TOPIC_AUTHORIZATION_FAILED"]:
            why = "this client may not be told of it"
        else:
            code, why = BROKER["UNKNOWN_TOPIC_OR_PART"], "it does not exist"
        error = KafkaError(code, f"Subscribed topic not available: {topic}: {why}")
        self.waiting.append(message_of(error, topic))

    def unknown(self, topic: str, partition: int) -> None:
        """Makes a later poll report an assigned partition that cannot exist."""
        error = local_error("_UNKNOWN_PARTITION", f"{topic} [{partition}] does not exist")
        self.waiting.append(message_of(error, topic, partition))

    def message_of(self, problem: errors.KafkaError) -> Message | None:
        """Returns an error of reading as a message; after a fatal one all calls of the client fail."""
        # A poll in a callback is in the wrong state: as in the library it finds nothing, since nothing is handed out
        # before the callback has ended.
        if isinstance(problem, PASSING) or type(problem) is errors.ClientStateError:
            return None
        if isinstance(problem, UNREACHED):
            self.reached(problem)
            return None
        error = of_engine(problem)
        if error.fatal():
            self._fatal = error
            error = local_error("_FATAL", f"Fatal error: {error.str()}")
            return message_of(error)
        if isinstance(problem, errors.OffsetOutOfRangeError):
            # Only with auto.offset.reset=error, which librdkafka names in the text instead.
            error = local_error("_AUTO_OFFSET_RESET", error.str())
        elif isinstance(problem, errors.InvalidArgumentError):
            error = local_error("_UNKNOWN_PARTITION", error.str())
        message = message_of(error, problem.topic, problem.partition or 0, problem.offset)
        # What the engine refuses of an assignment it names in the text alone, and again and again.
        is_refused = isinstance(problem, errors.InvalidArgumentError)
        if problem.topic is not None or is_refused:
            place = error.str() if is_refused else (problem.topic, problem.partition)
            told = (place, problem.offset, error.code())
            if told in self._told:
                return None
            self._told.add(told)
        return message

    def look(self) -> int:
        """Tells of each try to connect to a broker that has failed, and when no broker is left, now and then again.
        Returns the number of errors.
        """
        if not self.is_wanted:
            return 0
        failing: dict[str, int | None] = {}
        brokers = self._brokers()
        for node, address, problem, number, _ in brokers:
            if problem is None:
                continue
            name = f"{address}/{'bootstrap' if node is None else node}"
            failing[name] = number
            if self._failing.get(name) != number:
                error = of_connection(problem)
                text = f"{name}: {error.str()}"
                if self._logger is not None:
                    self._logger.log(logging.ERROR, "%s [%s] %s", "FAIL", self._client, f"[thrd:{name}]: {text}")
                self._news.append(KafkaError(error.code(), text))
        is_down = len(failing) == len(brokers) > 0
        now = time.monotonic()
        if is_down and (not self._is_down or now - self._down_told >= ALL_DOWN_AGAIN):
            self._down_told = now
            self._news.append(all_down(len(brokers)))
        self._failing, self._is_down = failing, is_down
        told = 0
        while self._news:
            # An exception of the callback goes on; the other errors are reported next time.
            self.tell(self._news.popleft())
            told += 1
        return told

    def is_down(self) -> bool:
        """True if no broker can be connected to."""
        brokers = self._brokers()
        return bool(brokers) and all(problem is not None for _, _, problem, _, _ in brokers)

    def reached(self, problem: errors.KafkaError | None) -> None:
        """Called when the cluster becomes unreachable or reachable."""
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
        # One broker may refuse connections while others serve.
        if causes or not self._brokers() or self.is_down():
            self.tell(all_down(max(len(causes), 1)))

    def tell(self, error: KafkaError) -> None:
        """Calls `error_cb`."""
        if self._error_cb is not None:
            self._error_cb(error)

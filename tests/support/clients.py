"""Clients of one flavour on one broker, closed with the test, and reading a known number of records."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from tests.support.waiting import SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkars import Consumer, Producer

    from tests.brokers import Broker


class Clients:
    """Makes the clients of a test. Whatever the flavour, they are used like the synchronous ones."""

    def __init__(self, broker: Broker, client_api: Any) -> None:
        self.broker = broker
        self.api = client_api
        self._open = ExitStack()

    def producer(self, **settings: Any) -> Producer[Any, Any]:
        """A producer, closed with the test."""
        settings.setdefault("bootstrap_servers", self.broker.bootstrap_servers)
        made: Producer[Any, Any] = self.api.Producer(**settings)
        return self._open.enter_context(made)

    def consumer(self, assignment: Any = None, **settings: Any) -> Consumer[Any, Any]:
        """A consumer that starts at the oldest record, closed with the test."""
        settings.setdefault("bootstrap_servers", self.broker.bootstrap_servers)
        settings.setdefault("auto_offset_reset", "earliest")
        made: Consumer[Any, Any] = self._open.enter_context(self.api.Consumer(**settings))
        if assignment is not None:
            made.assign(assignment)
        return made

    def admin(self) -> Any:
        """An administrator, closed with the test."""
        return self._open.enter_context(self.api.Admin(bootstrap_servers=self.broker.bootstrap_servers))

    def fill(self, topic: str, values: Iterable[object], **where: Any) -> list[Any]:
        """Sends values with a producer of its own; answers their metadata."""
        with self.api.Producer(bootstrap_servers=self.broker.bootstrap_servers) as producer:
            sent = [producer.send(topic, str(value).encode(), **where) for value in values]
            producer.flush(SECONDS)
            return [each.result(SECONDS) for each in sent]

    def close(self) -> None:
        """Closes what was made."""
        self._open.close()


def read(consumer: Consumer[Any, Any], count: int, seconds: float = SECONDS) -> list[Any]:
    """The next `count` records in the order in which they come."""
    deadline = time.monotonic() + seconds
    records: list[Any] = []
    while len(records) < count:
        left = deadline - time.monotonic()
        assert left > 0, f"{len(records)} of {count} records within {seconds:.0f} s"
        records.extend(consumer.poll_batch(max_records=count - len(records), timeout=left))
    return records


def values(records: Iterable[Any]) -> list[Any]:
    """The values of records."""
    return [record.value for record in records]


def numbers(*bounds: int) -> list[bytes]:
    """`range` as the bytes that `Clients.fill` sends."""
    return [str(number).encode() for number in range(*bounds)]

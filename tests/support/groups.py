"""Members of one group, and polling several of them from one thread."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.support.waiting import SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.clients import Clients

PROTOCOLS = ["classic", "consumer"]


class Group:
    """Makes members of one group."""

    def __init__(self, clients: Clients, protocol: str, partitions: int = 4) -> None:
        self.clients = clients
        self.protocol = protocol
        self.partitions = partitions
        self.topic = clients.broker.new_topic(partitions)
        self.group_id = f"group-{self.topic}"
        for partition in range(partitions):
            clients.fill(self.topic, range(10), partition=partition)

    @classmethod
    def of(cls, other: Group, protocol: str) -> Group:
        """The same group and topic, in another protocol."""
        made = cls.__new__(cls)
        made.__dict__.update(other.__dict__, protocol=protocol)
        return made

    def member(self, **settings: Any) -> Any:
        """A consumer of the group without a subscription."""
        if self.protocol == "classic":
            settings.setdefault("session_timeout_ms", 10_000)
            settings.setdefault("heartbeat_interval_ms", 200)
        return self.clients.consumer(group_id=self.group_id, group_protocol=self.protocol, **settings)

    def reader(self, **settings: Any) -> Any:
        """A member that is subscribed to the topic."""
        member = self.member(**settings)
        member.subscribe([self.topic])
        return member


def poll_until(members: list[Any], reached: Callable[[], bool], what: str, seconds: float = SECONDS) -> list[Any]:
    """Polls all members in turns until the condition holds; answers what they read."""
    deadline = time.monotonic() + seconds
    records: list[Any] = []
    while not reached():
        assert time.monotonic() < deadline, f"{what} within {seconds:.0f} s: {[m.assignment() for m in members]}"
        for member in members:
            records.extend(member.poll_batch(timeout=0.02))
    return records


@contextmanager
def closing(consumer: Any) -> Iterator[Any]:
    """Closes early; the fixture would close it at the end of the test."""
    yield consumer
    consumer.close()


def assigned(member: Any, count: int) -> list[Any]:
    """Polls a member until it has so many partitions; answers what it read."""
    return poll_until([member], lambda: len(member.assignment()) == count, f"{count} partitions")


def native(member: Any) -> Any:
    """The client itself, for calls made inside of listeners, where the test's event loop runs already."""
    return getattr(member, "_client", member)

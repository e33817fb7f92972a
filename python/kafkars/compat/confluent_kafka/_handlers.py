"""Handlers that the native clients of this face call while the program polls."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from kafkars import errors
from kafkars._kafkars import Message
from kafkars.compat.confluent_kafka._commits import Commits
from kafkars.compat.confluent_kafka._events import Events
from kafkars.compat.confluent_kafka._membership import Membership
from kafkars.compat.confluent_kafka._translate import local_error
from kafkars.compat.confluent_kafka._trouble import Trouble, message_of


class ProducerHandler(Protocol):
    """Called by a native producer for what happens seldom."""

    def serve(self) -> int:
        """Runs callbacks that wait for the program's thread, and returns their number."""
        ...

    def reached(self, problem: errors.KafkaError | None) -> None:
        """Called when the cluster becomes unreachable or reachable."""
        ...


class ConsumerHandler(Protocol):
    """Called by a native consumer for what happens seldom."""

    waiting: deque[Message]
    """Messages for the program, the next one first."""

    def serve(self, missing: list[tuple[str, int]]) -> None:
        """Runs callbacks that wait for the program's thread.

        Args:
            missing: Subscribed topics that are not there, and the codes that say why. Those at the end are told first,
                and taken out.
        """
        ...

    def message_of(self, problem: errors.KafkaError) -> Message | None:
        """Returns an error of kafkars as a message; None if the program does not get it."""
        ...

    def partition_end(self, topic: str, partition: int, offset: int) -> Message:
        """Returns the message that a partition was read to its end."""
        ...

    def reached(self, problem: errors.KafkaError | None) -> None:
        """Called when the cluster becomes unreachable or reachable."""
        ...


class ProducerPolls(ProducerHandler):
    """The handler of a producer.

    Args:
        events: Callbacks that wait.
        trouble: What `error_cb` hears.
    """

    def __init__(self, events: Events, trouble: Trouble) -> None:
        self._events = events
        self._trouble = trouble

    def serve(self) -> int:
        """See `ProducerHandler`."""
        return self._trouble.look() + self._events.serve()

    def reached(self, problem: errors.KafkaError | None) -> None:
        """See `ProducerHandler`."""
        self._trouble.reached(problem)


class ConsumerPolls(ConsumerHandler):
    """The handler of a consumer.

    Args:
        events: Callbacks that wait.
        commits: Commits that nobody asks for.
        assigned: Returns the partitions of which they tell.
        trouble: What `error_cb` hears, and what messages say.
        membership: What may be committed.
    """

    def __init__(
        self,
        events: Events,
        commits: Commits,
        assigned: Callable[[], list[tuple[str, int]]],
        trouble: Trouble,
        membership: Membership,
    ) -> None:
        self._events = events
        self._commits = commits
        self._assigned = assigned
        self._trouble = trouble
        self._membership = membership
        self.waiting = trouble.waiting

    def serve(self, missing: list[tuple[str, int]]) -> None:
        """See `ConsumerHandler`."""
        while missing:
            self._trouble.missing(*missing[-1])
            del missing[-1]
        self._trouble.look()
        self._events.serve()
        self._commits.serve(self._assigned)

    def message_of(self, problem: errors.KafkaError) -> Message | None:
        """See `ConsumerHandler`."""
        self._membership.deny(problem)
        return self._trouble.message_of(problem)

    def partition_end(self, topic: str, partition: int, offset: int) -> Message:
        """See `ConsumerHandler`."""
        error = local_error("_PARTITION_EOF", f"{topic} [{partition}] was read to its end at offset {offset}")
        return message_of(error, topic, partition, offset)

    def reached(self, problem: errors.KafkaError | None) -> None:
        """See `ConsumerHandler`."""
        self._trouble.reached(problem)

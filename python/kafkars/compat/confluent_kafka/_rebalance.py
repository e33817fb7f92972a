"""Partitions that come and go with a group: the engine's listeners in front of the program's callbacks.

In the library a callback takes the partitions itself, with `assign()`; where it does not, the library takes them. The
engine has taken them already when its listener runs, so here `assign()` only says where to read from, and which of them
to leave out.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kafkars.compat.confluent_kafka._partition import TopicPartition

if TYPE_CHECKING:
    from kafkars import types
    from kafkars.compat.confluent_kafka._consumer import Consumer

Callback = Callable[["Consumer", list[TopicPartition]], object]


class Callbacks(NamedTuple):
    """What the program passed to `subscribe()`."""

    on_assign: Callback | None = None
    on_revoke: Callback | None = None
    on_lost: Callback | None = None


class Listener:
    """What the engine calls. It does not keep the consumer alive, which keeps the engine, which keeps this."""

    def __init__(self, consumer: Consumer, callbacks: Callbacks) -> None:
        self._consumer = weakref.ref(consumer)
        self._callbacks = callbacks

    def assigned(self, partitions: Sequence[types.TopicPartition]) -> None:
        """Partitions have come."""
        consumer = self._consumer()
        if consumer is None:
            return
        consumer._assignment.come(partitions)
        try:
            if self._callbacks.on_assign is not None:
                with consumer._assignment.changing(named(partitions)):
                    self._callbacks.on_assign(consumer, named(partitions))
        finally:
            # What the callback raises goes to whoever polls; the assignment stands.
            consumer._assignment.settle()

    def revoked(self, partitions: Sequence[types.TopicPartition]) -> None:
        """Partitions are to go, and can still be committed."""
        consumer = self._consumer()
        if consumer is None:
            return
        try:
            if self._callbacks.on_revoke is not None:
                with consumer._assignment.changing(named(partitions)):
                    self._callbacks.on_revoke(consumer, named(partitions))
        finally:
            consumer._commits.leave(partitions)
            consumer._assignment.go(partitions)

    def lost(self, partitions: Sequence[types.TopicPartition]) -> None:
        """Partitions are gone.

        Where the program itself took too long, the poll that says so comes first, as in librdkafka, and this with the
        next one.
        """
        consumer = self._consumer()
        if consumer is None:
            return
        if consumer._engine.health().state == "expelled":
            consumer._events.push(lambda: self._lost(partitions))
        else:
            self._lost(partitions)

    def _lost(self, partitions: Sequence[types.TopicPartition]) -> None:
        consumer = self._consumer()
        if consumer is None:
            return
        callback = self._callbacks.on_lost or self._callbacks.on_revoke
        try:
            if callback is not None:
                with consumer._assignment.changing(named(partitions)):
                    callback(consumer, named(partitions))
        finally:
            consumer._commits.forget(partitions)
            consumer._assignment.go(partitions)


def named(partitions: Sequence[types.TopicPartition]) -> list[TopicPartition]:
    """Partitions as the program knows them."""
    return [TopicPartition(topic, partition) for topic, partition in sorted(partitions)]

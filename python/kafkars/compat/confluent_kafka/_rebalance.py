"""Rebalances of a group: kafkars' listeners call the program's callbacks.

In the library a callback assigns the partitions itself, with `assign()`; if it calls nothing of the kind, the library
does. kafkars has assigned them already when its listener runs, so here `assign()` only sets the positions, and which
partitions to leave out.
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
    """The callbacks that the program has passed to `subscribe()`."""

    on_assign: Callback | None = None
    on_revoke: Callback | None = None
    on_lost: Callback | None = None


class Listener:
    """The listener that kafkars calls. It has a weak reference to the face's consumer, which owns it indirectly."""

    def __init__(self, consumer: Consumer, callbacks: Callbacks) -> None:
        self._consumer = weakref.ref(consumer)
        self._callbacks = callbacks

    def assigned(self, partitions: Sequence[types.TopicPartition]) -> None:
        """Called when partitions were assigned."""
        consumer = self._consumer()
        if consumer is None:
            return
        consumer._assignment_.come(partitions)
        consumer._membership_.join()
        is_news = consumer._membership_.is_news(partitions)
        # The program's poll raises the callback's exception; the assignment stays.
        with consumer._assignment_.coming(partitions):
            if is_news and self._callbacks.on_assign is not None:
                self._callbacks.on_assign(consumer, named(partitions))

    def revoked(self, partitions: Sequence[types.TopicPartition]) -> None:
        """Called when partitions are being revoked; their offsets can still be committed."""
        consumer = self._consumer()
        if consumer is None:
            return
        consumer._membership_.give()
        try:
            if self._callbacks.on_revoke is not None and not consumer._assignment_.is_declined:
                with consumer._assignment_.going(partitions):
                    self._callbacks.on_revoke(consumer, named(partitions))
        finally:
            try:
                consumer._commits_.leave(partitions, is_closing=consumer._assignment_.is_closing)
            finally:
                # Also where `on_commit` has raised.
                consumer._assignment_.go(partitions)
                if consumer._assignment_.is_closing:
                    # There is no later poll that could tell of what `on_revoke` has committed in vain.
                    consumer._commits_.tell_refused()

    def lost(self, partitions: Sequence[types.TopicPartition]) -> None:
        """Called when partitions were lost.

        Where the program itself took too long, the poll that says so comes first, as in librdkafka, and this with the
        next one; a consumer that is being closed has no next one.
        """
        consumer = self._consumer()
        if consumer is None:
            return
        if consumer._engine_.health().state == "expelled" and not consumer._assignment_.is_closing:
            consumer._membership_.lose()
            consumer._events_.push(lambda: self._lost(partitions))
        else:
            self._lost(partitions)

    def _lost(self, partitions: Sequence[types.TopicPartition]) -> None:
        consumer = self._consumer()
        if consumer is None:
            return
        callback = self._callbacks.on_lost or self._callbacks.on_revoke
        try:
            if callback is not None and not consumer._assignment_.is_declined:
                with consumer._assignment_.going(partitions):
                    callback(consumer, named(partitions))
        finally:
            consumer._membership_.tell_lost()
            consumer._commits_.forget(partitions)
            consumer._assignment_.go(partitions)


def named(partitions: Sequence[types.TopicPartition]) -> list[TopicPartition]:
    """Returns partitions as the library's `TopicPartition`."""
    return [TopicPartition(topic, partition) for topic, partition in sorted(partitions)]

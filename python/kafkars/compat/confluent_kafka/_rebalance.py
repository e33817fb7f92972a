"""Rebalances of a group: kafkars' listeners call the program's callbacks.

In the library a callback assigns the partitions itself, with `assign()`; if it calls nothing of the kind, the library
does. kafkars has assigned them already when its listener runs, so here `assign()` only sets the positions, and which
partitions to leave out.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kafkars.compat._telling import teller
from kafkars.compat.confluent_kafka._ending import Ending, whole
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
        whole(lambda: self._revoking(partitions))

    def _revoking(self, partitions: Sequence[types.TopicPartition]) -> Callable[[], None]:
        consumer = self._consumer()
        if consumer is None:
            return nothing
        assignment, commits = consumer._assignment_, consumer._commits_
        ending = Ending(math.inf, "the last offsets are committed")
        told = telling(self._callbacks.on_revoke, consumer, partitions, ending)
        leave = commits.leaving(partitions, ending)
        is_gone = False

        def steps() -> None:
            consumer._membership_.give()
            if not assignment.is_declined:
                with assignment.going(partitions):
                    told()
            leave(lambda: assignment.is_closing)

        def go() -> None:
            nonlocal is_gone
            commits.forget(partitions)
            assignment.go(partitions)
            is_gone = True

        def revoke() -> None:
            with ending.raising_at_the_end():
                try:
                    if not is_gone:
                        ending.through(steps)
                except BaseException:
                    # A second one has ended the commit; after a first one, before the steps, they are taken again.
                    if ending.interrupt is not None:
                        go()
                    raise
                ending.through(go)
                if assignment.is_closing:
                    # There is no later poll that could tell of what `on_revoke` has committed in vain.
                    commits.tell_refused()

        return revoke

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
        whole(lambda: self._losing(partitions))

    def _losing(self, partitions: Sequence[types.TopicPartition]) -> Callable[[], None]:
        consumer = self._consumer()
        if consumer is None:
            return nothing
        assignment = consumer._assignment_
        ending = Ending(math.inf, "lost partitions are given up")
        told = telling(self._callbacks.on_lost or self._callbacks.on_revoke, consumer, partitions, ending)
        is_gone = False

        def steps() -> None:
            nonlocal is_gone
            if is_gone:
                return
            if not assignment.is_declined:
                with assignment.going(partitions):
                    told()
            consumer._membership_.tell_lost()
            consumer._commits_.forget(partitions)
            assignment.go(partitions)
            is_gone = True

        def lose() -> None:
            with ending.raising_at_the_end():
                ending.through(steps)

        return lose


def telling(
    callback: Callback | None, consumer: Consumer, partitions: Sequence[types.TopicPartition], ending: Ending
) -> Callable[[], None]:
    """Returns what calls a callback, once; what it raises is kept."""
    return teller(lambda: (consumer, named(partitions)), callback or unheard, ending.kept)


def nothing() -> None:
    """Stands for what is to be done where nothing is."""


def unheard(consumer: Consumer, partitions: list[TopicPartition]) -> None:
    """Stands for a callback that the program does not have."""


def named(partitions: Sequence[types.TopicPartition]) -> list[TopicPartition]:
    """Returns partitions as the library's `TopicPartition`."""
    return [TopicPartition(topic, partition) for topic, partition in sorted(partitions)]

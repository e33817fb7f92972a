"""Commits of a consumer: offsets of returned messages or stored ones, on request and automatically."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kafkars import errors
from kafkars.compat._telling import teller
from kafkars.compat.confluent_kafka._arguments import Place, committed_text, offset_and_metadata, place
from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.compat.confluent_kafka._ending import Ending
from kafkars.compat.confluent_kafka._offsets import INVALID
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._pending import Pending, UnderWay
from kafkars.compat.confluent_kafka._translate import local_error, of_commit, refusal
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException
from kafkars.types import OffsetAndMetadata

if TYPE_CHECKING:
    from kafkars import types
    from kafkars.compat.confluent_kafka._face import Face

log = logging.getLogger("kafkars.compat")

REBALANCE_SECONDS = 10.0
"""Seconds for which the commit of revoked partitions may delay a rebalance, in which other members wait."""
CLOSE_SECONDS = 25.0
"""Seconds for which the last commit of a consumer that is being closed may wait for a coordinator."""


class Commits:
    """The offsets of one consumer.

    Args:
        engine: The engine's consumer.
        pending: What is to be committed.
        ring: Asks for `serve()` to be called.
        face: Settings.
        is_own: Whether commits that the engine could make by itself are made here.
    """

    def __init__(
        self,
        engine: Any,
        pending: Pending,
        ring: Callable[[], None],
        face: Face,
        *,
        is_own: bool,
    ) -> None:
        self._engine = engine
        self._pending = pending
        self._on_commit = face.on_commit
        self._is_own = is_own
        self._interval = face.auto_commit_interval
        self._due = time.monotonic() + self._interval
        self._ring = ring
        self._refused: deque[tuple[KafkaError, list[TopicPartition]]] = deque()
        self._known: dict[Place, OffsetAndMetadata] = {}
        # What is to be committed of partitions that a callback has given up before they go.
        self._aside: dict[Place, OffsetAndMetadata] = {}

    def store(self, offsets: dict[Place, OffsetAndMetadata]) -> None:
        """Keeps offsets for the next commit."""
        self._pending.store(offsets)

    @contextmanager
    def seeking(self, at: Place) -> Iterator[None]:
        """The program goes on elsewhere in a partition: what it has read stays to be committed until it reads on."""
        left = self._pending.kept().get(at)
        yield
        self._pending.seek(at, left)

    def known(self) -> Mapping[Place, OffsetAndMetadata]:
        """Returns what this consumer has committed last of the partitions that it has."""
        return self._known

    def pending(self) -> dict[Place, OffsetAndMetadata]:
        """What a commit without arguments commits: nothing below an offset that was committed since."""
        return self._pending.due()

    def commit(
        self, offsets: Mapping[Place, OffsetAndMetadata], named: list[TopicPartition], *, is_chosen: bool
    ) -> list[TopicPartition]:
        """Commits and waits.

        Args:
            offsets: What is committed.
            named: The partitions that the program hears of: those, and others that have no offset to commit.
            is_chosen: Whether the program has chosen the offsets.

        Raises:
            KafkaException: They were not committed.
        """
        if not offsets:
            fence = self._fence("Commit failed")
            raise (
                KafkaException(fence) if fence else refusal("_NO_OFFSET", "Commit failed: there is no offset to commit")
            )
        self._supersede(offsets)
        commit = self._pending.begin(offsets, is_chosen=is_chosen)
        made: Mapping[Place, OffsetAndMetadata] = {}
        try:
            made = possible(offsets, self._engine.commit)
        except errors.KafkaError as problem:
            raise KafkaException(of_commit(problem, "Commit failed")) from problem
        finally:
            self._end(commit, made)
        if len(made) < len(offsets):
            raise KafkaException(impossible())
        return told(named)

    def commit_later(
        self, offsets: Mapping[Place, OffsetAndMetadata], named: list[TopicPartition], *, is_chosen: bool
    ) -> None:
        """Commits without waiting; a later poll calls `on_commit`. See `commit()`."""
        if offsets:
            self._supersede(offsets)
            self._send(offsets, named, is_chosen=is_chosen)
        elif self._on_commit is not None:
            self._refused.append((self._fence() or local_error("_NO_OFFSET"), named))
            self._ring()

    def _fence(self, what: str = "") -> KafkaError | None:
        """Returns why a member that has nothing to commit is none any more, if another one has taken its place."""
        try:
            self._engine.commit({})
        except errors.FencedInstanceIdError as problem:
            return of_commit(problem, what)
        return None

    def refuse(self, named: list[TopicPartition], error: KafkaError) -> None:
        """Makes a later poll call `on_commit` with the reason why offsets are not committed."""
        if self._on_commit is not None:
            self._refused.append((error, told(named, error)))
            self._ring()

    def serve(self, assigned: Callable[[], Iterable[Place]]) -> None:
        """Calls `on_commit` for refused offsets, and makes the automatic commit of what is assigned if it is due."""
        self.tell_refused()
        if not self._is_own or self._interval <= 0 or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + self._interval
        pending = self.pending()
        if pending:
            self._send(pending, self.told_of(pending, assigned))

    def told_of(
        self, offsets: Mapping[Place, OffsetAndMetadata], others: Callable[[], Iterable[Place]]
    ) -> list[TopicPartition]:
        """Returns what `on_commit` hears of a commit, also of other partitions; nothing where nobody hears it."""
        return [] if self._on_commit is None else with_others(offsets, others())

    def tell_refused(self) -> None:
        """Calls `on_commit` for offsets that were refused here."""
        # Only those that wait now: what `on_commit` itself commits may be refused again, for ever.
        for _ in range(len(self._refused)):
            if self._refused and self._on_commit is not None:
                teller(taker(self._refused), self._on_commit)()

    def leaving(
        self, partitions: Sequence[types.TopicPartition | Place], ending: Ending
    ) -> Callable[[Callable[[], bool]], None]:
        """Returns what commits the remaining offsets of partitions that go. `on_commit` or the log hears of a failure.

        Args:
            partitions: Those that go.
            ending: The wait for the commit, which keeps what `on_commit` raises.

        Returns:
            A function that is told whether the consumer is being closed, and can be called again where an interrupt has
            ended it.
        """
        going = {(topic, partition) for topic, partition in partitions}
        is_over = False
        rest: tuple[UnderWay, list[TopicPartition]] | None = None

        def commit_rest(is_closing: Callable[[], bool]) -> None:
            nonlocal rest
            if is_over:
                return
            if rest is None:
                kept = {**self._aside, **self._pending.kept()} if self._is_own else {}
                pending = {at: offset for at, offset in kept.items() if at in going}
                if not pending:
                    return
                rest = self._pending.begin(pending, is_chosen=False), self.told_of(pending, lambda: going)
            # The same again after an interrupt, also if it is committed already, of which nobody has heard.
            commit, named = rest

            def ended(
                made: Mapping[Place, OffsetAndMetadata], problem: errors.KafkaError | None
            ) -> tuple[KafkaError | None, list[TopicPartition]]:
                nonlocal is_over
                answer = self._ended(commit, named, problem, made)
                is_over = True
                return answer

            told = teller(ended, self._on_commit or unheard, ending.kept)
            try:
                timeout = CLOSE_SECONDS if is_closing() else REBALANCE_SECONDS
                made = possible(commit.offsets, lambda each: self._engine.commit(each, timeout=timeout))
            except errors.KafkaError as problem:
                if self._on_commit is None:
                    log.warning("the last commit failed: %s", problem)
                told({}, problem)
            else:
                told(made, None)

        return lambda is_closing: ending.wait(lambda _: commit_rest(is_closing))

    def let_go(self, places: Iterable[Place]) -> None:
        """Commits the remaining offsets of partitions that the program unassigns, without waiting: a later poll calls
        `on_commit`.
        """
        going = list(places)
        pending = self._pending.kept() if self._is_own else {}
        left = {at: pending[at] for at in going if at in pending}
        if left:
            self._send(left, self.told_of(left, lambda: going))
        self.forget(going)

    def anew(self, topic: str, partition: int) -> None:
        """A partition is assigned: what was committed of it before says nothing of what is read from now on."""
        self._pending.forget([(topic, partition)])

    def set_aside(self, places: Iterable[Place]) -> None:
        """Keeps the remaining offsets of partitions that a callback gives up for `leave()`, and for nothing else."""
        giving_up = list(places)
        kept = {**self._aside, **self._pending.kept()}
        self.forget(giving_up)
        self._aside.update({at: kept[at] for at in giving_up if at in kept})

    def _supersede(self, offsets: Iterable[Place]) -> None:
        """What the program commits of a partition that it has given up counts more than what it had read."""
        for at in offsets:
            self._aside.pop(at, None)

    def forget(self, partitions: Iterable[types.TopicPartition | Place]) -> None:
        """Drops the stored offsets of these partitions."""
        places = [(topic, partition) for topic, partition in partitions]
        self._pending.forget(places)
        for at in places:
            self._known.pop(at, None)
            self._aside.pop(at, None)

    def _send(
        self, offsets: Mapping[Place, OffsetAndMetadata], named: list[TopicPartition], *, is_chosen: bool = False
    ) -> None:
        """Commits without waiting; a later poll calls `on_commit`. See `commit()`."""
        commit = self._pending.begin(offsets, is_chosen=is_chosen)

        def ended(
            made: Mapping[Place, OffsetAndMetadata], problem: errors.KafkaError | None
        ) -> tuple[KafkaError | None, list[TopicPartition]]:
            return self._ended(commit, named, problem, {(at[0], at[1]): offset for at, offset in made.items()})

        told = teller(ended, self._on_commit or unheard)
        is_sent = False
        try:
            is_sent = bool(possible(offsets, lambda each: self._engine.commit_async(each, callback=told)))
        finally:
            if not is_sent:
                self._end(commit, {})
        if not is_sent:
            self.refuse(named, impossible())

    def _ended(
        self,
        commit: UnderWay,
        named: list[TopicPartition],
        problem: errors.KafkaError | None,
        made: Mapping[Place, OffsetAndMetadata],
    ) -> tuple[KafkaError | None, list[TopicPartition]]:
        """Notes how a commit has ended, of whose offsets only some could be made, and returns what the program hears of
        it.
        """
        error = None if problem is None else of_commit(problem)
        self._end(commit, made if problem is None else {})
        if error is None:
            error = None if len(made) == len(commit.offsets) else impossible()
        # As in the library all offsets have the error, also where the coordinator has refused one and taken others.
        return error, told(named, error)

    def _end(self, commit: UnderWay, made: Mapping[Place, OffsetAndMetadata]) -> None:
        """Notes how a commit has ended: neither what is committed nor what lies below is committed again."""
        self._known.update(made)
        self._pending.end(commit, made)


def taker(
    waiting: deque[tuple[KafkaError, list[TopicPartition]]],
) -> Callable[[], tuple[KafkaError, list[TopicPartition]]]:
    """Returns a function that takes what waits longest, and returns it again when it is called again."""
    taken: list[tuple[KafkaError, list[TopicPartition]]] = []

    def take() -> tuple[KafkaError, list[TopicPartition]]:
        if not taken:
            taken.append(waiting.popleft())
        return taken[0]

    return take


def unheard(error: KafkaError | None, partitions: list[TopicPartition]) -> None:
    """Stands for `on_commit` where the program has none."""


def possible(
    offsets: Mapping[Place, OffsetAndMetadata], commit: Callable[[dict[Place, OffsetAndMetadata]], object]
) -> dict[Place, OffsetAndMetadata]:
    """Commits those offsets whose partitions a cluster can have, and returns them.

    In the library the coordinator refuses the others by themselves. kafkars makes no commit with one of them.
    """
    left = {at: offset for at, offset in offsets.items() if at[1] >= 0}
    if not left:
        return left
    try:
        commit(dict(left))
    except errors.InvalidTopicError as problem:
        rest = {at: offset for at, offset in left.items() if at[0] != problem.topic}
        if problem.partition is not None or len(rest) == len(left):
            raise
        return possible(rest, commit)
    return left


def impossible() -> KafkaError:
    """Returns the error for offsets of partitions that no cluster can have."""
    return KafkaError(BROKER["UNKNOWN_TOPIC_OR_PART"], "Commit failed: there can be no such topic or partition")


def with_others(offsets: Mapping[Place, OffsetAndMetadata], others: Iterable[Place]) -> list[TopicPartition]:
    """Returns offsets that are to be committed, and the other partitions without one, as the program hears of them."""
    named = {at: TopicPartition(*at, INVALID) for at in others}
    for (topic, partition), at in offsets.items():
        text = committed_text(at.metadata)
        named[topic, partition] = TopicPartition(topic, partition, at.offset, text, at.leader_epoch)
    return told(named.values())


def told(partitions: Iterable[TopicPartition], error: KafkaError | None = None) -> list[TopicPartition]:
    """Returns what was to be committed as the program gets it: sorted, with the error where there is an offset."""
    return [
        each._answer(each.offset, error if each.offset >= 0 else None, each.metadata, each.leader_epoch)
        for each in sorted(partitions, key=place)
    ]


def given(partitions: Sequence[TopicPartition]) -> dict[Place, OffsetAndMetadata]:
    """Returns the offsets that a program wants to commit; partitions without an offset are left out."""
    return {(each.topic, each.partition): offset_and_metadata(each) for each in partitions if each.offset >= 0}

"""The consumer below those of asyncio, and what their calls have taken from it and not returned yet.

A call that waits, for more messages or for a deserializer, may be cancelled or fail meanwhile. So messages count as
returned in the step in which the call ends with them: until then `position()`, commits and automatic commits leave them
out, and what is not returned goes back to the engine, which reads it again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkars._discreet import discreet
from kafkars._kafkars import runs_of_messages
from kafkars.compat.confluent_kafka._arguments import place as at_place
from kafkars.compat.confluent_kafka._consumer import Consumer
from kafkars.compat.confluent_kafka.error import LOCAL

if TYPE_CHECKING:
    from kafkars.compat.confluent_kafka._arguments import Place
    from kafkars.compat.confluent_kafka._partition import TopicPartition
    from kafkars.compat.confluent_kafka.cimpl import Message


class Gathering:
    """What one call has taken. Other calls ask for it by partition, and need not go through all of it."""

    __slots__ = ("_count", "_firsts", "_of", "_runs", "_sorted", "_taken", "later")

    def __init__(self, of: GatheringConsumer) -> None:
        self._of = of
        self.later: dict[Place, set[int]] = {}
        """What other calls have returned of what comes behind these messages."""
        # In order; None in the place of those that have gone.
        self._taken: list[Message | None]
        # How many are left.
        self._count: int
        # Where they are from, and the lowest offsets, up to this number: what is taken in one go is noted before more
        # is taken, or when another call asks.
        self._sorted: int
        self._runs: dict[Place, list[Run]]
        self._firsts: dict[Place, int]
        self._hold()

    def __len__(self) -> int:
        return self._count

    @property
    def messages(self) -> list[Message]:
        """What it may return; those of a partition go when it is assigned anew or sought in."""
        with self._of._lock_:
            if self._count == len(self._taken):
                return [*self._taken]  # type: ignore[list-item]
            return [each for each in self._taken if each is not None]

    def take(self, most: int) -> bool:
        """Takes more messages, if there are any, up to `most` with those before."""
        return self._of._take_for_(self, most)

    def add(self, messages: Sequence[Message]) -> None:
        """Adds messages."""
        with self._of._lock_:
            self._taken += messages
            self._count += len(messages)

    def give(self, messages: Sequence[Message] | None = None) -> list[Message]:
        """Counts messages as returned, all by default, and returns those of them that may be returned still."""
        return self._of._give_(self, messages)

    def remove(self, given: Sequence[Message]) -> None:
        """Forgets messages that are returned."""
        if len(given) == self._count:
            self._hold()
            return
        gone = {id(each) for each in given}
        self._hold(*(each for each in self.messages if id(each) not in gone))

    def drop(self, place: Place | None, above: int = -1) -> None:
        """Forgets the messages of a partition, or of all, above an offset."""
        if place is None:
            self._hold()
            return
        self.sort()
        left: list[Run] = []
        for run in self._runs.get(place, ()):
            if run.offset is None:
                end = run.end if above >= 0 else run.first
            else:
                end = bisect_right(range(run.end), above, run.first, key=self._offset_at)
            if end > run.first:
                left.append(run._replace(end=end))
            self._empty(end, run.end)
        self._leave(place, left)

    def put_down(self, place: Place) -> set[int]:
        """Forgets the messages of a partition that is paused, but not the errors, which are told once.

        Returns:
            What other calls have returned of what comes behind them.
        """
        self.sort()
        left: list[Run] = []
        for run in self._runs.get(place, ()):
            message = self._taken[run.first]
            if run.offset is None and message is not None and not is_end(message):
                left.append(run)
            else:
                self._empty(run.first, run.end)
        self._leave(place, left)
        return self.later.pop(place, set())

    def forget_later(self, place: Place | None) -> None:
        """Forgets what other calls have returned of a partition, or of all: it is read from somewhere else."""
        if place is None:
            self.later.clear()
        else:
            self.later.pop(place, None)

    def firsts(self) -> Mapping[Place, int]:
        """The lowest offset of each partition."""
        self.sort()
        return self._firsts

    def errors(self) -> list[Message]:
        """The messages that stand for an error or the end of a partition."""
        self.sort()
        numbers = [run.first for runs in self._runs.values() for run in runs if run.offset is None]
        return [self._taken[number] for number in sorted(numbers)]  # type: ignore[misc]

    def sort(self) -> None:
        """Notes where those messages are from of which that is not known yet."""
        if self._sorted == len(self._taken):
            return
        for topic, partition, first, end, offset in runs_of_messages(self._taken, self._sorted):
            place: Place = topic, partition  # type: ignore[assignment]
            self._runs.setdefault(place, []).append(Run(first, end, offset))
            if offset is not None:
                self._firsts[place] = min(offset, self._firsts.get(place, offset))
        self._sorted = len(self._taken)

    def _hold(self, *messages: Message) -> None:
        """Replaces all messages."""
        self._taken = [*messages]
        self._count = len(messages)
        self._sorted = 0
        self._runs = {}
        self._firsts = {}

    def _empty(self, first: int, end: int) -> None:
        self._taken[first:end] = [None] * (end - first)
        self._count -= end - first

    def _offset_at(self, number: int) -> int:
        message = self._taken[number]
        return message.offset() or 0 if message is not None else 0

    def _leave(self, place: Place, runs: list[Run]) -> None:
        """Notes what is left of a partition."""
        self._runs[place] = runs
        self._firsts.pop(place, None)
        offsets = [run.offset for run in runs if run.offset is not None]
        if offsets:
            self._firsts[place] = min(offsets)


class Run(NamedTuple):
    """Messages of one partition that lie behind each other, in the order of their offsets; or an error."""

    first: int
    end: int
    offset: int | None
    """The lowest; None of an error or the end of a partition."""


class GatheringConsumer(Consumer):
    """A `Consumer` whose messages count as returned when the calls of asyncio that took them have ended."""

    __slots__ = ("_gatherings_", "_lock_", "_passed_", "_untold_")

    @discreet
    def __init__(self, config: Mapping[str, Any]) -> None:
        """See `Consumer`."""
        # Guards what follows, and that nobody sees messages between the engine and their gathering: a thread that runs
        # callbacks may commit.
        self._lock_ = RLock()
        self._gatherings_: list[Gathering] = []
        # What was returned already of what the engine reads again, because a call beside was given up.
        self._passed_: dict[Place, set[int]] = {}
        # Errors that a call has met and not returned.
        self._untold_: deque[Message] = deque()
        super().__init__(config)

    @contextmanager
    def _gathering_(self) -> Iterator[Gathering]:
        """The time of a call. What it has not given by its end is handed back."""
        gathering = Gathering(self)
        with self._lock_:
            self._gatherings_.append(gathering)
        try:
            yield gathering
        finally:
            self._hand_back_rest_(gathering)

    def _take_one_(self) -> Message | None:
        """Takes and returns a message, in one step."""
        if not self._untold_ and not self._gatherings_ and not self._passed_:
            return self._take_()
        with self._gathering_() as gathering:
            gathering.take(1)
            given = gathering.give()
            return given[0] if given else None

    def _take_for_(self, gathering: Gathering, most: int) -> bool:
        with self._lock_:
            before = len(gathering)
            gathering.sort()
            while self._untold_ and len(gathering) < most:
                gathering.add([self._untold_.popleft()])
            if len(gathering) < most:
                found = self._take_many_(most - len(gathering))
                gathering.add(self._not_passed_(found) if self._passed_ else found)
            return len(gathering) > before

    def _not_passed_(self, messages: Iterable[Message]) -> list[Message]:
        return [each for each in messages if offset_of(each) not in self._passed_.get(place_of(each), ())]

    def _give_(self, gathering: Gathering, messages: Sequence[Message] | None) -> list[Message]:
        with self._lock_:
            if messages is None:
                messages = gathering.messages
            else:
                left = {id(each) for each in gathering.messages}
                messages = [each for each in messages if id(each) in left]
            given = self._kept_(messages)
            gathering.remove(given)
            if len(self._gatherings_) > 1 or self._passed_:
                self._note_given_(gathering, given)
            return given

    def _note_given_(self, gathering: Gathering, given: Iterable[Message]) -> None:
        """Notes what was returned before what comes before it."""
        others = [(each, each.firsts()) for each in self._gatherings_ if each is not gathering]
        concerned = {*self._passed_, *(place for _, first in others for place in first)}
        for message in given if concerned else ():
            place, offset = place_of(message), offset_of(message)
            if offset is None or place not in concerned:
                continue
            passed = self._passed_.get(place)
            if passed:
                # What lies behind messages of another call can still be read again.
                low = min(first.get(place, offset) for first in (*(first for _, first in others), {place: offset}))
                self._passed_[place] = {each for each in passed if each > low}
            for other, first in others:
                if first.get(place, offset) < offset:
                    other.later.setdefault(place, set()).add(offset)

    def _hand_back_rest_(self, gathering: Gathering) -> None:
        with self._lock_:
            self._gatherings_.remove(gathering)
            if not gathering:
                return
            back = gathering.firsts()
            for place, offset in back.items():
                for other in self._gatherings_:
                    # They are read again, too, in order.
                    other.drop(place, above=offset)
                if place in gathering.later:
                    self._passed_.setdefault(place, set()).update(gathering.later[place])
                self._hand_back_(*place, offset)
            # The end of a partition that is read again will be told again. Errors are told once.
            untold = [each for each in gathering.errors() if place_of(each) not in back or not is_end(each)]
            self._untold_.extendleft(reversed(untold))

    def pause(self, partitions: list[TopicPartition]) -> None:
        """See `Consumer`: what calls that still wait have taken of these is handed back, and comes after `resume()`."""
        with self._lock_:
            super().pause(partitions)
            for each in partitions:
                self._put_down_(at_place(each))

    def _put_down_(self, at: Place) -> None:
        first = self._firsts_().get(at)
        passed = set[int]().union(*(each.put_down(at) for each in self._gatherings_))
        if first is not None:
            if passed:
                self._passed_.setdefault(at, set()).update(passed)
            self._hand_back_(*at, first)

    # --- what counts as returned

    def _uncommitted_(self) -> list[tuple[str, int, int, int]]:
        """Returns what `Consumer` does, up to the first message that is not returned."""
        with self._lock_:
            found = super()._uncommitted_()
            if not self._gatherings_:
                return found
            first = self._firsts_()
            known = self._commits_.known()
            found = [each if each[:2] not in first else (*each[:2], first[each[:2]], -1) for each in found]
            return [each for each in found if each[:2] not in first or is_new(known.get(each[:2]), each[2])]

    def _position_(self, topic: str, partition: int) -> tuple[int, int] | None:
        """Returns what `Consumer` does, up to the first message that is not returned."""
        with self._lock_:
            found = super()._position_(topic, partition)
            first = self._firsts_().get((topic, partition)) if self._gatherings_ else None
            return found if found is None or first is None else (first, -1)

    def _firsts_(self) -> dict[Place, int]:
        """The lowest offset of each partition among what is not returned."""
        found: dict[Place, int] = {}
        for gathering in self._gatherings_:
            for place, offset in gathering.firsts().items():
                found[place] = min(offset, found.get(place, offset))
        return found

    def _forget_(self, topic: str | None = None, partition: int = 0) -> None:
        """Notes that a partition, or every one with None, is read from another position: what was taken before is
        returned no more.
        """
        place = None if topic is None else (topic, partition)
        with self._lock_:
            super()._forget_(topic, partition)
            for each in self._gatherings_:
                each.drop(place)
                each.forget_later(place)
            if place is None:
                self._passed_.clear()
                self._untold_.clear()
            else:
                self._passed_.pop(place, None)
                self._untold_ = deque(each for each in self._untold_ if place_of(each) != place)


def place_of(message: Message) -> Place:
    """Returns where a message is from."""
    return message.topic(), message.partition()  # type: ignore[return-value]


def offset_of(message: Message) -> int | None:
    """Returns the offset of a message; None if it stands for an error or the end of a partition."""
    return None if message.error() is not None else message.offset()


def is_end(message: Message) -> bool:
    """True if a message stands for the end of a partition."""
    error = message.error()
    return error is not None and error.code() == LOCAL["_PARTITION_EOF"]


def is_new(committed: Any, offset: int) -> bool:
    """True unless this offset is committed already."""
    return committed is None or committed.offset != offset

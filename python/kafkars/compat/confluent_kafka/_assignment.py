"""The assignment of a consumer as the library has it: partitions with the offsets they were assigned with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from kafkars import errors
from kafkars.compat.confluent_kafka._arguments import Place, place
from kafkars.compat.confluent_kafka._offsets import BEGINNING, END, INVALID, STORED, TAIL
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._translate import refusal, translated

if TYPE_CHECKING:
    from kafkars import types


LOOK_SECONDS = 5.0
"""The time limit in seconds for looking up the end of a partition."""


class Running:
    """A callback of a rebalance while it runs."""

    __slots__ = ("going", "has_chosen", "has_taken")

    def __init__(self, going: Iterable[tuple[str, int]] = ()) -> None:
        self.going: set[Place] = {(topic, partition) for topic, partition in going}
        """The partitions that go when it has returned; none if it is told of partitions that come."""
        self.has_chosen = False
        """Whether it has called anything that assigns."""
        self.has_taken = False
        """Whether it has assigned something, or nothing, as it may."""


class Assignment:
    """The partitions of one consumer.

    Args:
        engine: The engine's consumer.
        forget: Called with a topic and a partition that is read anew, or without for all.
        anew: Called with a topic and a partition that is assigned.
        hand_back: Called with a topic and a partition that was paused: what calls that go on have taken of it is read
            again later.
        go_back: Called with assigned partitions that are to be read from what the group has committed.
        unknown: Called with a topic and a partition that no cluster can have.
        let_go: Called with partitions that the program is about to give up.
        set_aside: The same for partitions that go anyhow as soon as the running callback has returned.
        is_cooperative: Whether the group moves single partitions, and the program has to do so, too.
        is_reset_to_end: Whether a partition without offset starts at its end.
    """

    def __init__(
        self,
        engine: Any,
        forget: Callable[..., None],
        anew: Callable[[str, int], None],
        hand_back: Callable[[str, int], None],
        go_back: Callable[[list[Place]], None],
        unknown: Callable[[str, int], None],
        let_go: Callable[[list[Place]], None],
        set_aside: Callable[[list[Place]], None],
        *,
        is_cooperative: bool,
        is_reset_to_end: bool,
    ) -> None:
        self._engine = engine
        self._forget = forget
        self._anew = anew
        self._hand_back = hand_back
        self._go_back = go_back
        self._unknown = unknown
        self._let_go = let_go
        self._set_aside = set_aside
        self._is_cooperative = is_cooperative
        self._is_reset_to_end = is_reset_to_end
        # The offset that assignment() returns for each partition.
        self._shown: dict[Place, int] = {}
        # Partitions that the program has paused: they stay so when they are assigned again, as in librdkafka.
        self._paused: set[Place] = set()
        # Partitions of the group that the program did not assign.
        self._left_out: set[Place] = set()
        # All that the group has assigned and not revoked yet: after unsubscribe() too, until the next poll.
        self._of_group: set[Place] = set()
        # The callback of a rebalance that is running, if one is.
        self._running: Running | None = None
        self._is_declined = False
        self.is_subscribed = False
        self.is_closing = False
        """Whether the program closes the consumer: then a callback may call either kind of unassign."""
        self.subscription: set[str] = set()
        """Names and regular expressions of the latest subscription."""
        self.topics: set[str] = set()
        """Topics with partitions that were assigned or asked for at some time."""

    def __contains__(self, at: Place) -> bool:
        return at in self._shown

    def __bool__(self) -> bool:
        return bool(self._shown)

    @property
    def is_in_callback(self) -> bool:
        """True while the program's callback of a rebalance runs."""
        return self._running is not None

    @property
    def is_declined(self) -> bool:
        """True if `on_assign` took nothing of an eager rebalance: unassigned, or only called what failed. Then nothing
        is there to be revoked.
        """
        return self._is_declined

    @property
    def is_eager(self) -> bool:
        """True if the group's rebalances are eager: they revoke all partitions at once."""
        return not self._is_cooperative

    def shown(self) -> list[TopicPartition]:
        """Returns the result of `assignment()`."""
        return [TopicPartition(topic, partition, offset) for (topic, partition), offset in sorted(self._shown.items())]

    def places(self) -> list[Place]:
        """Returns all partitions."""
        return list(self._shown)

    def own(self) -> list[Place]:
        """Returns the partitions of the program's own choice, which no group takes away."""
        return [at for at in self._shown if at not in self._of_group]

    # --- calls of the program

    def assign(self, partitions: list[TopicPartition]) -> None:
        """Reads these partitions and no others."""
        if self._note_choice():
            return
        checked(partitions)
        if not self.is_subscribed:
            with translated("Failed to set assignment"):
                self._give_up(list(self._shown))
                self._engine.unassign()
                self._shown.clear()
                self._forget()
                self._add(partitions)
            return
        if self._is_cooperative and (partitions or self._is_told()):
            self._refuse_eager()
        self._take(partitions, only=True)

    def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        """Reads these partitions, too."""
        if self._note_choice():
            return
        checked(partitions)
        self._check_cooperative()
        for each in partitions:
            if place(each) in self._shown:
                raise refusal("_CONFLICT", f"{each.topic} [{each.partition}] is part of the assignment already")
        if self.is_subscribed:
            self._take(partitions, only=False)
            return
        with translated("Failed to assign"):
            # With this the engine knows no longer where those stand that the next poll takes away.
            self._set_aside([at for at in self._shown if at in self._of_group])
            self._add(partitions)

    def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        """Reads these partitions no longer."""
        if self._note_choice():
            return
        self._check_cooperative()
        for each in partitions:
            if place(each) not in self._shown:
                raise refusal("_INVALID_ARG", f"{each.topic} [{each.partition}] is not part of the assignment")
        self._drop([place(each) for each in partitions])

    def pause(self, places: list[Place]) -> None:
        """Hands out nothing of these, nor when they are assigned again, until they are resumed."""
        # Those of topics that the consumer knows stay paused until they are assigned, too.
        self._paused.update(at for at in places if at in self._shown or at[0] in self.topics)
        self._pause([at for at in places if at in self._shown])

    def resume(self, places: list[Place]) -> list[Place]:
        """Ends a pause, and returns the partitions that are read again."""
        known = [at for at in places if at in self._shown]
        again = [at for at in known if at in self._paused]
        self._paused.difference_update(places)
        self._engine.resume(known)
        return again

    def unassign(self) -> None:
        """Reads nothing."""
        if self._note_choice():
            return
        if self._is_cooperative and self.is_subscribed and self._is_told():
            self._refuse_eager()
        going = self._going
        # What goes is what is given up: what the program has assigned since it unsubscribed stays.
        self._drop([at for at in self._shown if at in going] if going else list(self._shown))

    def unassign_own(self) -> None:
        """Reads nothing of the program's own choice. What a group that it has left gave is the next poll's to take."""
        own = self.own()
        if own:
            self._drop(own)

    def _is_told(self) -> bool:
        """True if the group has given something, or a callback tells of it now."""
        return self.is_in_callback or bool(self._shown)

    # --- rebalances of the group

    def come(self, partitions: Sequence[types.TopicPartition]) -> None:
        """Called when the group has assigned partitions: they are read once the program's callback has run."""
        for topic, partition in partitions:
            self._of_group.add((topic, partition))
            self._forget(topic, partition)
            self._anew(topic, partition)
        if self._paused:
            self._engine.pause([at for at in partitions if at in self._paused])

    def go(self, partitions: Sequence[types.TopicPartition]) -> None:
        """Called when the group has revoked partitions."""
        for topic, partition in partitions:
            if (topic, partition) not in self._of_group:
                # The program has left the group, and assigned it itself meanwhile.
                continue
            self._shown.pop((topic, partition), None)
            self._left_out.discard((topic, partition))
            self._of_group.discard((topic, partition))
            self._forget(topic, partition)

    @contextmanager
    def coming(self, partitions: Sequence[types.TopicPartition]) -> Iterator[None]:
        """The time in which a callback, if there is one, is told of partitions that the group has assigned.

        What it has not assigned is assigned after it, unless it has called anything that assigns: then the program has
        chosen, also where the call has failed.
        """
        running = Running()
        try:
            with self._callback(running):
                yield
        finally:
            self._is_declined = self.is_eager and running.has_chosen and not running.has_taken
            self._settle({(topic, partition) for topic, partition in partitions}, running)

    @contextmanager
    def going(self, partitions: Sequence[types.TopicPartition]) -> Iterator[None]:
        """The time in which a callback is told of partitions that go: what it keeps is removed when it has returned."""
        with self._callback(Running(partitions)):
            yield

    @contextmanager
    def _callback(self, running: Running) -> Iterator[None]:
        self._running = running
        try:
            yield
        finally:
            self._running = None

    def _settle(self, came: set[Place], running: Running) -> None:
        owned = {(topic, partition) for topic, partition in self._engine.assignment()}
        self.topics.update(topic for topic, _ in owned)
        rest = owned - set(self._shown) - self._left_out
        if running.has_chosen:
            self._leave_out(rest & came)
        else:
            self._shown.update(dict.fromkeys(rest, STORED))
            # What the callback has paused and resumed of them counts, too.
            self._engine.resume(list(rest - self._paused))
            self._pause(rest & self._paused)

    # --- how

    def _pause(self, places: Iterable[Place]) -> None:
        places = list(places)
        self._engine.pause(places)
        for at in places:
            self._hand_back(*at)

    def _add(self, partitions: list[TopicPartition]) -> None:
        starts: dict[Place, int | None] = {}
        for each in partitions:
            if is_possible(each):
                starts[place(each)] = each.offset if each.offset >= 0 else None
        self._engine.incremental_assign(starts)
        if self._paused:
            self._engine.pause([at for at in starts if at in self._paused])
        for each in partitions:
            self._shown[place(each)] = STORED if each.offset == INVALID else each.offset
            self._of_group.discard(place(each))
            self.topics.add(each.topic)
            if not is_possible(each):
                self._unknown(*place(each))
                continue
            self._forget(*place(each))
            self._anew(*place(each))
            if each.offset in {BEGINNING, END} or each.offset <= TAIL:
                self.seek(each)

    @property
    def _going(self) -> set[Place]:
        """The partitions that go when the running callback has returned."""
        return set() if self._running is None else self._running.going

    def _note_choice(self) -> bool:
        """Notes that the program assigns, and returns whether that is done: while it closes the consumer, whatever it
        calls gives up all that goes, as in the library.
        """
        if self._running is not None:
            self._running.has_chosen = True
        if self.is_closing and self._going:
            self._drop([at for at in self._shown if at in self._going])
            return True
        return False

    @staticmethod
    def _refuse_eager() -> NoReturn:
        raise refusal("_STATE", "a cooperative group is assigned with incremental_assign() and incremental_unassign()")

    def _leave_out(self, places: set[Place]) -> None:
        """Hands out nothing of partitions that the group has assigned."""
        if places:
            self._pause(places)
            self._left_out |= places

    def _check_cooperative(self) -> None:
        # As in the library, the kind of rebalances counts from the time when the consumer has joined.
        is_member = bool(self._of_group) or (self.is_subscribed and self._engine.group_metadata().generation_id >= 0)
        if self.is_eager and is_member:
            raise refusal("_STATE", "the group moves all partitions at once: use assign() and unassign()")

    def _take(self, partitions: list[TopicPartition], *, only: bool) -> None:
        owned = set(self._engine.assignment())
        wanted = {place(each): each for each in partitions}
        strangers = [at for at in wanted if at not in owned]
        if strangers:
            topic, partition = strangers[0]
            raise refusal(
                "_INVALID_ARG",
                f"{topic} [{partition}] was not assigned to this member by its group: a subscribed consumer reads partitions "
                "of its group only; unsubscribe() first, or use another consumer for partitions of your own choice",
            )
        # What was read before is read anew, as by a consumer that is not subscribed: from what the group has committed
        # where no offset is named. What has just come has no position yet, and begins there by itself.
        known = (set(self._shown) | self._left_out) & set(wanted)
        with translated("Failed to set assignment"):
            if only:
                # All is given up first, also what is taken again at once: what is not is let go as by unassign().
                self._drop(list(self._shown))
                self._leave_out(owned - set(wanted))
            self._go_back([at for at in known if wanted[at].offset in {INVALID, STORED}])
            back = self._left_out & set(wanted)
            if back:
                self._engine.resume([at for at in back if at not in self._paused])
            self._left_out -= back
            for at, each in wanted.items():
                self.topics.add(each.topic)
                if each.offset not in {INVALID, STORED}:
                    self.seek(each)
                elif at in known:
                    self._forget(*at)
                self._shown[at] = STORED if each.offset == INVALID else each.offset
        self._is_declined = False
        if self._running is not None:
            self._running.has_taken = True

    def _drop(self, places: list[Place]) -> None:
        with translated("Failed to unassign"):
            kept = self._give_up(places)
            if self.is_subscribed:
                self._leave_out(set(self._engine.assignment()) & set(kept))
            else:
                possible = [(topic, number) for topic, number in kept if topic and number >= 0]
                self._engine.incremental_unassign(possible)
            for at in places:
                self._shown.pop(at, None)
                self._forget(*at)

    def _give_up(self, places: list[Place]) -> list[Place]:
        """Lets what is to be committed of partitions be committed, and returns those that do not go by themselves."""
        going = self._going
        self._set_aside([at for at in places if at in going])
        kept = [at for at in places if at not in going]
        self._let_go(kept)
        return kept

    def seek(self, to: TopicPartition) -> None:
        """Sets the position of a partition, also to a logical offset."""
        at = [place(to)]
        if to.offset == BEGINNING or (to.offset == INVALID and not self._is_reset_to_end):
            self._engine.seek_to_beginning(at)
        elif to.offset in {END, INVALID}:
            self._engine.seek_to_end(at)
        elif to.offset <= TAIL:
            low = self._engine.beginning_offsets(at, timeout=LOOK_SECONDS)[at[0]]
            high = self._engine.end_offsets(at, timeout=LOOK_SECONDS)[at[0]]
            self._engine.seek(at[0], max(high - (TAIL - to.offset), low))
        elif to.offset >= 0:
            self._engine.seek(at[0], to.offset, leader_epoch=to.leader_epoch)
        else:
            raise errors.InvalidArgumentError(f"offset {to.offset} cannot be sought")
        self._forget(*at[0])


def checked(partitions: list[TopicPartition]) -> None:
    """Checks that no partition is there twice, and that every offset is valid."""
    seen: set[Place] = set()
    for each in partitions:
        if place(each) in seen:
            raise refusal("_INVALID_ARG", f"{each.topic} [{each.partition}] is there twice")
        if each.offset < 0 and each.offset not in LOGICAL and each.offset > TAIL:
            raise refusal("_INVALID_ARG", f"{each.offset} is no offset")
        seen.add(place(each))


LOGICAL = {BEGINNING, END, STORED, INVALID}


def is_possible(of: TopicPartition) -> bool:
    """True if a cluster can have it."""
    return bool(of.topic) and of.partition >= 0

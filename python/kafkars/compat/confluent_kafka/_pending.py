"""What is to be committed of each partition of a consumer: one state for each, which begins anew wherever the program
says where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from kafkars.compat.confluent_kafka._arguments import Place
from kafkars.types import OffsetAndMetadata


class Stretch:
    """What a program does in one partition from one seek, or one stored offset, to the next."""

    __slots__ = ("asked", "before", "committed", "stood", "stored")

    def __init__(self, stored: OffsetAndMetadata | None = None, before: OffsetAndMetadata | None = None) -> None:
        self.stored = stored
        """What the program has stored, where it stores offsets."""
        self.before = before
        """What it had read before it sought: that counts until it reads on, or says by a commit where it is."""
        self.committed = -1
        """The latest offset that was committed; nothing up to there is committed again."""
        self.asked = -1
        """The latest offset of which a commit is under way; nothing below it is committed meanwhile."""
        self.stood = -1
        """Where the program stood when that was seen last."""

    def read_on(self) -> None:
        """Something was handed out: what was before the seek counts no longer, nor what was committed of it."""
        if self.before is not None:
            self.before, self.committed = None, -1

    def is_committed(self) -> bool:
        """True if just what is stored is committed."""
        return self.stored is not None and self.stored.offset == self.committed


class UnderWay(NamedTuple):
    """A commit that is being made."""

    offsets: Mapping[Place, OffsetAndMetadata]
    """What is to be committed."""
    made_in: Mapping[Place, Stretch]
    """The states in which it is made: a later one has gone on elsewhere."""
    is_chosen: bool
    """Whether the program has chosen the offsets."""


class Pending:
    """What is to be committed of the partitions of one consumer.

    Args:
        consumed: Gives topic, partition, offset and leader epoch of what was handed out and is not committed.
        position: Gives where a partition stands; None if nothing was handed out since it was assigned or sought in.
        stores_itself: Whether what was handed out counts as stored.
    """

    def __init__(
        self,
        consumed: Callable[[], list[tuple[str, int, int, int]]],
        position: Callable[[str, int], object],
        *,
        stores_itself: bool,
    ) -> None:
        self._consumed = consumed
        self._position = position
        self._stores_itself = stores_itself
        self._stretches: dict[Place, Stretch] = {}

    def store(self, offsets: Mapping[Place, OffsetAndMetadata]) -> None:
        """The program stores offsets, whatever it has committed before."""
        for at, offset in offsets.items():
            former = self._stretches.get(at)
            if former is not None and former.stored is not None and former.stored.offset == offset.offset:
                former.stored = offset
            else:
                self._stretches[at] = Stretch(offset)

    def seek(self, at: Place, left: OffsetAndMetadata | None) -> None:
        """The program has sought in a partition, of which `left` was to be committed."""
        if not self._stores_itself:
            return
        stretch = Stretch(before=left)
        if left is not None:
            stretch.committed = self._stretches.get(at, stretch).committed
        self._stretches[at] = stretch

    def kept(self) -> dict[Place, OffsetAndMetadata]:
        """What is stored and not known to be committed: what partitions that go are left with."""
        if not self._stores_itself:
            stretches = self._known()
            return {at: each.stored for at, each in stretches if each.stored and not each.is_committed()}
        read = self._read()
        for at, stretch in self._known():
            if stretch.before is None or at in read:
                continue
            # What was handed out since the seek may be committed already.
            if self._position(*at) is None:
                read[at] = stretch.before
            else:
                stretch.read_on()
        return read

    def due(self) -> dict[Place, OffsetAndMetadata]:
        """The same without what lies below an offset that was committed since."""
        kept = self.kept()
        return {at: offset for at, offset in kept.items() if self._is_further(at, offset.offset)}

    def begin(self, offsets: Mapping[Place, OffsetAndMetadata], *, is_chosen: bool) -> UnderWay:
        """A commit is made; `end()` must follow."""
        # A look, which notices where a partition has gone back.
        self.kept()
        made_in = {at: self._stretches.setdefault(at, Stretch()) for at in offsets}
        for at, stretch in made_in.items():
            stretch.asked = offsets[at].offset
        return UnderWay(offsets, made_in, is_chosen)

    def end(self, commit: UnderWay, made: Mapping[Place, OffsetAndMetadata]) -> None:
        """A commit has ended, and `made` of it is committed."""
        for at, former in commit.made_in.items():
            if former.asked == commit.offsets[at].offset:
                former.asked = -1
        for at, committed in made.items():
            stretch = self._stretches.get(at)
            if stretch is None:
                continue
            is_same = stretch is commit.made_in.get(at)
            if is_same:
                stretch.committed = committed.offset
            if is_same and commit.is_chosen:
                stretch.before = None
            elif stretch.before is not None and stretch.before.offset <= committed.offset:
                # It was what had been read before the seek, and says nothing of what is read since.
                stretch.read_on()

    def forget(self, places: Iterable[Place]) -> None:
        """Partitions are gone, or read anew."""
        for at in places:
            self._stretches.pop(at, None)

    def _known(self) -> list[tuple[Place, Stretch]]:
        """Returns a copy, made in one step: other threads may store or seek meanwhile."""
        return list(self._stretches.items())

    def _is_further(self, at: Place, offset: int) -> bool:
        stretch = self._stretches.get(at)
        return stretch is None or (offset > stretch.committed and offset >= stretch.asked)

    def _read(self) -> dict[Place, OffsetAndMetadata]:
        """Where partitions stand that messages were handed out of since they were assigned or sought in."""
        read: dict[Place, OffsetAndMetadata] = {}
        for topic, partition, offset, epoch in self._consumed():
            at = (topic, partition)
            read[at] = OffsetAndMetadata(offset, "", epoch if epoch >= 0 else None)
            stretch = self._stretches.setdefault(at, Stretch())
            if offset < stretch.stood:
                # A topic that was made again, or a log that has lost records: nobody has sought.
                self._stretches[at] = stretch = Stretch()
            stretch.read_on()
            stretch.stood = offset
        return read

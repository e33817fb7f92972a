"""Where a consumer reads on, and what it commits of that."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping

from kafkars import _kafkars
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.consumer._commits import Positions
from kafkars.compat.aiokafka.consumer._state import ConsumerState
from kafkars.compat.aiokafka.errors import translated
from kafkars.compat.aiokafka.structs import OffsetAndMetadata, TopicPartition
from kafkars.compat.aiokafka.util import commit_structure_validate
from kafkars.errors import ClosedError, NotAssignedError

LONGEST = 10 * 365 * 86_400.0
"""Seconds that stand for no time limit."""

LARGEST = 2**63 - 1
"""The largest offset."""


class StoppedWithoutAssignmentError(errors.ConsumerStoppedError, errors.IllegalStateError):
    """What a stopped consumer has assigned is nothing, which is what aiokafka says of its commits."""


class Positioning(ConsumerState):
    """The calls of `AIOKafkaConsumer` about positions and commits."""

    async def position(self, partition: TopicPartition) -> int:
        """Returns the offset of the next record, and waits until it is known.

        Raises:
            IllegalStateError: The partition is not assigned.
        """
        self._check_assigned_((partition,))
        past = self._past_()
        if past is not None and partition in past.positions:
            return past.positions[partition]
        while (found := await self._position_(partition, LONGEST)) is None:
            # Who waits here without limit cannot poll: the member would be taken for dead, and nothing be assigned.
            with _kafkars.AiokafkaReader._waiting(self):
                await self._assigned_again_(partition)
        return found

    async def _position_(self, partition: TopicPartition, timeout: float) -> int | None:
        """Returns a position; None if the partition is taken away before it is known."""
        with translated():
            try:
                return await self._started_().position(partition, timeout=timeout)
            except NotAssignedError:
                return None
            except ClosedError:
                raise errors.ConsumerStoppedError from None

    async def _assigned_again_(self, partition: TopicPartition) -> None:
        """Waits for the assignment that follows one that has ended, and fails if there is none with the partition."""
        membership = self._membership_
        while membership is not None and self._requested_ is not None and not self._closed:
            if membership.is_settled and membership.between is None:
                break
            await membership.change()
        self._check_assigned_((partition,))

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Sets the position of a partition.

        Raises:
            ValueError: The offset is no whole number, or negative.
            IllegalStateError: The partition is not assigned.
        """
        if not is_count(offset, least=0):
            raise ValueError(f"offset: expected a whole number that is not negative, not {offset!r}")
        if offset > LARGEST:
            raise ValueError(f"offset: {offset} is more than an offset can be, {LARGEST}")
        self._seek_(partition, offset)

    def _seek_(self, partition: TopicPartition, offset: int) -> None:
        self._check_any_assigned_()
        self._check_assigned_((partition,))
        between = self._between_()
        if between is not None:
            between.positions[partition] = int(offset)
            return
        self._started_().seek(partition, int(offset))
        self._commits_.forget()

    async def seek_to_beginning(self, *partitions: TopicPartition) -> bool:
        """Sets the positions to the oldest records, of all assigned partitions if none is named.

        Returns:
            False if partitions were taken away meanwhile, or an offset was not known after `request_timeout_ms`.
        """
        found, engine = self._seeking_(partitions), self._started_()
        if self._between_() is not None:
            return await self._sought_(engine.beginning_offsets, found)
        engine.seek_to_beginning(found)
        return await self._arrived_(found)

    async def seek_to_end(self, *partitions: TopicPartition) -> bool:
        """Sets the positions after the newest records, of all assigned partitions if none is named.

        Returns:
            False if partitions were taken away meanwhile, or an offset was not known after `request_timeout_ms`.
        """
        found, engine = self._seeking_(partitions), self._started_()
        if self._between_() is not None:
            return await self._sought_(engine.end_offsets, found)
        engine.seek_to_end(found)
        return await self._arrived_(found)

    async def seek_to_committed(self, *partitions: TopicPartition) -> dict[TopicPartition, int | None]:
        """Sets the positions to the committed offsets and returns these; None for partitions without one.

        As in aiokafka, a partition with nothing committed, or offset 0, stays where it is.
        """
        found = self._seeking_(partitions)
        answer: dict[TopicPartition, int | None] = {}
        for partition in found:
            # As in aiokafka, programs that keep their offsets elsewhere replace committed().
            answer[partition] = offset = await self.committed(partition)
            if offset is not None and offset > 0:
                self._seek_(partition, offset)
        return answer

    def _seeking_(self, partitions: tuple[TopicPartition, ...]) -> list[TopicPartition]:
        if not all(isinstance(partition, TopicPartition) for partition in partitions):
            raise TypeError("partitions are named by TopicPartition")
        if not partitions:
            found = sorted(self._assignment_())
            if not found:
                raise AssertionError("no partition is assigned")
            return found
        self._check_assigned_(partitions)
        return list(partitions)

    async def _sought_(
        self, ask: Callable[..., Awaitable[Mapping[TopicPartition, int]]], partitions: list[TopicPartition]
    ) -> bool:
        """Sets positions of what was given back by asking for them; False if other partitions were given first."""
        between = self._between_()
        try:
            with translated():
                found = await ask(partitions, timeout=self._request_timeout_ms / 1000)
        except errors.KafkaTimeoutError:
            return False
        if between is None or between is not self._between_():
            return False
        between.positions.update(found)
        return True

    async def _arrived_(self, partitions: list[TopicPartition]) -> bool:
        self._commits_.forget()
        membership = self._membership_
        before = None if membership is None else membership.changes
        until = time.monotonic() + self._request_timeout_ms / 1000
        try:
            for partition in partitions:
                if await self._position_(partition, max(until - time.monotonic(), 0)) is None:
                    return False
        except errors.KafkaTimeoutError:
            return False
        return membership is None or before == membership.changes

    async def commit(
        self, offsets: Mapping[TopicPartition, int | tuple[int, str] | OffsetAndMetadata] | None = None
    ) -> None:
        """Commits offsets, or the positions of all partitions.

        Raises:
            IllegalOperation: There is no group.
            IllegalStateError: A partition is not assigned, or the consumer was stopped.
            CommitFailedError: The group has given the partitions to another member.
            ValueError: There is no offset, or one is no number.
            TypeError: A key is no partition.
        """
        self._check_group_()
        try:
            self._working_()
        except errors.ConsumerStoppedError:
            raise StoppedWithoutAssignmentError from None
        membership, subscription = self._membership_, self._subscription.subscription
        if subscription is None or membership is None:
            raise errors.IllegalStateError("Not subscribed to any topics, and no partition was assigned")
        if membership.has_lost or membership.between is not None:
            # What was read last is no longer, or not again, this member's.
            raise errors.CommitFailedError
        if not membership.is_settled:
            raise errors.IllegalStateError("No partitions assigned yet")
        if offsets is None:
            checked: Mapping[TopicPartition, OffsetAndMetadata] = self._positions_(self._commit_positions_)
        else:
            checked = commit_structure_validate(offsets)
            self._check_assigned_(checked)
        await self._coordinator.commit_offsets(subscription.assignment, checked)

    def _positions_(self, commit: Callable[[Positions], Awaitable[object]]) -> Positions:
        return Positions(_kafkars.AiokafkaReader._consumed(self), commit)

    async def _commit_positions_(self, read: Positions) -> None:
        engine = self._working_()
        # The inner consumer knows more of its positions than their offsets. Where somebody has taken his time in
        # between and the program has read on, only what it had read by then is committed.
        if read == self._positions_(self._commit_positions_):
            await self._commits_.positions(engine)
        else:
            await self._commits_.offsets(engine, read)

    async def committed(self, partition: TopicPartition) -> int | None:
        """Returns the group's committed offset, from its coordinator; None if there is none.

        Raises:
            IllegalOperation: There is no group.
        """
        self._check_group_()
        found = await self._coordinator.fetch_committed_offsets([partition])
        return found[partition].offset if partition in found else None


def is_count(given: object, *, least: int = 1) -> bool:
    """True if a value is a whole number that is large enough."""
    return isinstance(given, int) and given >= least

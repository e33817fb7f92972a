"""The commits that a program makes."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from kafkars import aio
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.structs import OffsetAndMetadata, TopicPartition
from kafkars.errors import (
    CommitFailedError,
    FencedInstanceIdError,
    KafkaError,
    KafkaTimeoutError,
    RebalanceInProgressError,
)
from kafkars.types import OffsetAndMetadata as EngineOffset

REBALANCING = "rebalancing"
"""What `ConsumerHealth.state` says while the group is formed anew."""


MOVED_ON = (errors.UnknownMemberIdError, errors.IllegalGenerationError, errors.RebalanceInProgressError)
"""What a coordinator says to a commit that is not of the group's generation."""


class committing(errors.translated):  # noqa: N801  reads as a verb
    """As `translated()`, and as in aiokafka: a group that has moved on is one error, also to who assigns by hand;
    topics that the program may not commit offsets of are a set.
    """

    __slots__ = ()

    def of(self, error: BaseException) -> BaseException | None:
        """Returns the error of aiokafka."""
        made = super().of(error)
        if isinstance(made, MOVED_ON):
            return errors.CommitFailedError(*made.args)
        if isinstance(made, errors.TopicAuthorizationFailedError) and isinstance(error, KafkaError) and error.topic:
            made.args = ({error.topic},)
        return made


class Positions(dict[TopicPartition, OffsetAndMetadata]):
    """How far a program has read, and what commits that.

    Args:
        read: Topic, partition and offset of each position.
        commit: Commits it.
    """

    def __init__(self, read: Iterable[tuple[str, int, int]], commit: Callable[[Positions], Awaitable[object]]) -> None:
        super().__init__(
            (TopicPartition(topic, partition), OffsetAndMetadata(offset, "")) for topic, partition, offset in read
        )
        self._commit = commit

    async def commit(self) -> None:
        """Commits it."""
        await self._commit(self)


class Commits:
    """Makes the commits of a consumer, and remembers one that has failed.

    A member that was taken for dead is back at once and has its partitions again, from what is committed: nothing is
    left to commit then, and a program that commits once more would take that for success. In aiokafka such a member
    comes back only when the session of the old one has ended, and its commits fail until then.

    Args:
        session: How long a session lasts, in seconds.
    """

    def __init__(self, session: float) -> None:
        self._session = session
        self._failed_until = 0.0
        self._read_before_failure = 0

    async def positions(self, engine: aio.Consumer[Any, Any]) -> None:
        """Commits how far the program has read.

        Raises:
            CommitFailedError: It was not committed, now or by the call before.
        """
        if time.monotonic() < self._failed_until and read(engine) == self._read_before_failure:
            raise errors.CommitFailedError
        await self._made(engine, None)

    async def offsets(
        self, engine: aio.Consumer[Any, Any], offsets: Mapping[TopicPartition, OffsetAndMetadata]
    ) -> None:
        """Commits what the program names.

        Raises:
            CommitFailedError: The group has given the partitions to another member.
        """
        await self._made(
            engine, {partition: EngineOffset(offset, metadata) for partition, (offset, metadata) in offsets.items()}
        )

    def forget(self) -> None:
        """Notes that the program goes on elsewhere, which is what it commits next."""
        self._failed_until = 0.0

    async def _made(self, engine: aio.Consumer[Any, Any], offsets: Any) -> None:
        try:
            await engine.commit(offsets)
        except CommitFailedError:
            self._note_failure(engine)
            raise
        except FencedInstanceIdError as error:
            # aiokafka has no such error.
            self._note_failure(engine)
            raise errors.CommitFailedError from error
        except KafkaTimeoutError as error:
            # The coordinator refuses it until the group is formed anew, which may have happened just now.
            if not isinstance(error.__cause__, RebalanceInProgressError) and engine.health().state != REBALANCING:
                raise
            self._note_failure(engine)
            raise errors.CommitFailedError from error
        self.forget()

    def _note_failure(self, engine: aio.Consumer[Any, Any]) -> None:
        self._failed_until = time.monotonic() + self._session
        self._read_before_failure = read(engine)


def read(engine: aio.Consumer[Any, Any]) -> int:
    """Returns how many records were read."""
    found: int = engine.metrics()["records_consumed"]
    return found

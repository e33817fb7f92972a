"""What a consumer may commit after it has left its group, or was put out of it: nothing, as in librdkafka, until it is
a member again.

Its former partitions may be somebody else's. A group that is empty would take the offsets of an outsider.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kafkars import errors
from kafkars.compat.confluent_kafka._assignment import Assignment
from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.compat.confluent_kafka._group_metadata import packed
from kafkars.compat.confluent_kafka._translate import local_error, of_engine
from kafkars.compat.confluent_kafka.error import KafkaError

if TYPE_CHECKING:
    from kafkars import types


class Membership:
    """The membership of one consumer.

    Args:
        engine: The engine's consumer.
        assignment: The consumer's partitions: until they are revoked the membership lasts.
        own_id: Returns the member id that a consumer of the newer protocol (KIP-848) has made for itself; None for
            others.
        is_newer: Whether the group is of that protocol.
    """

    def __init__(
        self, engine: Any, assignment: Assignment, own_id: Callable[[], str | None], *, is_newer: bool
    ) -> None:
        self._engine = engine
        self._assignment = assignment
        self._own_id = own_id
        self.is_newer = is_newer
        self._has_given = False
        self._has_joined = False
        self._is_former = False
        self._is_untold = False
        # Why the coordinator does not let this consumer be a member.
        self._denial: errors.KafkaError | None = None

    def deny(self, problem: errors.KafkaError) -> None:
        """The program is told an error of reading, which may be that it may not be a member."""
        if isinstance(problem, errors.GroupAuthorizationFailedError):
            self._denial = problem

    def lose(self) -> None:
        """The group has put the consumer out, and the program is yet to be told which partitions are lost."""
        self._is_untold = True

    def tell_lost(self) -> None:
        """The program has been told."""
        self._is_untold = False

    def loss(self, *, is_named: bool) -> KafkaError | None:
        """Returns the error of a commit of a consumer that was put out of its group; None for all others.

        Args:
            is_named: Whether the program names what is to be committed.
        """
        is_lost = self._assignment.is_subscribed and bool(self._assignment)
        if not is_lost or not (self._is_untold or self._engine.health().state == "expelled"):
            return None
        text = "Commit failed: the group has put this consumer out, since it polled too rarely (max.poll.interval.ms)"
        if is_named:
            return KafkaError(BROKER["UNKNOWN_MEMBER_ID"], text)
        return local_error("_ASSIGNMENT_LOST", text)

    def end(self) -> None:
        """The program has unsubscribed."""
        self._denial = None
        self._is_former = self._has_joined or self._engine.group_metadata().generation_id >= 0

    def join(self) -> None:
        """The group has assigned partitions, maybe to a program that has unsubscribed meanwhile."""
        self._has_joined = True
        self._denial = None
        self._is_former = not self._assignment.is_subscribed

    def give(self) -> None:
        """Partitions were revoked."""
        self._has_given = True

    def is_news(self, partitions: Sequence[types.TopicPartition]) -> bool:
        """True if the program hears of these partitions having come, which may be none: in the newer protocol that is
        news only after some were revoked.
        """
        has_given, self._has_given = self._has_given, False
        return bool(partitions) or has_given or not self.is_newer

    def choose(self) -> None:
        """The program has assigned partitions: without a subscription it commits for itself."""
        if not self._assignment.is_subscribed:
            self._is_former = False

    @property
    def is_over(self) -> bool:
        """Whether the consumer was a member and is none."""
        # It leaves only after `on_revoke`, which may commit.
        if not self._is_former or self._assignment or self._assignment.is_in_callback:
            return False
        return not (self._assignment.is_subscribed and self._engine.health().state == "stable")

    def refusal(self) -> KafkaError | None:
        """Returns the error of a commit of a former member, or of one that may not be a member; None for all others."""
        if self._denial is not None and self._assignment.is_subscribed:
            return of_engine(self._denial, "Commit failed")
        if not self.is_over:
            return None
        text = "Commit failed: the consumer has left its group; subscribe() and read to be a member again"
        return KafkaError(BROKER["UNKNOWN_MEMBER_ID"], text)

    def packed(self) -> bytes:
        """Returns the result of `consumer_group_metadata()`."""
        metadata = self._engine.group_metadata()
        if self.is_over and metadata.generation_id < 0:
            # A generation without a member is what no group takes offsets of.
            metadata = metadata._replace(generation_id=0)
        # An id without a generation is nobody's, from which a group that has members takes no offsets.
        return packed(metadata._replace(member_id=metadata.member_id or self._own_id() or ""))

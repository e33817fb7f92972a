"""New topics, and new partitions of existing topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import total_ordering

from kafkars.compat.confluent_kafka._partition import check_text, number


@total_ordering
class NewTopic:
    """A topic to create.

    Args:
        topic: Its name.
        num_partitions: How many partitions; -1 for the brokers' default, or as many as `replica_assignment` has.
        replication_factor: How many copies of each; -1 for the brokers' default.
        replica_assignment: Ids of the brokers of each partition, instead of a replication factor.
        config: Its settings that differ from the defaults.

    Raises:
        TypeError: The name is no text, or a count no whole number.
        ValueError: The name contains NUL.
    """

    def __init__(
        self,
        topic: str,
        num_partitions: int = -1,
        replication_factor: int = -1,
        replica_assignment: Sequence[Sequence[int]] | None = None,
        config: Mapping[str, str] | None = None,
    ) -> None:
        self.topic = named(topic)
        if config is not None and not isinstance(config, Mapping):
            raise TypeError(f"config must be a dict, not {type(config).__name__}")
        self.num_partitions = number(num_partitions, 32)
        self.replication_factor = number(replication_factor, 32)
        self.replica_assignment = replica_assignment
        self.config = config

    def __repr__(self) -> str:
        count = f",num_partitions={self.num_partitions}" if self.num_partitions != -1 else ""
        return f"NewTopic(topic={self.topic}{count})"

    def _place(self) -> tuple[str, int]:
        return self.topic, self.num_partitions

    def __eq__(self, other: object) -> bool:
        return self._place() == other._place() if isinstance(other, NewTopic) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._place() < other._place() if isinstance(other, NewTopic) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._place())


@total_ordering
class NewPartitions:
    """More partitions for a topic.

    Args:
        topic: Its name.
        new_total_count: How many it shall have in all.
        replica_assignment: Ids of the brokers of each new partition; None lets the cluster choose.

    Raises:
        TypeError: The name is no text, or the count no whole number.
        ValueError: The name contains NUL.
    """

    def __init__(
        self, topic: str, new_total_count: int, replica_assignment: Sequence[Sequence[int]] | None = None
    ) -> None:
        self.topic = named(topic)
        self.new_total_count = number(new_total_count, 32)
        self.replica_assignment = replica_assignment

    def __repr__(self) -> str:
        return f"NewPartitions(topic={self.topic},new_total_count={self.new_total_count})"

    def _place(self) -> tuple[str, int]:
        return self.topic, self.new_total_count

    def __eq__(self, other: object) -> bool:
        return self._place() == other._place() if isinstance(other, NewPartitions) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._place() < other._place() if isinstance(other, NewPartitions) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._place())


def named(topic: object) -> str:
    if not isinstance(topic, str):
        raise TypeError(f"topic must be str, not {type(topic).__name__}")
    check_text(topic)
    return topic

"""What a client does in ordinary work, behind one set of names. Answers are plain values, so that they can be
compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

SECONDS = 30.0


class Record(NamedTuple):
    """A record to produce. Where it goes is for Kafka's partitioner to say: murmur2 of the key."""

    key: str
    value: str
    headers: tuple[tuple[str, str], ...] = ()


class Stored(NamedTuple):
    """A record as it was read."""

    partition: int
    offset: int
    key: str | None
    value: str | None
    headers: tuple[tuple[str, str], ...] = ()


class RefusedError(Exception):
    """The broker refused; `name` is the error's name in Kafka's table."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Worker:
    """One client. `lacks` says which calls it does not offer, and why; these raise `NotImplementedError`."""

    name = ""
    lacks: ClassVar[Mapping[str, str]] = {}

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def close(self) -> None:
        """Ends what it keeps between calls."""

    def create_topic(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        raise NotImplementedError

    def topics(self) -> set[str]:
        raise NotImplementedError

    def partitions(self, topic: str) -> list[int]:
        """The numbers of the partitions that have leaders."""
        raise NotImplementedError

    def setting(self, topic: str, name: str) -> str:
        raise NotImplementedError

    def change_setting(self, topic: str, name: str, value: str) -> None:
        raise NotImplementedError

    def add_partitions(self, topic: str, total: int) -> None:
        raise NotImplementedError

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        raise NotImplementedError

    def delete_topic(self, topic: str) -> None:
        raise NotImplementedError

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        """Sends all and waits until all are stored."""
        raise NotImplementedError

    def ends(self, topic: str) -> dict[int, tuple[int, int]]:
        """The first and the next offset of each partition."""
        raise NotImplementedError

    def offsets_since(self, topic: str, timestamp: int) -> dict[int, int]:
        """The first offset of each partition with a timestamp that is not before `timestamp`; -1 for none."""
        raise NotImplementedError

    def consume(self, topic: str, count: int, *, committed_only: bool = False) -> list[Stored]:
        """The first `count` records, in order of partition and offset."""
        raise NotImplementedError

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Stored]:
        """Joins the group, takes `count` records, commits exactly these and leaves."""
        raise NotImplementedError

    def committed(self, topic: str, group: str) -> dict[int, int]:
        raise NotImplementedError

    def set_committed(self, topic: str, group: str, offsets: Mapping[int, int]) -> None:
        """Changes what a group without members has committed."""
        raise NotImplementedError

    def groups(self) -> dict[str, str]:
        """Each group's state."""
        raise NotImplementedError

    def delete_group(self, group: str) -> None:
        raise NotImplementedError

    def transaction(self, topic: str, records: Sequence[Record], *, commit: bool) -> None:
        """Sends records in one transaction and ends it."""
        raise NotImplementedError

    def copy(self, source: str, target: str, group: str, count: int) -> None:
        """Copies `count` records from one topic to another, with their offsets, in one transaction."""
        raise NotImplementedError


def text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


def headers(found: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name, value.decode()) for name, value in found or ())

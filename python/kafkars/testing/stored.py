"""Reads the records of a topic of the embedded broker, for the assertions of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kafkars.errors import UnknownTopicOrPartitionError

if TYPE_CHECKING:
    from kafkars.testing.broker import EmbeddedBroker

READER = "kafkars.testing"
"""The client id of the reader, whose requests `EmbeddedBroker.requests()` leaves out."""


class StoredRecord(NamedTuple):
    """A record of a topic, as `EmbeddedBroker.records()` returns it."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    """Milliseconds since 1970."""
    key: bytes | None
    value: bytes | None
    """The value; None for a tombstone."""
    headers: tuple[tuple[str, bytes | None], ...]
    state: Literal["committed", "aborted", "open"]
    """Whether consumers can read it. "committed": all can; also for records without a transaction. "aborted": only with
    read_uncommitted. "open": for now as "aborted", because a transaction that began at or before it has not ended."""


def stored(broker: EmbeddedBroker, topic: str, partition: int | None, timeout: float) -> list[StoredRecord]:
    """Returns the records of a topic or of one of its partitions, by partition and offset."""
    if topic not in broker.topics():
        raise UnknownTopicOrPartitionError(f"the broker has no topic {topic!r}", topic=topic)
    if partition is not None:
        broker.offsets(topic, partition)  # which raises where there is none
    settings = {
        **broker.client_settings(),
        "client_id": READER,
        "auto_offset_reset": "earliest",
        "default_api_timeout_ms": timeout * 1000,
    }
    everything, _ = _read(settings, topic, partition, timeout, "read_uncommitted")
    committed, ends = _read(settings, topic, partition, timeout, "read_committed")
    visible = {(record.partition, record.offset) for record in committed}
    found: list[StoredRecord] = []
    for record in sorted(everything, key=lambda each: (each.partition, each.offset)):
        state: Literal["committed", "aborted", "open"] = "aborted"
        if (record.partition, record.offset) in visible:
            state = "committed"
        elif record.offset >= ends[record.partition]:
            state = "open"
        place = (record.topic, record.partition, record.offset, record.timestamp)
        found.append(StoredRecord(*place, record.raw_key, record.raw_value, record.headers, state))
    return found


def _read(
    settings: dict[str, Any], topic: str, partition: int | None, timeout: float, isolation: str
) -> tuple[list[Any], dict[int, int]]:
    """Returns the records that a reader of an isolation level gets, and the ends of the partitions for it."""
    from kafkars.consumer import Consumer  # noqa: PLC0415  `import kafkars.testing` is to be quick

    with Consumer({**settings, "isolation_level": isolation}) as consumer:
        partitions = [each.partition for each in consumer.partitions_for(topic)] if partition is None else [partition]
        consumer.assign([(topic, each) for each in partitions])
        ends = {place.partition: end for place, end in consumer.end_offsets(consumer.assignment()).items()}
        records = [record for batch in consumer.read_until_end(timeout=timeout) for record in batch]
    return records, ends

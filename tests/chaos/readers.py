"""Everything that is committed in a topic as different clients read it: partition by partition, in the order of
offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import confluent_kafka

from tests.support.java_tools import JavaTools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SECONDS = 60.0
# Java's consumer tells of no end; this long after the last record there is nothing more.
IDLE_MS = 5_000


class Found(NamedTuple):
    """A record as it was read."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None


def in_order(records: Iterable[Found]) -> list[Found]:
    """Partition by partition; the order within each stays as it was read."""
    return sorted(records, key=lambda record: record.partition)


def read_ours(bootstrap: str, topic: str, partitions: int) -> list[Found]:
    """With kafkars."""
    from kafkars import Consumer  # tests of the harness alone need no build

    places = [(topic, partition) for partition in range(partitions)]
    found = []
    with Consumer(
        bootstrap_servers=bootstrap, auto_offset_reset="earliest", isolation_level="read_committed"
    ) as consumer:
        consumer.assign(places)
        ends = consumer.end_offsets(places)
        while any(consumer.position(partition) < end for partition, end in ends.items()):
            found += [
                Found(record.partition, record.offset, record.key, record.value)
                for record in consumer.poll_batch(timeout=1.0)
            ]
    return in_order(found)


def read_confluent(bootstrap: str, topic: str, partitions: int) -> list[Found]:
    """With confluent-kafka."""
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "chaos",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "check.crcs": True,
        }
    )
    consumer.assign([confluent_kafka.TopicPartition(topic, partition, 0) for partition in range(partitions)])
    found = []
    ended: set[int] = set()
    while len(ended) < partitions:
        messages = consumer.consume(10_000, 1.0)
        for message in messages:
            error = message.error()
            if error is None:
                found.append(Found(message.partition(), message.offset(), message.key(), message.value()))
            else:
                assert error.code() == confluent_kafka.KafkaError._PARTITION_EOF, error
                ended.add(message.partition())
    consumer.close()
    return in_order(found)


def read_java(bootstrap: str, topic: str, partitions: int) -> list[Found]:
    """With Java's console consumer."""
    lines = JavaTools(bootstrap).consume(topic, idle_ms=IDLE_MS, isolation_level="read_committed")
    assert {line.partition for line in lines} <= set(range(partitions))
    return in_order(Found(line.partition, line.offset, line.key.encode(), line.value.encode()) for line in lines)


READERS: dict[str, Callable[[str, str, int], list[Found]]] = {
    "kafkars": read_ours,
    "confluent-kafka": read_confluent,
    "Java": read_java,
}

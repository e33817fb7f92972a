"""A program that copies records from one topic to another, each exactly once: reads, sends and commits in transactions.

    python -m tests.chaos.copier BOOTSTRAP SOURCE TARGET GROUP TRANSACTIONAL_ID HOW

HOW is the protocol of a group of copiers that share the source's partitions, or the number of partitions, which a
copier then reads alone. The tests kill and freeze it whenever they like. It never ends by itself, and says on standard
error why it had to.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from kafkars import Consumer, ConsumerGroupMetadata, Producer, TopicPartition
from kafkars.errors import KafkaError

from tests.chaos.member import SESSION
from tests.chaos.offsets import Offsets

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger(__name__)

SECONDS = 60.0
RECORDS_PER_TRANSACTION = 400
COPIED = b"copy of "


class Source:
    """Where records come from: all partitions of a topic, read alone. The group has the offsets and no members."""

    def __init__(self, bootstrap: str, topic: str, group: str, partitions: int) -> None:
        self.consumer = Consumer(bootstrap_servers=bootstrap, isolation_level="read_committed")
        self._where = (bootstrap, topic, partitions, group)
        self.go_back()

    def membership(self) -> ConsumerGroupMetadata:
        return ConsumerGroupMetadata(self._where[-1])

    def go_back(self) -> None:
        """To behind the last record that is copied for good."""
        with Offsets(*self._where) as offsets:
            committed = offsets.committed()
        self.consumer.assign({(self._where[1], partition): offset for partition, offset in committed.items()})


class SharedSource:
    """Those partitions of the topic that the group gives to this member."""

    def __init__(self, bootstrap: str, topic: str, group: str, protocol: str) -> None:
        self.consumer: Consumer[Any, Any] = Consumer(
            bootstrap_servers=bootstrap,
            isolation_level="read_committed",
            group_id=group,
            group_protocol=protocol,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            **SESSION[protocol],
        )
        self.consumer.subscribe([topic])

    def membership(self) -> ConsumerGroupMetadata:
        return self.consumer.group_metadata()

    def go_back(self) -> None:
        """To behind the last record that is copied for good."""
        assigned = self.consumer.assignment()
        committed = self.consumer.committed(assigned, timeout=SECONDS)
        for place in assigned:
            self.consumer.seek(place, committed[place].offset if place in committed else 0)


def run(producer: Producer[Any, Any], source: Source | SharedSource, target: str) -> None:
    """Copies until it is killed."""
    while True:
        records = source.consumer.poll_batch(RECORDS_PER_TRANSACTION)
        if not records:
            continue
        try:
            with producer.transaction():
                copy(records, producer, source.membership(), target)
        except KafkaError as error:
            if not error.abortable:
                raise
            log.warning("aborted: %r", error)
            source.go_back()


def copy(records: Iterable[Any], producer: Producer[Any, Any], membership: ConsumerGroupMetadata, target: str) -> None:
    """One transaction's worth."""
    offsets = {}
    for record in records:
        producer.send(target, COPIED + record.value, key=record.key)
        offsets[TopicPartition(record.topic, record.partition)] = record.offset + 1
    producer.send_offsets_to_transaction(offsets, membership, SECONDS)


def main(arguments: list[str]) -> None:
    bootstrap, topic, target, group, transactional_id, how = arguments
    producer = Producer(bootstrap_servers=bootstrap, transactional_id=transactional_id)
    # Ends what the program that was killed has left open: only then is it definite how far that one came.
    producer.init_transactions(SECONDS)
    if how.isdigit():
        run(producer, Source(bootstrap, topic, group, int(how)), target)
    else:
        run(producer, SharedSource(bootstrap, topic, group, how), target)


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s")
    main(sys.argv[1:])

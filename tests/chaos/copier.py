"""A program that copies records from one topic to another, each exactly once: reads, sends and commits in transactions.

    python -m tests.chaos.copier BOOTSTRAP SOURCE TARGET PARTITIONS NAME

The tests kill it whenever they like and start it again. NAME is the transactional id and the group whose offsets say how far
it has come. It never ends by itself, and says on standard error why it had to.
"""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafkars import Consumer, ConsumerGroupMetadata, Producer, TopicPartition
from kafkars.errors import KafkaError

from tests.chaos.offsets import Offsets

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger(__name__)

SECONDS = 60.0
RECORDS_PER_TRANSACTION = 400
COPIED = b"copy of "


@dataclass(frozen=True)
class Copier:
    """What to copy."""

    bootstrap: str
    source: str
    target: str
    partitions: int
    name: str

    def run(self) -> None:
        """Copies until it is killed."""
        producer = Producer(bootstrap_servers=self.bootstrap, transactional_id=self.name)
        # Ends what the program that was killed has left open: only then is it definite how far that one came.
        producer.init_transactions(SECONDS)
        consumer = Consumer(bootstrap_servers=self.bootstrap, isolation_level="read_committed")
        self.go_back(consumer)
        while True:
            records = consumer.poll_batch(RECORDS_PER_TRANSACTION)
            if not records:
                continue
            try:
                with producer.transaction():
                    self.copy(records, producer)
            except KafkaError as error:
                if not error.abortable:
                    raise
                log.warning("aborted: %r", error)
                self.go_back(consumer)

    def copy(self, records: Iterable[Any], producer: Producer[Any, Any]) -> None:
        """One transaction's worth."""
        offsets = {}
        for record in records:
            producer.send(self.target, COPIED + record.value, key=record.key)
            offsets[TopicPartition(record.topic, record.partition)] = record.offset + 1
        producer.send_offsets_to_transaction(offsets, ConsumerGroupMetadata(self.name), SECONDS)

    def go_back(self, consumer: Consumer[Any, Any]) -> None:
        """To behind the last record that is copied for good."""
        with Offsets(self.bootstrap, self.source, self.partitions, self.name) as offsets:
            committed = offsets.committed()
        consumer.assign({(self.source, partition): offset for partition, offset in committed.items()})


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s")
    bootstrap, source, target, partitions, name = sys.argv[1:]
    Copier(bootstrap, source, target, int(partitions), name).run()

"""Reads a topic, transforms each record and writes it to another topic, exactly once.

    python examples/consume_transform_produce.py localhost:9092 words shouted

What is written and how far was read are one transaction: after a crash neither is there, and another member of the
group starts where the last transaction ended. The group's metadata goes along, so that a member which has lost its
partitions meanwhile is refused instead of writing a second time (KIP-447). Start several: they share the partitions.
"""

from __future__ import annotations

import argparse
import uuid

from kafkars import Consumer, Producer, RecordBatch
from kafkars.errors import KafkaError


def main() -> None:
    """Runs until it is interrupted, or has handled `--records`."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("bootstrap_servers")
    arguments.add_argument("source")
    arguments.add_argument("target")
    arguments.add_argument("--group", default="shouters")
    arguments.add_argument("--records", type=int, help="end after so many")
    options = arguments.parse_args()
    handled = 0
    with (
        Consumer(
            bootstrap_servers=options.bootstrap_servers,
            group_id=options.group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            isolation_level="read_committed",
        ) as consumer,
        # An id of its own: since KIP-447 the group fences, not the id.
        Producer(bootstrap_servers=options.bootstrap_servers, transactional_id=f"shouter-{uuid.uuid4()}") as producer,
    ):
        consumer.subscribe([options.source])
        producer.init_transactions()
        while options.records is None or handled < options.records:
            batch = consumer.poll_batch()
            if batch:
                handled += transform(consumer, producer, batch, options.target)


def transform(consumer: Consumer, producer: Producer, batch: RecordBatch[bytes, bytes], target: str) -> int:
    """One transaction: what a batch becomes, and that it was read. Answers how many records were handled."""
    offsets: dict[tuple[str, int], int] = {}
    producer.begin_transaction()
    try:
        for record in batch:
            producer.send(target, (record.value or b"").upper(), key=record.key)
            offsets[record.topic, record.partition] = record.offset + 1
        producer.send_offsets_to_transaction(offsets, consumer.group_metadata())
        producer.commit_transaction()
    except KafkaError as error:
        if error.fatal:
            raise
        producer.abort_transaction()
        # Read again what was not committed; partitions that have gone are somebody else's now.
        for partition in consumer.assignment() & {*offsets}:
            first = next(each.offset for each in batch if (each.topic, each.partition) == tuple(partition))
            consumer.seek(partition, first)
        return 0
    return len(batch)


if __name__ == "__main__":
    main()

"""Fills topics to consume from, and reads back what a client says it has produced. Outside of every measurement."""

from __future__ import annotations

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from benches.compare.payload import checksum_of_one, pool
from tests.kafka import wire
from tests.kafka.cluster import wait_until

SECONDS = 30.0


def create(bootstrap: str, topic: str, partitions: int) -> None:
    address = bootstrap.split(",", maxsplit=1)[0]
    wire.create_topic(address, topic, partitions, 1, {})
    wait_until(lambda: wire.metadata(address, topic).led_partitions == partitions, SECONDS, f"{topic} has leaders")


def fill(bootstrap: str, topic: str, records: int, size: int, codec: str, batch_size: int) -> None:
    """Puts the first `records` of the endless pool into a topic, in batches of about `batch_size`."""
    config = {"bootstrap.servers": bootstrap, "compression.type": codec, "linger.ms": 50, "batch.size": batch_size}
    producer = Producer({**config, "partitioner": "murmur2_random", "acks": "all"})
    pairs = pool(size)
    failures: list[str] = []

    def on_delivery(error: object, _: object) -> None:
        if error is not None:
            failures.append(str(error))

    for index in range(records):
        key, value = pairs[index % len(pairs)]
        while True:
            try:
                producer.produce(topic, value, key, on_delivery=on_delivery)
                break
            except BufferError:
                producer.poll(0.1)
    left = producer.flush(SECONDS)
    if left or failures:
        raise RuntimeError(f"{topic} could not be filled: {left} left, {failures[:1]}")


def read_back(bootstrap: str, topic: str, partitions: int, records: int) -> tuple[int, int]:
    """Counts and adds up what a topic holds: up to `records`, or what is there until its end."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "benches-check", "enable.partition.eof": True})
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in range(partitions)])
    count = checksum = ended = 0
    while ended < partitions and count <= records:
        # `consume` waits until it has all it was asked for, so not for more than there is: records and end marks.
        messages = consumer.consume(min(10_000, records + partitions - count - ended), SECONDS)
        if not messages:
            raise RuntimeError(f"{topic} could not be read back: nothing came for {SECONDS:.0f} s after {count}")
        for message in messages:
            if message.error() is not None:
                ended += 1
                continue
            count += 1
            checksum += checksum_of_one(message.key(), message.value())
    consumer.close()
    return count, checksum

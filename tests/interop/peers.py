"""confluent-kafka, kafka-python and aiokafka behind two functions each: put samples into a topic, take them out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import aiokafka
import confluent_kafka
import kafka

SECONDS = 30.0
Headers = tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True)
class Sample:
    """A record without the place where it is stored."""

    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers = ()


@dataclass(frozen=True)
class Peer:
    """One library. `produce` sends to partition 0 and waits for every delivery."""

    name: str
    produce: Callable[[str, str, str, list[Sample]], None]
    consume: Callable[[str, str, int], list[Sample]]
    # What it refuses to send although Kafka can store it.
    refuses: Callable[[Sample], bool] = lambda _: False

    def __str__(self) -> str:
        return self.name


def confluent_produce(bootstrap: str, topic: str, codec: str, samples: list[Sample]) -> None:
    producer = confluent_kafka.Producer(
        {"bootstrap.servers": bootstrap, "compression.type": codec, "linger.ms": 20, "enable.idempotence": True}
    )
    failures: list[object] = []

    def on_delivery(error: object, _: object) -> None:
        if error is not None:
            failures.append(error)

    for sample in samples:
        producer.produce(
            topic,
            sample.value,
            sample.key,
            partition=0,
            timestamp=sample.timestamp,
            headers=list(sample.headers),
            on_delivery=on_delivery,
        )
    left = producer.flush(SECONDS)
    assert (left, failures) == (0, [])


def confluent_consume(bootstrap: str, topic: str, count: int) -> list[Sample]:
    consumer = confluent_kafka.Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "interop", "enable.auto.commit": False, "check.crcs": True}
    )
    consumer.assign([confluent_kafka.TopicPartition(topic, 0, confluent_kafka.OFFSET_BEGINNING)])
    messages = consumer.consume(count, SECONDS)
    consumer.close()
    assert all(message.error() is None for message in messages)
    return [
        Sample(message.key(), message.value(), message.timestamp()[1], tuple(message.headers() or ()))
        for message in messages
    ]


def kafka_python_produce(bootstrap: str, topic: str, codec: str, samples: list[Sample]) -> None:
    producer = kafka.KafkaProducer(bootstrap_servers=bootstrap, compression_type=none_for(codec), linger_ms=20)
    futures = [
        producer.send(
            topic,
            sample.value,
            sample.key,
            partition=0,
            timestamp_ms=sample.timestamp,
            headers=list(sample.headers),
        )
        for sample in samples
    ]
    offsets = [future.get(SECONDS).offset for future in futures]
    producer.close(timeout=SECONDS)
    assert offsets == list(range(len(samples)))


def kafka_python_consume(bootstrap: str, topic: str, count: int) -> list[Sample]:
    consumer = kafka.KafkaConsumer(
        bootstrap_servers=bootstrap, enable_auto_commit=False, consumer_timeout_ms=int(SECONDS * 1000)
    )
    partition = kafka.TopicPartition(topic, 0)  # pyright: ignore[reportAttributeAccessIssue]  its bundled stubs are older
    consumer.assign([partition])
    consumer.seek_to_beginning(partition)
    found = []
    for record in consumer:
        found.append(Sample(record.key, record.value, record.timestamp, tuple(record.headers)))
        if len(found) == count:
            break
    consumer.close()
    return found


def aiokafka_produce(bootstrap: str, topic: str, codec: str, samples: list[Sample]) -> None:
    async def run() -> None:
        producer = aiokafka.AIOKafkaProducer(
            bootstrap_servers=bootstrap, compression_type=none_for(codec), linger_ms=20
        )
        await producer.start()
        try:
            futures = [
                await producer.send(
                    topic,
                    sample.value,
                    sample.key,
                    partition=0,
                    timestamp_ms=sample.timestamp,
                    headers=list(sample.headers),
                )
                for sample in samples
            ]
            for future in futures:
                await asyncio.wait_for(future, SECONDS)
        finally:
            await producer.stop()

    asyncio.run(run())


def aiokafka_consume(bootstrap: str, topic: str, count: int) -> list[Sample]:
    async def run() -> list[Sample]:
        consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
        await consumer.start()
        try:
            partition = aiokafka.TopicPartition(topic, 0)
            consumer.assign([partition])
            await consumer.seek_to_beginning(partition)
            found = []
            while len(found) < count:
                record = await asyncio.wait_for(consumer.getone(), SECONDS)
                found.append(Sample(record.key, record.value, record.timestamp, tuple(record.headers)))
            return found
        finally:
            await consumer.stop()

    return asyncio.run(run())


def none_for(codec: str) -> str | None:
    return None if codec == "none" else codec


def is_empty(sample: Sample) -> bool:
    return sample.key is None and sample.value is None


def has_null_header(sample: Sample) -> bool:
    return any(value is None for _, value in sample.headers)


PEERS = (
    Peer("confluent", confluent_produce, confluent_consume),
    Peer(
        "kafka-python",
        kafka_python_produce,
        kafka_python_consume,
        refuses=lambda sample: is_empty(sample) or has_null_header(sample),
    ),
    Peer("aiokafka", aiokafka_produce, aiokafka_consume, refuses=is_empty),
)

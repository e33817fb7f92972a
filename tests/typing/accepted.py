"""What type checkers must accept, with the types they must see."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import kafkars.aio
from kafkars import (
    Consumer,
    ConsumerConfig,
    ConsumerMetrics,
    DeliveryFuture,
    FlushResult,
    KafkaError,
    Producer,
    ProducerConfig,
    ProducerMetrics,
    Record,
    RecordBatch,
    RecordMetadata,
    TopicPartition,
)
from kafkars.compat import confluent_kafka as face
from kafkars.compat.aiokafka import AIOKafkaConsumer, ConsumerRecord
from kafkars.opentelemetry import instrument, process
from kafkars.prometheus import instrument as show
from typing_extensions import assert_type

SERVERS = "localhost:9092"


class Order:
    @staticmethod
    def read(stored: bytes) -> Order:
        raise NotImplementedError(stored)

    def written(self) -> bytes:
        raise NotImplementedError


def metrics_and_spans() -> None:
    producer = Producer(bootstrap_servers=SERVERS, value_serializer=str.encode)
    assert_type(instrument(producer), Producer[bytes | bytearray | memoryview | str, str])
    assert_type(show(kafkars.aio.Consumer(bootstrap_servers=SERVERS)), kafkars.aio.Consumer[bytes, bytes])
    assert_type(producer.metrics(), ProducerMetrics)
    assert_type(producer.metrics()["client"]["connections_open"], int)
    consumer = Consumer(bootstrap_servers=SERVERS)
    assert_type(consumer.metrics(), ConsumerMetrics)
    record = consumer.poll()
    if record is not None:
        with process(record, consumer) as span:
            span.set_attribute("shop", "corner")
    with process(consumer.poll_batch()):
        pass


def clients_of_a_mapping() -> None:
    """Checkers do not look into it: who makes such a client says its types."""
    settings: dict[str, object] = {"bootstrap_servers": SERVERS}
    consumer: Consumer[str, dict[str, Any]] = Consumer(settings)
    assert_type(consumer, Consumer[str, dict[str, Any]])
    config = ConsumerConfig(bootstrap_servers=SERVERS)
    assert_type(Consumer[str, Order](config), Consumer[str, Order])
    assert_type(Producer[str, Any](settings), Producer[str, Any])
    assert_type(kafkars.aio.Producer[str, Any](settings), kafkars.aio.Producer[str, Any])
    Producer[str, dict[str, int]](settings).send("orders", {"number": 7}, key="customer-7")


def consumers() -> None:
    plain = Consumer(bootstrap_servers=SERVERS)
    assert_type(plain, Consumer[bytes, bytes])
    with plain as consumer:
        consumer.assign([TopicPartition("t", 0), ("t", 1)])
        consumer.assign({("t", 0): 5, TopicPartition("t", 1): None})
        consumer.assign(("t", 0))
        assert_type(consumer.poll(), Record[bytes, bytes] | None)
        assert_type(consumer.poll_batch(10, timeout=None), RecordBatch[bytes, bytes])
        for record in consumer:
            assert_type(record.value, bytes | None)
            assert_type(record.headers, tuple[tuple[str, bytes | None], ...])
        for record in consumer.poll_batch()[1:3]:
            assert_type(record, Record[bytes, bytes])
    typed = Consumer(bootstrap_servers=SERVERS, value_deserializer=Order.read)
    assert_type(typed, Consumer[bytes, Order])
    for typed_record in typed:
        assert_type(typed_record.key, bytes | None)
        assert_type(typed_record.value, Order | None)
        assert_type(typed_record.raw_value, bytes | None)
    both = Consumer(bootstrap_servers=SERVERS, key_deserializer=bytes.decode, value_deserializer=json.loads)
    assert_type(both, Consumer[str, Any])
    named: Consumer[str, Order] = Consumer(ConsumerConfig(bootstrap_servers=SERVERS))
    assert_type(named.poll(), Record[str, Order] | None)
    Consumer({"bootstrap.servers": SERVERS, "fetch.min.bytes": "1"}, client_id="me")


def producers() -> None:
    with Producer(bootstrap_servers=[SERVERS], acks="all", compression_type="zstd") as producer:
        delivery = producer.send("t", b"value", "key", headers=[("h", None)], on_delivery=print)
        assert_type(delivery, DeliveryFuture)
        assert_type(delivery.result(), RecordMetadata)
        producer.send("t", bytearray(b"value"), memoryview(b"key"), headers={"h": b"1"}, timestamp=5, partition=0)
        producer.send("t")
    typed = Producer(bootstrap_servers=SERVERS, value_serializer=Order.written)
    typed.send("t", Order(), b"key")
    named: Producer[int, Order] = Producer(ProducerConfig(bootstrap_servers=SERVERS))
    named.send("t", Order(), 5)


async def asyncio_clients() -> None:
    async with kafkars.aio.Producer(bootstrap_servers=SERVERS) as producer:
        assert_type(await producer.send("t", b"value"), RecordMetadata)
        assert_type(producer.send_nowait("t", b"value").result(), RecordMetadata)
        assert_type(await (await producer.enqueue("t", b"value")), RecordMetadata)
        gathered = await asyncio.gather(*(producer.send("t", b"value") for _ in range(3)))
        assert_type(gathered, list[RecordMetadata])
        assert_type(asyncio.create_task(producer.send("t")), asyncio.Task[RecordMetadata])
        assert_type(await asyncio.wait_for(producer.flush(), 5), FlushResult)
    async with kafkars.aio.Consumer(bootstrap_servers=SERVERS, value_deserializer=Order.read) as consumer:
        assert_type(await consumer.poll(), Record[bytes, Order] | None)
        async for record in consumer:
            assert_type(record.value, Order | None)
        assert_type(await consumer.end_offsets([("t", 0)]), dict[TopicPartition, int])
    async with kafkars.aio.Admin(bootstrap_servers=SERVERS) as admin:
        assert_type(await admin.delete_topics(["t"]), dict[str, None])
        assert_type(await admin.delete_topics(["t"], return_exceptions=True), dict[str, KafkaError | None])


class Noted(face.Message):
    """A message with a note of the program's own."""


def clients_of_a_face(consumer: face.Consumer) -> None:
    assert_type(consumer.commit(), None)
    assert_type(consumer.commit(asynchronous=False), list[face.TopicPartition])
    member: str = consumer.memberid()
    message: face.Message[bytes, bytes] | None = consumer.poll()
    if message is not None:
        assert_type(message.deserialized_value(), bytes | None)
        assert_type(consumer.commit(message, None, bool(member)), list[face.TopicPartition] | None)
    producer = face.SerializingProducer({"bootstrap.servers": SERVERS})
    producer.produce("orders", value=Order())
    deserialized = face.DeserializingConsumer({"bootstrap.servers": SERVERS}).poll()
    assert_type(deserialized, Any)


def faces(message: face.Message) -> bool:
    problem = message.error()
    return problem is not None and problem.code() in {face.KafkaError._PARTITION_EOF, face.KafkaError._STATE}


async def aiokafka_records(consumer: AIOKafkaConsumer, queue: asyncio.Queue[ConsumerRecord[Any, Any]]) -> None:
    async for record in consumer:
        await queue.put(record)
    first: ConsumerRecord[bytes, bytes] = await consumer.getone()
    many: dict[TopicPartition, list[ConsumerRecord[bytes, bytes]]] = await consumer.getmany()
    del first, many

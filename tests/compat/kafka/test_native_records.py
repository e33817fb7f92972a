"""What native code makes of records is given back, and costs the garbage collector nothing."""

from __future__ import annotations

import gc
import sys
from typing import Any

from kafkars.compat.kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafkars.compat.kafka.consumer.fetcher import ConsumerRecord
from kafkars.compat.kafka.producer.future import FutureRecordMetadata, RecordMetadata

from tests.brokers import Broker

RECORDS = 2000


def all_of(consumer: Any, partition: TopicPartition) -> list[ConsumerRecord]:
    """Every record of a partition, half of them by iteration."""
    consumer.assign([partition])
    consumer.seek_to_beginning()
    found: list[ConsumerRecord] = []
    while len(found) < RECORDS:
        found += [record for records in consumer.poll(1000).values() for record in records]
        found.append(next(consumer)) if len(found) < RECORDS else None
    return found


def more_than(before: list[int], classes: tuple[type, ...]) -> int:
    """How many more references one of the classes has: each object has one."""
    return max(sys.getrefcount(each) - count for each, count in zip(classes, before, strict=True))


def test_records_and_futures_leave_nothing_behind(broker: Broker) -> None:
    topic = broker.new_topic()
    partition = TopicPartition(topic, 0)
    classes = (ConsumerRecord, RecordMetadata, FutureRecordMetadata, TopicPartition)
    with KafkaProducer(bootstrap_servers=broker.bootstrap_servers, linger_ms=5) as producer:
        first = producer.send(topic, b"v", b"k").get(30)
        gc.collect()
        before = [sys.getrefcount(each) for each in classes]
        sent = [producer.send(topic, b"%d" % number, b"k" * (number % 3)) for number in range(RECORDS - 1)]
        stored = [future.get(30) for future in sent]
        assert [each.offset for each in stored] == list(range(1, RECORDS))
        assert first.topic == stored[-1].topic
        del sent, stored
        gc.collect()
        # A few: what the interpreter keeps of its own accord.
        assert more_than(before, classes) < 9
    with KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        before = [sys.getrefcount(each) for each in classes]
        for _ in range(2):
            found = all_of(consumer, partition)
            assert [record.offset for record in found] == list(range(RECORDS))
            assert {type(record) for record in found} == {ConsumerRecord}
            assert not any(map(gc.is_tracked, found))
            del found
            gc.collect()
            assert more_than(before, classes) < 9


def test_a_record_whose_value_refers_to_it_is_collected(broker: Broker) -> None:
    class Value:
        alive = 0

        def __init__(self, data: bytes) -> None:
            Value.alive += 1
            self.data, self.record = data, None

        def __del__(self) -> None:
            Value.alive -= 1

    topic = broker.new_topic()
    with KafkaProducer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send(topic, b"v").get(30)
    with KafkaConsumer(
        topic, bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest", value_deserializer=Value
    ) as consumer:
        record = next(consumer)
        record.value.record = record
        del record
        gc.collect()
        assert Value.alive == 0

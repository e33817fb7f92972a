"""Records, batches and metadata as Python objects."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Consumer, Producer, Record, RecordBatch, TimestampType, TopicPartition
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import eventually

SECONDS = 10.0
COUNT = 30


@pytest.fixture(scope="module")
def filled_broker() -> Iterator[EmbeddedBroker]:
    """Three partitions with ten records each, in batches of a few."""
    with EmbeddedBroker(topics={"t3": 3}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(COUNT):
                key = None if number % 2 else str(number)
                headers = [("n", b"1")]
                where: dict[str, Any] = {"partition": number % 3, "timestamp": 1_000 + number, "headers": headers}
                producer.send("t3", f"value {number}", key, **where)
                if number % 7 == 0:
                    producer.flush()
        yield broker


def all_of(broker: EmbeddedBroker) -> RecordBatch:
    """Every record in one batch."""
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        consumer.assign({("t3", partition): 0 for partition in range(3)})
        seen: list[int] = []

        def has_stopped_growing() -> bool:
            seen.append(consumer.metrics()["buffered_bytes"])
            return seen[-1] > 0 and seen[-20:] == [seen[-1]] * 20

        eventually(has_stopped_growing, "everything is in the buffer")
        return consumer.poll_batch(COUNT, SECONDS)


@pytest.fixture(scope="module")
def batch(filled_broker: EmbeddedBroker) -> RecordBatch:
    return all_of(filled_broker)


def test_a_batch_is_a_sequence(batch: RecordBatch) -> None:
    records = list(batch)
    assert (len(batch), len(records)) == (COUNT, COUNT)
    assert batch
    assert [batch[index] for index in range(COUNT)] == records
    assert [batch[index - COUNT] for index in range(COUNT)] == records
    assert list(reversed(batch)) == records[::-1]
    assert records[3] in batch
    assert batch.index(records[3]) == 3
    assert batch.count(records[3]) == 1
    assert "other" not in batch
    for wrong in (COUNT, -COUNT - 1):
        with pytest.raises(IndexError, match=str(wrong)):
            batch[wrong]
    with pytest.raises(TypeError, match="number or a slice"):
        batch["one"]  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="not in the batch"):
        batch.index("other")


@pytest.mark.parametrize("start", [None, 0, 1, 7, 12, 29, 30, -1, -5, 99])
@pytest.mark.parametrize("stop", [None, 0, 1, 7, 13, 30, -1, 99])
def test_slices_are_batches(batch: RecordBatch, start: int | None, stop: int | None) -> None:
    part = batch[start:stop]
    assert isinstance(part, RecordBatch)
    assert list(part) == list(batch)[start:stop]
    assert list(part[1:3]) == list(batch)[start:stop][1:3]


def test_slices_have_step_one(batch: RecordBatch) -> None:
    with pytest.raises(ValueError, match="step 1"):
        batch[::2]


def test_an_iterator_goes_through_once(batch: RecordBatch) -> None:
    iterator = iter(batch)
    assert next(iterator) == batch[0]
    assert len(list(iterator)) == COUNT - 1
    assert next(iterator, None) is None


def test_partitions_are_told_apart_and_keep_their_order(batch: RecordBatch) -> None:
    parts = batch.by_partition()
    assert set(parts) == {TopicPartition("t3", partition) for partition in range(3)}
    for partition, part in parts.items():
        assert [record.offset for record in part] == list(range(10))
        assert {(record.topic, record.partition) for record in part} == {partition}


def test_bytes_come_at_once(batch: RecordBatch) -> None:
    assert batch.raw_values() == [record.value for record in batch]
    assert batch.raw_keys() == [record.key for record in batch]


def test_the_parts_of_a_record(batch: RecordBatch) -> None:
    record = next(record for record in batch if record.value == b"value 4")
    assert (record.topic, record.partition, record.offset) == ("t3", 1, 1)
    assert (record.key, record.value, record.raw_key, record.raw_value) == (b"4", b"value 4", b"4", b"value 4")
    assert (record.timestamp, record.timestamp_type) == (1_004, TimestampType.CREATE_TIME)
    assert record.headers == (("n", b"1"),)
    assert (record.serialized_key_size, record.serialized_value_size) == (1, 7)
    assert record.leader_epoch == 0
    assert repr(record) == (
        "Record(topic='t3', partition=1, offset=1, timestamp=1004, key=b'4', value=b'value 4', headers=(('n', b'1'),))"
    )
    with pytest.raises(AttributeError):
        record.value = b"other"  # type: ignore[misc]


def test_absent_keys_and_values(faulty_broker: EmbeddedBroker) -> None:
    with Producer(bootstrap_servers=faulty_broker.bootstrap_servers) as producer:
        producer.send("t")
        producer.send("t", b"", b"")
    with Consumer(bootstrap_servers=faulty_broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        nothing, empty = next(consumer), next(consumer)
    assert (nothing.key, nothing.value, nothing.headers) == (None, None, ())
    assert (nothing.serialized_key_size, nothing.serialized_value_size) == (-1, -1)
    assert (empty.key, empty.value) == (b"", b"")
    assert (empty.serialized_key_size, empty.serialized_value_size) == (0, 0)


def test_records_are_equal_by_content_and_hash_by_place(filled_broker: EmbeddedBroker, batch: RecordBatch) -> None:
    again = all_of(filled_broker)
    assert sorted(batch, key=place) == sorted(again, key=place)
    assert {hash(record) for record in batch} == {hash(record) for record in again}
    assert len(set(batch) | set(again)) == COUNT
    assert batch[0] != batch[1]
    assert batch[0] != "record"


def place(record: Record[Any, Any]) -> tuple[str, int, int]:
    return (record.topic, record.partition, record.offset)


def test_long_values_are_cut_in_the_text_of_a_record(faulty_broker: EmbeddedBroker) -> None:
    with Producer(bootstrap_servers=faulty_broker.bootstrap_servers) as producer:
        producer.send("t", b"x" * 100_000)
    with Consumer(bootstrap_servers=faulty_broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        text = repr(next(consumer))
    assert len(text) < 250
    assert "(100000 bytes)" in text


def test_records_cost_the_garbage_collector_nothing(batch: RecordBatch) -> None:
    record = batch[0]
    assert not gc.is_tracked(record)
    assert record.__sizeof__() <= 120
    with pytest.raises(TypeError):
        weakref.ref(record)
    assert not hasattr(record, "__dict__")


def test_a_topics_name_is_one_object(batch: RecordBatch) -> None:
    assert len({id(record.topic) for record in batch}) == 1


def test_metadata_of_a_record(faulty_broker: EmbeddedBroker) -> None:
    with Producer(bootstrap_servers=faulty_broker.bootstrap_servers) as producer:
        delivery = producer.send("t", b"value", b"key", timestamp=5)
        metadata = delivery.result(SECONDS)
    assert (metadata.topic, metadata.partition, metadata.offset, metadata.timestamp) == ("t", 0, 0, 5)
    assert metadata.timestamp_type is TimestampType.CREATE_TIME
    assert (metadata.serialized_key_size, metadata.serialized_value_size) == (3, 5)
    assert metadata == delivery.result()
    assert hash(metadata) == hash(delivery.result())
    assert "offset=0" in repr(metadata)

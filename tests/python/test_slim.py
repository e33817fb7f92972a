"""Objects that leave the garbage collector go at once, and still are what `slim.rs` and `untracked.rs` take them
for."""

from __future__ import annotations

import gc
import sys
import sysconfig
import tracemalloc
from typing import Any

import pytest
from kafkars import Consumer, Producer, aio
from kafkars.compat import aiokafka, confluent_kafka
from kafkars.testing import EmbeddedBroker

IS_VERSION_SPECIFIC = not sysconfig.get_config_var("Py_GIL_DISABLED") and sys.implementation.name == "cpython"
TAKES_PART_IN_COLLECTION = 1 << 14  # Py_TPFLAGS_HAVE_GC


class Payload(bytes):
    """Bytes whose end can be seen."""

    ended = 0

    def __del__(self) -> None:
        type(self).ended += 1


def test_what_a_message_holds_goes_with_it() -> None:
    """Not at some later call of ours, which may never come."""
    message = confluent_kafka.Message(topic="t", value=b"")
    Payload.ended = 0
    message.set_value(Payload(b"value"))
    del message
    assert Payload.ended == 1


def test_the_memory_of_a_thousand_messages_is_free_after_them() -> None:
    tracemalloc.start()
    try:
        messages: list[Any] = []
        while len(messages) < 300:
            messages.append(confluent_kafka.Message(topic="t"))
            messages[-1].set_value(bytes(100_000))
        full, _ = tracemalloc.get_traced_memory()
        del messages
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert full > 25_000_000
    assert left < 5_000_000


def test_what_a_batch_of_records_shares_goes_with_the_last() -> None:
    Payload.ended = 0

    def deserialize(data: bytes | None) -> Any:
        return Payload(data or b"")

    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        Consumer(
            bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest", value_deserializer=deserialize
        ) as consumer,
    ):
        producer.send_many("t", [b"value"] * 10)
        producer.flush()
        consumer.assign([("t", 0)])
        made = 0
        while made < 10:
            batch = consumer.poll_batch()
            records = list(batch)
            values = [record.value for record in records]
            made += len(records)
            del batch, records, values
        assert Payload.ended >= 10


@pytest.mark.skipif(not IS_VERSION_SPECIFIC, reason="free-threaded interpreters keep these classes in the collector")
def test_the_classes_are_outside_of_the_collector() -> None:
    """Fails when a release of PyO3 or CPython lays these objects out in another way: `slim.rs` then does nothing."""
    for made in (
        confluent_kafka.Message(topic="t"),
        aiokafka.ConsumerRecord("t", 0, 0, 0, 0, None, None, None, 0, 0, ()),
    ):
        assert not gc.is_tracked(made)
        assert not type(made).__flags__ & TAKES_PART_IN_COLLECTION, type(made)


@pytest.mark.skipif(not IS_VERSION_SPECIFIC, reason="free-threaded interpreters keep these classes in the collector")
def test_records_deliveries_and_futures_are_not_tracked() -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer,
    ):
        delivery = producer.send("t", b"value")
        delivery.result(10)
        consumer.assign([("t", 0)])
        record = consumer.poll(10)
        with_loop = aio.Consumer(bootstrap_servers=broker.bootstrap_servers)
        call = with_loop.poll()
        for made in (delivery, record, call):
            assert not gc.is_tracked(made)
        for made in (delivery, record):
            assert not type(made).__flags__ & TAKES_PART_IN_COLLECTION, type(made)

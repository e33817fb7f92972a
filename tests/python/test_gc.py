"""Objects outside of garbage collection go at once, and CPython and PyO3 are still what `gc.rs` takes them for: its
classes are laid out, allocated and freed as it believes. What a cycle through one of them costs is what the
documentation says.
"""

from __future__ import annotations

import gc
import sys
import sysconfig
import tracemalloc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafkars import Consumer, Producer, _kafkars, aio
from kafkars.compat import aiokafka, confluent_kafka
from kafkars.testing import EmbeddedBroker

pytestmark = pytest.mark.timeout(60)

IS_VERSION_SPECIFIC = not sysconfig.get_config_var("Py_GIL_DISABLED") and "abi3" not in Path(_kafkars.__file__).name
TAKES_PART_IN_COLLECTION = 1 << 14  # Py_TPFLAGS_HAVE_GC
INLINE_VALUES, MANAGED_WEAKREF, MANAGED_DICT = 1 << 2, 1 << 3, 1 << 4


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


outside_of_collection = pytest.mark.skipif(
    not IS_VERSION_SPECIFIC, reason="free-threaded and stable-ABI builds keep these classes in the collector"
)


@pytest.fixture(scope="module")
def made() -> Iterator[dict[str, Any]]:
    """One object of each class that leaves the collector, made by the engine where the engine makes them."""
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer,
    ):
        delivery = producer.send("t", b"value", key=b"key")
        delivery.result(10)
        consumer.assign([("t", 0)])
        record = consumer.poll(10)
        assert record is not None
        yield {
            "record": record,
            "delivery": delivery,
            "message": confluent_kafka.Message(topic="t"),
            "aiokafka record": aiokafka.ConsumerRecord("t", 0, 0, 0, 0, None, None, None, 0, 0, ()),
        }


NAMES = ("record", "delivery", "message", "aiokafka record")


@outside_of_collection
@pytest.mark.parametrize("name", NAMES)
def test_the_class_is_outside_of_the_collector(made: dict[str, Any], name: str) -> None:
    """Fails when a release of PyO3 or CPython lays these objects out in another way: `gc.rs` then does nothing."""
    kind = type(made[name])
    assert not gc.is_tracked(made[name])
    assert not kind.__flags__ & TAKES_PART_IN_COLLECTION
    assert not kind.__flags__ & (INLINE_VALUES | MANAGED_DICT | MANAGED_WEAKREF), "the interpreter puts more into it"
    assert (kind.__itemsize__, kind.__dictoffset__, kind.__weakrefoffset__) == (0, 0, 0)
    assert kind.__base__ is object


@outside_of_collection
@pytest.mark.parametrize("name", NAMES)
def test_nothing_stands_before_the_object_in_memory(made: dict[str, Any], name: str) -> None:
    """What is allocated is the header of every object and the Rust value: no header of the collector, which
    `PyObject_Free` would not know of.
    """
    kind = type(made[name])
    assert sys.getsizeof(made[name]) == kind.__basicsize__
    assert kind.__basicsize__ > object.__basicsize__
    assert kind.__basicsize__ % object.__basicsize__ % 8 == 0


@outside_of_collection
def test_objects_give_back_their_memory_and_their_class() -> None:
    """Each object holds a reference to its class, which goes with it: one too many would free the class in use."""
    kinds: dict[Any, Any] = {
        confluent_kafka.Message: lambda: confluent_kafka.Message(topic="t"),
        aiokafka.ConsumerRecord: lambda: aiokafka.ConsumerRecord("t", 0, 0, 0, 0, None, None, None, 0, 0, ()),
    }
    for kind, make in kinds.items():
        make()  # what is made once is made now
        references, blocks = sys.getrefcount(kind), sys.getallocatedblocks()
        several = [make() for _ in range(1_000)]
        assert sys.getrefcount(kind) == references + 1_000
        assert sys.getallocatedblocks() > blocks + 900
        several.clear()
        assert sys.getrefcount(kind) == references
        assert sys.getallocatedblocks() < blocks + 50


@outside_of_collection
def test_objects_that_python_and_the_engine_made_are_freed_alike() -> None:
    """A class that Python derives takes part in the collection again, with the interpreter's own memory and header."""

    class Derived(confluent_kafka.Message):
        """With a dictionary and weak references."""

    derived = Derived(topic="t")
    assert type(derived).__flags__ & TAKES_PART_IN_COLLECTION
    assert gc.is_tracked(derived)
    derived.attribute = Payload(b"")  # type: ignore[attr-defined]
    end = weakref.ref(derived)
    Payload.ended = 0
    del derived
    assert end() is None
    assert Payload.ended == 1


@outside_of_collection
def test_a_message_in_a_cycle_is_never_freed() -> None:
    """The documentation says so (docs/concepts/garbage-collection.md); where this fails, it may say something
    better."""
    message = confluent_kafka.Message(topic="t")
    inside = Payload(b"value")
    inside.message = message  # type: ignore[attr-defined]
    message.set_value(inside)
    Payload.ended = 0
    del inside, message
    gc.collect()
    assert Payload.ended == 0


@outside_of_collection
def test_calls_of_asyncio_are_not_tracked() -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer = aio.Consumer(bootstrap_servers=broker.bootstrap_servers)
        assert not gc.is_tracked(consumer.poll())

"""Chapters of `steps.py`: what records and futures are, looked at from every side that a named tuple has."""

from __future__ import annotations

import copy
import itertools
import pickle
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.compat.kafka.steps import Told

WAIT = 20.0
TIME = 1_700_000_000_000


def written(kafka: Any, told: Told, servers: str, *values: bytes | None) -> None:
    """Stores records in partition 0."""
    producer = kafka.KafkaProducer(bootstrap_servers=servers)
    for number, value in enumerate(values):
        headers = [("h", b"1"), ("\N{LATIN SMALL LETTER E WITH ACUTE}", b"")] if number == 1 else None
        producer.send(told.topic, value, f"k{number}".encode(), headers, 0, TIME + number).get(timeout=WAIT)
    producer.close()


def reader(kafka: Any, told: Told, servers: str, **settings: Any) -> Any:
    """A consumer at the beginning of partition 0."""
    made = kafka.KafkaConsumer(
        bootstrap_servers=servers, **{"consumer_timeout_ms": 10_000, "auto_offset_reset": "earliest", **settings}
    )
    made.assign([kafka.TopicPartition(told.topic, 0)])
    made.seek_to_beginning()
    return made


def taken(consumer: Any, **arguments: Any) -> list[Any]:
    """The records of the first poll that finds any."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        found = consumer.poll(timeout_ms=300, **arguments)
        if found:
            return [record for records in found.values() for record in records]
    return []


def records(kafka: Any, told: Told, servers: str) -> None:
    """Records as named tuples."""
    written(kafka, told, servers, b"zero", b"one", None, b"three")
    consumer = reader(kafka, told, servers)
    found = taken(consumer)
    consumer.seek_to_beginning()
    again = list(itertools.islice(consumer, len(found)))
    first, second = found[0], found[1]
    told.step("how they look", lambda: [repr(record) for record in found])
    told.step("by iteration", lambda: [repr(record) for record in again])
    told.step("equal", lambda: (found == again, found[0] == again[1], found[0] != again[0], first == tuple(first)))
    told.step(
        "their class", lambda: (type(first).__name__, type(first).__mro__[1].__name__, type(first) is type(again[0]))
    )
    told.step("fields", lambda: first._fields)
    told.step("a tuple", lambda: (isinstance(first, tuple), len(first), first[3], first[-1], first.index(b"k0")))
    told.step("slices", lambda: (first[6:8], second[8:9]))
    told.step("unpacked", lambda: [offset for _, _, _, offset, *_ in found])
    told.step("as a dict", lambda: list(second._asdict().items()))
    told.step("replaced", lambda: first._replace(value=1))
    told.step("pickled", lambda: [pickle.loads(pickle.dumps(first, protocol)) == first for protocol in range(6)])
    told.step("copied", lambda: (copy.copy(second) == second, copy.deepcopy(second) == second))
    told.step("a copy of its own", lambda: copy.deepcopy(second).headers is second.headers)
    told.step("hashed", lambda: hash(first))
    told.step("hashed without headers", lambda: isinstance(hash(first._replace(headers=())), int))
    told.step("sorted", lambda: [record.offset for record in sorted(found, reverse=True)])
    told.step("changed", lambda: setattr(first, "value", 1))
    told.step("no such field", lambda: first.nothing)
    told.step("a field of its own", lambda: setattr(first, "own", 1))
    told.step("lists of their own", lambda: (first.headers, first.headers is not found[2].headers))
    told.step("headers may change", lambda: (second.headers.append(("x", b"")), second.headers))
    told.step("types", lambda: [type(part).__name__ for part in second])
    made = type(first)(*range(13))
    told.step("made by hand", lambda: (repr(made), type(first)._make(range(13)) == made))
    told.step("too few", lambda: type(first)(1, 2))
    consumer.close()
    told.step("iterated after close", lambda: next(consumer))
    told.step("polled after close", consumer.poll)


def deserializers(kafka: Any, told: Told, servers: str) -> None:
    """What deserializers are given, and what becomes of what they refuse."""
    written(kafka, told, servers, b"0", b"1", None, b"three", b"4", b"5")
    seen: list[Any] = []

    def text(data: bytes | None) -> str:
        seen.append(data)
        return "nothing" if data is None else data.decode()

    consumer = reader(kafka, told, servers, value_deserializer=text, key_deserializer=lambda data: {data: 1})
    told.step("functions", lambda: [(record.key, record.value) for record in itertools.islice(consumer, 6)])
    told.step("what they were given", lambda: seen)
    consumer.close()

    def number(data: bytes | None) -> Any:
        return None if data is None else int(data)

    consumer = reader(kafka, told, servers, value_deserializer=number)
    partition = kafka.TopicPartition(told.topic, 0)
    told.step("up to a bad one", lambda: [record.value for record in taken(consumer)])
    told.step("the bad one", lambda: taken(consumer))
    consumer.close()
    # A consumer of its own for each: the original never ends where it is asked again after a refusal.
    consumer = reader(kafka, told, servers, value_deserializer=number)
    told.step("by iteration", lambda: [record.value for record in itertools.islice(consumer, 3)])
    told.step("the bad one by iteration", lambda: next(consumer))
    consumer.close()
    consumer = reader(kafka, told, servers, value_deserializer=number)
    consumer.seek(partition, 4)
    told.step("beyond it", lambda: [record.value for record in taken(consumer)])
    consumer.close()

    consumer = reader(kafka, told, servers)
    told.step("one at a time", lambda: [taken(consumer, max_records=1)[0].offset for _ in range(2)])
    told.step("where that is", lambda: consumer.position(partition))
    told.step("the next ones", lambda: [next(consumer).offset for _ in range(2)])
    told.step("where they are", lambda: consumer.position(partition))
    told.step("the rest", lambda: [record.offset for record in taken(consumer)])
    consumer.close()

    class Own(kafka.KafkaConsumer):  # type: ignore[misc, name-defined]
        def __next__(self) -> Any:
            return "own", super().__next__().offset

    consumer = Own(bootstrap_servers=servers, auto_offset_reset="earliest", consumer_timeout_ms=10_000)
    consumer.assign([partition])
    told.step("a class of one's own", lambda: list(itertools.islice(consumer, 6)))
    consumer.close()


def futures(kafka: Any, told: Told, servers: str) -> None:
    """Futures and metadata."""
    producer = kafka.KafkaProducer(bootstrap_servers=servers)

    def send(*arguments: Any, **keywords: Any) -> Any:
        return producer.send(told.topic, *arguments, **keywords)

    sent = send(b"v", b"k", [("a", b"12")], 0, TIME)
    metadata = sent.get(timeout=WAIT)
    told.step("metadata", lambda: (repr(metadata), metadata._fields, metadata == sent.get(), type(metadata).__name__))
    told.step("the same object", lambda: (sent.get() is metadata, sent.value is metadata, sent.get(0) is metadata))
    told.step("as a tuple", lambda: (tuple(metadata)[1:], metadata.topic_partition.partition, hash(metadata) != 0))
    told.step("pickled", lambda: pickle.loads(pickle.dumps(metadata)) == metadata)
    told.step(
        "its class",
        lambda: [
            each.__name__ for each in type(sent).__mro__ if "Future" in each.__name__ and "Python" not in each.__name__
        ],
    )
    told.step(
        "what it tells", lambda: (sent.is_done, sent.succeeded(), sent.failed(), sent.exception, sent.retriable())
    )
    heard: list[Any] = []
    told.step("an errback of a good one", lambda: (sent.add_errback(heard.append) is sent, heard))
    told.step("both", lambda: (sent.add_both(lambda value: heard.append(value.offset)) is sent, heard))
    told.step("after callbacks", lambda: (sent.get() is metadata, sent.value is metadata))
    told.step("ended twice", lambda: sent.success(1))
    told.step(
        "a time that is no number",
        lambda: (send(b"1", partition=0).get(timeout=WAIT).partition, sent.get("x") is metadata),
    )
    waited = [send(b"w", partition=0) for _ in range(5)]
    told.step("one after the other", lambda: [each.get(WAIT).offset - waited[0].get().offset for each in waited])
    last = send(b"1", partition=0)
    order: list[Any] = []
    last.add_callback(lambda value: order.append(value.offset))
    told.step("with a callback", lambda: (last.get(timeout=WAIT) is last.value, len(order)))
    for name, arguments in {
        "a bytearray": {"value": bytearray(b"1")},
        "a memoryview": {"value": memoryview(b"1")},
        "a key alone": {"key": b"k"},
        "nothing": {},
        "a long header": {"value": b"1", "headers": [("a", b"1", b"2")]},
        "a header in a list": {"value": b"1", "headers": [["a", b"1"]]},
        "headers in a tuple": {"value": b"1", "headers": (("a", b"1"),)},
        "true as a partition": {"value": b"1", "partition": True},
        "a partition of text": {"value": b"1", "partition": "1"},
    }.items():
        told.step(name, lambda arguments=arguments: tuple(send(**arguments).get(timeout=WAIT))[6:])
    producer.close()

    def refuses(data: Any) -> bytes:
        raise LookupError(data)

    def checks(data: Any) -> bytes:
        raise AssertionError(data)

    for name, serializer in {
        "text": str,
        "nothing": lambda _: None,
        "upper case": lambda data: (data or b"none").upper(),
        "a bytearray": lambda _: bytearray(b"x"),
        "an error": refuses,
        "a failed check": checks,
    }.items():
        producer = kafka.KafkaProducer(bootstrap_servers=servers, value_serializer=serializer)
        told.step(f"a serializer that gives {name}", lambda: tuple(send(b"v", b"k").get(timeout=WAIT))[6:])
        told.step(f"{name} of None", lambda: tuple(send(None, b"k").get(timeout=WAIT))[6:])
        producer.close()

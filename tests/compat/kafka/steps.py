"""A program for `kafka`, step by step: what each step tells, a line of JSON each. Run once on the original, once on the
face.

    python -m tests.compat.kafka.steps LIBRARY SERVERS TOPIC CHAPTER

LIBRARY is `face`, or the folder that kafka-python is in. The program itself imports nothing but `kafka`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.compat.kafka.administration import administration
from tests.compat.kafka.records import deserializers, futures, records

WAIT = 20.0


class Told:
    """Collects what steps tell."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.lines: list[tuple[str, Any]] = []

    def step(self, name: str, call: Callable[[], Any]) -> None:
        """One step: its value, or the name of its exception and of those bases that both libraries have."""
        try:
            answer = self.plain(call())
        except Exception as error:  # noqa: BLE001  whatever it is, it is what the program is told
            answer = ["raises", type(error).__name__]
        self.lines.append((name, answer))

    def plain(self, value: Any) -> Any:
        """A value without the classes of one library and the names of one run."""
        if isinstance(value, (set, frozenset)):
            return sorted(map(self.plain, value))
        if isinstance(value, dict):
            return sorted([self.plain(key), self.plain(item)] for key, item in value.items())
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        if isinstance(value, bytes):
            return value.decode()
        return value.replace(self.topic, "TOPIC") if isinstance(value, str) else value


def polled(consumer: Any, count: int) -> list[Any]:
    """The next `count` records."""
    found: list[Any] = []
    deadline = time.monotonic() + WAIT
    while len(found) < count and time.monotonic() < deadline:
        for some in consumer.poll(timeout_ms=300).values():
            found += some
    return found


def without_time(record: Any) -> list[Any]:
    """A record's parts but for those that differ from run to run."""
    return [value for name, value in record._asdict().items() if name not in {"timestamp", "topic"}]


def constructors(kafka: Any, told: Told, servers: str) -> None:
    """Settings: unknown ones, wrong ones, those that do not go together."""
    nowhere = {"bootstrap_servers": "127.0.0.1:1"}
    told.step("a consumer without brokers", lambda: kafka.KafkaConsumer(**nowhere))
    told.step("a producer without brokers", lambda: kafka.KafkaProducer(**nowhere))

    def consumer(**settings: Any) -> str:
        made = kafka.KafkaConsumer(bootstrap_servers=servers, **settings)
        made.close()
        return "made"

    def producer(**settings: Any) -> str:
        made = kafka.KafkaProducer(bootstrap_servers=servers, **settings)
        # An idempotent one of the original that has sent nothing never ends by itself, and says so when it is told to.
        with contextlib.suppress(Exception):
            made.close(timeout=0)
        return "made"

    for settings in (
        {},
        {"nonsense": 1},
        {"session_timeout_ms": 400_000, "group_id": "g"},
        {"fetch_max_wait_ms": 400_000},
        {"request_timeout_ms": 600_000},
        {"group_instance_id": "i"},
        {"auto_offset_reset": "smallest"},
        {"auto_offset_reset": "largest"},
        {"auto_offset_reset": "nonsense"},
        {"api_version": "auto"},
        {"api_version": (2, 5)},
        # The examples of the document of 2.0.
        {"api_version": (0, 9)},
        {"api_version": (0, 8, 2)},
        {"api_version": (0, 8, 1)},
        {"api_version": (0, 8, 0)},
        {"isolation_level": "nonsense"},
        {"security_protocol": "nonsense"},
        {"max_poll_records": 0},
        {"client_id": "c"},
        {"consumer_timeout_ms": -1},
        {"metrics_enabled": False},
    ):
        told.step(f"KafkaConsumer({settings})", lambda settings=settings: consumer(**settings))
    for settings in (
        {},
        {"nonsense": 1},
        {"acks": "all"},
        {"acks": 0},
        {"compression_type": "nonsense"},
        {"compression_type": "gzip"},
        {"enable_idempotence": True},
        {"enable_idempotence": True, "acks": 1},
        {"enable_idempotence": True, "retries": 0},
        {"enable_idempotence": True, "max_in_flight_requests_per_connection": 5},
        {"transactional_id": "t", "enable_idempotence": False},
        {"api_version": "2.5"},
        {"retries": 3},
        {"linger_ms": 5, "batch_size": 0},
    ):
        told.step(f"KafkaProducer({settings})", lambda settings=settings: producer(**settings))


def sending(kafka: Any, told: Told, servers: str) -> None:
    """`send()` and its futures."""
    producer = kafka.KafkaProducer(bootstrap_servers=servers)
    heard: list[Any] = []
    first = producer.send(told.topic, b"v", key=b"k", headers=[("a", b"1")], timestamp_ms=123)
    told.step("metadata", lambda: first.get(timeout=WAIT))
    told.step(
        "what a future tells",
        lambda: (first.is_done, first.succeeded(), first.failed(), first.value == first.get(), first.exception),
    )
    told.step("a late callback", lambda: (first.add_callback(heard.append) is first, [each.offset for each in heard]))
    second = producer.send(told.topic, value=b"x", partition=1)
    second.add_callback(lambda tag, metadata: heard.append((tag, metadata.offset)), "tag").add_errback(heard.append)
    producer.flush(WAIT)
    deadline = time.monotonic() + WAIT
    while len(heard) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    told.step("a callback with an argument", lambda: heard[1:])
    for name, arguments in {
        "neither key nor value": {"topic": told.topic},
        "a tombstone": {"topic": told.topic, "key": b"k"},
        "a bad topic": {"topic": "a b", "value": b"1"},
        "a topic that is no text": {"topic": 3, "value": b"1"},
        "an empty topic": {"topic": "", "value": b"1"},
        "a value that is a number": {"topic": told.topic, "value": 1},
        "a value that is text": {"topic": told.topic, "value": "text"},
        "a value that is a bytearray": {"topic": told.topic, "value": bytearray(b"1")},
        "a partition too many": {"topic": told.topic, "value": b"1", "partition": 9},
        "a negative partition": {"topic": told.topic, "value": b"1", "partition": -1},
        "headers in a dict": {"topic": told.topic, "value": b"1", "headers": {"a": b"1"}},
        "a header without value": {"topic": told.topic, "value": b"1", "headers": [("a", None)]},
        "a header of text": {"topic": told.topic, "value": b"1", "headers": [("a", "b")]},
        "no headers in a list": {"topic": told.topic, "value": b"1", "headers": []},
    }.items():
        told.step(name, lambda arguments=arguments: type(producer.send(**arguments)).__name__)
    order: list[int] = []
    seen: list[int] = []
    for number in range(200):
        sent = producer.send(told.topic, str(number).encode(), partition=0)
        sent.add_callback(lambda metadata: order.append(metadata.offset))
        if number % 20 == 19:
            sent.get(timeout=WAIT)
            seen.append(len(order))
    producer.flush(WAIT)
    told.step("callbacks before the outcome", lambda: seen)
    told.step("callbacks in order", lambda: (len(order), order == sorted(order)))
    large = producer.send(told.topic, b"x" * 2_000_000)
    told.step("a large record's future", lambda: (large.failed(), type(large.exception).__name__))
    told.step("a large record", lambda: large.get(timeout=WAIT))
    told.step("partitions", lambda: producer.partitions_for(told.topic))
    told.step("begin without an id", producer.begin_transaction)
    told.step("init without an id", producer.init_transactions)
    producer.close()
    told.step("closed twice", producer.close)
    told.step("send after close", lambda: producer.send(told.topic, b"1"))


def reading(kafka: Any, told: Told, servers: str) -> None:
    """A consumer without a group."""
    structs = __import__("kafka.structs", fromlist=["structs"])
    producer = kafka.KafkaProducer(bootstrap_servers=servers, value_serializer=lambda number: str(number).encode())
    for number in range(10):
        producer.send(told.topic, number, key=b"k" if number % 2 else None, partition=number % 2).get(timeout=WAIT)
    producer.close()
    zero, one = (structs.TopicPartition(told.topic, partition) for partition in (0, 1))
    settings = {"bootstrap_servers": servers, "auto_offset_reset": "earliest"}
    consumer = kafka.KafkaConsumer(told.topic, consumer_timeout_ms=10_000, **settings)
    told.step("subscription", consumer.subscription)
    told.step(
        "every record", lambda: sorted(([without_time(record) for record in itertools.islice(consumer, 10)]), key=repr)
    )
    ending = kafka.KafkaConsumer(told.topic, consumer_timeout_ms=500, **settings)
    told.step("the iteration ends, and again", lambda: (len(polled(ending, 10)), list(ending), list(ending)))
    ending.close()
    told.step("assignment", consumer.assignment)
    told.step("topics", lambda: told.topic in consumer.topics() and "__consumer_offsets" not in consumer.topics())
    told.step(
        "partitions of topics",
        lambda: (consumer.partitions_for_topic(told.topic), len(consumer.partitions_for_topic("no"))),
    )
    told.step("position", lambda: (consumer.position(zero), consumer.position(one)))
    told.step("position of what is not assigned", lambda: consumer.position(structs.TopicPartition(told.topic, 7)))
    told.step("position of a tuple", lambda: consumer.position((told.topic, 0)))
    told.step("highwater", lambda: consumer.highwater(zero))
    told.step("ends", lambda: (consumer.beginning_offsets([zero, one]), consumer.end_offsets([zero, one])))
    told.step(
        "times", lambda: {partition: place.offset for partition, place in consumer.offsets_for_times({zero: 0}).items()}
    )
    told.step("a time to come", lambda: consumer.offsets_for_times({zero: 10**13}))
    told.step("a negative time", lambda: consumer.offsets_for_times({zero: -1}))
    told.step("seek", lambda: (consumer.seek(zero, 3), consumer.position(zero)))
    told.step("what is read after a seek", lambda: [record.offset for record in polled(consumer, 2)])
    told.step("a negative seek", lambda: consumer.seek(zero, -1))
    told.step("a seek of what is not assigned", lambda: consumer.seek(structs.TopicPartition("no", 0), 0))
    told.step("back to the beginning", lambda: (consumer.seek_to_beginning(), len(polled(consumer, 10))))
    told.step("to the end", lambda: (consumer.seek_to_end(zero), consumer.position(zero)))
    told.step("a negative wait", lambda: consumer.poll(-1))
    told.step("no records wanted", lambda: consumer.poll(0, max_records=0))
    told.step("pause", lambda: (consumer.pause(zero), consumer.paused(), consumer.resume(zero), consumer.paused()))
    told.step("a pause of what is not assigned", lambda: consumer.pause(structs.TopicPartition("no", 0)))
    told.step("commit without a group", consumer.commit)
    told.step("committed without a group", lambda: consumer.committed(zero))
    told.step("assign beside a subscription", lambda: consumer.assign([zero]))
    told.step("a pattern beside topics", lambda: consumer.subscribe(pattern="t.*"))
    told.step("subscribe to nothing", consumer.subscribe)
    told.step("subscribe to text", lambda: consumer.subscribe(told.topic))
    told.step("topics and a pattern", lambda: consumer.subscribe([told.topic], "s.*"))
    told.step("a listener of a wrong kind", lambda: consumer.subscribe([told.topic], listener=print))
    told.step("unsubscribe", lambda: (consumer.unsubscribe(), consumer.subscription(), consumer.assignment()))
    told.step("assign", lambda: (consumer.assign([zero]), consumer.assignment(), consumer.subscription()))
    told.step("three at most", lambda: [record.offset for record in next(iter(first_poll(consumer, 3).values()))])
    told.step("position after three", lambda: consumer.position(zero))
    consumer.close()
    told.step("closed twice", consumer.close)
    told.step("poll after close", consumer.poll)
    told.step("iterate after close", lambda: list(consumer))
    idle = kafka.KafkaConsumer(bootstrap_servers=servers, consumer_timeout_ms=100)
    told.step("poll of nothing", lambda: idle.poll(100))
    told.step("iterate over nothing", lambda: list(idle))
    idle.close()
    picky = kafka.KafkaConsumer(
        bootstrap_servers=servers, auto_offset_reset="earliest", value_deserializer=lambda value: 12 // (6 - int(value))
    )
    picky.assign([zero])
    told.step("records before one that is refused", lambda: [record.offset for record in first_poll(picky, 10)[zero]])
    told.step("where it stands then", lambda: picky.position(zero))
    picky.close(autocommit=False)
    strict = kafka.KafkaConsumer(bootstrap_servers=servers, auto_offset_reset="none")
    strict.assign([zero])
    told.step("no place to start", lambda: strict.poll(2000))
    strict.seek(zero, 999)
    told.step("out of range", lambda: out_of_range(kafka, strict))
    strict.close()


def first_poll(consumer: Any, most: int) -> Any:
    """The first answer that is not empty."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        found = consumer.poll(300, max_records=most)
        if found:
            return found
    return {}


def out_of_range(kafka: Any, consumer: Any) -> Any:
    """The argument of the error."""
    errors = __import__("kafka.errors", fromlist=["errors"])
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        try:
            consumer.poll(300)
        except errors.OffsetOutOfRangeError as error:
            return error.args
    return kafka.__name__


def commit_and_close(kafka: Any, told: Told, settings: dict[str, Any], way: str) -> Any:
    """What is committed where commits without waiting are followed by `close()`."""
    structs = __import__("kafka.structs", fromlist=["structs"])
    zero = structs.TopicPartition(told.topic, 0)
    group = f"last-{way}-{told.topic}"
    consumer = kafka.KafkaConsumer(group_id=group, enable_auto_commit=False, **settings)
    if way == "assigned":
        consumer.assign([zero])
    else:
        consumer.subscribe([told.topic])
    polled(consumer, 1)
    for offset in (1, 2):
        consumer.commit_async({zero: structs.OffsetAndMetadata(offset, "", -1)})
    consumer.close(autocommit=False)
    asking = kafka.KafkaConsumer(group_id=group, enable_auto_commit=False, **settings)
    found = asking.committed(zero)
    asking.close()
    return found


def closed(kafka: Any, told: Told, settings: dict[str, Any], way: str) -> Any:
    """What is committed of a partition that is read by hand, or not, where the consumer commits of itself and is
    closed."""
    structs = __import__("kafka.structs", fromlist=["structs"])
    zero = structs.TopicPartition(told.topic, 0)
    group = f"closed-{way.replace(' ', '-')}-{told.topic}"
    consumer = kafka.KafkaConsumer(group_id=group, **settings)
    consumer.assign([zero])
    if way == "nothing read":
        consumer.commit({zero: structs.OffsetAndMetadata(2, "", -1)})
    else:
        polled(consumer, 1)
    consumer.close(autocommit=way != "not of itself")
    asking = kafka.KafkaConsumer(group_id=group, enable_auto_commit=False, **settings)
    found = asking.committed(zero)
    asking.close()
    return found


def groups(kafka: Any, told: Told, servers: str) -> None:
    """A member of a group: listeners, commits, what a later member finds."""
    structs = __import__("kafka.structs", fromlist=["structs"])
    producer = kafka.KafkaProducer(bootstrap_servers=servers)
    for number in range(6):
        producer.send(told.topic, str(number).encode(), partition=number % 2).get(timeout=WAIT)
    producer.close()
    zero, one = (structs.TopicPartition(told.topic, partition) for partition in (0, 1))
    heard: list[Any] = []

    class Listener(kafka.ConsumerRebalanceListener):  # type: ignore[misc,name-defined]
        def on_partitions_revoked(self, revoked: Any) -> None:
            heard.append(["revoked", sorted(revoked)])

        def on_partitions_assigned(self, assigned: Any) -> None:
            heard.append(["assigned", sorted(assigned)])

    settings = {"bootstrap_servers": servers, "auto_offset_reset": "earliest"}
    consumer = kafka.KafkaConsumer(group_id="manual" + told.topic, enable_auto_commit=False, **settings)
    consumer.subscribe([told.topic], listener=Listener())
    told.step("six records", lambda: len(polled(consumer, 6)))
    # How often nothing is given and taken before the first assignment depends on when metadata comes.
    told.step("what the listener heard", lambda: [each for each in heard if each[1]])
    told.step("nothing committed", lambda: consumer.committed(zero))
    told.step("commit", lambda: (consumer.commit(), consumer.committed(zero), consumer.committed(one)))
    told.step("commit of a number", lambda: consumer.commit({zero: 3}))
    told.step("commit of a tuple", lambda: consumer.commit({(told.topic, 0): structs.OffsetAndMetadata(1, "", -1)}))
    called: list[Any] = []
    future = consumer.commit_async(
        {zero: structs.OffsetAndMetadata(2, "text", -1)},
        callback=lambda offsets, answer: called.append([sorted(offsets), isinstance(answer, Exception)]),
    )
    deadline = time.monotonic() + WAIT
    while not called and time.monotonic() < deadline:
        consumer.poll(50)
    told.step("a commit with a callback", lambda: (called, future.succeeded(), consumer.committed(zero)))
    told.step("its text", lambda: consumer.committed(zero, metadata=True).metadata)
    consumer.close()
    for way in ("assigned", "subscribed"):
        told.step(f"a commit just before the end, {way}", lambda way=way: commit_and_close(kafka, told, settings, way))
    for way in ("read", "nothing read", "not of itself"):
        told.step(f"what a close leaves committed, {way}", lambda way=way: closed(kafka, told, settings, way))

    automatic = kafka.KafkaConsumer(
        told.topic, group_id="automatic" + told.topic, consumer_timeout_ms=10_000, **settings
    )
    for record in automatic:
        if (record.partition, record.offset) == (0, 2):
            break
    automatic.close()
    left = kafka.KafkaConsumer(told.topic, group_id="automatic" + told.topic, consumer_timeout_ms=10_000, **settings)
    told.step("one record moves one position", lambda: left.committed(zero))
    left.close(autocommit=False)
    by_pattern = kafka.KafkaConsumer(group_id="pattern" + told.topic, **settings)
    by_pattern.subscribe(pattern="^" + told.topic + "$")
    told.step("by a pattern", lambda: (len(polled(by_pattern, 6)), by_pattern.subscription()))
    by_pattern.close()


def transactions(kafka: Any, told: Told, servers: str) -> None:
    """Transactions in and out of order."""
    structs = __import__("kafka.structs", fromlist=["structs"])
    producer = kafka.KafkaProducer(bootstrap_servers=servers, transactional_id=told.topic)
    told.step("begin before init", producer.begin_transaction)
    told.step("init", producer.init_transactions)
    told.step("commit of nothing", producer.commit_transaction)
    told.step("send outside", lambda: producer.send(told.topic, b"outside"))
    told.step("begin", producer.begin_transaction)
    told.step("begin again", producer.begin_transaction)
    told.step("send", lambda: type(producer.send(told.topic, b"committed", partition=0)).__name__)
    offsets = {structs.TopicPartition(told.topic, 0): structs.OffsetAndMetadata(3, "", -1)}
    told.step("positions", lambda: producer.send_offsets_to_transaction(offsets, "in-transactions" + told.topic))
    told.step("commit", producer.commit_transaction)
    told.step("abort of nothing", producer.abort_transaction)
    producer.begin_transaction()
    producer.send(told.topic, b"aborted", partition=0)
    producer.flush(WAIT)
    told.step("abort", producer.abort_transaction)
    producer.begin_transaction()
    producer.send(told.topic, b"the last", partition=0)
    producer.commit_transaction()
    producer.close()
    reader = kafka.KafkaConsumer(
        bootstrap_servers=servers,
        group_id="in-transactions" + told.topic,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
        consumer_timeout_ms=10_000,
    )
    told.step("positions came with it", lambda: reader.committed(structs.TopicPartition(told.topic, 0)))
    reader.assign([structs.TopicPartition(told.topic, 0)])
    reader.seek_to_beginning()
    told.step("what was committed", lambda: [record.value for record in itertools.islice(reader, 2)])
    reader.close()


CHAPTERS = {
    chapter.__name__: chapter
    for chapter in (
        constructors,
        sending,
        futures,
        reading,
        records,
        deserializers,
        groups,
        transactions,
        administration,
    )
}


def main() -> None:
    """Runs one chapter."""
    library, servers, topic, chapter = sys.argv[1:]
    if library == "face":
        from kafkars.compat import install

        install("kafka")
    else:
        sys.path.insert(0, library)
    import kafka

    told = Told(topic)
    CHAPTERS[chapter](kafka, told, servers)
    for line in told.lines:
        print(json.dumps(line))


if __name__ == "__main__":
    main()

"""Producers: reports, queues, headers, partitioners, batches, transactions."""

from __future__ import annotations

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from tests.compat.programs.case import Case

START = 1_600_000_000_000


def read(case: Case, topic: str, count: int, partitions: int = 1, **settings: object) -> list[Message]:
    """The first messages of a topic, by partition and offset."""
    names = {name.replace("_", "."): value for name, value in settings.items()}
    consumer = Consumer({"bootstrap.servers": case.servers, "group.id": case.name("reader"), **names})
    try:
        consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
        found: list[Message] = []
        while len(found) < count:
            message = consumer.poll(20)
            assert message is not None, f"{len(found)} of {count}"
            assert message.error() is None, message.error()
            found.append(message)
    finally:
        consumer.close()
    return sorted(found, key=lambda message: (message.partition(), message.offset()))


def reports_in_order(case: Case) -> None:
    topic = case.topic(partitions=2)
    producer = Producer({"bootstrap.servers": case.servers, "linger.ms": 5})
    heard: list[object] = []

    def report(error: KafkaError | None, message: Message) -> None:
        heard.append((error, message.partition(), message.offset(), message.key(), message.value()))

    for number in range(10):
        producer.produce(topic, f"value {number}", key=str(number), partition=number % 2, callback=report)
        producer.poll(0)
    case.tell(producer.flush(20), len(producer))
    case.tell(sorted(heard, key=repr))
    case.tell([one[4] for one in heard if one[1] == 0], [one[4] for one in heard if one[1] == 1])
    message = read(case, topic, 10, partitions=2)[0]
    case.tell(
        message, message.error(), message.headers(), len(message), message.timestamp()[0] == TIMESTAMP_CREATE_TIME
    )
    case.tell(message.latency(), message.leader_epoch() is not None)


def kinds_of_reports(case: Case) -> None:
    topic = case.topic()
    heard: list[object] = []
    producer = Producer(
        {
            "bootstrap.servers": case.servers,
            "on_delivery": lambda error, message: heard.append(("all", message.value())),
        }
    )
    producer.produce(topic, b"one")
    producer.produce(topic, b"two", on_delivery=lambda error, message: heard.append(("own", message.value())))
    producer.produce(topic, value=b"three", callback=lambda error, message: heard.append(("alias", message.value())))
    case.tell(producer.flush(20), heard)

    def failing(error: KafkaError | None, message: Message) -> None:
        raise ValueError("out of a callback")

    producer.produce(topic, b"four", on_delivery=failing)
    case.raised(producer.flush, 20)
    case.tell(producer.flush(20))
    case.tell([message.value() for message in read(case, topic, 4)])


def headers_keys_and_times(case: Case) -> None:
    topic = case.topic()
    producer = Producer({"bootstrap.servers": case.servers})
    reported: list[object] = []
    producer.produce(topic, b"list", headers=[("a", b"1"), ("b", "text"), ("a", None)])
    producer.produce(topic, b"dict", headers={"k": b"v"}, timestamp=START)
    producer.produce(topic, None, key=b"gone", timestamp=START + 1)
    producer.produce(
        topic,
        "schlüssel",
        key="é",
        on_delivery=lambda _, message: reported.append((message.headers(), message.value())),
    )
    producer.flush(20)
    for message in read(case, topic, 4):
        case.tell(message.key(), message.value(), message.headers(), len(message))
    case.tell([message.timestamp() for message in read(case, topic, 4)[1:3]], reported)


def partitioners(case: Case) -> None:
    for name in ("consistent", "consistent_random", "murmur2", "murmur2_random", "fnv1a"):
        topic = case.topic(name, partitions=5)
        producer = Producer({"bootstrap.servers": case.servers, "partitioner": name})
        for key in ("a", "bb", "ccc", "dddd", "schlüssel"):
            producer.produce(topic, b"value", key=key)
        producer.flush(20)
        where = [(message.key(), message.partition()) for message in read(case, topic, 5, partitions=5)]
        case.tell(name, sorted(where))


def codecs(case: Case) -> None:
    topic = case.topic()
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        producer = Producer({"bootstrap.servers": case.servers, "compression.type": codec, "acks": "all"})
        producer.produce(topic, codec * 100)
        producer.flush(20)
    case.tell([message.value() for message in read(case, topic, 5)])


def full_queue(case: Case) -> None:
    topic = case.topic()
    producer = Producer({"bootstrap.servers": case.servers, "queue.buffering.max.messages": 10, "linger.ms": 500})
    refused = 0
    for number in range(30):
        while True:
            try:
                producer.produce(topic, str(number))
            except BufferError as error:
                case.tell("full", error) if not refused else None
                refused += 1
                producer.poll(1)
            else:
                break
    case.tell(producer.flush(20), refused > 0)
    case.tell([message.value() for message in read(case, topic, 30)])


def wrong_records(case: Case) -> None:
    topic = case.topic(partitions=2)
    heard: list[object] = []
    producer = Producer(
        {
            "bootstrap.servers": case.servers,
            "message.max.bytes": 2000,
            "on_delivery": lambda error, message: heard.append((error, message.value())),
        }
    )
    for value in (5, bytearray(b"x"), memoryview(b"x"), ["x"]):
        case.raised(producer.produce, topic, value)
    case.raised(producer.produce, topic, b"x" * 4000)
    case.raised(producer.produce, topic, b"x", partition=None)
    case.raised(producer.produce)
    case.raised(producer.produce, topic, b"x", no_such_argument=1)
    case.raised(producer.produce, topic, b"x", headers=5)
    case.raised(producer.produce, topic, b"x", headers=[("a",)])
    producer.poll(5) if not producer.list_topics(topic, 10) else None
    # Told at once where the topic is known, and in the report where it is not.
    try:
        producer.produce(topic, b"nowhere", partition=7)
    except KafkaException as error:
        heard.append((error.args[0], b"nowhere"))
    producer.produce(topic, b"right", partition=1)
    case.tell(producer.flush(20))
    case.tell(sorted(heard, key=lambda one: one[1]))


def purging(case: Case) -> None:
    heard: list[object] = []
    producer = Producer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    for number in range(3):
        producer.produce(
            "anywhere", str(number), callback=lambda error, message: heard.append((error, message.value()))
        )
    # Events of connections that fail are counted too.
    case.tell(len(producer) >= 3, bool(producer))
    producer.purge()
    case.tell(producer.flush(5), len(producer), heard)


def timeouts(case: Case) -> None:
    heard: list[object] = []
    producer = Producer({"bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 4000, "log_level": 0})
    producer.produce("anywhere", b"late", on_delivery=lambda error, message: heard.append(error))
    case.tell(producer.flush(0.01), producer.flush(20), heard)
    case.raised(producer.list_topics, timeout=0.2)


def many_at_once(case: Case) -> None:
    topic = case.topic()
    producer = Producer({"bootstrap.servers": case.servers})
    messages = [{"value": b"one", "key": b"k"}, {"value": b"two"}, {"value": "three"}, {}]
    heard: list[object] = []
    case.tell(producer.produce_batch(topic, messages, on_delivery=lambda error, message: heard.append(message.value())))
    case.tell(producer.flush(20), heard)
    case.tell([(message.key(), message.value()) for message in read(case, topic, 4)])


def closing(case: Case) -> None:
    topic = case.topic()
    with Producer({"bootstrap.servers": case.servers}) as producer:
        producer.produce(topic, b"inside")
    case.raised(producer.produce, topic, b"outside")
    case.tell([message.value() for message in read(case, topic, 1)])


def transactions(case: Case) -> None:
    topic = case.topic()
    producer = Producer({"bootstrap.servers": case.servers, "transactional.id": case.name("tx")})
    producer.init_transactions(20)
    for value, commit in ((b"one", True), (b"dropped", False), (b"two", True)):
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(20)
        producer.commit_transaction(20) if commit else producer.abort_transaction(20)
    case.tell([(m.offset(), m.value()) for m in read(case, topic, 2, isolation_level="read_committed")])
    case.tell([(m.offset(), m.value()) for m in read(case, topic, 3, isolation_level="read_uncommitted")])
    for call in (producer.commit_transaction, producer.abort_transaction):
        try:
            call(5)
        except KafkaException as error:
            case.tell(error, error.args[0].fatal(), error.args[0].retriable(), error.args[0].txn_requires_abort())
    producer.begin_transaction()
    case.raised(producer.begin_transaction)
    producer.abort_transaction(20)
    other = Producer({"bootstrap.servers": case.servers})
    case.raised(other.begin_transaction)
    case.raised(other.init_transactions, 1)


def a_fenced_producer(case: Case) -> None:
    topic, identity = case.topic(), case.name("tx")
    heard: list[object] = []
    settings = {"bootstrap.servers": case.servers, "transactional.id": identity, "error_cb": heard.append}
    old, new = Producer(settings), Producer(settings)
    old.init_transactions(20)
    old.begin_transaction()
    old.produce(topic, b"before")
    old.flush(20)
    new.init_transactions(20)
    try:
        old.commit_transaction(20)
    except KafkaException as error:
        case.tell(error.args[0].fatal(), error.args[0].retriable(), error.args[0].txn_requires_abort())
    case.raised(old.produce, topic, b"after")
    new.begin_transaction()
    new.produce(topic, b"new")
    new.commit_transaction(20)
    case.tell([m.value() for m in read(case, topic, 1, isolation_level="read_committed")])


PROGRAMS = [
    reports_in_order,
    kinds_of_reports,
    headers_keys_and_times,
    partitioners,
    codecs,
    full_queue,
    wrong_records,
    purging,
    timeouts,
    many_at_once,
    closing,
    transactions,
    a_fenced_producer,
]

"""Consumers: polling, batches, positions, commits, seeking, ends of partitions."""

from __future__ import annotations

import time

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_INVALID,
    OFFSET_STORED,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from tests.compat.programs.case import Case

START = 1_600_000_000_000


def fill(case: Case, topic: str, count: int, partitions: int = 1, first: int = 0) -> None:
    producer = Producer({"bootstrap.servers": case.servers})
    for number in range(first, first + count):
        producer.produce(
            topic, str(number), key=f"k{number % 3}", partition=number % partitions, timestamp=START + number
        )
    assert producer.flush(20) == 0


def consumer_of(case: Case, group: str | None = None, **settings: object) -> Consumer:
    names = {name if callable(value) else name.replace("_", "."): value for name, value in settings.items()}
    return Consumer(
        {
            "bootstrap.servers": case.servers,
            "group.id": group or case.name(),
            "auto.offset.reset": "earliest",
            "heartbeat.interval.ms": 200,
            "fetch.wait.max.ms": 100,
            **names,
        }
    )


def polled(consumer: Consumer, count: int) -> list[Message]:
    found: list[Message] = []
    while len(found) < count:
        message = consumer.poll(20)
        assert message is not None, f"{len(found)} of {count}"
        assert message.error() is None, message.error()
        found.append(message)
    return found


def poll_loop(case: Case) -> None:
    topic = case.topic()
    fill(case, topic, 5)
    consumer = consumer_of(case)
    consumer.subscribe([topic])
    for message in polled(consumer, 5):
        case.tell(message, message.timestamp(), message.headers(), message.error())
    case.tell(consumer.poll(0.2), consumer.poll(0))
    case.tell(consumer.assignment()[0].topic, consumer.position(consumer.assignment()))
    consumer.close()
    case.raised(consumer.poll, 0.1)
    case.raised(consumer.consume, 1, 0.1)
    consumer.close()


def ends_of_partitions(case: Case) -> None:
    topic = case.topic(partitions=2)
    fill(case, topic, 4, partitions=2)
    consumer = consumer_of(case, enable_partition_eof=True)
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING), TopicPartition(topic, 1, OFFSET_BEGINNING)])
    values, ends = [], []
    while len(ends) < 2:
        message = consumer.poll(20)
        assert message is not None
        error = message.error()
        if error is None:
            values.append(message.value())
        else:
            case.tell(error.code() == KafkaError._PARTITION_EOF, error.fatal(), error.retriable())
            ends.append((message.topic(), message.partition(), message.offset()))
    case.tell(sorted(values), sorted(ends))
    consumer.close()


def batches(case: Case) -> None:
    topic = case.topic()
    fill(case, topic, 25)
    consumer = consumer_of(case)
    consumer.subscribe([topic])
    found: list[Message] = []
    while len(found) < 25:
        batch = consumer.consume(num_messages=min(10, 25 - len(found)), timeout=20)
        assert 0 < len(batch) <= 10
        found += batch
    case.tell([message.value() for message in found])
    case.tell(consumer.consume(5, 0.1))
    case.raised(consumer.consume, 0, 0.1)
    case.raised(consumer.consume, 2_000_000, 0.1)
    case.raised(consumer.consume, -1)
    consumer.close()


def assigned_by_hand(case: Case) -> None:
    topic = case.topic(partitions=3)
    fill(case, topic, 12, partitions=3)
    consumer = consumer_of(case)
    consumer.assign([TopicPartition(topic, 0, 2), TopicPartition(topic, 1, OFFSET_END), TopicPartition(topic, 2)])
    case.tell([one.partition for one in sorted(consumer.assignment())])
    case.tell(sorted((m.partition(), m.offset(), m.value()) for m in polled(consumer, 6)))
    consumer.incremental_unassign([TopicPartition(topic, 2)])
    case.tell([one.partition for one in sorted(consumer.assignment())])
    consumer.incremental_assign([TopicPartition(topic, 2, 3)])
    case.tell([(m.partition(), m.offset()) for m in polled(consumer, 1)])
    consumer.unassign()
    case.tell(consumer.assignment(), consumer.poll(0.1))
    for wrong in (5, ["topic"], [5], None):
        case.raised(consumer.assign, wrong)
    case.raised(consumer.subscribe, topic)
    case.raised(consumer.subscribe, [5])
    consumer.close()


def commits(case: Case) -> None:
    topic, group = case.topic(partitions=2), case.name()
    fill(case, topic, 8, partitions=2)
    consumer = consumer_of(case, group, enable_auto_commit=False)
    partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
    case.raised(consumer.commit, asynchronous=False)
    consumer.assign([TopicPartition(topic, 0, 0)])
    case.tell(consumer.committed(partitions, 10))
    (message, *_) = polled(consumer, 2)
    case.tell(consumer.commit(message=message, asynchronous=False))
    case.tell(consumer.committed(partitions, 10))
    case.tell(consumer.commit(asynchronous=False))
    case.tell(
        consumer.commit(offsets=[TopicPartition(topic, 0, 3, "text"), TopicPartition(topic, 1, 1)], asynchronous=False)
    )
    answered = consumer.committed(partitions, 10)
    case.tell(answered, [one.metadata for one in answered])
    case.raised(consumer.commit, message=message, offsets=partitions)
    consumer.close()
    again = consumer_of(case, group, enable_auto_commit=False)
    again.assign([TopicPartition(topic, 0, OFFSET_STORED), TopicPartition(topic, 1)])
    case.tell(sorted((m.partition(), m.offset()) for m in polled(again, 4)))
    again.close()


def commits_reported(case: Case) -> None:
    topic = case.topic()
    fill(case, topic, 3)
    heard: list[object] = []
    consumer = consumer_of(
        case, enable_auto_commit=False, on_commit=lambda error, partitions: heard.append((error, partitions))
    )
    consumer.subscribe([topic])
    for message in polled(consumer, 3):
        case.tell(consumer.commit(message))
    for _ in range(100):
        if len(heard) == 3:
            break
        consumer.poll(0.1)
    case.tell(heard)
    consumer.close()


def stored_offsets(case: Case) -> None:
    topic, group = case.topic(), case.name()
    fill(case, topic, 6)
    consumer = consumer_of(case, group, enable_auto_offset_store=False)
    consumer.subscribe([topic])
    messages = polled(consumer, 4)
    consumer.store_offsets(message=messages[1])
    consumer.store_offsets(offsets=[TopicPartition(topic, 0, 3)])
    case.raised(consumer.store_offsets, offsets=[TopicPartition(topic, 5, 3)])
    consumer.close()
    again = consumer_of(case, group)
    again.subscribe([topic])
    case.tell(polled(again, 1)[0].offset())
    case.raised(again.store_offsets, message=messages[0])
    again.close()


def old_ways_of_configuring(case: Case) -> None:
    topic = case.topic()
    fill(case, topic, 2)
    settings = {
        "bootstrap.servers": case.servers,
        "group.id": case.name(),
        "session.timeout.ms": 6000,
        "default.topic.config": {"auto.offset.reset": "smallest"},
    }
    kept = {**settings, "default.topic.config": dict(settings["default.topic.config"])}
    consumer = Consumer(**settings)
    case.tell(settings == kept)
    consumer.subscribe([topic])
    case.tell([message.value() for message in polled(consumer, 2)])
    consumer.close()


def seeking(case: Case) -> None:
    topic = case.topic()
    fill(case, topic, 10)
    partition = TopicPartition(topic, 0)
    consumer = consumer_of(case)
    case.tell(consumer.get_watermark_offsets(partition, 10), consumer.get_watermark_offsets(partition, cached=True))
    case.raised(consumer.seek, TopicPartition(topic, 0, 3))
    consumer.assign([TopicPartition(topic, 0, 0)])
    polled(consumer, 3)
    consumer.seek(TopicPartition(topic, 0, 7))
    case.tell([message.offset() for message in polled(consumer, 2)], consumer.position([partition]))
    consumer.seek(TopicPartition(topic, 0, OFFSET_BEGINNING))
    case.tell(polled(consumer, 1)[0].offset())
    case.tell(consumer.offsets_for_times([TopicPartition(topic, 0, START + 4)], 10))
    case.tell(consumer.offsets_for_times([TopicPartition(topic, 0, START * 2)], 10))
    case.tell(consumer.get_watermark_offsets(partition, cached=True)[1])
    consumer.pause([partition])
    consumer.seek(TopicPartition(topic, 0, 5))
    case.tell(consumer.poll(0.3))
    consumer.resume([partition])
    case.tell(polled(consumer, 1)[0].offset())
    case.tell(consumer.position([TopicPartition(topic, 9)])[0].offset == OFFSET_INVALID)
    consumer.close()


def lost_and_reset(case: Case) -> None:
    topic = case.topic()
    fill(case, topic, 3)
    consumer = consumer_of(case, auto_offset_reset="error")
    consumer.assign([TopicPartition(topic, 0, 100)])
    message = consumer.poll(20)
    case.tell(message.error())
    consumer.close()
    latest = consumer_of(case, auto_offset_reset="latest", enable_partition_eof=True)
    latest.assign([TopicPartition(topic, 0)])
    # Where the end was is known before more is written.
    message = latest.poll(20)
    case.tell(message.error(), message.offset())
    fill(case, topic, 1, first=3)
    case.tell(polled(latest, 1)[0].value())
    latest.close()


def unknown_topics(case: Case) -> None:
    consumer = consumer_of(case, allow_auto_create_topics=False)
    missing = case.name("missing")
    consumer.subscribe([missing])
    message = consumer.poll(20)
    case.tell(message.error(), message.topic())
    consumer.close()


def metadata(case: Case) -> None:
    topic = case.topic(partitions=2)
    consumer = consumer_of(case)
    found = consumer.list_topics(topic, 10)
    case.tell(list(found.topics), sorted(found.topics[topic].partitions), found.topics[topic].error)
    broker = found.brokers[found.topics[topic].partitions[0].leader]
    case.tell(f"{broker.host}:{broker.port}" == case.servers, found.cluster_id is not None, str(found.topics[topic]))
    case.tell(topic in consumer.list_topics(timeout=10).topics)
    consumer.close()


def processed_in_transactions(case: Case) -> None:
    source, target, group = case.topic("source"), case.topic("target"), case.name()
    fill(case, source, 6)
    consumer = consumer_of(case, group, enable_auto_commit=False)
    consumer.subscribe([source])
    producer = Producer({"bootstrap.servers": case.servers, "transactional.id": case.name("tx")})
    producer.init_transactions(20)
    for _ in range(2):
        producer.begin_transaction()
        for message in polled(consumer, 3):
            producer.produce(target, b"2*" + message.value(), key=message.key())
        producer.send_offsets_to_transaction(
            consumer.position(consumer.assignment()), consumer.consumer_group_metadata(), 20
        )
        producer.commit_transaction(20)
    case.tell(consumer.committed([TopicPartition(source, 0)], 10))
    consumer.close()
    reader = consumer_of(case)
    reader.assign([TopicPartition(target, 0, 0)])
    case.tell([(m.key(), m.value()) for m in polled(reader, 6)])
    reader.close()


def interrupted_waits(case: Case) -> None:
    consumer = consumer_of(case)
    consumer.subscribe([case.topic()])
    began = time.monotonic()
    case.tell(consumer.poll(timeout=0.5), 0.4 < time.monotonic() - began < 15)
    for wrong in ("1", []):
        case.raised(consumer.poll, wrong)
    case.raised(consumer.poll, no_such_argument=1)
    consumer.close()
    with consumer_of(case) as managed:
        managed.subscribe([case.topic()])
    try:
        managed.poll(0)
    except (RuntimeError, KafkaException) as error:
        case.tell(error)


PROGRAMS = [
    poll_loop,
    ends_of_partitions,
    batches,
    assigned_by_hand,
    commits,
    commits_reported,
    stored_offsets,
    old_ways_of_configuring,
    seeking,
    lost_and_reset,
    unknown_topics,
    metadata,
    processed_in_transactions,
    interrupted_waits,
]

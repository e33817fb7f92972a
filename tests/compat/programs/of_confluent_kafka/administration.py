"""Administrators and the asyncio clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic, TopicMetadata

from tests.compat.programs.case import Case
from tests.support.waiting import eventually

T = TypeVar("T")


def listed(admin: AdminClient, name: str) -> TopicMetadata | None:
    """What is told of a topic, or None while the broker that is asked has not heard of it."""
    found = admin.list_topics(name, timeout=10).topics[name]
    return found if found.partitions else None


def seen(ask: Callable[[], T]) -> T | None:
    """The answer, or None while the broker that is asked has not heard of the topic."""
    try:
        return ask()
    except KafkaException as error:
        if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise
        return None


def topics(case: Case) -> None:
    admin = AdminClient({"bootstrap.servers": case.servers})
    name, bad = case.name("new"), case.name("bad") + "!"
    made = admin.create_topics([NewTopic(name, 2, 1, config={"retention.ms": "1000"}), NewTopic(bad, 1, 1)])
    for topic, future in made.items():
        try:
            case.tell(topic, future.result(20))
        except KafkaException as error:
            case.tell(topic, error)
    again = admin.create_topics([NewTopic(name, 2, 1)])
    case.raised(again[name].result, 20)
    # Any broker answers, and hears later than the controller.
    found = eventually(lambda: listed(admin, name), "the topic is listed")
    case.tell(found.topic, sorted(found.partitions), found.error)
    case.tell(admin.create_partitions([NewPartitions(name, 4)])[name].result(20))
    resource = ConfigResource(ConfigResource.Type.TOPIC, name)
    settings = eventually(lambda: seen(lambda: admin.describe_configs([resource])[resource].result(20)), "it is known")
    case.tell(settings["retention.ms"].value, settings["cleanup.policy"].value, settings["cleanup.policy"].is_default)
    case.tell(admin.delete_topics([name])[name].result(20))
    case.raised(admin.delete_topics([name])[name].result, 20)
    case.raised(AdminClient, {"no.such.setting": 1})


async def asyncio_clients(case: Case) -> None:
    from confluent_kafka.aio import AIOConsumer, AIOProducer

    topic = case.topic()
    producer = AIOProducer({"bootstrap.servers": case.servers})
    futures = [await producer.produce(topic, value=b"%d" % number, key=b"k") for number in range(5)]
    await producer.flush()
    stored = await asyncio.gather(*futures)
    case.tell([(message.topic(), message.offset(), message.value()) for message in stored])
    await producer.close()
    consumer = AIOConsumer(
        {"bootstrap.servers": case.servers, "group.id": case.name(), "auto.offset.reset": "earliest"}
    )
    heard: list[int] = []

    async def assigned(_: AIOConsumer, partitions: list[TopicPartition]) -> None:
        heard.append(len(partitions))

    await consumer.subscribe([topic], on_assign=assigned)
    found = [await consumer.poll(20) for _ in range(3)]
    found += await consumer.consume(2, 20)
    case.tell([message.value() for message in found], heard)
    case.tell(await consumer.commit(asynchronous=False))
    case.tell(await consumer.committed([TopicPartition(topic, 0)]))
    await consumer.close()


PROGRAMS = [topics, asyncio_clients]

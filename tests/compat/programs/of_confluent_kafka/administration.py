"""Administrators and the asyncio clients."""

from __future__ import annotations

import asyncio

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

from tests.compat.programs.case import Case


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
    found = admin.list_topics(name, timeout=10).topics[name]
    case.tell(found.topic, sorted(found.partitions), found.error)
    case.tell(admin.create_partitions([NewPartitions(name, 4)])[name].result(20))
    resource = ConfigResource(ConfigResource.Type.TOPIC, name)
    (future,) = admin.describe_configs([resource]).values()
    settings = future.result(20)
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

"""What goes wrong, and the errors that programs catch."""

from __future__ import annotations

import asyncio

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import OffsetOutOfRangeError

from tests.compat.programs.case import Case


async def wrong_settings(case: Case) -> None:
    for settings in (
        {"acks": 7},
        {"acks": 1, "enable_idempotence": True},
        {"compression_type": "zip"},
        {"security_protocol": "SSL"},
        {"security_protocol": "NONE"},
        {"no_such_setting": 1},
        {"transactional_id": "x", "enable_idempotence": False},
    ):
        try:
            AIOKafkaProducer(bootstrap_servers=case.servers, **settings)
        except (TypeError, ValueError) as error:
            case.tell(list(settings), error)
        else:
            case.tell(list(settings), "taken")
    for settings in (
        {"isolation_level": "none"},
        {"max_poll_records": 0},
        {"auto_offset_reset": "middle"},
        {"nothing": 1},
    ):
        try:
            consumer = AIOKafkaConsumer(bootstrap_servers=case.servers, **settings)
        except (TypeError, ValueError) as error:
            case.tell(list(settings), error)
        else:
            case.tell(list(settings), "taken")
            del consumer


def outside_of_a_loop(case: Case) -> None:
    case.raised(AIOKafkaProducer, bootstrap_servers=case.servers)
    case.raised(AIOKafkaConsumer, bootstrap_servers=case.servers)


async def nobody_there(case: Case) -> None:
    for kind in (AIOKafkaProducer, AIOKafkaConsumer):
        client = kind(bootstrap_servers="127.0.0.1:1")
        await case.raised_by(client.start())
        await client.stop()


async def wrong_records(case: Case) -> None:
    topic = case.topic(partitions=2)
    async with AIOKafkaProducer(bootstrap_servers=case.servers, max_request_size=1000) as producer:
        await case.raised_by(producer.send(topic))
        await case.raised_by(producer.send(topic, "text"))
        await case.raised_by(producer.send(topic, 5))
        await case.raised_by(producer.send(topic, b"v", key="text"))
        await case.raised_by(producer.send(topic, b"x" * 2000))
        await case.raised_by(producer.send(topic, b"v", partition=9))
        await case.raised_by(producer.send(topic, b"v", partition=-1))
        case.tell((await producer.send_and_wait(topic, b"right", partition=1)).offset)


async def after_the_end(case: Case) -> None:
    topic = case.topic()
    producer = AIOKafkaProducer(bootstrap_servers=case.servers)
    await producer.start()
    await producer.send_and_wait(topic, b"in time")
    await producer.stop()
    await producer.stop()
    await case.raised_by(producer.send(topic, b"late"))
    await case.raised_by(producer.send_batch(producer.create_batch(), topic, partition=0))
    case.tell(await producer.flush())


async def out_of_range(case: Case) -> None:
    topic = case.topic()
    partition = TopicPartition(topic, 0)
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        for number in range(3):
            await producer.send_and_wait(topic, b"%d" % number)
    consumer = AIOKafkaConsumer(
        bootstrap_servers=case.servers, group_id=case.name(), auto_offset_reset="none", enable_auto_commit=False
    )
    await consumer.start()
    consumer.assign([partition])
    await case.raised_by(asyncio.wait_for(consumer.getone(), 10))
    consumer.seek(partition, 100)
    try:
        await asyncio.wait_for(consumer.getone(), 10)
    except OffsetOutOfRangeError as error:
        case.tell(error, error.args[0])
        await consumer.seek_to_beginning(*error.args[0])
    case.tell((await consumer.getone()).value)
    await consumer.stop()


async def a_fenced_producer(case: Case) -> None:
    topic, identity = case.topic(), case.name("tx")
    old = AIOKafkaProducer(bootstrap_servers=case.servers, transactional_id=identity)
    await old.start()
    async with old.transaction():
        await old.send_and_wait(topic, b"old")
    new = AIOKafkaProducer(bootstrap_servers=case.servers, transactional_id=identity)
    await new.start()
    try:
        async with old.transaction():
            await old.send_and_wait(topic, b"fenced")
    except Exception as error:  # noqa: BLE001 - its class is told
        case.tell(error)
    async with new.transaction():
        case.tell((await new.send_and_wait(topic, b"new")).offset)
    await new.stop()
    await old.stop()


async def a_value_that_cannot_be_read(case: Case) -> None:
    topic = case.topic()
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        for value in (b"1", b"two", b"3"):
            await producer.send_and_wait(topic, value)
    consumer = AIOKafkaConsumer(
        topic, bootstrap_servers=case.servers, auto_offset_reset="earliest", value_deserializer=int
    )
    await consumer.start()
    case.tell((await consumer.getone()).value)
    await case.raised_by(consumer.getone())
    await consumer.stop()


PROGRAMS = [
    wrong_settings,
    outside_of_a_loop,
    nobody_there,
    wrong_records,
    after_the_end,
    out_of_range,
    a_fenced_producer,
    a_value_that_cannot_be_read,
]

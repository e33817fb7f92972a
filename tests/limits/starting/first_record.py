"""Sends one record and reads it, by the library that the first argument names, and prints what it took:
processor time and time of the import, and of what follows. It imports nothing else before.

    python first_record.py confluent_kafka face 127.0.0.1:9092 topic
"""

from __future__ import annotations

import os
import sys
import time

LIBRARY, KIND, SERVERS, TOPIC = sys.argv[1:5]
VALUE = b"the first"

moments = [(time.process_time(), time.perf_counter())]


def moment() -> None:
    """Notes the time."""
    moments.append((time.process_time(), time.perf_counter()))


def kafkars() -> None:
    """The library itself."""
    from kafkars import Consumer, Producer

    moment()
    producer = Producer(bootstrap_servers=SERVERS)
    producer.send(TOPIC, VALUE).result(timeout=20)
    consumer = Consumer(bootstrap_servers=SERVERS, auto_offset_reset="earliest")
    consumer.assign([(TOPIC, 0)])
    record = consumer.poll(timeout=20)
    assert record is not None
    check(record.value)


def kafkars_aio() -> None:
    """Its clients for asyncio."""
    import asyncio

    from kafkars.aio import Consumer, Producer

    moment()

    async def main() -> None:
        producer = Producer(bootstrap_servers=SERVERS)
        await producer.send(TOPIC, VALUE)
        consumer = Consumer(bootstrap_servers=SERVERS, auto_offset_reset="earliest")
        consumer.assign([(TOPIC, 0)])
        record = await consumer.poll(timeout=20)
        assert record is not None
        check(record.value)

    asyncio.run(main())


def confluent_kafka() -> None:
    """confluent-kafka or its face."""
    import confluent_kafka as library

    moment()
    producer = library.Producer({"bootstrap.servers": SERVERS, "linger.ms": 0})
    producer.produce(TOPIC, VALUE)
    assert producer.flush(20) == 0
    consumer = library.Consumer({"bootstrap.servers": SERVERS, "group.id": TOPIC, "auto.offset.reset": "earliest"})
    consumer.assign([library.TopicPartition(TOPIC, 0, 0)])
    message = consumer.poll(20)
    assert message is not None
    check(message.value())


def aiokafka() -> None:
    """aiokafka or its face."""
    import asyncio

    import aiokafka as library

    moment()

    async def main() -> None:
        producer = library.AIOKafkaProducer(bootstrap_servers=SERVERS)
        await producer.start()
        await producer.send_and_wait(TOPIC, VALUE)
        consumer = library.AIOKafkaConsumer(bootstrap_servers=SERVERS, auto_offset_reset="earliest")
        await consumer.start()
        consumer.assign([library.TopicPartition(TOPIC, 0)])  # pyright: ignore[reportAttributeAccessIssue]  its bundled stubs are older
        record = await consumer.getone()
        check(record.value)

    asyncio.run(main())


def kafka() -> None:
    """kafka-python, 2 or 3, or its face."""
    import kafka as library

    moment()
    producer = library.KafkaProducer(bootstrap_servers=SERVERS)
    producer.send(TOPIC, VALUE).get(20)
    consumer = library.KafkaConsumer(bootstrap_servers=SERVERS, auto_offset_reset="earliest")
    consumer.assign([library.TopicPartition(TOPIC, 0)])  # pyright: ignore[reportAttributeAccessIssue]  its bundled stubs are older
    check(next(consumer).value)


def check(value: object) -> None:
    """The end: what has come is what was sent. Closing the clients is no part of this."""
    assert value == VALUE, value
    moment()
    (began_cpu, began), (imported_cpu, imported), (received_cpu, received) = moments
    figures = (imported_cpu - began_cpu, imported - began, received_cpu - imported_cpu, received - imported)
    sys.stdout.write(" ".join(map(repr, figures)))
    sys.stdout.flush()
    os._exit(0)


if KIND.startswith("face"):
    from kafkars.compat import install

    install(LIBRARY, 3 if KIND == "face 3" else None)

globals()[LIBRARY]()

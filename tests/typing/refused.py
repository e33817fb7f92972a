"""What type checkers must refuse: each marked line, with the error code that stands there."""

from __future__ import annotations

import asyncio

import kafkars.aio
from kafkars import Admin, Consumer, Producer
from kafkars.admin import NewTopic

producer = Producer(bootstrap_servers="localhost:9092")
consumer = Consumer(bootstrap_servers="localhost:9092")

Producer(bootstrap_servers="localhost:9092", lingerms=5)  # E: call-arg
Producer(bootstrap_servers="localhost:9092", linger_ms="5")  # E: arg-type
Producer(bootstrap_servers="localhost:9092", compression_type="rar")  # E: arg-type
Consumer(bootstrap_servers="localhost:9092", linger_ms=5)  # E: call-arg
Consumer(bootstrap_servers="localhost:9092", value_deserializer="json")  # E: arg-type
producer.send("t", 5)  # E: arg-type
producer.send("t", {"not": "bytes"})  # E: arg-type
producer.send(5, b"value")  # E: arg-type
producer.send("t", b"value", b"key", 0)  # E: call-arg
producer.send("t", b"value", headers=[("h", 5)])  # E: list-item
consumer.assign("t")  # E: arg-type
consumer.seek("t", 0)  # E: arg-type
value = consumer.poll().value  # E: union-attr
values = consumer.poll_batch().values  # E: attr-defined

with Admin(bootstrap_servers="localhost:9092") as admin:
    created = admin.create_topics([NewTopic("t")])
    _partitions = created["t"].partitions
    outcomes = admin.create_topics([NewTopic("t")], return_exceptions=True)
    _partitions = outcomes["t"].partitions  # E: union-attr

typed = Producer(bootstrap_servers="localhost:9092", value_serializer=str.encode)
typed.send("t", b"bytes where text is expected")  # E: arg-type


async def main() -> None:
    with kafkars.aio.Producer(bootstrap_servers="localhost:9092"):  # E: attr-defined
        pass
    aio = kafkars.aio.Consumer(bootstrap_servers="localhost:9092")
    (await aio.poll(timeout="1"))  # E: arg-type
    _offset = aio.poll().offset  # E: attr-defined
    await asyncio.create_task(aio.__anext__())  # E: arg-type

"""What is tested: a shop that writes orders down, and a till that adds them up."""

from __future__ import annotations

from kafkars import Consumer
from kafkars.aio import Producer
from kafkars.serde import JsonDeserializer, JsonSerializer


async def place_orders(servers: str, topic: str, *amounts: int) -> None:
    """Stores an order for each amount."""
    async with Producer(bootstrap_servers=servers, value_serializer=JsonSerializer()) as producer:
        for amount in amounts:
            await producer.send(topic, {"amount": amount})


def total(servers: str, topic: str) -> int:
    """What the orders so far come to."""
    deserializer = JsonDeserializer()
    with Consumer(bootstrap_servers=servers, auto_offset_reset="earliest", value_deserializer=deserializer) as consumer:
        consumer.assign([(topic, each.partition) for each in consumer.partitions_for(topic)])
        return sum(record.value["amount"] for batch in consumer.read_until_end() for record in batch if record.value)

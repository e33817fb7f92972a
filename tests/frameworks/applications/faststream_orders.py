"""FastStream: a service that takes orders one by one and as batches, answers into a topic, and acknowledges by hand.

Arguments: bootstrap servers, prefix of topics and groups.
"""

from __future__ import annotations

import asyncio
import json
import sys

from faststream import AckPolicy, FastStream
from faststream.kafka import KafkaBroker, KafkaMessage, TopicPartition
from pydantic import BaseModel

SERVERS, PREFIX = sys.argv[1:]
ORDERS, PRICED, LINES = f"{PREFIX}-orders", f"{PREFIX}-priced", f"{PREFIX}-lines"
COUNT = 20


class Order(BaseModel):
    number: int
    pieces: int


broker = KafkaBroker(SERVERS, client_id="shop")
app = FastStream(broker)
priced: list[dict[str, object]] = []
lines: list[str] = []
acknowledged: list[int] = []
done = asyncio.Event()


@broker.subscriber(ORDERS, group_id=f"{PREFIX}-pricing", auto_offset_reset="earliest", ack_policy=AckPolicy.MANUAL)
@broker.publisher(PRICED)
async def price(order: Order, message: KafkaMessage) -> dict[str, int]:
    await message.ack()
    acknowledged.append(order.number)
    return {"number": order.number, "total": 3 * order.pieces}


@broker.subscriber(PRICED, group_id=f"{PREFIX}-ledger", auto_offset_reset="earliest")
async def book(entry: dict[str, int], message: KafkaMessage) -> None:
    record = message.raw_message
    priced.append({**entry, "topic": record.topic.removeprefix(PREFIX), "partition": record.partition})
    finish()


@broker.subscriber(LINES, batch=True, group_id=f"{PREFIX}-lines", auto_offset_reset="earliest")
async def take(batch: list[str], message: KafkaMessage) -> None:
    lines.extend(batch)
    assert len(message.raw_message) == len(batch)
    finish()


@broker.subscriber(partitions=[TopicPartition(LINES, 0)], auto_offset_reset="earliest")
async def read_by_hand(line: str) -> None:
    by_hand.append(line)
    finish()


by_hand: list[str] = []


def finish() -> None:
    if len(priced) == COUNT and len(lines) == 5 and len(by_hand) == 5:
        done.set()


@app.after_startup
async def publish() -> None:
    for number in range(COUNT):
        await broker.publish(
            Order(number=number, pieces=number + 1), ORDERS, key=b"%d" % (number % 3), headers={"source": "shop"}
        )
    await broker.publish_batch("a", "b", "c", "d", "e", topic=LINES)
    await asyncio.wait_for(done.wait(), 30)
    app.exit()


async def main() -> None:
    await app.run(log_level=40)
    print(json.dumps({"priced": priced, "lines": lines, "by_hand": by_hand, "acknowledged": acknowledged}))


asyncio.run(main())

"""`kafkars demo`: sends records through the embedded broker, synchronously and with asyncio, and checks them."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

import kafkars
from kafkars import TopicPartition, aio
from kafkars.cli._arguments import add_command, at_least
from kafkars.cli._output import ProgressLine, say
from kafkars.testing import EmbeddedBroker

if TYPE_CHECKING:
    from collections.abc import Iterable

STEP = 1000
"""Records between two updates of the progress, and the most sends under way with asyncio."""
PARTITIONS = 3


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "demo",
        "sends records through the embedded broker and reads them back, with progress and rates",
        " Both flavours, synchronous and asyncio, one after the other.",
    )
    parser.add_argument(
        "--records", type=at_least(1), default=200_000, help="how many each flavour sends (default: %(default)s)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    records: int = options.records
    with EmbeddedBroker(topics={"demo-sync": PARTITIONS, "demo-asyncio": PARTITIONS}) as broker:
        servers = broker.bootstrap_servers
        say(f"kafkars {kafkars.__version__}: an embedded broker listens on {servers}")
        say(f"synchronous, {records:,} records of 100 bytes")
        sent = _produce(servers, records)
        read = _consume(servers, records)
        say("asyncio, the same")
        sent_async, read_async = asyncio.run(_both(servers, records))
    everything = [sent, read, sent_async, read_async]
    if any(total != everything[0] for total in everything):
        say(f"FAILED: sums of record numbers differ: {everything}")
        return 1
    say(f"every record was acknowledged and read back: 4 x {records:,}, with equal checksums")
    return 0


def _values(records: int) -> Iterable[bytes]:
    for number in range(records):
        yield b"%020d" % number + b"." * 80


def _number(value: bytes | None) -> int:
    return int((value or b"0")[:20])


def _produce(servers: str, records: int) -> int:
    progress = ProgressLine("Producer.send", records)
    with kafkars.Producer(bootstrap_servers=servers) as producer:
        deliveries = []
        for count, value in enumerate(_values(records)):
            deliveries.append(producer.send("demo-sync", value, key=b"key-%d" % (count % 100)))
            if count % STEP == 0:
                progress.at(count)
        producer.flush()
        acknowledged = sum(number for number, delivery in enumerate(deliveries) if delivery.result().offset >= 0)
    progress.end(records)
    return acknowledged


def _consume(servers: str, records: int) -> int:
    progress = ProgressLine("Consumer.poll_batch", records)
    count = total = 0
    with kafkars.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition("demo-sync", partition) for partition in range(PARTITIONS)])
        while count < records:
            batch = consumer.poll_batch(timeout=10)
            total += sum(_number(record.value) for record in batch)
            count += len(batch)
            progress.at(count)
    progress.end(count)
    return total


async def _both(servers: str, records: int) -> tuple[int, int]:
    progress = ProgressLine("await aio.Producer.send", records)
    acknowledged = count = 0
    async with aio.Producer(bootstrap_servers=servers) as producer:
        values = iter(_values(records))
        while window := [value for _, value in zip(range(STEP), values, strict=False)]:
            stored = await asyncio.gather(*[producer.send("demo-asyncio", value) for value in window])
            acknowledged += sum(number for number, place in enumerate(stored, count) if place.offset >= 0)
            count += len(window)
            progress.at(count)
    progress.end(count)

    progress = ProgressLine("async for in aio.Consumer", records)
    read = total = 0
    async with aio.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition("demo-asyncio", partition) for partition in range(PARTITIONS)])
        async for record in consumer:
            total += _number(record.value)
            read += 1
            if read % STEP == 0:
                progress.at(read)
            if read == records:
                break
    progress.end(read)
    return acknowledged, total

"""What single operations cost the calling thread, in microseconds of its CPU time.

    python -m benches.python.operations [--records 200000] [--rounds 5]

The broker runs in this process, and records are in the buffer before the clock starts: what is measured is the
boundary between Python and Rust, and nothing behind it. Each figure is the best of a few rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import kafkars.aio
from kafkars import Consumer, Producer
from kafkars.testing import EmbeddedBroker

KEY, VALUE = b"k" * 10, b"v" * 100
BUFFER = 1 << 30
SECONDS = 60.0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--records", type=int, default=200_000)
    options.add_argument("--rounds", type=int, default=5)
    given = options.parse_args()
    print(f"kafkars {kafkars.__version__}, Python {sys.version.split()[0]}, {given.records} records of 110 bytes")
    with EmbeddedBroker(topics={"filled": 1, "sent": 1}) as broker:
        bench = Bench(broker.bootstrap_servers, given.records, given.rounds)
        bench.fill()
        for name, work in CONSUMING.items():
            bench.report(name, lambda work=work: bench.consume(work))
        for name, work in CONSUMING_ASYNCIO.items():
            bench.report(name, lambda work=work: asyncio.run(bench.consume_asyncio(work)))
        for name, work in PRODUCING.items():
            bench.report(name, lambda work=work: bench.produce(work))
        for name, work in PRODUCING_ASYNCIO.items():
            bench.report(name, lambda work=work: asyncio.run(bench.produce_asyncio(work)))


class Bench:
    def __init__(self, servers: str, records: int, rounds: int) -> None:
        self.servers = servers
        self.records = records
        self.rounds = rounds

    def report(self, name: str, work: Callable[[], float]) -> None:
        best = min(work() for _ in range(self.rounds))
        print(f"{name:44}{best / self.records * 1e6:8.3f}", flush=True)

    def fill(self) -> None:
        with Producer(bootstrap_servers=self.servers) as producer:
            for _ in range(self.records):
                producer.send("filled", VALUE, KEY)

    def consumer(self, kind: Any) -> Any:
        consumer = kind(bootstrap_servers=self.servers, fetch_buffer_bytes=BUFFER)
        consumer.assign({("filled", 0): 0})
        deadline = time.monotonic() + SECONDS
        while consumer.metrics()["buffered_bytes"] < self.records * (len(KEY) + len(VALUE)):
            if time.monotonic() > deadline:
                raise TimeoutError("the records did not arrive")
            time.sleep(0.005)
        return consumer

    def consume(self, work: Callable[[Any, int], None]) -> float:
        with self.consumer(Consumer) as consumer:
            started = time.thread_time()
            work(consumer, self.records)
            return time.thread_time() - started

    async def consume_asyncio(self, work: Callable[[Any, int], Awaitable[None]]) -> float:
        async with self.consumer(kafkars.aio.Consumer) as consumer:
            started = time.thread_time()
            await work(consumer, self.records)
            return time.thread_time() - started

    def produce(self, work: Callable[[Any, int], None]) -> float:
        with Producer(bootstrap_servers=self.servers, buffer_memory=BUFFER) as producer:
            producer.partitions_for("sent")
            started = time.thread_time()
            work(producer, self.records)
            return time.thread_time() - started

    async def produce_asyncio(self, work: Callable[[Any, int], Awaitable[None]]) -> float:
        async with kafkars.aio.Producer(bootstrap_servers=self.servers, buffer_memory=BUFFER) as producer:
            await producer.partitions_for("sent")
            started = time.thread_time()
            await work(producer, self.records)
            return time.thread_time() - started


def iterate(consumer: Any, count: int) -> None:
    for _, _record in zip(range(count), consumer, strict=False):
        pass


def poll(consumer: Any, count: int) -> None:
    for _ in range(count):
        consumer.poll(1.0)


def poll_and_touch(consumer: Any, count: int) -> None:
    for _ in range(count):
        record = consumer.poll(1.0)
        record.key, record.value  # noqa: B018  the cost of touching is what is measured


def batches(consumer: Any, count: int) -> None:
    while count > 0:
        batch = consumer.poll_batch()
        for _ in batch:
            pass
        count -= len(batch)


def batches_and_touch(consumer: Any, count: int) -> None:
    while count > 0:
        batch = consumer.poll_batch()
        for record in batch:
            record.key, record.value  # noqa: B018
        count -= len(batch)


def batches_raw(consumer: Any, count: int) -> None:
    while count > 0:
        count -= len(consumer.poll_batch().raw_values())


async def iterate_asyncio(consumer: Any, count: int) -> None:
    async for _ in consumer:
        count -= 1
        if not count:
            return


async def poll_asyncio(consumer: Any, count: int) -> None:
    for _ in range(count):
        await consumer.poll(1.0)


def send(producer: Any, count: int) -> None:
    for _ in range(count):
        producer.send("sent", VALUE, KEY)


def send_with_callback(producer: Any, count: int) -> None:
    reports: list[object] = []
    for _ in range(count):
        producer.send("sent", VALUE, KEY, on_delivery=reports.append)
    producer.flush()
    assert len(reports) == count


def send_and_ask(producer: Any, count: int) -> None:
    for delivery in [producer.send("sent", VALUE, KEY) for _ in range(count)]:
        delivery.result()


async def send_asyncio(producer: Any, count: int) -> None:
    for delivery in [producer.send("sent", VALUE, KEY) for _ in range(count)]:
        await delivery


async def gather_asyncio(producer: Any, count: int) -> None:
    for start in range(0, count, 1_000):
        await asyncio.gather(*[producer.send("sent", VALUE, KEY) for _ in range(min(1_000, count - start))])


CONSUMING = {
    "consume: iterate": iterate,
    "consume: poll()": poll,
    "consume: poll(), touch key and value": poll_and_touch,
    "consume: poll_batch(), iterate": batches,
    "consume: poll_batch(), touch key and value": batches_and_touch,
    "consume: poll_batch().raw_values()": batches_raw,
}
CONSUMING_ASYNCIO = {
    "consume: async for": iterate_asyncio,
    "consume: await poll()": poll_asyncio,
}
PRODUCING = {
    "produce: send()": send,
    "produce: send(on_delivery=), flush()": send_with_callback,
    "produce: send(), result()": send_and_ask,
}
PRODUCING_ASYNCIO = {
    "produce: send(), await each": send_asyncio,
    "produce: gather(send(), ...)": gather_asyncio,
}

if __name__ == "__main__":
    main()

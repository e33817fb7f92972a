"""The programs that are measured, each in a process of its own: `python programs.py NAME BOOTSTRAP TOPIC COUNT`.

Each prints the most memory it ever held, in bytes, as the last line.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

BUFFER_MEMORY = 32 << 20
VALUE = bytes(100)


def produce(bootstrap: str, topic: str, count: int) -> None:
    from kafkars import Producer

    with Producer(bootstrap_servers=bootstrap, buffer_memory=BUFFER_MEMORY) as producer:
        for _ in range(count):
            producer.send(topic, VALUE)
        assert producer.flush() == 0
        assert producer.metrics()["records_sent"] == count


def consume_batches(bootstrap: str, topic: str, count: int) -> None:
    from kafkars import Consumer

    with Consumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        taken = 0
        while taken < count:
            batch = consumer.poll_batch(timeout=10)
            assert batch
            taken += sum(record.value == VALUE for record in batch)
        assert taken == count


def consume_one_by_one(bootstrap: str, topic: str, count: int) -> None:
    from kafkars import Consumer

    with Consumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        for taken, record in enumerate(consumer, 1):
            assert record.value == VALUE
            if taken == count:
                break


def consume_large_batches(bootstrap: str, topic: str, count: int) -> None:
    """Takes a record at a time, and nothing while the consumer fetches and unpacks what it may."""
    from kafkars import Consumer

    with Consumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest", fetch_buffer_bytes=1 << 20) as consumer:
        consumer.assign([(topic, 0)])
        for taken in range(count):
            record = consumer.poll(timeout=30)
            assert record is not None, taken
            assert record.offset == taken
            del record
            time.sleep(0.1)  # what it does behind our back is what is measured


def produce_asyncio(bootstrap: str, topic: str, count: int) -> None:
    from kafkars.aio import Producer

    async def main() -> None:
        async with Producer(bootstrap_servers=bootstrap, buffer_memory=BUFFER_MEMORY) as producer:
            for _ in range(count):
                await producer.enqueue(topic, VALUE)
            assert await producer.flush() == 0
            assert producer.metrics()["records_sent"] == count

    asyncio.run(main())


def consume_asyncio(bootstrap: str, topic: str, count: int) -> None:
    from kafkars.aio import Consumer

    async def main() -> None:
        async with Consumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
            consumer.assign([(topic, 0)])
            taken = 0
            async for record in consumer:
                assert record.value == VALUE
                taken += 1
                if taken == count:
                    break

    asyncio.run(main())


def peak_memory() -> int:
    """The high-water mark of resident memory of this program; unlike `ru_maxrss` it starts anew with `exec`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmHWM in /proc/self/status")


PROGRAMS = {
    program.__name__: program
    for program in (
        produce,
        consume_batches,
        consume_one_by_one,
        consume_large_batches,
        produce_asyncio,
        consume_asyncio,
    )
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](sys.argv[2], sys.argv[3], int(sys.argv[4]))
    print(peak_memory())  # noqa: T201  the answer

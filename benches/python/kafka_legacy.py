"""CPU per record of the face of kafka-python 0.9.5, and of the original where its patched sources are given.

    python -m benches.python.kafka_legacy BOOTSTRAP [--original .cache/kafka-python-0.9.5] [--records 20000]

The original speaks to brokers up to Kafka 3 (`python -m tests.kafka --version 2.8.2`). Each measurement is a process of
its own, and they take turns; what is told is the least of three, in microseconds of all threads of the client.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.compat.kafka_legacy import original

TURNS = 3
SIZE = 100
WORKS = {
    "SimpleProducer, one message a call": 0.1,
    "SimpleProducer, 100 messages a call": 1,
    "SimpleProducer, asynchronous, 500 a batch": 1,
    "KeyedProducer, asynchronous, 500 a batch": 1,
    "SimpleConsumer, its defaults": 1,
    "SimpleConsumer, buffers of 1 MB": 1,
    "KafkaConsumer, its defaults": 1,
}
"""What is measured, and its share of the records."""

PROGRAM = """
import sys, time
if sys.argv[1] == "face":
    from kafkars.compat import install
    install("kafka", version="0.9.5")
from kafka import KafkaClient, KafkaConsumer, KeyedProducer, SimpleConsumer, SimpleProducer

work, servers, topic, records = sys.argv[2], sys.argv[3], sys.argv[4].encode(), int(sys.argv[5])
client = KafkaClient(servers)
client.ensure_topic_exists(topic)
value = b"x" * SIZE

def consume(consumer):
    got = 0
    while got < records:
        got += len(consumer.get_messages(count=500, block=True, timeout=5))

def read(consumer):
    for number, message in enumerate(consumer, 1):
        if number == records:
            return

def produce():
    kind, _, how = work.partition(", ")
    made = {"SimpleProducer": SimpleProducer, "KeyedProducer": KeyedProducer}[kind]
    call = 100 if "100 messages" in how else 1
    if how.startswith("asynchronous"):
        producer = made(client, *(1, 1000, None, None, True, True), batch_send_every_n=500, batch_send_every_t=1)
    else:
        producer = made(client)
    key = (b"key",) if kind == "KeyedProducer" else ()
    for _ in range(records // call):
        producer.send_messages(topic, *key, *(value,) * call)
    if how.startswith("asynchronous"):
        producer.stop()

if "Consumer" in work:
    filler = SimpleProducer(client)
    # The original reads no batch that is larger than its buffer.
    for _ in range(records // 25 + 1):
        filler.send_messages(topic, *(value,) * 25)
    if work.startswith("KafkaConsumer"):
        consumer = KafkaConsumer(topic, bootstrap_servers=servers.split(","), auto_offset_reset="smallest")
        run = lambda: read(consumer)
    else:
        large = {"buffer_size": 1 << 20, "max_buffer_size": None} if "1 MB" in work else {}
        consumer = SimpleConsumer(client, None, topic, auto_commit=False, **large)
        run = lambda: consume(consumer)
else:
    run = produce
began, wall = time.process_time(), time.monotonic()
run()
print((time.process_time() - began) / records * 1e6, (time.monotonic() - wall) / records * 1e6)
""".replace("SIZE", str(SIZE))


def measured(side: str, work: str, servers: str, records: int, path: Path) -> tuple[float, float]:
    """Microseconds per record, of CPU and of the clock."""
    topic = f"cost-{os.getpid()}-{time.monotonic_ns()}"
    arguments = [sys.executable, "-c", PROGRAM, side, work, servers, topic, str(max(int(records * WORKS[work]), 500))]
    environment = {**os.environ, "PYTHONPATH": str(path)} if side == "original" else None
    ran = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=300, check=True, cwd=path)
    cpu, clock = ran.stdout.split()
    return float(cpu), float(clock)


def main() -> None:
    """Prints a row for each work."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bootstrap")
    parser.add_argument("--original", type=Path, help="the unpacked sources of 0.9.5")
    parser.add_argument("--records", type=int, default=20000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        sides = ["face"]
        if chosen.original:
            original.make(chosen.original.resolve(), Path(name))
            sides.append("original")
        for work in WORKS:
            found = {side: [] for side in sides}
            for _ in range(TURNS):
                for side, each in found.items():
                    each.append(measured(side, work, chosen.bootstrap, chosen.records, Path(name)))
            told = {side: min(each) for side, each in found.items()}
            line = ", ".join(f"{side} {cpu:.1f} us of CPU, {clock:.1f} us" for side, (cpu, clock) in told.items())
            ratio = f", {told['original'][0] / told['face'][0]:.1f}x" if chosen.original else ""
            sys.stdout.write(f"{work}: {line}{ratio}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

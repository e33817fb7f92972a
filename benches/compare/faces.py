"""The faces beside the libraries that they stand in for, by the same driver: `make bench BENCH=--faces`."""

from __future__ import annotations

from benches.compare.jobs import Contestant, Job

# Records that a slow original is given, as in jobs.py.
SHARES = {
    ("consume-one-asyncio", "aiokafka"): 0.2,
    ("consume-one-asyncio", "confluent"): 0.01,
    ("produce", "confluent"): 0.5,
    ("produce-asyncio", "aiokafka"): 0.1,
    ("produce-gathered-asyncio", "aiokafka"): 0.1,
    ("produce-asyncio", "confluent"): 0.1,
    ("consume-batch", "kafka_python"): 0.1,
    ("consume-one", "kafka_python"): 0.1,
    ("produce", "kafka_python"): 0.05,
}


def pair(job: str, kind: str, driver: str, call: str, bar: float | None, face_share: float = 1.0) -> Job:
    original = Contestant(driver, job, f"{driver} {call}", SHARES.get((job, driver), 1.0))
    face = Contestant(f"face_{driver}", job, f"face {driver} {call}", face_share)
    bars = {} if bar is None else {original.label: bar}
    return Job(f"face-{driver}-{job}", f"{driver}: {call}", kind, (face, original), bars)


JOBS = (
    pair("consume-batch", "consume", "confluent", "consume()", 1 / 3),
    pair("consume-one", "consume", "confluent", "poll()", 1 / 4),
    pair("produce", "produce", "confluent", "produce(on_delivery)", 1 / 2.5, 0.5),
    pair("consume-one-asyncio", "consume", "confluent", "AIOConsumer.poll()", None, 0.2),
    pair("produce-asyncio", "produce", "confluent", "AIOProducer.produce()", None, 0.2),
    pair("latency", "latency", "confluent", "latency", None),
    pair("consume-batch", "consume", "aiokafka", "getmany()", 1 / 5),
    pair("consume-one-asyncio", "consume", "aiokafka", "getone()", 1 / 10),
    pair("produce-asyncio", "produce", "aiokafka", "send()", 1 / 6, 0.5),
    pair("produce-gathered-asyncio", "produce", "aiokafka", "gather() of send()", 1 / 6, 0.5),
    pair("latency-asyncio", "latency", "aiokafka", "latency", None),
    pair("consume-batch", "consume", "kafka_python", "poll()", 1 / 15),
    pair("consume-one", "consume", "kafka_python", "iteration", 1 / 15),
    pair("produce", "produce", "kafka_python", "send()", 1 / 12, 0.5),
    pair("latency", "latency", "kafka_python", "latency", None),
)

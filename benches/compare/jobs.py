"""What is compared: the jobs, who takes part in each, and what ours must reach."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Contestant:
    """One client doing the job through one of its interfaces."""

    driver: str
    # The name in the driver's JOBS.
    function: str
    label: str
    # Slow ones do a part of the records: CPU per record is compared, and a round stays short.
    share: float = 1.0

    @property
    def is_ours(self) -> bool:
        return self.driver.startswith(("kafkars", "face_"))


@dataclass(frozen=True)
class Job:
    name: str
    title: str
    kind: str  # consume, produce, latency, connect
    contestants: tuple[Contestant, ...]
    # Ours divided by theirs must be at most this: CPU per record, or p50 for latency. By label.
    bars: dict[str, float] = field(default_factory=dict)
    # Clients connect over TLS.
    tls: bool = False


JOBS = (
    Job(
        "consume-batch",
        "consume, batch call, touch key and value",
        "consume",
        (
            Contestant("kafkars", "consume-batch", "kafkars poll_batch()"),
            Contestant("kafkars", "consume-batch-asyncio", "kafkars.aio poll_batch()"),
            Contestant("confluent", "consume-batch", "confluent consume()"),
            Contestant("aiokafka", "consume-batch", "aiokafka getmany()"),
            Contestant("kafka_python", "consume-batch", "kafka-python poll()", 0.1),
        ),
        {"confluent consume()": 1 / 3, "aiokafka getmany()": 1 / 5},
    ),
    Job(
        "consume-arrow",
        "consume, Arrow columns or batch call, touch key and value",
        "consume",
        (
            Contestant("kafkars_arrow", "consume-arrow", "kafkars poll_arrow()"),
            Contestant("kafkars_arrow", "consume-arrow-some", "kafkars poll_arrow(key, value)"),
            Contestant("kafkars_arrow", "consume-arrow-asyncio", "kafkars.aio poll_arrow()"),
            Contestant("confluent", "consume-batch", "confluent consume()"),
        ),
        {"confluent consume()": 1 / 12},
    ),
    Job(
        "consume-one",
        "consume, one at a time, sync",
        "consume",
        (
            Contestant("kafkars", "consume-one", "kafkars poll()"),
            Contestant("confluent", "consume-one", "confluent poll()"),
            Contestant("kafka_python", "consume-one", "kafka-python iteration", 0.1),
        ),
        {"confluent poll()": 1 / 4},
    ),
    Job(
        "consume-one-asyncio",
        "consume, one at a time, asyncio",
        "consume",
        (
            Contestant("kafkars", "consume-one-asyncio", "kafkars.aio poll()"),
            Contestant("aiokafka", "consume-one-asyncio", "aiokafka getone()", 0.2),
            Contestant("confluent", "consume-one-asyncio", "confluent AIOConsumer.poll()", 0.01),
        ),
        {"aiokafka getone()": 1 / 10},
    ),
    Job(
        "produce",
        "produce with a delivery report each, sync",
        "produce",
        (
            Contestant("kafkars", "produce", "kafkars send()", 0.5),
            Contestant("confluent", "produce", "confluent produce(on_delivery)", 0.5),
            Contestant("kafka_python", "produce", "kafka-python send()", 0.05),
        ),
        {"confluent produce(on_delivery)": 1 / 2.5},
    ),
    Job(
        "produce-asyncio",
        "produce with an awaitable each, asyncio",
        "produce",
        (
            Contestant("kafkars", "produce-asyncio", "kafkars.aio send()", 0.5),
            Contestant("aiokafka", "produce-asyncio", "aiokafka send()", 0.1),
            Contestant("confluent", "produce-asyncio", "confluent AIOProducer.produce()", 0.1),
        ),
        {"aiokafka send()": 1 / 6},
    ),
    Job(
        "latency",
        "produce-to-consume latency, open loop",
        "latency",
        (
            Contestant("kafkars", "latency", "kafkars"),
            Contestant("kafkars", "latency-asyncio", "kafkars.aio"),
            Contestant("bare_sockets", "latency", "bare sockets"),
            Contestant("bare_asyncio", "latency-asyncio", "bare asyncio"),
            Contestant("confluent", "latency", "confluent"),
            Contestant("aiokafka", "latency-asyncio", "aiokafka"),
            Contestant("kafka_python", "latency", "kafka-python"),
        ),
        {"bare sockets": 1.1},
    ),
)


def named(names: list[str], of: tuple[Job, ...] = JOBS) -> list[Job]:
    known = {job.name: job for job in of}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"unknown job {unknown[0]}; there are: {', '.join(known)}")
    return [known[name] for name in names]

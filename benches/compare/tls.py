"""The same over TLS, and what it costs to connect: `make bench BENCH=--tls`."""

from __future__ import annotations

from pathlib import Path

from benches.compare.jobs import Contestant, Job
from tests.kafka import BENCHMARK_JVM, KafkaOptions
from tests.support.certificates import Authority

LISTENER = "TLS"
CONNECTIONS = 0.0002
"""The part of a job's records that is the number of connections in the connecting job."""

JOBS = (
    Job(
        "tls-consume-batch",
        "TLS: consume, batch call, touch key and value",
        "consume",
        (
            Contestant("kafkars", "consume-batch", "kafkars poll_batch()"),
            Contestant("kafkars", "consume-batch-asyncio", "kafkars.aio poll_batch()"),
            Contestant("confluent", "consume-batch", "confluent consume()"),
            Contestant("aiokafka", "consume-batch", "aiokafka getmany()"),
        ),
        {"confluent consume()": 1 / 2, "aiokafka getmany()": 1 / 5},
        tls=True,
    ),
    Job(
        "tls-produce",
        "TLS: produce with a delivery report each, sync",
        "produce",
        (
            Contestant("kafkars", "produce", "kafkars send()", 0.5),
            Contestant("confluent", "produce", "confluent produce(on_delivery)", 0.5),
        ),
        tls=True,
    ),
    Job(
        "tls-produce-asyncio",
        "TLS: produce with an awaitable each, asyncio",
        "produce",
        (
            Contestant("kafkars", "produce-asyncio", "kafkars.aio send()", 0.5),
            Contestant("aiokafka", "produce-asyncio", "aiokafka send()", 0.1),
        ),
        tls=True,
    ),
    Job(
        "tls-latency",
        "TLS: produce-to-consume latency, open loop",
        "latency",
        (
            Contestant("kafkars", "latency", "kafkars"),
            Contestant("kafkars", "latency-asyncio", "kafkars.aio"),
            Contestant("confluent", "latency", "confluent"),
            Contestant("aiokafka", "latency-asyncio", "aiokafka"),
        ),
        tls=True,
    ),
    Job(
        "tls-connect",
        "TLS: make a client, ask for the cluster, close it; a record is a client",
        "connect",
        (
            Contestant("kafkars", "connect", "kafkars Admin", CONNECTIONS),
            Contestant("confluent", "connect", "confluent AdminClient", CONNECTIONS),
            Contestant("aiokafka", "connect", "aiokafka AIOKafkaClient", CONNECTIONS),
        ),
        tls=True,
    ),
)


def broker_options(version: str, folder: Path) -> KafkaOptions:
    """A broker with a second listener, whose certificate is signed by the authority in `ca.pem` of the folder."""
    authority = Authority("benchmark authority")
    (folder / "ca.pem").write_text(authority.own.pem)
    prefix = f"listener.name.{LISTENER.lower()}.ssl"
    properties = {
        f"{prefix}.keystore.type": "PEM",
        f"{prefix}.keystore.location": str(authority.issue("broker").write(folder, "broker")),
    }
    return KafkaOptions(version=version, jvm=BENCHMARK_JVM, listeners={LISTENER: "SSL"}, properties=properties)

"""Elastic APM's agent: what is sent in a transaction is a span of it, and each record that is read begins one.

Arguments: bootstrap servers, prefix of topics.
"""

from __future__ import annotations

import json
import sys

import elasticapm
from elasticapm.transport.base import Transport
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.admin import NewTopic

SERVERS, PREFIX = sys.argv[1:]
TOPIC = f"{PREFIX}-transactions"
EVENTS: list[tuple[str, dict]] = []


class Kept(Transport):
    """Keeps what would go to a server."""

    def queue(self, event_type: str, data: dict, flush: bool = False) -> None:
        del flush
        EVENTS.append((event_type, data))

    def start_thread(self, pid: int | None = None) -> None:
        """There is nothing to do."""

    def close(self) -> None:
        """Likewise."""


def run() -> list[object]:
    sys.modules["elastic_transactions"] = sys.modules[Kept.__module__]
    sys.modules["elastic_transactions"].Kept = Kept
    client = elasticapm.Client(
        service_name="shop",
        transport_class="elastic_transactions.Kept",
        metrics_interval="0ms",
        central_config=False,
        cloud_provider="none",
        span_compression_enabled=False,
    )
    elasticapm.instrument()
    producer = KafkaProducer(bootstrap_servers=SERVERS)
    client.begin_transaction("request")
    for number in range(2):
        producer.send(TOPIC, b"value %d" % number)
    producer.flush()
    client.end_transaction("order", "OK")
    producer.close()
    consumer = KafkaConsumer(TOPIC, bootstrap_servers=SERVERS, auto_offset_reset="earliest", consumer_timeout_ms=8000)
    values = [next(consumer).value.decode() for _ in range(2)]
    client.end_transaction()
    client.begin_transaction("job")
    consumer.poll(100)
    client.end_transaction("poll", "OK")
    consumer.close()
    told = [
        [kind, data["name"].replace(PREFIX, ""), data["type"], data["trace_id"] == EVENTS[-1][1]["trace_id"]]
        for kind, data in EVENTS
        if kind in {"transaction", "span"}
    ]
    traces = len({data["trace_id"] for kind, data in EVENTS if kind in {"transaction", "span"}})
    client.close()
    return [values, traces, *told]


admin = KafkaAdminClient(bootstrap_servers=SERVERS)
admin.create_topics([NewTopic(TOPIC, 1, 1)])
admin.close()
print(json.dumps(run()))

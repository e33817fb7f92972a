"""OpenTelemetry's instrumentation for kafka-python: what is sent and read leaves spans, and a trace goes through
records.

Arguments: bootstrap servers, prefix of topics.
"""

from __future__ import annotations

import json
import sys

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.admin import NewTopic
from opentelemetry import trace
from opentelemetry.instrumentation.kafka import KafkaInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

SERVERS, PREFIX = sys.argv[1:]
TOPIC = f"{PREFIX}-spans"
COUNT = 3


def send_and_read() -> list[object]:
    producer = KafkaProducer(bootstrap_servers=[SERVERS])
    for number in range(COUNT):
        producer.send(TOPIC, b"value %d" % number, key=b"key")
    producer.send(TOPIC, value=b"last", headers=[("own", b"header")])
    producer.flush()
    producer.close()
    consumer = KafkaConsumer(TOPIC, bootstrap_servers=[SERVERS], auto_offset_reset="earliest", consumer_timeout_ms=8000)
    found = [next(consumer) for _ in range(COUNT + 1)]
    consumer.close()
    return [[record.offset, record.value.decode(), sorted(name for name, _ in record.headers)] for record in found]


def run() -> dict[str, object]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    hooked: list[object] = []
    KafkaInstrumentor().instrument(
        skip_dep_check=True,
        produce_hook=lambda span, _args, kwargs: hooked.append(
            ["produce", span.is_recording(), len(kwargs["headers"])]
        ),
        consume_hook=lambda _span, record, _args, _kwargs: hooked.append(["consume", record.offset]),
    )
    records = send_and_read()
    KafkaInstrumentor().uninstrument()
    spans = exporter.get_finished_spans()
    sent = {span.context.span_id for span in spans if span.kind is trace.SpanKind.PRODUCER}
    # Which partition a record goes to is read from a private attribute of the original as it is sent; the face tells it
    # when the record is stored.
    unknown = {trace.SpanKind.PRODUCER: "messaging.kafka.partition"}
    told = [
        [
            span.name.removeprefix(PREFIX),
            span.kind.name,
            span.parent is not None and span.parent.span_id in sent,
            [
                [name, str(value).replace(PREFIX, "").replace(SERVERS, "")]
                for name, value in sorted(span.attributes.items())
                if name != unknown.get(span.kind)
            ],
        ]
        for span in spans
    ]
    return {"records": records, "hooked": hooked, "spans": told}


admin = KafkaAdminClient(bootstrap_servers=SERVERS)
admin.create_topics([NewTopic(TOPIC, 1, 1)])
admin.close()
print(json.dumps(run(), sort_keys=True))

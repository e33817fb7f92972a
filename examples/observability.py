"""A worker that can be seen into: figures for Prometheus, spans of OpenTelemetry, a health check, structured log lines.

    python examples/observability.py localhost:9092 orders invoices --port 9100

It reads orders and writes an invoice for each. `http://localhost:9100/metrics` has the figures of both clients, and
`/healthz` says whether the consumer is getting on. Spans go to standard error, a line each; a real worker gives its
tracer provider an exporter of OTLP instead. Needs `prometheus_client` and `opentelemetry-sdk`.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from kafkars import Consumer, Producer
from kafkars.opentelemetry import instrument as instrument_spans
from kafkars.opentelemetry import process
from kafkars.prometheus import instrument as instrument_figures
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from prometheus_client import Counter, make_wsgi_app

INVOICES = Counter("invoices_total", "Invoices that are stored.")
STUCK_SECONDS = 30


def main() -> None:
    """Writes `--records` invoices, or as many as come."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("bootstrap_servers")
    arguments.add_argument("source")
    arguments.add_argument("target")
    arguments.add_argument("--group", default="invoicing")
    arguments.add_argument("--port", type=int, default=9100, help="of /metrics and /healthz; 0 for a free one")
    arguments.add_argument("--records", type=int, help="end after so many")
    options = arguments.parse_args()

    logging.basicConfig(level=logging.INFO, handlers=[JsonLines()])
    tracers = TracerProvider()
    tracers.add_span_processor(
        SimpleSpanProcessor(
            ConsoleSpanExporter(out=sys.stderr, formatter=lambda span: span.to_json(indent=None) + "\n")
        )
    )
    trace.set_tracer_provider(tracers)

    common = {"bootstrap_servers": options.bootstrap_servers, "client_id": "invoicing"}
    with (
        instrument_spans(Producer(common)) as producer,
        instrument_spans(Consumer({**common, "group_id": options.group, "auto_offset_reset": "earliest"})) as consumer,
    ):
        instrument_figures(producer)
        instrument_figures(consumer)
        consumer.subscribe(options.source)
        serve(consumer, options.port)
        work(consumer, producer, options.target, options.records)
    tracers.shutdown()


def work(consumer: Consumer[bytes, bytes], producer: Producer[Any, Any], target: str, records: int | None) -> None:
    """Reads, writes, and looks at what became of it before the positions are committed."""
    done = 0
    while records is None or done < records:
        batch = consumer.poll_batch(timeout=1.0)
        for record in batch:
            # The send is a child of this span, which goes on with the trace in the record's headers.
            with process(record, consumer):
                producer.send(target, b"invoice for " + (record.value or b"nothing"), key=record.key)
        left = producer.flush(timeout=30)
        if left or left.failed:
            # The log says why. Nothing of this batch is committed: whoever is started next reads it again.
            raise SystemExit(f"{left.failed} invoices were not stored, of {left} it is not known")
        INVOICES.inc(len(batch))
        done += len(batch)


def serve(consumer: Consumer[bytes, bytes], port: int) -> None:
    """Answers Prometheus and whoever asks for the health, in a thread."""
    figures: Callable[..., Iterable[bytes]] = make_wsgi_app()

    def answer(request: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if request["PATH_INFO"] != "/healthz":
            return figures(request, start)
        health = consumer.health()
        is_well = health.connected and (health.stuck_since or 0) < STUCK_SECONDS
        start("200 OK" if is_well else "503 Service Unavailable", [("Content-Type", "application/json")])
        return [json.dumps({"state": health.state, "troubles": [each.cause for each in health.troubles]}).encode()]

    server = make_server("127.0.0.1", port, answer, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    print(f"serving http://127.0.0.1:{server.server_port}/metrics", flush=True)


class Quiet(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_message(self, *_: Any) -> None:
        """Nothing."""


class JsonLines(logging.StreamHandler[Any]):
    """Log lines as JSON, with the fields of the engine's lines."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        known = vars(logging.makeLogRecord({}))
        fields = {name: str(value) for name, value in vars(record).items() if name not in known and name != "message"}
        return json.dumps({"level": record.levelname, "logger": record.name, "text": record.getMessage(), **fields})


if __name__ == "__main__":
    main()

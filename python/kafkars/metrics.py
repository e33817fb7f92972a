"""The dictionaries that `metrics()` of clients returns: the type of each metric, its unit, and what it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypedDict, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Mapping


class Metric(NamedTuple):
    """Describes one metric of `metrics()`."""

    kind: Literal["counter", "gauge"]
    """A counter only grows, as long as its client lives; a gauge is a value at the moment of the call."""
    unit: str
    """Its unit, such as "records", "bytes" or "ms"."""
    description: str
    """What it counts, as a sentence."""


class ConnectionMetrics(TypedDict):
    """Metrics of a client's connections: `metrics()["client"]`."""

    requests_sent: Annotated[int, Metric("counter", "requests", "Requests written to brokers or queued for it.")]
    responses_received: Annotated[int, Metric("counter", "responses", "Answers of brokers.")]
    bytes_sent: Annotated[int, Metric("counter", "bytes", "Bytes written to sockets, before encryption.")]
    bytes_received: Annotated[int, Metric("counter", "bytes", "Bytes read from sockets, after decryption.")]
    requests_in_flight: Annotated[int, Metric("gauge", "requests", "Requests that wait for their answer.")]
    requests_timed_out: Annotated[int, Metric("counter", "requests", "Requests without an answer in time.")]
    connections_made: Annotated[
        int, Metric("counter", "connections", "Connections made, those that are closed again included.")
    ]
    connections_open: Annotated[int, Metric("gauge", "connections", "Connections that are open.")]
    connections_failed: Annotated[int, Metric("counter", "connections", "Connections that could not be made.")]
    metadata_refreshes: Annotated[int, Metric("counter", "responses", "Answers that told of topics and brokers.")]
    throttle_time_ms: Annotated[int, Metric("counter", "ms", "Time for which brokers asked to pause (KIP-219).")]


class ProducerMetrics(TypedDict):
    """Metrics of a producer since it was made: `Producer.metrics()`."""

    records_sent: Annotated[int, Metric("counter", "records", "Records that the cluster has acknowledged.")]
    records_failed: Annotated[int, Metric("counter", "records", "Records taken or waiting that were not stored.")]
    batches_sent: Annotated[int, Metric("counter", "batches", "Batches that the cluster has acknowledged.")]
    bytes_sent: Annotated[int, Metric("counter", "bytes", "Bytes of these batches as they travelled, compressed.")]
    bytes_uncompressed: Annotated[int, Metric("counter", "bytes", "Bytes of these batches before compression.")]
    retries: Annotated[int, Metric("counter", "batches", "Batches that were sent once more.")]
    unacknowledged: Annotated[int, Metric("gauge", "records", "Records taken whose fate is open.")]
    buffer_used: Annotated[int, Metric("gauge", "bytes", "Memory of these, of the `buffer_memory` there is.")]
    client: ConnectionMetrics


class ConsumerMetrics(TypedDict):
    """Metrics of a consumer since it was made: `Consumer.metrics()`."""

    records_consumed: Annotated[int, Metric("counter", "records", "Records handed to the application.")]
    bytes_fetched: Annotated[int, Metric("counter", "bytes", "Bytes of batches received, as they travelled.")]
    fetches: Annotated[int, Metric("counter", "responses", "Answers to fetch requests.")]
    buffered_bytes: Annotated[int, Metric("gauge", "bytes", "Memory of records that wait for the application.")]
    assigned: Annotated[int, Metric("gauge", "partitions", "Partitions assigned, by the group or by hand.")]
    client: ConnectionMetrics


class AdminMetrics(TypedDict):
    """Metrics of an `Admin` since it was made: `Admin.metrics()`."""

    client: ConnectionMetrics


def described(figures: type) -> Mapping[str, Metric]:
    """Returns the metrics of one of these classes by name, without those of its connections.

    Args:
        figures: `ProducerMetrics`, `ConsumerMetrics` or `ConnectionMetrics`.

    Returns:
        A `Metric` for each name, in their order.
    """
    hints = get_type_hints(figures, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}

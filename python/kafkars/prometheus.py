"""Exports metrics of clients to Prometheus, by the library `prometheus_client` (the extra `kafkars[prometheus]`)."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, TypeVar

from kafkars._kafkars import BaseConsumer, BaseProducer
from kafkars._watched import WatchedClients, check_client
from kafkars.errors import KafkaError
from kafkars.metrics import AdminMetrics, ConnectionMetrics, ConsumerMetrics, Metric, ProducerMetrics, described

try:
    from prometheus_client import REGISTRY
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.registry import Collector
except ImportError as missing:
    raise ImportError("kafkars.prometheus needs prometheus_client: pip install prometheus_client") from missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric as Family

    from kafkars._watched import CountingClient, WatchedClient

Client = TypeVar("Client", bound="CountingClient")

__all__ = ["instrument"]

LABELS = ("client_id", "client_type")

STORED = (
    Metric("counter", "records", "Records that the cluster has acknowledged, by partition."),
    Metric("counter", "bytes", "Bytes of their batches as they travelled, by partition."),
)
LAG = Metric("gauge", "records", "Records between the position and the end of a partition, as the last fetch told.")

_collectors: weakref.WeakKeyDictionary[CollectorRegistry, ClientCollector] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def instrument(client: Client, *, registry: CollectorRegistry = REGISTRY, partitions: bool = True) -> Client:
    """Exports the metrics of a client, synchronous or asyncio, until it is closed or garbage-collected.

    ```python
    producer = instrument(Producer(bootstrap_servers="localhost:9092", client_id="shop"))
    ```

    Metrics are read when Prometheus scrapes them, so this costs nothing in between. Clients with the same `client_id`
    are told apart by a number behind it: "shop", "shop-2". Calling it again for a client changes `partitions`.

    Args:
        client: A producer, consumer or `Admin`; it is not kept alive.
        registry: Where to export; by default the registry that `prometheus_client` exposes by default.
        partitions: Whether to export the metrics of each partition: one or two time series for each.

    Returns:
        The client itself.

    Raises:
        TypeError: It is no client of `kafkars` or `kafkars.aio`.
        ClosedError: It is closed.
    """
    check_client(client, takes_admin=True)
    with _lock:
        collector = _collectors.get(registry)
        if collector is None:
            collector = ClientCollector()
            registry.register(collector)
            _collectors[registry] = collector
    collector.clients.add(client, partitions=partitions)
    return client


class ClientCollector(Collector):
    """Asks clients for their metrics whenever a registry is read."""

    def __init__(self) -> None:
        """Starts without clients."""
        self.clients = WatchedClients()

    def describe(self) -> Iterable[Family]:
        """Returns the metric families without samples: a registry checks by them that names are unique."""
        return _Families().made.values()

    def collect(self) -> Iterable[Family]:
        """Returns the metric families with the samples of this moment."""
        families = _Families()
        for client, watched in self.clients.open().items():
            # A client that belongs to the parent process, or is being closed, is left out as a whole.
            try:
                samples = list(_samples(client, watched))
            except KafkaError:
                continue
            for name, values, figure in samples:
                families.made[name].add_metric(values, figure)
        return families.made.values()


def _samples(client: CountingClient, watched: WatchedClient) -> Iterator[tuple[str, list[str], float]]:
    """Yields a client's samples: the name of the family, the values of its labels, and the value."""
    labels = [watched.client_id, watched.client_type]
    figures: Mapping[str, Any] = client.metrics()
    yield from _figures(watched.client_type, labels, figures)
    yield from _figures("client", labels, figures["client"])
    own = client if isinstance(client, (BaseProducer, BaseConsumer)) else client._native  # noqa: SLF001  ours
    for node, *_, counted in own._brokers():  # noqa: SLF001  ours
        if node is not None:
            yield from _figures("node", [*labels, str(node)], counted)
    if not watched.partitions:
        return
    if isinstance(own, BaseConsumer):
        for (topic, partition), lag in own.lags().items():
            if lag is not None:
                yield "kafkars_consumer_lag_records", [*labels, topic, str(partition)], lag
    elif isinstance(own, BaseProducer):
        for topic, partition, *counted_there in own._stored_by_partition():  # noqa: SLF001  ours
            for metric, figure in zip(STORED, counted_there, strict=True):
                yield _of_partition(metric), [*labels, topic, str(partition)], figure


def _figures(group: str, labels: list[str], figures: Mapping[str, Any]) -> Iterator[tuple[str, list[str], float]]:
    for name, metric in GROUPS[group].items():
        figure = figures[name]
        yield _family_name(group, name, metric), labels, figure / 1000 if metric.unit == "ms" else figure


GROUPS: dict[str, Mapping[str, Metric]] = {
    "producer": described(ProducerMetrics),
    "consumer": described(ConsumerMetrics),
    "admin": described(AdminMetrics),
    "client": described(ConnectionMetrics),
    "node": described(ConnectionMetrics),
}


def _family_name(group: str, name: str, metric: Metric) -> str:
    """Returns the name without `_total`, which the library appends to counters."""
    return f"kafkars_{group}_{name.removesuffix('_ms') + '_seconds' if metric.unit == 'ms' else name}"


def _of_partition(metric: Metric) -> str:
    return f"kafkars_producer_partition_{metric.unit}_sent"


class _Families:
    """The metric families by name, at first without samples."""

    def __init__(self) -> None:
        self.made: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
        for group, figures in GROUPS.items():
            more = ("node",) if group == "node" else ()
            for name, metric in figures.items():
                self._make(_family_name(group, name, metric), metric, more)
        for metric in STORED:
            self._make(_of_partition(metric), metric, ("topic", "partition"))
        self._make("kafkars_consumer_lag_records", LAG, ("topic", "partition"))

    def _make(self, name: str, metric: Metric, more: tuple[str, ...]) -> None:
        family = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
        self.made[name] = family(name, metric.description, labels=[*LABELS, *more])

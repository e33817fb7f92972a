"""The metrics of `metrics()` as observable instruments, which are read when an exporter asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry.metrics import CallbackOptions, Observation

from kafkars._kafkars import BaseConsumer
from kafkars._watched import WatchedClient, WatchedClients
from kafkars.errors import KafkaError
from kafkars.metrics import ConnectionMetrics, ConsumerMetrics, Metric, ProducerMetrics, described
from kafkars.opentelemetry import conventions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from opentelemetry.metrics import Meter

    from kafkars._watched import CountingClient

GROUPS: dict[str, Mapping[str, Metric]] = {
    "producer": described(ProducerMetrics),
    "consumer": described(ConsumerMetrics),
    "client": described(ConnectionMetrics),
}
UNITS = {"bytes": "By", "ms": "ms", "batches": "{batch}"}


class ClientFigures:
    """The instruments of one meter, and the clients whose metrics they read."""

    def __init__(self, meter: Meter) -> None:
        """Makes the instruments."""
        self.clients = WatchedClients()
        for group, figures in GROUPS.items():
            for name, metric in figures.items():
                make = (
                    meter.create_observable_counter
                    if metric.kind == "counter"
                    else meter.create_observable_up_down_counter
                )
                unit = UNITS.get(metric.unit) or "{" + metric.unit.removesuffix("s") + "}"
                make(f"kafkars.{group}.{name}", [self._reader(group, name)], unit, metric.description)
        meter.create_observable_gauge(
            "kafkars.consumer.lag",
            [self._lags],
            "{record}",
            "Records between the position and the end of a partition, as the last fetch told.",
        )

    def _reader(self, group: str, name: str) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def read(_: CallbackOptions) -> Iterable[Observation]:
            observed = []
            for client, watched in self.clients.open().items():
                if group in {"client", watched.client_type}:
                    # A client that belongs to the parent process, or is being closed, has no metrics.
                    try:
                        figures: Mapping[str, Any] = client.metrics()
                    except KafkaError:
                        continue
                    figure = figures["client"][name] if group == "client" else figures[name]
                    observed.append(Observation(figure, attributes_of(client, watched)))
            return observed

        return read

    def _lags(self, _: CallbackOptions) -> Iterable[Observation]:
        observed = []
        for client, watched in self.clients.open().items():
            if isinstance(client, BaseConsumer) and watched.partitions:
                try:
                    lags = client.lags()
                except KafkaError:
                    continue
                attributes = attributes_of(client, watched)
                for (topic, partition), lag in lags.items():
                    if lag is not None:
                        where = {conventions.TOPIC: topic, conventions.PARTITION: str(partition)}
                        observed.append(Observation(lag, {**attributes, **where}))
        return observed


def attributes_of(client: CountingClient, watched: WatchedClient) -> conventions.Attributes:
    """Returns the attributes that tell which client metrics belong to."""
    common = conventions.of_client(client._identity)  # noqa: SLF001  ours
    return {**common, conventions.CLIENT_ID: watched.client_id, "kafkars.client.type": watched.client_type}

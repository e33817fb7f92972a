"""Switches spans and metrics of a client on and off."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, TypeVar

from kafkars import _kafkars
from kafkars._watched import check_client
from kafkars.opentelemetry.consumers import AsyncReads, SyncReads
from kafkars.opentelemetry.producers import AsyncSends, ProducerTelemetry, SyncSends
from kafkars.opentelemetry.telemetry import Telemetry, providers_of

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from kafkars._watched import AnyClient

Client = TypeVar("Client", bound="AnyClient")

MIXINS = {
    _kafkars.Producer: SyncSends,
    _kafkars.AsyncProducer: AsyncSends,
    _kafkars.Consumer: SyncReads,
    _kafkars.AsyncConsumer: AsyncReads,
}

_classes: dict[type, type] = {}
"""The class with spans for each class of clients."""


def instrument(
    client: Client,
    *,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    partitions: bool = True,
) -> Client:
    """Makes spans of what a producer or consumer does, synchronous or asyncio, and exports its metrics.

    It changes the class of this one object to one that has the same methods with spans around them; other clients
    are not affected. Calling it again for a client replaces the arguments.

    Args:
        client: The client.
        tracer_provider: Where spans go; by default the application's global provider, also if it is set later.
        meter_provider: Where metrics go; by default the application's global provider, also if it is set later.
        partitions: Whether to export the lag of each partition.

    Returns:
        The client itself.

    Raises:
        TypeError: It is no producer or consumer of `kafkars` or `kafkars.aio`.
        ClosedError: It is closed.
    """
    check_client(client)
    uninstrument(client)
    providers = providers_of(tracer_provider, meter_provider)
    kind = ProducerTelemetry if issubclass(type(client), _kafkars.BaseProducer) else Telemetry
    telemetry = kind(providers, client._identity)  # noqa: SLF001  ours
    if isinstance(telemetry, ProducerTelemetry):
        # The thread ends with the producer, also with one that was never closed.
        weakref.finalize(client, telemetry.deliveries.end).atexit = False
    client._telemetry = telemetry  # noqa: SLF001
    providers.figures.clients.add(client, partitions=partitions)
    client.__class__ = class_with_spans(type(client))
    return client


def uninstrument(client: AnyClient) -> None:
    """Undoes `instrument()`. Spans of records under way end when these are acknowledged or have failed.

    Args:
        client: Any client; nothing happens to one that is not instrumented.
    """
    own = next((own for own, made in _classes.items() if made is type(client)), None)
    if own is None:
        return
    telemetry: Any = client._telemetry  # noqa: SLF001
    telemetry.providers.figures.clients.remove(client)
    if isinstance(telemetry, ProducerTelemetry):
        telemetry.deliveries.end()
    client.__class__ = own


def class_with_spans(own: type) -> type:
    """Returns a subclass of `own` whose methods make spans."""
    made = _classes.get(own)
    if made is None:
        mixin = next(mixin for native, mixin in MIXINS.items() if issubclass(own, native))
        names = {
            "__slots__": (),
            "__module__": own.__module__,
            "__qualname__": own.__qualname__,
            "__doc__": own.__doc__,
        }
        made = _classes[own] = type(own.__name__, (mixin, own), names)
    return made

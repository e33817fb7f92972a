"""Clients whose metrics are exported, held by weak references."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkars._kafkars import BaseConsumer, BaseProducer

if TYPE_CHECKING:
    from kafkars import Consumer, Producer, aio

    AnyClient = Producer[Any, Any] | Consumer[Any, Any] | aio.Producer[Any, Any] | aio.Consumer[Any, Any]


class WatchedClient(NamedTuple):
    """How a client appears in exported metrics."""

    client_id: str
    """Its client id, with a number appended if an older client has the same one."""
    client_type: str
    """"producer" or "consumer"."""
    partitions: bool
    """True if the metrics of each partition are exported, too."""


class WatchedClients:
    """The open clients, by weak references, each with a unique name."""

    def __init__(self) -> None:
        """Starts without clients."""
        self._lock = threading.Lock()
        self._watched: weakref.WeakKeyDictionary[AnyClient, WatchedClient] = weakref.WeakKeyDictionary()

    def add(self, client: AnyClient, *, partitions: bool) -> None:
        """Adds a client; one that is there already keeps its name."""
        with self._lock:
            known = self._watched.get(client)
            if known is not None:
                self._watched[client] = known._replace(partitions=partitions)
                return
            client_type = "consumer" if isinstance(client, BaseConsumer) else "producer"
            taken = {each.client_id for each in self._open().values() if each.client_type == client_type}
            name = wanted = client._identity.client_id  # noqa: SLF001  ours
            number = 1
            while name in taken:
                number += 1
                name = f"{wanted}-{number}"
            self._watched[client] = WatchedClient(name, client_type, partitions)

    def remove(self, client: AnyClient) -> None:
        """Removes a client."""
        with self._lock:
            self._watched.pop(client, None)

    def open(self) -> dict[AnyClient, WatchedClient]:
        """Returns the clients that are not closed."""
        with self._lock:
            return self._open()

    def _open(self) -> dict[AnyClient, WatchedClient]:
        for client in [client for client in self._watched if client.closed]:
            del self._watched[client]
        return dict(self._watched)


def check_client(client: object) -> None:
    """Checks that an object is a client.

    Raises:
        TypeError: It is no producer or consumer of `kafkars` or `kafkars.aio`.
    """
    if not isinstance(client, (BaseProducer, BaseConsumer)):
        raise TypeError(f"a Producer or Consumer of kafkars or kafkars.aio is wanted, not {type(client).__name__}")

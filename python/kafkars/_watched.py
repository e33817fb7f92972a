"""Clients whose figures are shown to somebody, without keeping them alive."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkars._kafkars import BaseConsumer, BaseProducer

if TYPE_CHECKING:
    from kafkars import Consumer, Producer, aio

    AnyClient = Producer[Any, Any] | Consumer[Any, Any] | aio.Producer[Any, Any] | aio.Consumer[Any, Any]


class WatchedClient(NamedTuple):
    """A client as it is shown."""

    client_id: str
    """Its own, with a number behind it where an older client has the same."""
    client_type: str
    """"producer" or "consumer"."""
    partitions: bool
    """True if figures of partitions are shown."""


class WatchedClients:
    """Open clients by weak references, each with a name of its own."""

    def __init__(self) -> None:
        """Watches nothing at first."""
        self._lock = threading.Lock()
        self._watched: weakref.WeakKeyDictionary[AnyClient, WatchedClient] = weakref.WeakKeyDictionary()

    def add(self, client: AnyClient, *, partitions: bool) -> None:
        """Watches a client from now on; one that is watched keeps its name."""
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
        """Watches a client no longer."""
        with self._lock:
            self._watched.pop(client, None)

    def open(self) -> dict[AnyClient, WatchedClient]:
        """Gives the clients that are not closed."""
        with self._lock:
            return self._open()

    def _open(self) -> dict[AnyClient, WatchedClient]:
        for client in [client for client in self._watched if client.closed]:
            del self._watched[client]
        return dict(self._watched)


def check_client(client: object) -> None:
    """Fails for what is no client.

    Raises:
        TypeError: It is no producer or consumer of `kafkars` or `kafkars.aio`.
    """
    if not isinstance(client, (BaseProducer, BaseConsumer)):
        raise TypeError(f"a Producer or Consumer of kafkars or kafkars.aio is wanted, not {type(client).__name__}")

"""Clients whose metrics are exported, held by weak references."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkars import _kafkars
from kafkars._kafkars import BaseConsumer, BaseProducer
from kafkars.errors import ClosedError

if TYPE_CHECKING:
    from kafkars import Admin, Consumer, Producer, aio

    AnyClient = Producer[Any, Any] | Consumer[Any, Any] | aio.Producer[Any, Any] | aio.Consumer[Any, Any]
    CountingClient = AnyClient | Admin | aio.Admin


class WatchedClient(NamedTuple):
    """How a client appears in exported metrics."""

    client_id: str
    """Its client id, with a number appended if an older client has the same one."""
    client_type: str
    """"producer", "consumer" or "admin"."""
    partitions: bool
    """True if the metrics of each partition are exported, too."""


class WatchedClients:
    """The open clients, by weak references, each with a unique name."""

    def __init__(self) -> None:
        """Starts without clients."""
        self._lock = threading.Lock()
        self._watched: weakref.WeakKeyDictionary[CountingClient, WatchedClient] = weakref.WeakKeyDictionary()

    def add(self, client: CountingClient, *, partitions: bool) -> None:
        """Adds a client; one that is there already keeps its name."""
        with self._lock:
            known = self._watched.get(client)
            if known is not None:
                self._watched[client] = known._replace(partitions=partitions)
                return
            client_type = type_of(client)
            taken = {each.client_id for each in self._open().values() if each.client_type == client_type}
            name = wanted = client._identity.client_id  # noqa: SLF001  ours
            number = 1
            while name in taken:
                number += 1
                name = f"{wanted}-{number}"
            self._watched[client] = WatchedClient(name, client_type, partitions)

    def remove(self, client: CountingClient) -> None:
        """Removes a client."""
        with self._lock:
            self._watched.pop(client, None)

    def open(self) -> dict[CountingClient, WatchedClient]:
        """Returns the clients that are not closed."""
        with self._lock:
            return self._open()

    def _open(self) -> dict[CountingClient, WatchedClient]:
        for client in [client for client in self._watched if client.closed]:
            del self._watched[client]
        return dict(self._watched)


def type_of(client: object) -> str:
    """Returns "producer", "consumer" or "admin"; "" for what is none of these."""
    if isinstance(client, BaseProducer):
        return "producer"
    if isinstance(client, BaseConsumer):
        return "consumer"
    return "admin" if isinstance(getattr(client, "_native", None), _kafkars.Admin) else ""


def check_client(client: Any, *, takes_admin: bool = False) -> None:
    """Checks that an object is an open client.

    Raises:
        TypeError: It is no client of `kafkars` or `kafkars.aio`, or of a kind that is not wanted.
        ClosedError: It is closed: nothing of it would ever be exported.
    """
    found = type_of(client)
    if not found or (found == "admin" and not takes_admin):
        wanted = "Producer, Consumer or Admin" if takes_admin else "Producer or Consumer"
        raise TypeError(f"a {wanted} of kafkars or kafkars.aio is wanted, not {type(client).__name__}")
    if client.closed:
        raise ClosedError(f"the {found} is closed, so nothing of it would be exported; instrument it before")

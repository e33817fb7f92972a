"""Settings that every client has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from kafkars.config import checks
from kafkars.errors import ConfigError

C = TypeVar("C", bound="ClientConfig")


@dataclass(frozen=True, kw_only=True)
class ClientConfig:
    """Where the cluster is and how patient to be with it.

    Names are Kafka's with underscores; times are in milliseconds.
    """

    bootstrap_servers: str | Sequence[str]
    """Addresses to start from, as `"host:port"`, `"a:9092,b:9092"` or a list. Any one that answers is enough."""

    client_id: str = "kafkars"
    """Name of this client in broker logs and quotas."""

    request_timeout_ms: float = 30_000
    """How long one request may wait for its answer before the connection is given up."""

    socket_connection_setup_timeout_ms: float = 10_000
    """How long one TCP connection may take to be set up."""

    reconnect_backoff_ms: float = 50
    """First pause before connecting again to a broker that failed; it doubles with each failure."""

    reconnect_backoff_max_ms: float = 1_000
    """Longest pause between attempts to connect. A broker that leads what is written or read is tried at least every
    `retry_backoff_max_ms`, and no call waits through the pause: metadata may tell of another leader meanwhile."""

    retry_backoff_ms: float = 100
    """First pause before a failed request is tried again; it doubles with each failure (KIP-580)."""

    retry_backoff_max_ms: float = 1_000
    """Longest pause between tries of a request."""

    metadata_max_age_ms: float = 300_000
    """Knowledge about the cluster that is older than this is asked for again."""

    connections_max_idle_ms: float = 540_000
    """Connections unused for this long are closed."""

    receive_message_max_bytes: int = 100_000_000
    """Largest answer accepted from a broker, in bytes."""

    allow_auto_create_topics: bool = True
    """Whether asking for an unknown topic may create it, where the broker allows that."""

    send_buffer_bytes: int | None = None
    """SO_SNDBUF of the sockets in bytes; None leaves it to the system."""

    receive_buffer_bytes: int | None = None
    """SO_RCVBUF of the sockets in bytes; None leaves it to the system."""

    security_protocol: str = "plaintext"
    """How connections are protected. This version speaks "plaintext" only."""

    CHECKS: ClassVar[Mapping[str, Callable[[str, object], Any]]] = {
        "bootstrap_servers": checks.servers,
        "client_id": checks.text,
        "request_timeout_ms": checks.milliseconds,
        "socket_connection_setup_timeout_ms": checks.milliseconds,
        "reconnect_backoff_ms": checks.milliseconds,
        "reconnect_backoff_max_ms": checks.milliseconds,
        "retry_backoff_ms": checks.milliseconds,
        "retry_backoff_max_ms": checks.milliseconds,
        "metadata_max_age_ms": checks.milliseconds,
        "connections_max_idle_ms": checks.milliseconds,
        "receive_message_max_bytes": checks.whole,
        "allow_auto_create_topics": checks.flag,
        "send_buffer_bytes": checks.optional(checks.whole),
        "receive_buffer_bytes": checks.optional(checks.whole),
        "security_protocol": checks.choice("plaintext"),
    }

    def __post_init__(self) -> None:
        """Normalises every field, so that the native side meets one type for each."""
        for name, check in self.CHECKS.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))

    @classmethod
    def of(cls: type[C], config: C | Mapping[str, object] | None, settings: Mapping[str, object]) -> C:
        """A config from what a constructor got: a config, a mapping, keyword arguments, or a mapping and keywords.

        Raises:
            ConfigError: A setting is unknown, missing, given twice, contradictory or of the wrong type.
        """
        if isinstance(config, cls):
            if settings:
                both: dict[str, Any] = {field.name: getattr(config, field.name) for field in fields(config)}
                both.update(settings)
                return cls(**both)
            return config
        if config is not None and not isinstance(config, Mapping):
            raise checks.wrong("config", config, f"{cls.__name__} or a mapping of settings")
        merged = checks.merge(cls.CHECKS, config, settings)
        if "bootstrap_servers" not in merged:
            raise ConfigError('bootstrap_servers: missing; name at least one broker, such as "localhost:9092"')
        return cls(**merged)

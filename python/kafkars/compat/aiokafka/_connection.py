"""What every client of aiokafka is told of the cluster and how to reach it, as settings of the engine."""

from __future__ import annotations

import asyncio
import ssl
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kafkars.compat._addresses import with_port
from kafkars.compat.aiokafka.abc import AbstractTokenProvider

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "GSSAPI", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
NEVER_MS = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Connection:
    """Settings that producers, consumers and administrators share, under aiokafka's names and with its defaults."""

    loop: asyncio.AbstractEventLoop | None
    bootstrap_servers: str | Sequence[str]
    client_id: str | None
    metadata_max_age_ms: int
    request_timeout_ms: int
    retry_backoff_ms: int
    connections_max_idle_ms: int | None
    security_protocol: str
    ssl_context: ssl.SSLContext | None
    api_version: object
    sasl_mechanism: str
    sasl_plain_username: str | None
    sasl_plain_password: str | None
    sasl_oauth_token_provider: AbstractTokenProvider | None

    def settings(self) -> dict[str, Any]:
        """Settings of `kafkars.aio` clients.

        Raises:
            RuntimeError: No event loop runs, and none is given.
            ValueError: A setting is wrong, or asks for what this version cannot do.
        """
        if self.loop is None:
            asyncio.get_running_loop()
        if self.api_version is not None:
            warnings.warn("api_version has no effect: versions are found out", DeprecationWarning, stacklevel=4)
        self.check_security()
        settings: dict[str, Any] = {
            "bootstrap_servers": servers(self.bootstrap_servers),
            "metadata_max_age_ms": self.metadata_max_age_ms,
            "request_timeout_ms": self.request_timeout_ms,
            "retry_backoff_ms": self.retry_backoff_ms,
            # aiokafka's pauses do not grow, and None keeps idle connections.
            "retry_backoff_max_ms": max(self.retry_backoff_ms, 1000),
            "connections_max_idle_ms": self.connections_max_idle_ms or NEVER_MS,
        }
        return settings if self.client_id is None else {**settings, "client_id": self.client_id}

    def check_security(self) -> None:
        """Refuses what aiokafka refuses, and what the engine cannot do yet."""
        if self.security_protocol not in PROTOCOLS:
            raise ValueError(f"security_protocol: {self.security_protocol!r} is none of {', '.join(PROTOCOLS)}")
        if self.security_protocol in {"SSL", "SASL_SSL"} and self.ssl_context is None:
            raise ValueError(f"`ssl_context` is mandatory if security_protocol=={self.security_protocol!r}")
        if self.sasl_mechanism not in MECHANISMS:
            raise ValueError(f"sasl_mechanism: {self.sasl_mechanism!r} is none of {', '.join(MECHANISMS)}")
        if self.security_protocol.startswith("SASL") and self.sasl_mechanism == "OAUTHBEARER":
            provider = self.sasl_oauth_token_provider
            if not isinstance(provider, AbstractTokenProvider):
                raise ValueError("sasl_oauth_token_provider: an object of aiokafka.abc.AbstractTokenProvider is needed")
        elif (
            self.security_protocol.startswith("SASL")
            and self.sasl_mechanism != "GSSAPI"
            and None in (self.sasl_plain_username, self.sasl_plain_password)
        ):
            raise ValueError("sasl_plain_username and sasl_plain_password are needed with that sasl_mechanism")
        if self.security_protocol != "PLAINTEXT":
            raise ValueError(
                f"security_protocol={self.security_protocol!r} is not offered: this version of kafkars speaks PLAINTEXT only; "
                "put a proxy that adds TLS or SASL beside the program, or stay with aiokafka for this cluster"
            )


def servers(given: str | Sequence[str]) -> list[str]:
    """Addresses with their ports."""
    listed = given.split(",") if isinstance(given, str) else given
    return [with_port(address.strip()) for address in listed]

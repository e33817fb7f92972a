"""The connection settings of every client of aiokafka, translated to those of kafkars."""

from __future__ import annotations

import asyncio
import ssl
import warnings
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kafkars import _kafkars, aio
from kafkars import errors as engine
from kafkars.compat._addresses import with_port
from kafkars.compat._kerberos import kerberos
from kafkars.compat._quiet import quiet
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.abc import AbstractTokenProvider
from kafkars.config.checks import shown
from kafkars.config.secret import FromApplication, Secret

T = TypeVar("T")

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "GSSAPI", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
NEVER_MS = 2**31 - 1
SOON = 0.2
"""Seconds after which a cluster that has not answered may be one that cannot be reached."""
INSTEAD = "make the context with aiokafka.helpers.create_ssl_context(), which remembers what it was made of"
"""What to do instead if an `SSLContext` does not tell what kafkars needs."""


SHORTEST_PAUSE_MS = 20
"""What pauses grow to where `retry_backoff_ms` is less, in milliseconds."""


@dataclass(frozen=True, kw_only=True)
class Connection:
    """The settings that all clients have, under aiokafka's names and with its defaults."""

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
    sasl_plain_password: str | None = field(repr=False)
    sasl_kerberos_service_name: str
    sasl_kerberos_domain_name: str | None
    sasl_oauth_token_provider: AbstractTokenProvider | None

    def settings(self) -> dict[str, Any]:
        """Returns settings of `kafkars.aio` clients.

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
            # aiokafka waits for a topic as long as the call may.
            "topic_metadata_propagation_max_ms": NEVER_MS,
            # aiokafka's consumers create what they ask for, too.
            "allow_auto_create_topics": True,
            "request_timeout_ms": self.request_timeout_ms,
            "retry_backoff_ms": self.retry_backoff_ms,
            # aiokafka's pauses do not grow. A pause of 0 would ask a broker that refuses without end.
            "retry_backoff_max_ms": max(self.retry_backoff_ms, SHORTEST_PAUSE_MS),
            # None keeps idle connections.
            "connections_max_idle_ms": self.connections_max_idle_ms or NEVER_MS,
        }
        settings |= self.security()
        return settings if self.client_id is None else {**settings, "client_id": self.client_id}

    def check_security(self) -> None:
        """Raises the errors that aiokafka raises for wrong settings of TLS and SASL."""
        if self.security_protocol not in PROTOCOLS:
            raise ValueError(
                "`security_protocol` should be SSL or PLAINTEXT, or SASL_SSL or SASL_PLAINTEXT, and not "
                f"{shown(self.security_protocol, PROTOCOLS)}"
            )
        if self.security_protocol in {"SSL", "SASL_SSL"} and self.ssl_context is None:
            raise ValueError(f"`ssl_context` is mandatory if security_protocol=={self.security_protocol!r}")
        # As in aiokafka a mechanism counts only with SASL.
        uses_sasl = self.security_protocol.startswith("SASL")
        if uses_sasl and self.sasl_mechanism not in MECHANISMS:
            raise ValueError(
                f"sasl_mechanism: {shown(self.sasl_mechanism, MECHANISMS)} is none of {', '.join(MECHANISMS)}"
            )
        if uses_sasl and self.sasl_mechanism == "OAUTHBEARER":
            provider = self.sasl_oauth_token_provider
            if not isinstance(provider, AbstractTokenProvider):
                raise ValueError("sasl_oauth_token_provider: an object of aiokafka.abc.AbstractTokenProvider is needed")
        elif (
            uses_sasl
            and self.sasl_mechanism != "GSSAPI"
            and None in (self.sasl_plain_username, self.sasl_plain_password)
        ):
            raise ValueError(f"sasl_plain_username and sasl_plain_password required for {self.sasl_mechanism} sasl")

    def security(self) -> dict[str, Any]:
        """Returns settings of `kafkars.aio` clients for TLS and SASL.

        Raises:
            ValueError: The context asks for something that cannot be read back or is not offered.
        """
        settings: dict[str, Any] = {"security_protocol": self.security_protocol}
        if self.security_protocol in {"SSL", "SASL_SSL"} and self.ssl_context is not None:
            from kafkars.compat._tls import UnusableTlsError, settings_of  # noqa: PLC0415  only with TLS

            try:
                settings |= settings_of(self.ssl_context, INSTEAD)
            except UnusableTlsError as problem:
                raise ValueError(str(problem)) from None
        return settings | self.sasl() if self.security_protocol.startswith("SASL_") else settings

    def sasl(self) -> dict[str, Any]:
        """Returns settings for the SASL mechanism."""
        settings: dict[str, Any] = {"sasl_mechanism": self.sasl_mechanism}
        if self.sasl_mechanism == "OAUTHBEARER":
            provider = Tokens(self.sasl_oauth_token_provider, self.loop)
            return settings | {"sasl_oauthbearer_token_provider": provider}
        if self.sasl_mechanism == "GSSAPI":
            return settings | kerberos(self.sasl_kerberos_service_name, self.sasl_kerberos_domain_name)
        password = self.sasl_plain_password
        return settings | {
            "sasl_username": self.sasl_plain_username,
            "sasl_password": None if password is None else Secret(password),
        }


class Tokens(FromApplication):
    """Asks the program's provider for tokens, on the program's loop, and remembers what it raised."""

    __slots__ = ("problem",)

    problem: BaseException | None

    def __init__(self, provider: Any, loop: asyncio.AbstractEventLoop | None) -> None:
        async def token() -> object:
            try:
                return await provider.token(), None, provider.extensions()
            except Exception as problem:
                self.problem = problem
                raise

        super().__init__(token)
        self.loop = loop or self.loop
        self.problem = None

    def for_client(self) -> Tokens:
        """Returns itself: it is made with the client, for the client's loop."""
        return self


def warn_of_loop(given: object) -> None:
    """Warns the caller of a constructor that was given a loop."""
    if given is not None:
        text = "loop is deprecated: a client belongs to the loop it is made in"
        warnings.warn(text, DeprecationWarning, stacklevel=4)


def check_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Fails where another loop runs than the one that a client was made in."""
    if loop is not asyncio.get_running_loop():
        raise AssertionError("the client was made in another event loop: make it in the one that is to run it")


@contextmanager
def first_contact(config: Mapping[str, Any]) -> Iterator[None]:
    """Makes any failure to connect or log in a `KafkaConnectionError`, as in aiokafka.

    Raises:
        KafkaConnectionError: The certificate, the password or the token was refused, or the program's token provider
            could not get one, because of a network or a time limit or by an error of Kafka's.
        Exception: What else it raised, as it is.
    """
    try:
        yield
    except errors.KafkaError as problem:
        provider = config.get("sasl_oauthbearer_token_provider")
        if isinstance(provider, Tokens) and provider.problem is not None:
            if isinstance(provider.problem, (OSError, asyncio.TimeoutError, errors.KafkaError)):
                text = f"{type(provider.problem).__name__}: {provider.problem}"
                raise errors.KafkaConnectionError(f"the token provider failed: {text}") from provider.problem
            raise provider.problem from problem
        if not isinstance(problem.__cause__, engine.AuthenticationError):
            raise
        raise errors.KafkaConnectionError(str(problem)) from problem.__cause__


async def or_no_contact(config: Mapping[str, Any], question: Coroutine[Any, Any, T]) -> T:
    """Returns the answer to the first question to a cluster, which goes on trying until its time limit; but fails as
    soon as every address was tried, as in aiokafka.

    Raises:
        KafkaConnectionError: No broker can be reached.
    """
    asked = asyncio.ensure_future(question)
    try:
        done, _ = await asyncio.wait([asked], timeout=SOON)
        if not done:
            await _reached(config)
        return await asked
    finally:
        asked.cancel()


async def _reached(config: Mapping[str, Any]) -> None:
    """Fails unless one of the addresses leads to the cluster, which the start of a producer finds out."""
    with errors.translated():
        producer = quiet(aio.Producer(config, acks=1, enable_idempotence=False))
    sender = _kafkars.AiokafkaSender()
    sender._open(producer, (None, None), True, {}, {})
    try:
        await sender._reach(config["request_timeout_ms"] / 1000)
    finally:
        await producer.close(0)


def servers(given: str | Sequence[str]) -> list[str]:
    """Returns the addresses with their ports."""
    listed = given.split(",") if isinstance(given, str) else given
    return [with_port(address.strip()) for address in listed]

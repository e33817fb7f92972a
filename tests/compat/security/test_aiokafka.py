"""aiokafka's settings of TLS and SASL."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import ssl
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from kafkars.compat.aiokafka._connection import Connection
from kafkars.compat.aiokafka.abc import AbstractTokenProvider
from kafkars.compat.aiokafka.admin import AIOKafkaAdminClient
from kafkars.compat.aiokafka.client import AIOKafkaClient
from kafkars.compat.aiokafka.helpers import create_ssl_context
from kafkars.config import AdminConfig
from kafkars.config.secret import Secret

from tests.support.sasl_gate import sasl_gate

CLIENTS = (AIOKafkaConsumer, AIOKafkaProducer, AIOKafkaAdminClient, AIOKafkaClient)
LOGIN = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_mechanism": "SCRAM-SHA-256",
    "sasl_plain_username": "alice",
    "sasl_plain_password": "Xq7-password",
}
DEFAULTS: dict[str, Any] = {
    "loop": None,
    "bootstrap_servers": "127.0.0.1:1",
    "client_id": "c",
    "metadata_max_age_ms": 1000,
    "request_timeout_ms": 1000,
    "retry_backoff_ms": 100,
    "connections_max_idle_ms": 1000,
    "api_version": None,
    "security_protocol": "PLAINTEXT",
    "ssl_context": None,
    "sasl_mechanism": "PLAIN",
    "sasl_plain_username": None,
    "sasl_plain_password": None,
    "sasl_kerberos_service_name": "kafka",
    "sasl_kerberos_domain_name": None,
    "sasl_oauth_token_provider": None,
}


class Provider(AbstractTokenProvider):
    async def token(self) -> str:
        await asyncio.sleep(0)
        return "token"


def engine(config: dict[str, Any]) -> dict[str, Any]:
    async def made() -> dict[str, Any]:
        return Connection(**DEFAULTS | config).settings()

    return asyncio.run(made())


def test_every_client_passes_every_setting_on(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {
        **LOGIN,
        "ssl_context": ssl.create_default_context(),
        "sasl_kerberos_service_name": "service",
        "sasl_kerberos_domain_name": "host",
        "sasl_oauth_token_provider": Provider(),
    }
    seen: list[Connection] = []
    settings = Connection.settings
    monkeypatch.setattr(Connection, "settings", lambda self: seen.append(self) or settings(self))

    async def make() -> None:
        for client in CLIENTS:
            names = [
                name for name in inspect.signature(client).parameters if name.startswith(("ssl", "sasl", "security"))
            ]
            assert sorted(names) == sorted(given)
            made: Any = client(bootstrap_servers="127.0.0.1:1", **given)
            assert "Xq7" not in repr(made) + repr(seen[-1]) + repr(seen[-1].settings())
            assert {name: getattr(seen[-1], name) for name in given} == given
            await (made.stop() if hasattr(made, "stop") else made.close())

    asyncio.run(make())


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_name_and_password(mechanism: str) -> None:
    found = engine(LOGIN | {"sasl_mechanism": mechanism})
    assert (found["sasl_mechanism"], found["sasl_username"]) == (mechanism, "alice")
    assert isinstance(found["sasl_password"], Secret)
    AdminConfig(**found)
    # Without SASL they mean nothing, as in aiokafka.
    assert "sasl_username" not in engine(LOGIN | {"security_protocol": "PLAINTEXT"})


def test_a_provider_is_awaited_on_the_programs_loop() -> None:
    loops = []

    class Noting(Provider):
        async def token(self) -> str:
            loops.append(asyncio.get_running_loop())
            return await super().token()

    async def ask() -> object:
        config = LOGIN | {"sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token_provider": Noting()}
        provider = Connection(**DEFAULTS | config).settings()["sasl_oauthbearer_token_provider"]
        answer = await asyncio.to_thread(provider)
        assert loops == [asyncio.get_running_loop()]
        return answer

    assert asyncio.run(ask()) == ("token", None, {})


@pytest.mark.parametrize("name", ["aiokafka", "kafkars.compat.aiokafka"], ids=["original", "face"])
@pytest.mark.parametrize("raised", ["asyncio.TimeoutError", "ConnectionError", "KafkaError", "LookupError"])
def test_what_a_provider_raises(name: str, raised: str) -> None:
    """No token because of the network is no contact, and may be tried again; a mistake comes through."""
    library = importlib.import_module(name)
    abc, errors = importlib.import_module(f"{name}.abc"), importlib.import_module(f"{name}.errors")
    kinds = {"asyncio.TimeoutError": asyncio.TimeoutError, "KafkaError": errors.KafkaError}
    kind = kinds.get(raised) or {"ConnectionError": ConnectionError, "LookupError": LookupError}[raised]

    class Failing(abc.AbstractTokenProvider):  # type: ignore[misc, name-defined]
        async def token(self) -> str:
            await asyncio.sleep(0)
            raise kind("no token today")

    async def start() -> None:
        with sasl_gate() as gate:
            producer = library.AIOKafkaProducer(
                bootstrap_servers=gate.address,
                security_protocol="SASL_PLAINTEXT",
                sasl_mechanism="OAUTHBEARER",
                sasl_oauth_token_provider=Failing(),
                request_timeout_ms=5_000,
            )
            try:
                await producer.start()
            finally:
                await producer.stop()

    with pytest.raises(LookupError if raised == "LookupError" else errors.KafkaConnectionError) as caught:
        asyncio.run(start())
    if name != "aiokafka":
        assert "no token today" in str(caught.value)


def test_kerberos_is_the_engines() -> None:
    config = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "GSSAPI", "sasl_kerberos_domain_name": "host"}
    found = engine(config)
    assert found["sasl_mechanism"] == "GSSAPI"
    assert (found["sasl_kerberos_service_name"], found["sasl_kerberos_domain_name"]) == ("kafka", "host")
    AdminConfig(**found)


def test_a_context_is_read(files: Path) -> None:
    context = create_ssl_context(cafile=files / "ca.pem", certfile=files / "certificate.pem", keyfile=files / "key.pem")
    context.check_hostname = False
    found = engine({"security_protocol": "SSL", "ssl_context": context})
    assert {name: value for name, value in found.items() if name.startswith("ssl_")} == {
        "ssl_ca_location": str(files / "ca.pem"),
        "ssl_certificate_location": str(files / "certificate.pem"),
        "ssl_key_location": str(files / "key.pem"),
        "ssl_endpoint_identification_algorithm": "none",
    }


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"security_protocol": "TLS"}, "security_protocol"),
        ({"security_protocol": "SSL"}, "ssl_context"),
        ({**LOGIN, "sasl_mechanism": "TELEPATHY"}, "sasl_mechanism"),
        ({**LOGIN, "sasl_plain_password": None}, "sasl_plain_password"),
        ({**LOGIN, "sasl_mechanism": "OAUTHBEARER"}, "sasl_oauth_token_provider"),
    ],
    ids=["protocol", "context", "mechanism", "password", "provider"],
)
def test_what_is_wrong_is_named(config: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        engine(config)


def test_what_a_context_does_not_tell_is_refused_with_what_to_do(files: Path) -> None:
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    with pytest.raises(ValueError, match=r"CERT_NONE.*cafile"):
        engine({"security_protocol": "SSL", "ssl_context": unchecked})
    revoking = ssl.create_default_context(cafile=files / "ca.pem")
    revoking.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    with pytest.raises(ValueError, match="create_ssl_context"):
        engine({"security_protocol": "SSL", "ssl_context": revoking})

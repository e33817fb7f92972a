"""librdkafka's properties of TLS and SASL."""

from __future__ import annotations

import base64
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat.confluent_kafka import Consumer, KafkaError, KafkaException, Producer, _tokens
from kafkars.compat.confluent_kafka._config import producer_settings
from kafkars.compat.confluent_kafka._properties.security import SECURITY
from kafkars.compat.confluent_kafka.admin import AdminClient
from kafkars.config import ProducerConfig
from kafkars.config.checks import Derived
from kafkars.config.secret import Secret

SSL = {"security.protocol": "SSL"}
SASL = {"security.protocol": "sasl_plaintext"}
LOGIN = {**SASL, "sasl.mechanism": "PLAIN", "sasl.username": "alice", "sasl.password": "Xq7-password"}
OAUTH = {**SASL, "sasl.mechanisms": "OAUTHBEARER"}
OIDC = {
    **OAUTH,
    "sasl.oauthbearer.method": "OIDC",
    "sasl.oauthbearer.client.id": "client",
    "sasl.oauthbearer.client.secret": "Xq7-secret",
    "sasl.oauthbearer.token.endpoint.url": "https://issuer.test/token",
}


def token(_: str) -> tuple[str, float]:
    return "token", time.time() + 60


def engine(config: dict[str, Any]) -> dict[str, Any]:
    return producer_settings((config,), {}).engine


def refusal(config: dict[str, Any]) -> KafkaError:
    with pytest.raises(KafkaException) as caught:
        Producer(config)
    (error,) = caught.value.args
    return error


def value(setting: object) -> object:
    return setting.read() if isinstance(setting, Secret) else setting


# The property with a value, what else is set, the engine's setting and its value.
HONOURED: list[tuple[str, str, dict[str, Any], str, object]] = [
    ("security.protocol", "SASL_SSL", LOGIN, "security_protocol", "sasl_ssl"),
    ("ssl.cipher.suites", "ECDHE-RSA-AES256-GCM-SHA384", SSL, "ssl_cipher_suites", None),
    ("ssl.ca.location", "ca.pem", SSL, "ssl_ca_location", "FILE"),
    ("ssl.ca.pem", "PEM ca.pem", SSL, "ssl_ca_pem", "TEXT"),
    ("ssl.crl.location", "crl.pem", SSL, "ssl_crl_location", "FILE"),
    (
        "ssl.certificate.location",
        "certificate.pem",
        {**SSL, "ssl.key.location": "key.pem"},
        "ssl_certificate_location",
        "FILE",
    ),
    (
        "ssl.certificate.pem",
        "PEM certificate.pem",
        {**SSL, "ssl.key.location": "key.pem"},
        "ssl_certificate_pem",
        "TEXT",
    ),
    ("ssl.key.location", "key.pem", {**SSL, "ssl.certificate.location": "certificate.pem"}, "ssl_key_location", "FILE"),
    ("ssl.key.pem", "PEM key.pem", {**SSL, "ssl.certificate.location": "certificate.pem"}, "ssl_key_pem", "TEXT"),
    (
        "ssl.key.password",
        "Xq7-key",
        {**SSL, "ssl.certificate.location": "certificate.pem", "ssl.key.location": "encrypted.pem"},
        "ssl_key_password",
        "Xq7-key",
    ),
    (
        "ssl.keystore.location",
        "client.p12",
        {**SSL, "ssl.keystore.password": "Xq7-key"},
        "ssl_keystore_location",
        "FILE",
    ),
    (
        "ssl.keystore.password",
        "Xq7-key",
        {**SSL, "ssl.keystore.location": "client.p12"},
        "ssl_keystore_password",
        "Xq7-key",
    ),
    ("ssl.endpoint.identification.algorithm", "none", SSL, "ssl_endpoint_identification_algorithm", "none"),
    (
        "sasl.mechanisms",
        "SCRAM-SHA-256",
        {**LOGIN, "sasl.mechanism": "SCRAM-SHA-256"},
        "sasl_mechanism",
        "SCRAM-SHA-256",
    ),
    ("sasl.mechanism", "SCRAM-SHA-512", LOGIN, "sasl_mechanism", "SCRAM-SHA-512"),
    ("sasl.username", "bob", LOGIN, "sasl_username", "bob"),
    ("sasl.password", "Xq7-other", LOGIN, "sasl_password", "Xq7-other"),
    ("sasl.oauthbearer.client.id", "another", OIDC, "sasl_oauthbearer_client_id", "another"),
    ("sasl.oauthbearer.client.credentials.client.id", "another", OIDC, "sasl_oauthbearer_client_id", "another"),
    ("sasl.oauthbearer.client.secret", "Xq7-other", OIDC, "sasl_oauthbearer_client_secret", "Xq7-other"),
    (
        "sasl.oauthbearer.client.credentials.client.secret",
        "Xq7-other",
        OIDC,
        "sasl_oauthbearer_client_secret",
        "Xq7-other",
    ),
    ("sasl.oauthbearer.scope", "kafka", OIDC, "sasl_oauthbearer_scope", "kafka"),
    ("sasl.oauthbearer.extensions", "a=1,b=2", OIDC, "sasl_oauthbearer_extensions", "a=1,b=2"),
    ("https.ca.location", "ca.pem", OIDC, "sasl_oauthbearer_token_endpoint_ca_location", "FILE"),
    ("https.ca.pem", "PEM ca.pem", OIDC, "sasl_oauthbearer_token_endpoint_ca_pem", "TEXT"),
    (
        "sasl.oauthbearer.token.endpoint.url",
        "https://other.test/",
        OIDC,
        "sasl_oauthbearer_token_endpoint_url",
        "https://other.test/",
    ),
]
KERBEROS = {"sasl.kerberos.service.name", "sasl.kerberos.principal", "sasl.kerberos.keytab"}
BY_THE_FACE = {"sasl.oauthbearer.config", "enable.sasl.oauthbearer.unsecure.jwt", "sasl.oauthbearer.method"}


def in_folder(files: Path, text: object) -> object:
    if not isinstance(text, str) or not text.endswith((".pem", ".p12")):
        return text
    return (files / text.removeprefix("PEM ")).read_text() if text.startswith("PEM ") else str(files / text)


@pytest.mark.parametrize(("name", "given", "others", "setting", "expected"), HONOURED, ids=[row[0] for row in HONOURED])
def test_a_property_becomes_a_setting(  # noqa: PLR0917  a row of the table
    files: Path, name: str, given: str, others: dict[str, Any], setting: str, expected: object
) -> None:
    config = {key: in_folder(files, text) for key, text in (others | {name: given}).items()}
    found = engine(config)
    if expected in {"FILE", "TEXT"}:
        expected = config[name]
    if expected is None:
        assert found[setting]
    else:
        assert value(found[setting]) == expected
    with Derived():
        ProducerConfig(**found)
    # Without protection the property means nothing, as in librdkafka.
    if name != "security.protocol":
        without = engine({key: text for key, text in config.items() if key != "security.protocol"})
        assert setting not in without
        with Derived():
            ProducerConfig(**without)


def test_every_property_is_in_one_of_the_tables() -> None:
    honoured = {row[0] for row in HONOURED} | KERBEROS
    assert {each.name for each in SECURITY if each.treatment == "engine"} == honoured
    assert {each.name for each in SECURITY if each.treatment == "face"} == BY_THE_FACE


@pytest.mark.parametrize("each", [row for row in SECURITY if row.treatment == "refused"], ids=lambda each: each.name)
def test_what_is_not_offered_is_refused_by_name_with_the_reason(each: Any) -> None:
    other = {
        "flag": str(each.default != "true").lower(),
        "integer": 7,
        "choice": next((option for option in each.options if option != each.default), None),
    }.get(each.kind, "Xq7-value")
    others = OIDC if each.name.startswith("sasl.") else SSL
    said = refusal({**others, each.name: other})
    assert said.code() == KafkaError._INVALID_ARG
    assert each.name in said.str()
    assert each.note in said.str()
    assert "Xq7" not in said.str()
    if each.kind != "native":
        assert engine({each.name: other}) == engine({})


# What is for Windows only is refused elsewhere, as by the library.
WITHOUT_EFFECT = [row for row in SECURITY if row.treatment == "no effect" and row.name != "ssl.ca.certificate.stores"]


@pytest.mark.parametrize("each", WITHOUT_EFFECT, ids=lambda each: each.name)
def test_what_has_no_effect_is_taken(each: Any) -> None:
    assert engine({each.name: each.default}) == engine({})
    assert each.note


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({**SASL, "sasl.mechanism": "PLAIN"}, "sasl.username"),
        ({**SASL, "sasl.mechanism": "SCRAM-SHA-256", "sasl.username": "a"}, "sasl.password"),
        ({**SASL, "sasl.mechanism": "TELEPATHY", "sasl.username": "a", "sasl.password": "b"}, "sasl.mechanism"),
        (OAUTH, "oauth_cb"),
        ({**OIDC, "sasl.oauthbearer.client.id": ""}, "sasl.oauthbearer.client.id"),
        ({**OAUTH, "enable.sasl.oauthbearer.unsecure.jwt": True, "oauth_cb": token}, "mutually exclusive"),
        ({**SSL, "ssl.ca.location": "/missing"}, "ssl.ca.location"),
        ({**SSL, "ssl.key.location": "/missing"}, "ssl.key.location"),
        ({**SSL, "ssl.cipher.suites": "NONSENSE"}, "ssl.cipher.suites"),
    ],
)
def test_what_does_not_go_together_is_named_as_the_program_wrote_it(config: dict[str, Any], named: str) -> None:
    for make in (Producer, AdminClient, lambda given: Consumer({"group.id": "g", **given})):
        with pytest.raises(KafkaException, match=named) as caught:
            make(config)
        assert caught.value.args[0].code() == KafkaError._INVALID_ARG


def test_kerberos_is_the_engines() -> None:
    config = {**SASL, "sasl.mechanism": "GSSAPI"}
    # librdkafka's own default of the principal is a name that nobody has.
    assert engine(config)["sasl_kerberos_service_name"] == "kafka"
    assert "sasl_kerberos_principal" not in engine(config)
    given = {
        "sasl.kerberos.service.name": "broker",
        "sasl.kerberos.principal": "alice",
        "sasl.kerberos.keytab": "/keytab",
    }
    found = engine(config | given)
    assert {name: text for name, text in found.items() if "kerberos" in name} == {
        "sasl_kerberos_service_name": "broker",
        "sasl_kerberos_principal": "alice",
        "sasl_kerberos_keytab": "/keytab",
    }
    with Derived():
        ProducerConfig(**found)


def test_probe_is_the_system() -> None:
    assert "ssl_ca_location" not in engine({**SSL, "ssl.ca.location": "probe"})


def test_oauth_cb_is_asked_once_for_four_fifths_of_a_tokens_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str | None, int]] = []

    def oauth_cb(config: str | None) -> tuple[str, float, str, dict[str, str]]:
        asked.append((config, threading.get_ident()))
        return f"token {len(asked)}", time.time() + 100, "alice", {"tenant": "one"}

    found = engine({**OAUTH, "oauth_cb": oauth_cb, "sasl.oauthbearer.config": "key=value"})
    provider = found["sasl_oauthbearer_token_provider"]
    first = provider()
    assert (first[0], first[2]) == ("token 1", {"tenant": "one"})
    assert provider() == first
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 85)
    assert provider()[0] == "token 2"
    assert [config for config, _ in asked] == ["key=value"] * 2


@pytest.mark.parametrize(
    "answer", [None, "token", ("token",), ("token", "soon"), ("token", 1.0, "a", {}, 5), (b"token", 1.0)]
)
def test_a_callback_that_gives_no_token_makes_no_client(answer: Any) -> None:
    said = refusal({**OAUTH, "oauth_cb": lambda _: answer})
    assert said.code() == KafkaError.SASL_AUTHENTICATION_FAILED
    assert "expiry in seconds" in said.str()


@pytest.mark.parametrize(
    "answer",
    [
        ("", 9e9),
        ("a\x01b", 9e9),
        ("a", 0),
        ("a", 1.5),
        ("a", 9e9, "p", {"auth": "b"}),
        ("a", 9e9, "p", {"a b": "c"}),
        ("a", 9e9, "p", {"": "c"}),
        ("a", 9e9, "p", {"a": "\x01"}),
        ("a", 9e9, "p", {"a": 5}),
        ("a", 9e9, "p", {5: "a"}),
    ],
)
def test_a_token_that_cannot_be_sent_makes_no_client(answer: Any) -> None:
    said = refusal({**OAUTH, "oauth_cb": lambda _: answer})
    assert said.code() == KafkaError.SASL_AUTHENTICATION_FAILED


@pytest.mark.parametrize(
    "answer", [("a b", 9e9), ("a", 9e9, ""), ("a", 9e9, "p", {"aB": "c \t\r\n~"}), ("a", 9e9, "", {})]
)
def test_a_token_that_can(answer: Any) -> None:
    Producer({**OAUTH, "oauth_cb": lambda _: answer})


def test_a_callback_that_fails_for_a_moment_is_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tokens, "PAUSES", (0, 0, 0))
    heard: list[Any] = []
    calls: list[str | None] = []

    def oauth_cb(config: str | None) -> tuple[str, float]:
        calls.append(config)
        if len(calls) < 3:
            raise OSError("the vault is away")
        return "token", time.time() + 100

    producer = Producer({**OAUTH, "oauth_cb": oauth_cb, "error_cb": heard.append, "bootstrap.servers": "127.0.0.1:1"})
    producer.poll(0)
    assert len(calls) == 3
    told = [each.str() for each in heard if each.code() == KafkaError._AUTHENTICATION]
    assert [("the vault is away" in each) for each in told] == [True] * 2


def test_what_the_callback_raises_is_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tokens, "PAUSES", (0,))

    def oauth_cb(_: str) -> Any:
        raise RuntimeError("the vault is closed")

    with pytest.raises(KafkaException, match="the vault is closed") as caught:
        Producer({**OAUTH, "oauth_cb": oauth_cb})
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_an_unsecured_token_says_what_it_was_told() -> None:
    config = "principal=alice scope=a,b lifeSeconds=60 scopeClaimName=roles extension_tenant=one"
    settings = {**OAUTH, "enable.sasl.oauthbearer.unsecure.jwt": True, "sasl.oauthbearer.config": config}
    text, ends, extensions = engine(settings)["sasl_oauthbearer_token_provider"]()
    header, claims, signature = text.split(".")
    assert (decoded(header), signature) == ({"alg": "none"}, "")
    found = decoded(claims)
    assert (found["sub"], found["roles"]) == ("alice", ["a", "b"])
    # The end is told by the clock of the moment it is asked for.
    assert abs(found["exp"] - ends) < 1
    assert abs(ends - time.time() - 60) < 5
    assert extensions == {"tenant": "one"}


def decoded(part: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def test_credentials_can_change() -> None:
    settings = producer_settings((LOGIN,), {})
    settings.credentials.change("alice", "Xq7-new")
    assert settings.engine["sasl_password"].source() == "Xq7-new"
    producer = Producer(LOGIN)
    producer.set_sasl_credentials("alice", "Xq7-new")
    with pytest.raises(TypeError):
        producer.set_sasl_credentials("alice", 7)
    settings.credentials.change("bob", "Xq7-other")
    assert value(settings.engine["sasl_username"]) == "bob"


def test_secrets_show_themselves_nowhere(files: Path) -> None:
    identity = {
        "ssl.certificate.location": str(files / "certificate.pem"),
        "ssl.key.pem": (files / "key.pem").read_text(),
    }
    for config in (
        {**LOGIN, "security.protocol": "sasl_ssl", **identity},
        OIDC,
        {**OAUTH, "oauth_cb": lambda _: ("Xq7", time.time() + 9)},
    ):
        settings = producer_settings((config,), {})
        for text in (repr(settings), str(settings.engine), repr(settings.credentials), repr(Producer(config))):
            assert "Xq7" not in text
            assert "PRIVATE KEY" not in text

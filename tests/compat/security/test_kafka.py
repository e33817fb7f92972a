"""kafka-python's settings of TLS and SASL."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat.kafka import KafkaConsumer, KafkaProducer
from kafkars.compat.kafka._security import security
from kafkars.compat.kafka._settings import SHARED
from kafkars.compat.kafka.errors import KafkaConfigurationError
from kafkars.compat.kafka.oauth.abstract import AbstractTokenProvider as OldProvider
from kafkars.compat.kafka.sasl.oauth import AbstractTokenProvider
from kafkars.config import AdminConfig
from kafkars.config.secret import Secret

TLS = {"security_protocol": "SSL"}
LOGIN = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_mechanism": "PLAIN",
    "sasl_plain_username": "alice",
    "sasl_plain_password": "Xq7-password",
}


class Provider(AbstractTokenProvider):
    def token(self) -> str:
        return "token"

    def extensions(self) -> dict[str, str]:
        return {"tenant": "one"}


OAUTH = {"security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token_provider": Provider()}
GSSAPI = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "GSSAPI"}


def engine(config: dict[str, Any]) -> dict[str, Any]:
    return security({**SHARED, **config})


# The setting with a value, what else is set, the engine's setting and its value; FILE is the value with its folder.
HONOURED: list[tuple[str, Any, dict[str, Any], str, object]] = [
    ("security_protocol", "SASL_SSL", LOGIN, "security_protocol", "SASL_SSL"),
    ("ssl_check_hostname", False, TLS, "ssl_endpoint_identification_algorithm", "none"),
    ("ssl_cafile", "ca.pem", TLS, "ssl_ca_location", "FILE"),
    ("ssl_certfile", "certificate.pem", {**TLS, "ssl_keyfile": "key.pem"}, "ssl_certificate_location", "FILE"),
    ("ssl_keyfile", "key.pem", {**TLS, "ssl_certfile": "certificate.pem"}, "ssl_key_location", "FILE"),
    ("ssl_crlfile", "crl.pem", TLS, "ssl_crl_location", "FILE"),
    (
        "ssl_password",
        b"Xq7-key",
        {**TLS, "ssl_certfile": "certificate.pem", "ssl_keyfile": "encrypted.pem"},
        "ssl_key_password",
        "Xq7-key",
    ),
    (
        "ssl_ciphers",
        "ECDHE-RSA-AES256-GCM-SHA384",
        {**TLS, "ssl_ciphers": ""},
        "ssl_cipher_suites",
        [
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        ],
    ),
    ("sasl_mechanism", "SCRAM-SHA-512", LOGIN, "sasl_mechanism", "SCRAM-SHA-512"),
    ("sasl_plain_username", "bob", LOGIN, "sasl_username", "bob"),
    ("sasl_plain_password", "Xq7-other", LOGIN, "sasl_password", "Xq7-other"),
]
OTHERWISE = {"ssl_context", "sasl_oauth_token_provider"}
KERBEROS = {
    "sasl_kerberos_service_name": ("broker", {"sasl_kerberos_service_name": "broker"}),
    "sasl_kerberos_domain_name": ("host", {"sasl_kerberos_service_name": "kafka", "sasl_kerberos_domain_name": "host"}),
    "sasl_kerberos_name": ("svc@host", {"sasl_kerberos_service_name": "svc", "sasl_kerberos_domain_name": "host"}),
}


def in_folder(files: Path, text: Any) -> Any:
    return str(files / text) if isinstance(text, str) and text.endswith(".pem") else text


@pytest.mark.parametrize(("name", "given", "others", "setting", "expected"), HONOURED, ids=[row[0] for row in HONOURED])
def test_a_setting_becomes_one_of_the_engine(  # noqa: PLR0917  a row of the table
    files: Path, name: str, given: Any, others: dict[str, Any], setting: str, expected: object
) -> None:
    config = {key: in_folder(files, text) for key, text in (others | {name: given}).items()}
    found = engine(config)
    value = found[setting].read() if isinstance(found[setting], Secret) else found[setting]
    assert value == (config[name] if expected == "FILE" else expected)
    AdminConfig(bootstrap_servers="127.0.0.1:1", **found)
    if name != "security_protocol":
        assert setting not in engine({**config, "security_protocol": "PLAINTEXT"})


def test_every_setting_is_in_one_of_the_tables() -> None:
    ours = {name for name in SHARED if name.startswith(("ssl_", "sasl_", "security_"))}
    assert ours == {row[0] for row in HONOURED} | OTHERWISE | set(KERBEROS)


@pytest.mark.parametrize("name", KERBEROS)
def test_kerberos_is_the_engines(name: str) -> None:
    given, expected = KERBEROS[name]
    found = engine({**GSSAPI, name: given})
    assert found == {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "GSSAPI", **expected}
    AdminConfig(bootstrap_servers="127.0.0.1:1", **found)


def test_aws_needs_no_settings() -> None:
    found = engine({"security_protocol": "SASL_SSL", "sasl_mechanism": "AWS_MSK_IAM"})
    assert found == {"security_protocol": "SASL_SSL", "sasl_mechanism": "AWS_MSK_IAM"}
    AdminConfig(bootstrap_servers="127.0.0.1:1", **found)


def test_a_context_decides_and_files_add_what_it_does_not_tell(files: Path) -> None:
    context = ssl.create_default_context(cafile=files / "ca.pem")
    context.check_hostname = False
    found = engine(
        {
            **TLS,
            "ssl_context": context,
            "ssl_cafile": "/ignored.pem",
            "ssl_certfile": str(files / "certificate.pem"),
            "ssl_keyfile": str(files / "key.pem"),
            "ssl_crlfile": str(files / "crl.pem"),
        }
    )
    assert found == {
        "security_protocol": "SSL",
        "ssl_ca_pem": (files / "ca.pem").read_text(),
        "ssl_endpoint_identification_algorithm": "none",
        "ssl_certificate_location": str(files / "certificate.pem"),
        "ssl_key_location": str(files / "key.pem"),
        "ssl_crl_location": str(files / "crl.pem"),
    }
    context.verify_mode = ssl.CERT_NONE
    with pytest.raises(KafkaConfigurationError, match="CERT_NONE"):
        engine({**TLS, "ssl_context": context})


def test_a_provider_is_asked_for_token_and_extensions() -> None:
    provider = engine(OAUTH)["sasl_oauthbearer_token_provider"]
    assert provider() == ("token", None, {"tenant": "one"})
    assert OldProvider is AbstractTokenProvider


@pytest.mark.parametrize(
    ("config", "error", "named"),
    [
        ({"security_protocol": "TLS"}, AssertionError, "security_protocol"),
        ({**LOGIN, "sasl_mechanism": None}, KeyError, "sasl_mechanism: None"),
        ({**LOGIN, "sasl_mechanism": "TELEPATHY"}, KeyError, "sasl_mechanism: .*SCRAM-SHA-256"),
        ({**LOGIN, "sasl_plain_password": None}, AssertionError, "sasl_plain_password"),
        ({**OAUTH, "sasl_oauth_token_provider": "token"}, AssertionError, "sasl_oauth_token_provider"),
        ({**TLS, "ssl_cafile": "/missing.pem"}, FileNotFoundError, "No such file"),
        ({**TLS, "ssl_ciphers": "NONSENSE"}, ssl.SSLError, "cipher"),
        ({**TLS, "ssl_cafile": __file__}, ssl.SSLError, "PEM|X509|SSL"),
        ({**TLS, "ssl_context": "tls"}, KafkaConfigurationError, "ssl_context"),
        ({"socks5_proxy": "socks5://a"}, KafkaConfigurationError, "socks5_proxy"),
    ],
    ids=["protocol", "none", "mechanism", "password", "provider", "file", "ciphers", "no PEM", "context", "proxy"],
)
def test_what_is_wrong_is_named(config: dict[str, Any], error: type[Exception], named: str) -> None:
    for make in (KafkaConsumer, KafkaProducer):
        with pytest.raises(error, match=named):
            make(bootstrap_servers="127.0.0.1:1", **config)


def test_secrets_show_themselves_nowhere(files: Path) -> None:
    tls = {
        "ssl_certfile": str(files / "certificate.pem"),
        "ssl_keyfile": str(files / "encrypted.pem"),
        "ssl_password": "Xq7-key",
    }
    config = {
        **LOGIN,
        **tls,
        "security_protocol": "SASL_SSL",
        "api_version": (2, 5),
        "bootstrap_servers": "127.0.0.1:1",
    }
    assert "Xq7" not in repr(engine(config))
    consumer, producer = KafkaConsumer(**config), KafkaProducer(**config)
    assert "Xq7" not in repr(consumer) + repr(producer) + str(producer.metrics())
    consumer.close()
    producer.close(0)

"""kafka-python's settings of TLS and SASL as settings of the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kafkars.compat._kerberos import kerberos
from kafkars.compat._tls import UnusableTlsError, identity, settings_of, suites_of
from kafkars.compat.kafka.errors import KafkaConfigurationError
from kafkars.compat.kafka.sasl.oauth import AbstractTokenProvider
from kafkars.config.security import FromApplication, Secret

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM")
INSTEAD = "set ssl_cafile, ssl_crlfile, ssl_certfile and ssl_keyfile, beside ssl_context or instead of it"
"""What a program can do where a context does not tell what the engine needs."""


def check(config: Mapping[str, Any]) -> None:
    """Refuses what kafka-python refuses.

    Raises:
        AssertionError: The protocol, the mechanism or what it needs is missing or not known.
        KeyError: The mechanism is not known.
    """
    protocol, mechanism = config["security_protocol"], config["sasl_mechanism"]
    if protocol not in PROTOCOLS:
        raise AssertionError(f"security_protocol: {protocol!r} is none of {', '.join(PROTOCOLS)}")
    if not protocol.startswith("SASL_"):
        return
    if mechanism not in MECHANISMS:
        raise KeyError(mechanism)
    if mechanism == "PLAIN" or mechanism.startswith("SCRAM-"):
        for name in ("sasl_plain_username", "sasl_plain_password"):
            if config[name] is None:
                raise AssertionError(f"{name} is needed with sasl_mechanism={mechanism}")
    if mechanism == "OAUTHBEARER" and not isinstance(config["sasl_oauth_token_provider"], AbstractTokenProvider):
        raise AssertionError("sasl_oauth_token_provider: an object of kafka.sasl.oauth.AbstractTokenProvider is needed")


def security(config: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the engine.

    Raises:
        KafkaConfigurationError: A context asks for something that cannot be read back, or that the engine does not do.
        OSError: A file cannot be read.
        ssl.SSLError: Nobody knows the cipher suites.
    """
    protocol: str = config["security_protocol"]
    settings: dict[str, Any] = {"security_protocol": protocol}
    if protocol in {"SSL", "SASL_SSL"}:
        try:
            settings |= tls(config)
        except UnusableTlsError as problem:
            raise KafkaConfigurationError(str(problem)) from None
    return settings | sasl(config) if protocol.startswith("SASL_") else settings


def tls(config: Mapping[str, Any]) -> dict[str, Any]:
    """Whom we believe, and what we show. A context decides where there is one, and files add what it does not tell."""
    context = config["ssl_context"]
    for name in ("ssl_cafile", "ssl_certfile", "ssl_keyfile", "ssl_crlfile"):
        if config[name] is not None and (context is None or name != "ssl_cafile"):
            # What is wrong with a file is raised as kafka-python raises it, by the system's own error.
            Path(config[name]).open("rb").close()
    own = identity(config["ssl_certfile"], config["ssl_keyfile"], config["ssl_password"])
    revoked = {} if config["ssl_crlfile"] is None else {"ssl_crl_location": config["ssl_crlfile"]}
    if context is not None:
        return settings_of(context, INSTEAD, revocations=revoked) | own
    settings = own | revoked
    if config["ssl_cafile"] is not None:
        settings["ssl_ca_location"] = config["ssl_cafile"]
    if not config["ssl_check_hostname"]:
        settings["ssl_endpoint_identification_algorithm"] = "none"
    if config["ssl_ciphers"] is not None:
        settings |= suites_of("ssl_ciphers", config["ssl_ciphers"])
    return settings


def sasl(config: Mapping[str, Any]) -> dict[str, Any]:
    """What the mechanism needs."""
    mechanism: str = config["sasl_mechanism"]
    settings: dict[str, Any] = {"sasl_mechanism": mechanism}
    if mechanism == "OAUTHBEARER":
        return settings | {
            "sasl_oauthbearer_token_provider": FromApplication(asking(config["sasl_oauth_token_provider"]))
        }
    if mechanism == "GSSAPI":
        return settings | tickets(config)
    if mechanism == "AWS_MSK_IAM":
        return settings
    return settings | {
        "sasl_username": config["sasl_plain_username"],
        "sasl_password": Secret(config["sasl_plain_password"]),
    }


def asking(provider: AbstractTokenProvider) -> Callable[[], object]:
    """A function that asks the program's provider."""
    return lambda: (provider.token(), None, provider.extensions())


def tickets(config: Mapping[str, Any]) -> dict[str, Any]:
    """The service whose ticket is shown. A `gssapi.Name` says "kafka@host"."""
    service, domain = config["sasl_kerberos_service_name"], config["sasl_kerberos_domain_name"]
    if config["sasl_kerberos_name"] is not None:
        service, _, domain = str(config["sasl_kerberos_name"]).replace("/", "@").partition("@")
    return kerberos(service, domain or None)

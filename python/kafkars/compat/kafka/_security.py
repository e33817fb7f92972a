"""Translation of kafka-python's settings of TLS and SASL to those of kafkars."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Mapping
from typing import Any

from kafkars.compat._kerberos import kerberos
from kafkars.compat._tls import RememberingContext, UnusableTlsError, identity, settings_of
from kafkars.compat.kafka.errors import KafkaConfigurationError
from kafkars.compat.kafka.sasl.oauth import AbstractTokenProvider
from kafkars.config.checks import shown
from kafkars.config.secret import FromApplication, Secret

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM")
INSTEAD = "set ssl_cafile, ssl_crlfile, ssl_certfile and ssl_keyfile, beside ssl_context or instead of it"
"""What to do if a context does not tell what the engine needs."""


def check(config: Mapping[str, Any]) -> None:
    """Refuses the settings that kafka-python refuses.

    Raises:
        AssertionError: The protocol, the mechanism or one of its settings is missing or unknown.
        KeyError: The mechanism is unknown.
    """
    protocol, mechanism = config["security_protocol"], config["sasl_mechanism"]
    if protocol not in PROTOCOLS:
        raise AssertionError(f"security_protocol: {shown(protocol, PROTOCOLS)} is none of {', '.join(PROTOCOLS)}")
    if not protocol.startswith("SASL_"):
        return
    if mechanism not in MECHANISMS:
        raise KeyError(f"sasl_mechanism: {shown(mechanism, MECHANISMS)} is none of {', '.join(MECHANISMS)}")
    if mechanism == "PLAIN" or mechanism.startswith("SCRAM-"):
        for name in ("sasl_plain_username", "sasl_plain_password"):
            if config[name] is None:
                raise AssertionError(f"{name} is needed with sasl_mechanism={mechanism}")
    if mechanism == "OAUTHBEARER" and not isinstance(config["sasl_oauth_token_provider"], AbstractTokenProvider):
        raise AssertionError("sasl_oauth_token_provider: an object of kafka.sasl.oauth.AbstractTokenProvider is needed")


def security(config: Mapping[str, Any]) -> dict[str, Any]:
    """Translates the settings of TLS and SASL.

    Raises:
        KafkaConfigurationError: A context has something that cannot be read back or that the engine does not support.
        OSError: A file cannot be read.
        ssl.SSLError: A file is not PEM, its password is wrong, or the cipher suites are unknown.
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
    """Returns the settings of TLS: those of a context if there is one, and files for what it does not tell."""
    revoked = {} if config["ssl_crlfile"] is None else {"ssl_crl_location": os.fsdecode(config["ssl_crlfile"])}
    if config["ssl_context"] is not None:
        own = identity(config["ssl_certfile"], config["ssl_keyfile"], config["ssl_password"])
        believed = {"ssl_ca_location": os.fsdecode(config["ssl_cafile"])} if config["ssl_cafile"] else {}
        return settings_of(config["ssl_context"], INSTEAD, revocations=revoked, authorities=believed) | own
    return settings_of(context_of(config), INSTEAD, revocations=revoked)


def context_of(config: Mapping[str, Any]) -> RememberingContext:
    """Creates the context that kafka-python creates of files, to raise its errors."""
    context = RememberingContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = bool(config["ssl_check_hostname"])
    if config["ssl_cafile"]:
        context.load_verify_locations(config["ssl_cafile"])
    else:
        context.load_default_certs()
    if config["ssl_certfile"]:
        # Not None, with which OpenSSL would ask for a password at the terminal.
        password = "" if config["ssl_password"] is None else config["ssl_password"]
        context.load_cert_chain(config["ssl_certfile"], config["ssl_keyfile"], password)
    if config["ssl_crlfile"]:
        # Loaded into the base class, which only checks it: it is no file of authorities.
        ssl.SSLContext.load_verify_locations(context, config["ssl_crlfile"])
    if config["ssl_ciphers"]:
        context.set_ciphers(config["ssl_ciphers"])
    return context


def sasl(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of the SASL mechanism."""
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
    """Returns a function that calls the program's token provider."""
    return lambda: (provider.token(), None, provider.extensions())


def tickets(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of Kerberos; a `gssapi.Name` is "service@host"."""
    service, domain = config["sasl_kerberos_service_name"], config["sasl_kerberos_domain_name"]
    if config["sasl_kerberos_name"] is not None:
        service, _, domain = str(config["sasl_kerberos_name"]).replace("/", "@").partition("@")
    return kerberos(service, domain or None)

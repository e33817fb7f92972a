"""Translation of librdkafka's properties of TLS and SASL to kafkars' settings, and credentials that change while a
client runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from kafkars.compat._kerberos import kerberos
from kafkars.compat.confluent_kafka._properties.property import NATIVE, REFUSED
from kafkars.compat.confluent_kafka._properties.security import SECURITY
from kafkars.compat.confluent_kafka._tokens import Tokens, first_tokens
from kafkars.compat.confluent_kafka._values import Values, invalid, value_of
from kafkars.compat.confluent_kafka.error import KafkaError
from kafkars.config.secret import NOT_UTF8, FromApplication, Secret, is_utf8

TEXTS = {
    "ssl.ca.pem": "ssl_ca_pem",
    "ssl.crl.location": "ssl_crl_location",
    "ssl.certificate.location": "ssl_certificate_location",
    "ssl.certificate.pem": "ssl_certificate_pem",
    "ssl.key.location": "ssl_key_location",
    "ssl.keystore.location": "ssl_keystore_location",
}
SECRETS = {
    "ssl.key.pem": "ssl_key_pem",
    "ssl.key.password": "ssl_key_password",
    "ssl.keystore.password": "ssl_keystore_password",
}
SYSTEM = "probe"
"""Stands for the system's authorities in `ssl.ca.location` and `https.ca.location`."""


class Credentials:
    """The name and the password of later logins."""

    def __init__(self, username: str | None = None, password: str | None = None) -> None:
        self._kept = (username or "", Secret(password or ""))
        # Errors of `oauth_cb` that were survived while the client was made: `error_cb` hears of them.
        self.refused: list[KafkaError] = []

    def change(self, username: str, password: str) -> None:
        """Sets the name and the password of later logins.

        Raises:
            KafkaException: One is no UTF-8.
        """
        for name, given in (("username", username), ("password", password)):
            if not is_utf8(given):
                raise invalid(f"{name} {NOT_UTF8}")
        self._kept = (username, Secret(password))

    def username(self) -> str:
        """Returns the current name."""
        return self._kept[0]

    def password(self) -> str:
        """Returns the current password."""
        return self._kept[1].read()


def security(values: Values, oauth_cb: Callable[..., Any] | None) -> tuple[dict[str, Any], Credentials]:
    """Returns kafkars' settings, and the credentials that `set_sasl_credentials()` changes.

    Raises:
        KafkaException: Something is missing, or cannot be used.
    """
    check_files(values)
    protocol: str = values["security.protocol"]
    settings: dict[str, Any] = {"security_protocol": protocol}
    credentials = Credentials()
    if protocol in {"ssl", "sasl_ssl"}:
        refuse(values, "ssl.", "enable.ssl.")
        settings |= tls(values)
    if protocol.startswith("sasl_"):
        mechanism = values["sasl.mechanisms"]
        settings["sasl_mechanism"] = mechanism
        if mechanism == "OAUTHBEARER":
            refuse(values, "sasl.oauthbearer.")
            settings |= oauthbearer(values, oauth_cb, credentials)
        elif mechanism == "GSSAPI":
            settings |= tickets(values)
        else:
            username, password = values["sasl.username"], values["sasl.password"]
            if not username or not password:
                raise values.contradiction("sasl.username and sasl.password must be set")
            credentials = Credentials(username, password)
            settings |= {
                "sasl_username": Secret(FromApplication(credentials.username)),
                "sasl_password": Secret(FromApplication(credentials.password)),
            }
    return settings, credentials


def check_files(values: Values) -> None:
    """Checks files, also if the security protocol does not need them."""
    authorities = values["https.ca.location"]
    # Not Path.exists(): its error for a text that is too long for a name contains the text.
    if authorities and authorities != "probe" and not os.path.exists(authorities):  # noqa: PTH110
        raise values.contradiction("https.ca.location must be an existing file or directory, or probe")
    if values["ssl.keystore.location"] and not values["ssl.keystore.password"]:
        raise values.contradiction("ssl.keystore.location needs ssl.keystore.password")


def refuse(values: Values, *prefixes: str) -> None:
    """Raises the error for a property that kafkars does not support. The value may be a secret and is not shown."""
    for each in SECURITY:
        if each.treatment == REFUSED and each.kind != NATIVE and each.name.startswith(prefixes):
            default = value_of(each, each.default or None, each.name, default=True)
            if values.has(each.name) and values[each.name] not in {None, default}:
                raise invalid(f'"{each.name}" is not offered: {each.note}')


def tls(values: Values) -> dict[str, Any]:
    """Returns the settings of TLS: trusted authorities and the client's certificate."""
    settings: dict[str, Any] = {
        "ssl_endpoint_identification_algorithm": values["ssl.endpoint.identification.algorithm"]
    }
    authorities = values["ssl.ca.location"]
    if authorities and authorities != SYSTEM:
        settings["ssl_ca_location"] = authorities
    settings |= {name: values[text] for text, name in TEXTS.items() if values[text]}
    settings |= {name: Secret(values[text]) for text, name in SECRETS.items() if values[text]}
    suites = values["ssl.cipher.suites"]
    if suites:
        from ssl import SSLError  # noqa: PLC0415  few clients name suites, and `ssl` takes its time

        from kafkars.compat._tls import suites_of  # noqa: PLC0415

        try:
            settings |= suites_of("ssl.cipher.suites", suites)
        except SSLError as problem:
            raise values.contradiction(str(problem)) from None
    return settings


def oauthbearer(values: Values, oauth_cb: Callable[..., Any] | None, credentials: Credentials) -> dict[str, Any]:
    """Returns the settings of where tokens come from."""
    config = values["sasl.oauthbearer.config"]
    if values["sasl.oauthbearer.method"] == "oidc":
        return endpoint(values)
    if values["enable.sasl.oauthbearer.unsecure.jwt"]:
        if oauth_cb is not None:
            raise values.contradiction("oauth_cb and enable.sasl.oauthbearer.unsecure.jwt are mutually exclusive")
        from kafkars.compat.confluent_kafka._unsecured_token import unsecured  # noqa: PLC0415  for brokers of tests

        return {"sasl_oauthbearer_token_provider": Tokens(unsecured, config)}
    if oauth_cb is None:
        raise values.contradiction(
            "sasl.mechanism=OAUTHBEARER needs oauth_cb, sasl.oauthbearer.method=oidc or enable.sasl.oauthbearer.unsecure.jwt"
        )
    return {"sasl_oauthbearer_token_provider": first_tokens(oauth_cb, config, credentials.refused.append)}


def endpoint(values: Values) -> dict[str, Any]:
    """Returns the settings of a token endpoint of OpenID Connect."""
    needed = {
        "sasl.oauthbearer.client.id": "sasl_oauthbearer_client_id",
        "sasl.oauthbearer.client.secret": "sasl_oauthbearer_client_secret",
        "sasl.oauthbearer.token.endpoint.url": "sasl_oauthbearer_token_endpoint_url",
    }
    for name in needed:
        if not values[name]:
            raise values.contradiction(f"{name} must be set with sasl.oauthbearer.method=oidc")
    settings = {name: values[text] for text, name in needed.items()}
    settings["sasl_oauthbearer_client_secret"] = Secret(values["sasl.oauthbearer.client.secret"])
    optional = {
        "sasl.oauthbearer.scope": "sasl_oauthbearer_scope",
        "sasl.oauthbearer.extensions": "sasl_oauthbearer_extensions",
        "https.ca.location": "sasl_oauthbearer_token_endpoint_ca_location",
        "https.ca.pem": "sasl_oauthbearer_token_endpoint_ca_pem",
    }
    found = {name: values[text] for text, name in optional.items() if values[text] and values[text] != SYSTEM}
    return settings | found


def tickets(values: Values) -> dict[str, Any]:
    """Returns the settings of Kerberos."""
    # librdkafka's default of the principal is a name that no realm has, so it counts only if it was set.
    principal = values["sasl.kerberos.principal"] if values.has("sasl.kerberos.principal") else None
    return kerberos(values["sasl.kerberos.service.name"], None, principal, values["sasl.kerberos.keytab"])

"""Checks of the settings of TLS and SASL."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from kafkars.config import checks
from kafkars.config.kept_token import KeptToken
from kafkars.config.secret import FromApplication, Secret
from kafkars.errors import ConfigError

Token = str | tuple[str, float | None] | tuple[str, float | None, Mapping[str, str]]
"""A token; or a token, its expiry in seconds since 1970 (None to read it from a JWT's `exp`), and its extensions."""

TokenProvider = Callable[[], Token | Awaitable[Token]]
"""Returns a token whenever a connection needs one."""

AwsCredentials = tuple[str, str] | tuple[str, str, str | None]
"""An access key id of AWS, the secret access key, and the session token if there is one."""

AwsCredentialsProvider = Callable[[], AwsCredentials | Awaitable[AwsCredentials]]
"""Returns credentials of AWS whenever a connection needs them."""

PROTOCOLS = ("plaintext", "ssl", "sasl_plaintext", "sasl_ssl")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM")
TLS_VERSIONS = ("TLSv1.2", "TLSv1.3")

TELLING = "secret"
"""A parameter of a URL whose name contains this word holds a secret."""

MADE_PROVIDERS = ("ClientCredentials", "AwsKeys")
"""Classes of providers that are made from other settings; their modules are imported only when they are used."""


def secret(name: str, value: object) -> Secret | None:
    """Checks for a secret in any of its forms. The error does not show the value."""
    if value is None:
        return None
    source = value.source if isinstance(value, Secret) else value
    if isinstance(source, FromApplication) and isinstance(value, Secret):
        return value
    if isinstance(source, str):
        return Secret(str(source))
    if isinstance(source, os.PathLike):
        return Secret(path_of_secret(name, source))
    if callable(source):
        return Secret(FromApplication(source))
    raise ConfigError.of(
        name,
        f"expected text, a path of a file (pathlib.Path) or a function, not a value of type {type(source).__name__}",
    )


def path_of_secret(name: str, given: Any) -> Any:
    """Returns the path of a file that holds a secret; other values as they are."""
    text = text_of_path(given)
    if text is None:
        raise ConfigError.of(name, "expected a path as text that the system can hold")
    not_content(name, text)
    return given


def text_of_path(given: Any) -> str | None:
    """Returns a path as text; None for what no path can be."""
    try:
        text = os.fspath(given)
        return text if isinstance(text, str) and os.fsencode(text) else None
    except Exception:  # noqa: BLE001  whatever an object of the application raises may quote its content
        return None


def key_password(name: str, value: object) -> Secret | None:
    """Checks for the password of a key, which may also be bytes that are no text, as for OpenSSL."""
    source = value.source if isinstance(value, Secret) else value
    return Secret(bytes(source)) if isinstance(source, bytes | bytearray) else secret(name, value)


def sent_secret(name: str, value: object) -> Secret | None:
    """Checks for a secret that is sent, or signs what is sent, and so must not be empty."""
    # An empty `Secret` passes: the faces make one where their originals accept it, and the login fails.
    if isinstance(value, str) and not value:
        raise ConfigError.of(name, "is empty")
    return secret(name, value)


def provider(name: str, value: object) -> Callable[[], object] | None:
    """Checks for a function that returns credentials or tokens."""
    # The classes of MADE_PROVIDERS are in `oidc.py` and `aws.py`.
    if value is None or isinstance(value, FromApplication | KeptToken) or type(value).__name__ in MADE_PROVIDERS:
        return value  # type: ignore[return-value]
    if not callable(value):
        raise ConfigError.of(name, f"expected a function, not a value of type {type(value).__name__}")
    return FromApplication(value)


def path(name: str, value: object) -> str | None:
    """Checks for a path, and returns it as text."""
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike):
        raise checks.wrong(name, value, "a path")
    given = text_of_path(value)
    if given is None:
        raise checks.wrong(name, value, "a path as text that the system can hold, and that is not empty")
    not_content(name, given)
    return str(given)


def ticket_cache(name: str, value: object) -> str | None:
    """Checks for the name of a credential cache of Kerberos: a path, or a type and a path."""
    return path(name, value)


def not_content(name: str, given: str) -> None:
    """Checks that a path is not the content of a file: that may be a key, and paths are quoted.

    Raises:
        ConfigError: It contains line ends, or PEM.
    """
    if "-----BEGIN" in given or "\n" in given or "\r" in given:
        instead = name.removesuffix("_location") + "_pem"
        hint = f"; {instead} takes PEM text" if instead in CHECKS else ""
        raise ConfigError.of(name, f"expected the path of a file, not what is in it{hint}")


def mechanism(name: str, value: object) -> str | None:
    """Checks for a SASL mechanism, in upper or lower case."""
    if value is None:
        return None
    known = value.upper() if isinstance(value, str) else ""
    if known in MECHANISMS:
        return known
    raise checks.wrong(name, value, "one of " + ", ".join(map(repr, MECHANISMS)), MECHANISMS)


def certificates(name: str, value: object) -> str | None:
    """Checks for certificates as PEM text. A key among them is an error, because `repr()` of a config shows the text.
    The error does not quote it.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise ConfigError.of(name, f"expected text, not a value of type {type(value).__name__}")
    if checks.PRIVATE_KEY in value:
        raise ConfigError.of(name, "holds a private key; give only certificates here, and the key in ssl_key_pem")
    return str(value)


def endpoint(name: str, value: object) -> str | None:
    """Checks for the URL of a web server without a secret in it."""
    if value is None:
        return None
    if not isinstance(value, str) or not value.lower().startswith(("https://", "http://")):
        raise checks.wrong(name, value, '"https://..."')
    from urllib.parse import parse_qsl, urlsplit  # noqa: PLC0415  only where it is used

    parts = checks.parsed(urlsplit, value)
    if parts is None or checks.parsed(lambda text: (urlsplit(text).port,), value) is None:
        raise ConfigError.of(name, "is no URL: its host or port cannot be read")
    if any(letter <= " " or letter == "\x7f" for letter in value) or not (parts.path + parts.query).isascii():
        raise ConfigError.of(name, "has letters that no URL has; write them as their bytes, such as %20 for a space")
    if not parts.hostname:
        raise ConfigError.of(name, "names no host")
    # The URL is shown in messages and by repr().
    if "@" in parts.netloc or any(TELLING in key.lower() for key, _ in parse_qsl(parts.query)):
        raise ConfigError.of(
            name,
            "holds a secret, and is shown; give it in sasl_oauthbearer_client_id and sasl_oauthbearer_client_secret",
        )
    return str(value)


def names(name: str, value: object) -> tuple[str, ...]:
    """Checks for several words, as a sequence or as text with commas."""
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, bytes) or not isinstance(value, Sequence):
        raise checks.wrong(name, value, "several names")
    if not all(isinstance(part, str) for part in value):
        raise checks.wrong(name, value, "several names")
    return tuple(part.strip() for part in value if part.strip())


def tls_versions(name: str, value: object) -> tuple[str, ...]:
    """Checks for versions of TLS as Kafka writes them."""
    known = {version.lower(): version for version in TLS_VERSIONS}
    given = names(name, value)
    for part in given:
        if part.lower() not in known:
            raise checks.wrong(name, part, " and ".join(map(repr, TLS_VERSIONS)), TLS_VERSIONS)
    return tuple(known[part.lower()] for part in given)


def extensions(name: str, value: object) -> tuple[tuple[str, str], ...]:
    """Checks for names with values, as a mapping or as text such as `"a=1,b=2"`."""
    if isinstance(value, str):
        parts = [part.partition("=") for part in value.split(",") if part.strip()]
        if not all(equals for _, equals, _ in parts):
            raise checks.wrong(name, value, 'a mapping, or text such as "a=1,b=2"')
        return tuple((key.strip(), text) for key, _, text in parts)
    if isinstance(value, tuple):
        value = dict(value)
    if not isinstance(value, Mapping):
        raise checks.wrong(name, value, 'a mapping, or text such as "a=1,b=2"')
    if not all(isinstance(key, str) and isinstance(text, str) for key, text in value.items()):
        raise checks.wrong(name, value, "a mapping of text to text")
    return tuple(value.items())


def user(name: str, value: object) -> str | Secret | None:
    """Checks for a user name as text, which `repr()` of a config shows, or for a file or function that gives it."""
    return str(value) if isinstance(value, str) else secret(name, value)


def principal_part(name: str, value: object) -> str | None:
    """Checks for a part of a Kerberos principal, which is passed to C: text without NUL."""
    if value is None:
        return None
    if not isinstance(value, str) or not value or "\0" in value:
        raise checks.wrong(name, value, "text that is not empty")
    return str(value)


def word(name: str, value: object) -> str | None:
    """Checks for letters, digits and the separators that AWS has in names of regions and keys."""
    if value is None:
        return None
    if not isinstance(value, str) or not value.replace("-", "").replace("_", "").isalnum() or not value.isascii():
        raise checks.wrong(name, value, "letters, digits and hyphens")
    return str(value)


CHECKS: Mapping[str, Callable[[str, object], Any]] = {
    "security_protocol": checks.choice(*PROTOCOLS),
    "ssl_ca_location": path,
    "ssl_ca_pem": certificates,
    "ssl_crl_location": path,
    "ssl_certificate_location": path,
    "ssl_certificate_pem": certificates,
    "ssl_key_location": path,
    "ssl_key_pem": secret,
    "ssl_key_password": key_password,
    "ssl_keystore_location": path,
    "ssl_keystore_password": secret,
    "ssl_endpoint_identification_algorithm": checks.choice("https", "none"),
    "ssl_enabled_protocols": tls_versions,
    "ssl_cipher_suites": names,
    "sasl_mechanism": mechanism,
    "sasl_username": user,
    "sasl_password": sent_secret,
    "sasl_oauthbearer_token_provider": provider,
    "sasl_oauthbearer_extensions": extensions,
    "sasl_oauthbearer_token_endpoint_url": endpoint,
    "sasl_oauthbearer_client_id": checks.optional(checks.text),
    "sasl_oauthbearer_client_secret": sent_secret,
    "sasl_oauthbearer_scope": checks.optional(checks.text),
    "sasl_oauthbearer_token_endpoint_ca_location": path,
    "sasl_oauthbearer_token_endpoint_ca_pem": certificates,
    "sasl_kerberos_service_name": principal_part,
    "sasl_kerberos_domain_name": principal_part,
    "sasl_kerberos_principal": principal_part,
    "sasl_kerberos_keytab": path,
    "sasl_kerberos_ccache": ticket_cache,
    "sasl_aws_msk_iam_region": word,
    "sasl_aws_msk_iam_access_key_id": word,
    "sasl_aws_msk_iam_secret_access_key": sent_secret,
    "sasl_aws_msk_iam_session_token": sent_secret,
    "sasl_aws_msk_iam_profile": checks.optional(checks.text),
    "sasl_aws_msk_iam_credentials_provider": provider,
}
"""The check of each setting, in the order of the fields of `ClientConfig`."""

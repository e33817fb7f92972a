"""Tokens by OpenID Connect's client credentials grant (RFC 6749, section 4.4). It needs no other library."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkars.config.kept_token import KeptToken, TokenEndpointError
from kafkars.config.secret import FromApplication, Secret, check_regular
from kafkars.errors import ConfigError

if TYPE_CHECKING:
    import ssl

    from kafkars.config.client import ClientConfig
    from kafkars.config.kept_token import Given

SECONDS = 10.0
"""The time limit in seconds for a token, from the DNS look-up to the last byte of the response."""


@dataclass
class ClientCredentials:
    """Gets a token from an endpoint and keeps it for as long as it is fresh. Called by native helper threads."""

    url: str
    client_id: str
    client_secret: Secret
    scope: str | None
    ca_location: str | None = None
    ca_pem: str | None = None
    kept: KeptToken = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.kept = KeptToken(self.request, self.description)

    @property
    def shown(self) -> str:
        """Returns the URL as messages show it, without its query, which may hold a secret."""
        return self.url.split("?", 1)[0].split("#", 1)[0]

    @property
    def description(self) -> str:
        """Returns the name that messages have for it."""
        return f"the token endpoint {self.shown}"

    def __call__(self) -> tuple[str, float | None]:
        """Returns the token, and its expiry in seconds since 1970."""
        token, ends, _ = self.kept()
        return token, ends

    def refused(self) -> None:
        """Called when a broker has refused the token."""
        self.kept.refused()

    def context(self) -> ssl.SSLContext | None:
        """Returns a TLS context that trusts the authorities of the settings; None if they name none."""
        if self.ca_location is None and self.ca_pem is None:
            return None
        import ssl  # noqa: PLC0415

        try:
            if self.ca_location is not None and os.path.isdir(self.ca_location):  # noqa: PTH112  keeps `import kafkars` quick
                return directory_context(self.ca_location, self.ca_pem)
            if self.ca_location is not None:
                check_regular(self.ca_location)
            return ssl.create_default_context(cafile=self.ca_location, cadata=self.ca_pem)
        except (OSError, ValueError) as error:
            raise TokenEndpointError(f"the authorities of the token endpoint cannot be used: {error}") from None

    def request(self) -> Given:
        """Makes one request. Its errors contain neither the secret nor the response."""
        import base64  # noqa: PLC0415  all of these only where this mechanism is used
        import urllib.parse  # noqa: PLC0415
        import urllib.request  # noqa: PLC0415

        from kafkars.config.token_request import TokenExchange  # noqa: PLC0415

        secret = self.client_secret.read()
        quoted = f"{urllib.parse.quote_plus(self.client_id)}:{urllib.parse.quote_plus(secret)}"
        form = {"grant_type": "client_credentials"} | ({"scope": self.scope} if self.scope else {})
        request = urllib.request.Request(  # noqa: S310  the setting allows http and https only
            self.url,
            data=urllib.parse.urlencode(form).encode(),
            headers={
                "Authorization": "Basic " + base64.b64encode(quoted.encode()).decode(),
                "Content-Type": "application/x-www-form-urlencoded",
                "Accept": "application/json",
            },
        )
        found = TokenExchange(self.shown, request, self.context()).answer(SECONDS)
        token, lives = found.get("access_token"), found.get("expires_in")
        if not isinstance(token, str) or not token:
            raise TokenEndpointError(f"{self.shown} gave no access_token")
        seconds = lifetime(lives)
        return Secret(token), seconds if seconds > 0 else None, {}


def directory_context(directory: str, pem: str | None) -> ssl.SSLContext:
    """Returns a TLS context that trusts the certificates of every file of a directory, as `ssl_ca_location` does.

    Raises:
        OSError: There is none.
    """
    import ssl  # noqa: PLC0415

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for entry in os.scandir(directory):
        if entry.is_file():
            with contextlib.suppress(OSError):  # a file without certificates, or one that may not be read
                context.load_verify_locations(cafile=entry.path)
    if pem is not None:
        context.load_verify_locations(cadata=pem)
    if not context.cert_store_stats()["x509"]:
        raise OSError(f"{directory} holds no PEM certificate")
    return context


def lifetime(given: object) -> float:
    """Returns the seconds of `expires_in`, which is a number (RFC 6749), or with some endpoints its digits as text. 0
    stands for anything else.
    """
    if isinstance(given, str) and given.isascii() and given.isdigit():
        # float() of text gives infinity for a number that is too large, and raises no error.
        return float(given)
    try:
        return float(given) if isinstance(given, int | float) else 0.0
    except OverflowError:
        return float("inf")


def provider(config: ClientConfig) -> ClientCredentials:
    """Returns the provider of tokens for a config that names an endpoint.

    Raises:
        ConfigError: Something that the endpoint needs is missing.
    """
    given = config.sasl_oauthbearer_token_provider
    url, client_id = config.sasl_oauthbearer_token_endpoint_url, config.sasl_oauthbearer_client_id
    secret = config.sasl_oauthbearer_client_secret
    if isinstance(given, FromApplication):
        raise ConfigError.of(
            "sasl_oauthbearer_token_endpoint_url",
            "cannot be used together with sasl_oauthbearer_token_provider; give one of them",
        )
    for name, value in (("sasl_oauthbearer_client_id", client_id), ("sasl_oauthbearer_client_secret", secret)):
        if value is None:
            raise ConfigError.of(name, "is missing; sasl_oauthbearer_token_endpoint_url needs it")
    location, pem = (
        config.sasl_oauthbearer_token_endpoint_ca_location,
        config.sasl_oauthbearer_token_endpoint_ca_pem,
    )
    made = ClientCredentials(str(url), str(client_id), secret, config.sasl_oauthbearer_scope, location, pem)  # type: ignore[arg-type]
    # A config that was made from another one keeps its provider, and so its token.
    if isinstance(given, ClientCredentials) and given == made:
        return given
    try:
        made.context()
    except TokenEndpointError as error:
        name = "pem" if location is None else "location"
        raise ConfigError.of(f"sasl_oauthbearer_token_endpoint_ca_{name}", str(error)) from None
    warn_of_open_secret(made.url)
    return made


def warn_of_open_secret(url: str) -> None:
    """Logs a warning that a secret goes over a network unencrypted, as for a password of PLAIN without TLS."""
    from urllib.parse import urlsplit  # noqa: PLC0415

    parts = urlsplit(url)
    if parts.scheme.lower() == "https" or is_loopback(parts.hostname or ""):
        return
    import logging  # noqa: PLC0415

    logging.getLogger("kafkars.net").warning(
        "sasl_oauthbearer_token_endpoint_url is http://: everybody on the way to %s can read the client's secret and its"
        " tokens; use https://",
        parts.hostname,
    )


def is_loopback(host: str) -> bool:
    """True if what is sent to the host does not leave this machine."""
    import ipaddress  # noqa: PLC0415

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

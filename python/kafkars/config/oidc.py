"""Tokens by OpenID Connect's client credentials grant (RFC 6749, section 4.4), with the standard library."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkars.config.security import FromApplication, Secret
from kafkars.errors import ConfigError

if TYPE_CHECKING:
    import urllib.request

    from kafkars.config.client import ClientConfig

SECONDS = 10.0
"""How long the token endpoint may take."""

LONGEST_ANSWER = 1 << 20
REDIRECTS = range(300, 400)
RENEWED_AFTER = 0.8
"""The part of a token's time after which another one is got; the rest is for the way to the broker."""


@dataclass
class ClientCredentials:
    """Gets a token from an endpoint and keeps it for as long as it is fresh. Called by the engine's helper threads."""

    url: str
    client_id: str
    client_secret: Secret
    scope: str | None
    ca_location: str | None = None
    ca_pem: str | None = None
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    kept: Secret | None = field(default=None, repr=False, compare=False)
    kept_until: float = field(default=0.0, repr=False, compare=False)
    ends: float | None = field(default=None, repr=False, compare=False)

    @property
    def description(self) -> str:
        """How messages name it."""
        return f"the token endpoint {self.url}"

    def __call__(self) -> tuple[str, float | None]:
        """The token, and when it ends."""
        # Several connections that are made at once share one request.
        with self.lock:
            if self.kept is None or time.time() >= self.kept_until:
                token, lives = self.request()
                self.kept = Secret(token)
                self.ends = None if lives is None else time.time() + lives
                # A token of unknown length is asked for each time.
                self.kept_until = 0.0 if lives is None else time.time() + lives * RENEWED_AFTER
            return str(self.kept.source), self.ends

    def handlers(self) -> list[urllib.request.BaseHandler]:
        """What believes the authorities of the settings, if there are any."""
        if self.ca_location is None and self.ca_pem is None:
            return []
        import ssl  # noqa: PLC0415
        import urllib.request  # noqa: PLC0415

        try:
            context = ssl.create_default_context(cafile=self.ca_location, cadata=self.ca_pem)
        except (OSError, ValueError) as error:
            raise TokenEndpointError(f"the authorities of the token endpoint cannot be used: {error}") from None
        return [urllib.request.HTTPSHandler(context=context)]

    def request(self) -> tuple[str, float | None]:
        """One request. Its errors hold neither the secret nor the answer."""
        import base64  # noqa: PLC0415  all of these only where this mechanism is used
        import json  # noqa: PLC0415
        import urllib.error  # noqa: PLC0415
        import urllib.parse  # noqa: PLC0415
        import urllib.request  # noqa: PLC0415

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

        class NoRedirects(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_: object) -> None:
                """The secret goes to nobody but the endpoint, so a redirect is an error as any other status."""

        try:
            with urllib.request.build_opener(NoRedirects, *self.handlers()).open(request, timeout=SECONDS) as answer:
                content = answer.read(LONGEST_ANSWER)
        except urllib.error.HTTPError as error:
            error.close()
            hint = "; redirects are not followed, give the address that it leads to" if error.code in REDIRECTS else ""
            raise TokenEndpointError(f"{self.url} answered {error.code} {error.reason}{hint}") from None
        except OSError as error:
            raise TokenEndpointError(f"{self.url} cannot be asked: {getattr(error, 'reason', error)}") from None
        try:
            found = json.loads(content)
            token, lives = found["access_token"], found.get("expires_in")
        except (ValueError, LookupError, TypeError, AttributeError):
            token, lives = None, None
        if not isinstance(token, str) or not token:
            raise TokenEndpointError(f"{self.url} gave no access_token")
        return token, float(lives) if isinstance(lives, int | float) and lives > 0 else None


def provider(config: ClientConfig) -> ClientCredentials:
    """What gets the tokens of a config that names an endpoint.

    Raises:
        ConfigError: Something that the endpoint needs is missing.
    """
    given = config.sasl_oauthbearer_token_provider
    url, client_id = config.sasl_oauthbearer_token_endpoint_url, config.sasl_oauthbearer_client_id
    secret = config.sasl_oauthbearer_client_secret
    if isinstance(given, FromApplication):
        raise ConfigError(
            "sasl_oauthbearer_token_endpoint_url: cannot be used together with sasl_oauthbearer_token_provider; give one of them"
        )
    for name, value in (("sasl_oauthbearer_client_id", client_id), ("sasl_oauthbearer_client_secret", secret)):
        if value is None:
            raise ConfigError(f"{name}: is missing; sasl_oauthbearer_token_endpoint_url needs it")
    location, pem = (
        config.sasl_oauthbearer_token_endpoint_ca_location,
        config.sasl_oauthbearer_token_endpoint_ca_pem,
    )
    made = ClientCredentials(str(url), str(client_id), secret, config.sasl_oauthbearer_scope, location, pem)  # type: ignore[arg-type]
    # A config that was made of another one goes on with its token.
    if isinstance(given, ClientCredentials) and given == made:
        return given
    warn_of_open_secret(made.url)
    return made


def warn_of_open_secret(url: str) -> None:
    """Says that a secret goes over a network in the clear, as a password of PLAIN without TLS does."""
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
    """Whether what is sent to it leaves this machine not at all."""
    import ipaddress  # noqa: PLC0415

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class TokenEndpointError(RuntimeError):
    """The endpoint gave no token."""

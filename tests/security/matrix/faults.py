"""Faults, and what each must be to whom: the error's type, its words, and the time until it is raised."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kafkars import errors

from tests.security.matrix import ways
from tests.security.matrix.calls import CALLS, GUARDED_CALLS, Call, everything
from tests.security.matrix.interposer import interposer
from tests.security.matrix.site import BOB, GUARDED, OPEN, Site
from tests.security.matrix.ways import Way

SETUP_MS = 1000
"""`socket_connection_setup_timeout_ms` where a peer says nothing."""
WITHIN = 10.0
"""Seconds within which everything else must be heard of: that setting's default."""
HANGS_WITHIN = 2 * SETUP_MS / 1000 + 3.0
"""A handshake that began before the call, one after it, and a busy machine."""


@dataclass(frozen=True)
class Expected:
    """What a cell must be; without an error, that everything works."""

    error: type[BaseException] | None
    words: str = ""
    within: float = WITHIN


@dataclass(frozen=True)
class Fault:
    """One kind of fault."""

    name: str
    expects: Callable[[Way], Expected | str]
    """A text says why there is no such cell."""
    opened: Callable[[Site, Way], contextlib.AbstractContextManager[dict[str, Any]]]
    """Gives the settings of the client."""
    calls: dict[str, Call] = field(default_factory=lambda: CALLS)


def at_once(settings: Callable[[Site, Way], dict[str, Any]]) -> Callable[[Site, Way], Any]:
    """For a fault that is in the settings alone."""
    return lambda site, way: contextlib.nullcontext(settings(site, way))


NO_SECRET = "nothing to be wrong"
NO_END = "a password does not end"
NO_TLS = "no TLS"
NO_SASL = "no SASL"
REFUSED = Expected(errors.SaslAuthenticationFailedError, "authentication failed")


# --- credentials ------------------------------------------------------------------------------------------------


def works(site: Site, way: Way) -> dict[str, Any]:
    return site.settings(way)


WRONG: dict[str, Expected | str] = {
    ways.NOBODY: NO_SECRET,
    ways.CERTIFICATE: Expected(errors.CertificateError, "refused our certificate.*client certificate"),
    ways.OIDC: Expected(errors.CredentialsError, "401"),
}


def wrong(site: Site, way: Way) -> dict[str, Any]:
    if way.login == ways.CERTIFICATE:
        return site.settings(way, ssl_certificate_location=site.identities["stranger"])
    if way.login in ways.PASSWORDS:
        return site.settings(way, sasl_password="Xq7-wrong")
    if way.login == ways.OIDC:
        return site.settings(way, sasl_oauthbearer_client_secret="Xq7-wrong")
    if way.login == ways.TOKEN:
        return site.settings(way, sasl_oauthbearer_token_provider=lambda: "Xq7.forged.token")
    # A ticket for a service that the broker is not.
    return site.settings(way, sasl_kerberos_service_name="stranger")


EXPIRED: dict[str, Expected | str] = {
    ways.NOBODY: NO_SECRET,
    ways.CERTIFICATE: Expected(errors.CertificateError, "refused our certificate"),
    **dict.fromkeys(ways.PASSWORDS, NO_END),
    ways.KERBEROS: Expected(errors.CredentialsError, "(?i)expired"),
}


def expired(site: Site, way: Way) -> dict[str, Any]:
    if way.login == ways.CERTIFICATE:
        return site.settings(way, ssl_certificate_location=site.identities["late"])
    if way.login == ways.OIDC:
        return site.settings(way, sasl_oauthbearer_client_id="late", sasl_oauthbearer_client_secret="Xq7-late")
    if way.login == ways.TOKEN:
        token = site.tokens.token(lives=-300)
        return site.settings(way, sasl_oauthbearer_token_provider=lambda: token)
    assert site.kdc is not None
    cache = site.kdc.folder / "late"
    return site.settings(way, sasl_kerberos_keytab=None, sasl_kerberos_principal=None, sasl_kerberos_ccache=str(cache))


# --- certificates of brokers ------------------------------------------------------------------------------------


def certificate(words: str) -> Callable[[Way], Expected | str]:
    return lambda way: Expected(errors.CertificateError, words) if way.has_tls else NO_TLS


def shown(listener: str) -> Callable[[Site, Way], Any]:
    def settings(site: Site, way: Way) -> dict[str, Any]:
        name = f"{listener}SASL" if way.has_sasl else listener
        return site.settings(way, listener=name, ssl_crl_location=str(site.folder / "crl.pem"))

    return at_once(settings)


def elsewhere(way: Way) -> Expected | str:
    if way.login == ways.KERBEROS and not way.has_tls:
        # The host's name is part of the service's principal.
        return Expected(errors.CredentialsError, "kafka@elsewhere.test")
    return certificate("does not name the host")(way)


@contextlib.contextmanager
def at_another_host(site: Site, way: Way) -> Iterator[dict[str, Any]]:
    if way.has_tls:
        with shown("ELSEWHERE")(site, way) as settings:
            yield settings
    else:
        yield site.settings(way, sasl_kerberos_domain_name="elsewhere.test")


# --- what the broker does not offer -----------------------------------------------------------------------------


def not_enabled(way: Way) -> Expected | str:
    if way.has_sasl:
        return Expected(errors.UnsupportedSaslMechanismError, "PLAIN|SCRAM-SHA-256")
    return Expected(errors.SaslAuthenticationFailedError, "may want a login: set security_protocol")


def at_another_listener(site: Site, way: Way) -> dict[str, Any]:
    if not way.has_sasl:
        return site.settings(way, listener="SASLTLS")
    listener = "ONLYSCRAM" if way.login == "PLAIN" else "ONLYPLAIN"
    return site.settings(way, listener=f"{listener}TLS" if way.has_tls else listener)


def with_tls(expected: Expected) -> Callable[[Way], Expected | str]:
    return lambda way: expected if way.has_tls else NO_TLS


def with_sasl(expected: Expected) -> Callable[[Way], Expected | str]:
    return lambda way: expected if way.has_sasl else NO_SASL


def stripped(site: Site, way: Way) -> dict[str, Any]:
    """Somebody in between takes TLS away: what answers speaks in the clear."""
    address = site.ports["SASL"] if way.has_sasl else site.plain
    return site.settings(way, bootstrap_servers=address)


def between(fault: str, *, setup_ms: int | None = None) -> Callable[[Site, Way], Any]:
    """With a peer in between, which speaks TLS itself where the way has it."""

    @contextlib.contextmanager
    def opened(site: Site, way: Way) -> Iterator[dict[str, Any]]:
        upstream = site.ports["SASL"] if way.has_sasl else site.plain
        kind = "offers SCRAM-SHA-256" if fault == "offers PLAIN" and way.login == "PLAIN" else fault
        with interposer(upstream, kind, site.between if way.has_tls else None) as peer:
            yield site.settings(way, bootstrap_servers=peer.address, socket_connection_setup_timeout_ms=setup_ms)
        assert peer.after_refusal == 0, "something was sent after the mechanism was refused"

    return opened


# --- what is not allowed ----------------------------------------------------------------------------------------


def denied(what: str, error: type[BaseException]) -> Fault:
    """Bob is let in, and what is asked for is alice's. Who does not log in is nobody."""

    def settings(site: Site, way: Way) -> dict[str, Any]:
        return site.settings(way, who=BOB)

    calls = {name: call for name, call in GUARDED_CALLS.items() if name.split()[0] == what}
    return Fault(f"the {what} is denied", lambda _: Expected(error), at_once(settings), calls)


GOOD = {
    "what is open": lambda api, settings: everything(api, settings, OPEN),
    "what is guarded": lambda api, settings: everything(api, settings, GUARDED),
}

FAULTS = (
    Fault("none", lambda _: Expected(None, within=60.0), at_once(works), GOOD),
    Fault("the credential is wrong", lambda way: WRONG.get(way.login, REFUSED), at_once(wrong)),
    Fault("the credential has expired", lambda way: EXPIRED.get(way.login, REFUSED), at_once(expired)),
    Fault("the broker is at another host", elsewhere, at_another_host),
    Fault("the broker's authority is unknown", certificate("ssl_ca_location"), shown("STRANGER")),
    Fault("the broker's certificate has expired", certificate("has expired"), shown("EXPIRED")),
    Fault("the broker's certificate was revoked", certificate("revoked"), shown("REVOKED")),
    Fault("an authority in between was revoked", certificate("revoked"), shown("CHAIN")),
    Fault("the mechanism is not enabled", not_enabled, at_once(at_another_listener)),
    Fault("TLS is taken away", with_tls(Expected(errors.TlsError, "without TLS|SSL or SASL_SSL")), at_once(stripped)),
    Fault("only TLS 1.1 is offered", with_tls(Expected(errors.TlsError, "(?i)version")), between("old TLS")),
    Fault(
        "the mechanism is taken away",
        with_sasl(Expected(errors.UnsupportedSaslMechanismError, "it offers")),
        between("offers PLAIN"),
    ),
    Fault(
        "the broker hangs in TLS",
        with_tls(Expected(errors.HandshakeTimeoutError, "TLS handshake", HANGS_WITHIN)),
        between("silent in TLS", setup_ms=SETUP_MS),
    ),
    Fault(
        "the broker hangs in SASL",
        with_sasl(Expected(errors.HandshakeTimeoutError, "no answer", HANGS_WITHIN)),
        between("silent in SASL", setup_ms=SETUP_MS),
    ),
    Fault("the broker hangs up in TLS", with_tls(Expected(errors.TlsError)), between("hangs up in TLS")),
    Fault(
        "the broker hangs up in SASL",
        with_sasl(Expected(errors.SaslAuthenticationFailedError, "closed the connection")),
        between("hangs up in SASL"),
    ),
    denied("topic", errors.TopicAuthorizationFailedError),
    denied("group", errors.GroupAuthorizationFailedError),
    denied("transaction", errors.TransactionalIdAuthorizationFailedError),
)

"""TLS for all faces: OpenSSL's names of cipher suites, and settings that are read from an `ssl.SSLContext`."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from kafkars.config.secret import NOT_UTF8, Secret, is_utf8, text_or_bytes

SUITES = {
    "TLS_AES_256_GCM_SHA384": "TLS_AES_256_GCM_SHA384",
    "TLS_AES_128_GCM_SHA256": "TLS_AES_128_GCM_SHA256",
    "TLS_CHACHA20_POLY1305_SHA256": "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-ECDSA-AES128-GCM-SHA256": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-CHACHA20-POLY1305": "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "ECDHE-RSA-AES256-GCM-SHA384": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-RSA-AES128-GCM-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-RSA-CHACHA20-POLY1305": "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
}
"""The cipher suites that kafkars has: OpenSSL's names and IANA's."""

VERSIONS = (
    ("TLSv1.2", ssl.TLSVersion.TLSv1_2, ssl.OP_NO_TLSv1_2),
    ("TLSv1.3", ssl.TLSVersion.TLSv1_3, ssl.OP_NO_TLSv1_3),
)
CRL_CHECKS = ssl.VERIFY_CRL_CHECK_LEAF | ssl.VERIFY_CRL_CHECK_CHAIN

Filename = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class UnusableTlsError(ValueError):
    """TLS was asked for in a way that kafkars does not have; the message names what to use instead."""


class RememberingContext(ssl.SSLContext):
    """A context that remembers what was loaded into it: OpenSSL does not return a client's certificate or a directory
    of authorities.
    """

    identity: dict[str, Any]
    """kafkars' settings for the client's certificate."""

    files: list[str]
    directories: list[str]
    has_texts: bool
    has_defaults: bool

    def __new__(cls, protocol: int = ssl.PROTOCOL_TLS_CLIENT, *_: Any, **__: Any) -> RememberingContext:
        """See `ssl.SSLContext`."""
        context = super().__new__(cls, protocol)
        context.identity = {}
        context.files = []
        context.directories = []
        context.has_texts = context.has_defaults = False
        return context

    def load_verify_locations(self, cafile: Any = None, capath: Any = None, cadata: Any = None) -> None:
        """See `ssl.SSLContext`."""
        super().load_verify_locations(cafile, capath, cadata)
        if cafile:
            self.files.append(os.fsdecode(cafile))
        if capath:
            self.directories.append(os.fsdecode(capath))
        self.has_texts |= bool(cadata)

    def load_default_certs(self, purpose: Any = ssl.Purpose.SERVER_AUTH) -> None:
        """See `ssl.SSLContext`."""
        super().load_default_certs(purpose)
        self.has_defaults = True

    def set_default_verify_paths(self) -> None:
        """See `ssl.SSLContext`."""
        super().set_default_verify_paths()
        self.has_defaults = True

    def load_cert_chain(self, certfile: Any, keyfile: Any = None, password: Any = None) -> None:
        """See `ssl.SSLContext`."""
        super().load_cert_chain(certfile, keyfile, readable_password(password))
        self.identity = identity(certfile, keyfile, password)

    def set_ciphers(self, cipherlist: Any, /) -> None:
        """See `ssl.SSLContext`."""
        if isinstance(cipherlist, str) and not is_utf8(cipherlist):
            raise UnusableTlsError(f"ssl_ciphers: {NOT_UTF8}")
        super().set_ciphers(cipherlist)

    def authorities(self) -> dict[str, Any] | None:
        """Returns kafkars' settings for the authorities that were loaded; None if none were."""
        if len(self.directories) > 1:
            raise UnusableTlsError("ssl_context: has several directories of authorities; load one, and files")
        is_one = len(self.files) + len(self.directories) == 1 and not self.has_texts and not self.has_defaults
        if is_one:
            return {"ssl_ca_location": (*self.files, *self.directories)[0]}
        if self.files or self.directories or self.has_texts:
            directory = {"ssl_ca_location": self.directories[0]} if self.directories else {}
            return directory | {"ssl_ca_pem": pem(self.get_ca_certs(binary_form=True))}
        return {} if self.has_defaults else None

    def revocations(self) -> dict[str, Any]:
        """Returns kafkars' settings for certificate revocation lists in a file that was loaded."""
        from pathlib import Path  # noqa: PLC0415  loads a dozen modules

        for name in self.files:
            if "-----BEGIN X509 CRL-----" in Path(name).read_text(errors="replace"):
                return {"ssl_crl_location": name}
        raise UnusableTlsError("ssl_context: has a list of revoked certificates that was not loaded from a file of PEM")


def settings_of(
    context: ssl.SSLContext,
    instead: str,
    revocations: Mapping[str, Any] | None = None,
    authorities: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Returns kafkars' settings for what can be read from a context.

    Args:
        context: The program's.
        instead: What the program can say instead of something that a context does not tell.
        revocations: Lists of revoked certificates that the program names beside the context.
        authorities: The same for authorities, which count where the context tells of none.

    Raises:
        UnusableTlsError: The context asks for something that cannot be read, or that the engine does not do.
    """
    if not isinstance(context, ssl.SSLContext):
        raise UnusableTlsError(f"ssl_context: expected an ssl.SSLContext, not a value of type {type(context).__name__}")
    if context.verify_mode == ssl.CERT_NONE:
        raise UnusableTlsError(
            "ssl_context: verify_mode=CERT_NONE is not offered, certificates are always checked; load the authority's "
            "certificate (cafile), and set check_hostname=False where the broker's certificate names another host"
        )
    remembering = context if isinstance(context, RememberingContext) else None
    believed = authorities_of(context) if remembering is None else remembering.authorities()
    if believed is None and not authorities:
        # To trust the system's authorities instead would be to trust more than the program does.
        raise UnusableTlsError(
            "ssl_context: tells of no authorities: it believes nobody, or those in a directory, which cannot be read back; "
            + instead
        )
    settings = dict(authorities or {}) if believed is None else believed
    if context.cert_store_stats()["crl"] or context.verify_flags & CRL_CHECKS:
        if not revocations and remembering is None:
            raise UnusableTlsError(f"ssl_context: its list of revoked certificates cannot be read back; {instead}")
        settings |= revocations or (remembering.revocations() if remembering else {})
    elif revocations:
        settings |= revocations
    if remembering is not None:
        settings |= remembering.identity
    if not context.check_hostname:
        settings["ssl_endpoint_identification_algorithm"] = "none"
    settings |= versions_of(context)
    suites = known_suites(cipher["name"] for cipher in context.get_ciphers())
    if suites is None:
        raise UnusableTlsError("ssl_context: allows no cipher suite of the engine, which has " + ", ".join(SUITES))
    return settings | suites


def authorities_of(context: ssl.SSLContext) -> dict[str, Any] | None:
    """Returns the authorities of a context that the `ssl` module itself has made; None if it does not tell any.

    OpenSSL reads a directory only when it needs a file of it. If the system's authorities are in a directory, a default
    context looks like one that trusts nobody, and like one with a directory of the program's own.
    """
    found = context.get_ca_certs(binary_form=True)
    if not found and context.cert_store_stats()["x509"]:
        raise UnusableTlsError("ssl_context: the certificates in it are none of authorities, so nobody can be believed")
    if not found:
        return None
    return {} if set(found) == system_authorities() else {"ssl_ca_pem": pem(found)}


@cache
def system_authorities() -> set[bytes]:
    """Returns the authorities of a default context, as far as they can be read."""
    return set(ssl.create_default_context().get_ca_certs(binary_form=True))


def pem(certificates: Iterable[bytes]) -> str:
    """Converts certificates to PEM."""
    return "".join(map(ssl.DER_cert_to_PEM_cert, certificates))


def versions_of(context: ssl.SSLContext) -> dict[str, Any]:
    """Returns the versions of TLS that a context allows."""
    lowest, highest = context.minimum_version, context.maximum_version
    allowed = [
        name
        for name, version, forbidden in VERSIONS
        if lowest <= version
        and (highest == ssl.TLSVersion.MAXIMUM_SUPPORTED or version <= highest)
        and not context.options & forbidden
    ]
    if not allowed:
        raise UnusableTlsError("ssl_context: allows neither TLS 1.2 nor TLS 1.3, and older versions are not spoken")
    return {} if len(allowed) == len(VERSIONS) else {"ssl_enabled_protocols": allowed}


def known_suites(names: Iterable[str]) -> dict[str, Any] | None:
    """Returns those of the cipher suites that kafkars has: None if there are none, nothing to set if all."""
    known = [SUITES[name] for name in names if name in SUITES]
    if not known:
        return None
    return {} if len(set(known)) == len(SUITES) else {"ssl_cipher_suites": known}


def suites_of(name: str, text: str) -> dict[str, Any]:
    """Returns those of kafkars' cipher suites that a list in OpenSSL's notation selects.

    Raises:
        ssl.SSLError: OpenSSL does not understand it.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.set_ciphers(text)
    except (ssl.SSLError, ValueError):
        raise ssl.SSLError(f"{name}: names no cipher suites that OpenSSL knows") from None
    # Suites of TLS 1.3 are in every list, whatever it says: those that are old and unsafe are left out, as brokers do.
    return known_suites(cipher["name"] for cipher in context.get_ciphers()) or {}


def identity(certfile: Filename | None, keyfile: Filename | None, password: Any) -> dict[str, Any]:
    """Returns kafkars' settings for a client's certificate in PEM files, as for `SSLContext.load_cert_chain()`."""
    if not certfile:
        return {}
    settings: dict[str, Any] = {"ssl_certificate_location": os.fsdecode(certfile)}
    if keyfile:
        settings["ssl_key_location"] = os.fsdecode(keyfile)
    if password is not None and password != "":
        settings["ssl_key_password"] = password_of(password)
    return settings


def password_of(password: Any) -> Secret:
    """Returns a password that is text, bytes or a function that returns either."""
    if callable(password):
        function: Callable[[], Any] = password

        def given() -> Any:
            return text_or_bytes(function())

        return Secret(given)
    return Secret(text_or_bytes(password))


def readable_password(password: Any) -> Any:
    """Checks a password for OpenSSL: Python's own error about a wrong one would contain it."""
    if callable(password):
        function: Callable[[], Any] = password
        return lambda: readable_password(function())
    if isinstance(password, str) and not is_utf8(password):
        raise UnusableTlsError(f"password of the key: {NOT_UTF8}")
    return password

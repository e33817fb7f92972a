"""Certificates for tests: an authority, and certificates that it signs, also expired and wrong ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kafkars import _kafkars
from kafkars.errors import InvalidArgumentError

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

LOCAL = ("localhost", "127.0.0.1", "::1")
"""The hosts in the certificate of a test's broker."""

PRIVATE = 0o600
"""The mode of key files: only the owner can read them."""


class Certificate:
    """A certificate and its private key, both as PEM. Its `repr` does not show the key.

    `Certificates.issue()` makes one; one that was made elsewhere is `Certificate(certificate_pem, key_pem)`.
    """

    __slots__ = ("_made", "certificate_pem", "key_pem", "name")

    certificate_pem: str
    """The certificate, optionally followed by the intermediate ones up to its authority."""

    key_pem: str
    """The private key, not encrypted."""

    name: str
    """The name of its files, without their extension."""

    def __init__(self, certificate_pem: str, key_pem: str, *, name: str = "certificate") -> None:
        self.certificate_pem = certificate_pem
        self.key_pem = key_pem
        self.name = name
        self._made: _kafkars.MadeCertificate | None = None

    def write(self, folder: str | os.PathLike[str]) -> tuple[Path, Path]:
        """Writes both into a folder, for clients that take only files.

        Args:
            folder: The folder, which must exist. Files of the same names are replaced.

        Returns:
            The paths of the certificate and of the key, which only the owner can read.

        Raises:
            OSError: A file cannot be written.
        """
        stem = "".join(letter if letter.isalnum() else "-" for letter in self.name)
        certificate, key = Path(folder) / f"{stem}.pem", Path(folder) / f"{stem}.key"
        certificate.write_text(self.certificate_pem)
        with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE), "w") as file:
            file.write(self.key_pem)
        return certificate, key

    def __repr__(self) -> str:
        """Leaves the key out."""
        return f"<Certificate of {self.name!r}>"


class Certificates:
    """A certificate authority for tests.

    ```python
    certificates = Certificates()
    server = certificates.issue("kafka", hosts=["localhost"])
    expired = certificates.issue("kafka", expired=True)
    ```

    Args:
        name: The authority's name; None for a unique one.
        key: The kind of keys: "ec" takes less than a millisecond to make, "rsa" some tenths of a second.
    """

    __slots__ = ("_authority", "_key")

    def __init__(self, name: str | None = None, *, key: Literal["ec", "rsa"] = "ec") -> None:
        self._key = key
        own = f"kafkars test authority {os.urandom(4).hex()}" if name is None else name
        self._authority = _kafkars.CertificateAuthority(own, key)

    @property
    def ca_pem(self) -> str:
        """The authority's certificate as PEM, for clients that are to trust it."""
        return self._authority.certificate_pem

    def write_ca(self, folder: str | os.PathLike[str]) -> Path:
        """Writes the authority's certificate into a folder as `ca.pem`, and returns the path.

        Args:
            folder: Where to; it must be there.

        Raises:
            OSError: The file cannot be written.
        """
        path = Path(folder) / "ca.pem"
        path.write_text(self.ca_pem)
        return path

    def issue(
        self,
        name: str,
        *,
        hosts: Sequence[str] = LOCAL,
        organization: str | None = None,
        key: Literal["ec", "rsa"] | None = None,
        lifetime: dt.timedelta | None = None,
        expired: bool = False,
    ) -> Certificate:
        """Signs a certificate for a broker or a client.

        Args:
            name: The common name of its subject. A broker knows a client by its subject: `User:CN=name`.
            hosts: Host names and addresses of the broker; clients that connect to others refuse the certificate.
            organization: The organization of its subject, which then is `CN=name,O=organization`.
            key: The kind of its key; None for that of the authority's.
            lifetime: The time for which it is valid from now on; None for a year.
            expired: Whether it has expired an hour ago instead.

        Returns:
            The certificate with its key.

        Raises:
            InvalidArgumentError: A host or the lifetime is not possible in a certificate.
        """
        valid = 365 * 86_400 if lifetime is None else int(lifetime.total_seconds())
        seconds = -3600 if expired else valid
        made = self._authority.issue(name, organization, list(hosts), key or self._key, seconds)
        certificate = Certificate(made.certificate_pem, made.key_pem, name=name)
        certificate._made = made
        return certificate

    def revoke(self, *certificates: Certificate) -> str:
        """Returns a certificate revocation list as PEM, for a file that `ssl_crl_location` names.

        Args:
            certificates: Certificates that `issue()` has made; none for an empty list.

        Raises:
            InvalidArgumentError: One was not made by `issue()`.
        """
        made = [certificate._made for certificate in certificates]
        if None in made:
            message = "only certificates that issue() has made can be revoked"
            raise InvalidArgumentError(message)
        return self._authority.revoke([each for each in made if each is not None])

    def __repr__(self) -> str:
        """Shows the kind of keys."""
        return f"<Certificates with {self._key} keys>"

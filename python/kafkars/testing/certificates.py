"""Certificates for tests: an authority, and what it signs, with the faults that a test wants."""

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
"""Hosts that a broker of a test is reached by."""

PRIVATE = 0o600
"""Only the owner reads a key."""


class Certificate:
    """A certificate and its private key, both as PEM. Its `repr` does not show the key.

    `Certificates.issue()` makes one; one that was made elsewhere is `Certificate(certificate_pem, key_pem)`.
    """

    __slots__ = ("_made", "certificate_pem", "key_pem", "name")

    certificate_pem: str
    """The certificate, which those between it and its authority may follow."""

    key_pem: str
    """The private key, not encrypted."""

    name: str
    """What its files are called."""

    def __init__(self, certificate_pem: str, key_pem: str, *, name: str = "certificate") -> None:
        self.certificate_pem = certificate_pem
        self.key_pem = key_pem
        self.name = name
        self._made: _kafkars.MadeCertificate | None = None

    def write(self, folder: str | os.PathLike[str]) -> tuple[Path, Path]:
        """Writes both into a folder, for clients that take only files.

        Args:
            folder: Where to; it must be there. What is there under the same names is replaced.

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
    """An authority of a test's own, and what it signs.

    ```python
    certificates = Certificates()
    server = certificates.issue("kafka", hosts=["localhost"])
    expired = certificates.issue("kafka", expired=True)
    ```

    Args:
        name: The authority's name. None: one that no other authority has.
        key: "ec" makes keys in less than a millisecond, "rsa" takes some tenths of a second.
    """

    __slots__ = ("_authority", "_key")

    def __init__(self, name: str | None = None, *, key: Literal["ec", "rsa"] = "ec") -> None:
        self._key = key
        own = f"kafkars test authority {os.urandom(4).hex()}" if name is None else name
        self._authority = _kafkars.CertificateAuthority(own, key)

    @property
    def ca_pem(self) -> str:
        """The authority's certificate: who believes it believes all that it signs."""
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
            hosts: Host names and addresses that a broker with it is reached by; others make a client refuse it.
            organization: The organization of its subject, which then is `CN=name,O=organization`.
            key: Another kind of key than the authority's.
            lifetime: How long it is valid from now on; None: a year.
            expired: Whether it ended an hour ago instead.

        Returns:
            The certificate with its key.

        Raises:
            InvalidArgumentError: A host cannot stand in a certificate, or no certificate lasts that long.
        """
        valid = 365 * 86_400 if lifetime is None else int(lifetime.total_seconds())
        seconds = -3600 if expired else valid
        made = self._authority.issue(name, organization, list(hosts), key or self._key, seconds)
        certificate = Certificate(made.certificate_pem, made.key_pem, name=name)
        certificate._made = made
        return certificate

    def revoke(self, *certificates: Certificate) -> str:
        """A list of revoked certificates as PEM, as `ssl_crl_location` takes it from a file.

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
        """Its kind of keys."""
        return f"<Certificates with {self._key} keys>"

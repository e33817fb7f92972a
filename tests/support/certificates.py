"""Certificates of the tests' own: an authority, brokers with every fault, clients, keys in every format."""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes

NOW = dt.datetime.now(dt.timezone.utc)
DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: CertificateIssuerPrivateKeyTypes
    # Between it and an authority that is believed.
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def pem(self) -> str:
        """The certificate as PEM, and those between it and the authority."""
        return "".join(each.public_bytes(Encoding.PEM).decode() for each in (self.certificate, *self.chain))

    def key_pem(self, password: str | None = None) -> str:
        """The key as PKCS#8, encrypted with a password."""
        encryption = NoEncryption() if password is None else BestAvailableEncryption(password.encode())
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()

    def write(self, folder: Path, name: str, password: str | None = None) -> Path:
        """Certificate and key in one file, the key first, as brokers take it."""
        path = folder / f"{name}.pem"
        path.write_text(self.key_pem(password) + self.pem)
        return path

    def write_pkcs12(self, folder: Path, name: str, password: str) -> Path:
        """Both as PKCS#12."""
        path = folder / f"{name}.p12"
        encryption = BestAvailableEncryption(password.encode())
        chain = list(self.chain) or None
        data = pkcs12.serialize_key_and_certificates(b"client", self.key, self.certificate, chain, encryption)  # type: ignore[arg-type]
        path.write_bytes(data)
        return path


class Authority:
    """Signs what a test asks for."""

    def __init__(self, name: str, kind: str = "ec", *, above: Authority | None = None) -> None:
        key = new_key(kind)
        builder = begin(name, name if above is None else above.name, key, NOW - DAY, NOW + 10 * DAY)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        builder = builder.add_extension(usage, critical=True)
        self.own = Certificate(builder.sign(key if above is None else above.own.key, hashes.SHA256()), key)
        self.name = name
        # What goes along with its certificates; that of the authority above all is known to whoever believes it.
        self.chain = () if above is None else (self.own.certificate, *above.chain)

    def issue(
        self,
        name: str,
        *,
        hosts: tuple[str, ...] = ("127.0.0.1", "localhost"),
        kind: str = "ec",
        expired: bool = False,
    ) -> Certificate:
        """A certificate for brokers and clients."""
        key = new_key(kind)
        ends = NOW - DAY / 2 if expired else NOW + 5 * DAY
        builder = begin(name, self.name, key, NOW - DAY, ends)
        builder = builder.add_extension(
            x509.SubjectAlternativeName([host_name(host) for host in hosts]), critical=False
        )
        purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        return Certificate(builder.sign(self.own.key, hashes.SHA256()), key, self.chain)

    def revoke(self, *revoked: Certificate) -> str:
        """A list of revoked certificates as PEM."""
        builder = x509.CertificateRevocationListBuilder().issuer_name(common_name(self.name))
        builder = builder.last_update(NOW - DAY).next_update(NOW + 5 * DAY)
        builder = builder.add_extension(x509.CRLNumber(1), critical=False)
        key_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.own.key.public_key())
        builder = builder.add_extension(key_id, critical=False)
        for each in revoked:
            entry = x509.RevokedCertificateBuilder().serial_number(each.certificate.serial_number)
            builder = builder.add_revoked_certificate(entry.revocation_date(NOW - DAY).build())
        return builder.sign(self.own.key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()


def new_key(kind: str) -> CertificateIssuerPrivateKeyTypes:
    if kind == "rsa":
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return ec.generate_private_key(ec.SECP256R1())


def begin(
    subject: str,
    issuer: str,
    key: CertificateIssuerPrivateKeyTypes,
    start: dt.datetime,
    end: dt.datetime,
) -> x509.CertificateBuilder:
    builder = x509.CertificateBuilder().subject_name(common_name(subject)).issuer_name(common_name(issuer))
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    return builder.not_valid_before(start).not_valid_after(end)


def common_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def host_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)

"""Which certificates are believed, beside OpenSSL's judgement of the same files (`ssl` of the standard library)."""

from __future__ import annotations

import datetime as dt
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kafkars
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID
from kafkars.errors import CertificateError, ConfigError, KafkaError, TlsError

from tests.support.certificates import DAY, NOW, Certificate, begin, common_name, host_name, new_key

pytestmark = pytest.mark.timeout(60)


@dataclass
class Chain:
    """What a broker shows, and the certificate that the client is told to believe."""

    shown: Certificate
    believed: Certificate

    @property
    def is_authority(self) -> bool:
        """Whether what is believed may sign."""
        return self.believed.certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


USES = {
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "encipher_only",
    "decipher_only",
    "key_cert_sign",
    "crl_sign",
}


def sign(  # as many as a certificate has
    name: str,
    by: Certificate | None = None,
    *,
    ca: bool | None = None,
    length: int | None = None,
    signs: bool | None = None,
    does: str | None = None,
    usage: tuple[Any, ...] = (),
    hosts: tuple[str, ...] = (),
    days: tuple[int, int] = (-1, 5),
    names: x509.NameConstraints | x509.RFC822Name | None = None,
    key: Any = None,
) -> Certificate:
    """A certificate with nothing in it but what is asked for."""
    key = key or new_key("ec")
    issuer = name if by is None else by.certificate.subject.rfc4514_string().removeprefix("CN=")
    builder = begin(name, issuer, key, NOW + days[0] * DAY, NOW + days[1] * DAY)
    if ca is not None:
        builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=length), critical=True)
    if does is not None:
        builder = builder.add_extension(x509.KeyUsage(**(dict.fromkeys(USES, False) | {does: True})), critical=True)
    if signs is not None:
        others = dict.fromkeys(USES - {"digital_signature", "key_cert_sign"}, False)
        bits = x509.KeyUsage(digital_signature=True, key_cert_sign=signs, **others)
        builder = builder.add_extension(bits, critical=True)
    if usage:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usage), critical=False)
    if hosts or isinstance(names, x509.RFC822Name):
        others = [names] if isinstance(names, x509.RFC822Name) else [host_name(host) for host in hosts]
        builder = builder.add_extension(x509.SubjectAlternativeName(others), critical=False)
    if isinstance(names, x509.NameConstraints):
        builder = builder.add_extension(names, critical=True)
    return Certificate(builder.sign((by.key if by else key), hashes.SHA256()), key)


HERE = ("127.0.0.1",)
SERVER, CLIENT = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH


def signed_by(**authority: Any) -> Chain:
    believed = sign("an authority", **authority)
    return Chain(sign("a broker", believed, ca=False, hosts=HERE), believed)


def itself(**made: Any) -> Chain:
    certificate = sign("a broker", **made)
    return Chain(certificate, certificate)


def long_named() -> Chain:
    return itself(ca=True, hosts=tuple(f"broker-{number}.example.test" for number in range(1200)))


# The words of the error; none where the certificate is believed.
CASES: dict[str, tuple[Any, str]] = {
    "an authority": (lambda: signed_by(ca=True), ""),
    "an authority that says what its key is for": (lambda: signed_by(ca=True, signs=True), ""),
    "an authority for servers": (lambda: signed_by(ca=True, usage=(SERVER,)), ""),
    "a certificate that is no authority": (lambda: signed_by(ca=False), "is no authority"),
    "a client's certificate": (
        lambda: signed_by(ca=False, signs=False, usage=(CLIENT,)),
        'an authority" is no authority',
    ),
    "an authority whose key does not sign": (lambda: signed_by(ca=True, signs=False), "is no authority"),
    "an authority for clients": (lambda: signed_by(ca=True, usage=(CLIENT,)), "is no authority"),
    "an authority that has expired": (lambda: signed_by(ca=True, days=(-40, -30)), 'an authority" has expired'),
    "an authority of tomorrow": (lambda: signed_by(ca=True, days=(1, 5)), "is not valid yet"),
    "one that signed itself": (lambda: itself(ca=False, hosts=HERE), ""),
    "one that signed itself as an authority": (lambda: itself(ca=True, hosts=HERE), ""),
    "one that signed itself for another host": (lambda: itself(ca=True, hosts=("x.test",)), "does not name the host"),
    "one that signed itself and has expired": (lambda: itself(ca=True, hosts=HERE, days=(-5, -1)), "has expired"),
    "one that signed itself for clients": (lambda: itself(ca=False, hosts=HERE, usage=(CLIENT,)), "not for servers"),
    "one that has a common name only": (lambda: itself(ca=True), "only a subjectAltName counts"),
    "one that has many names": (long_named, "and 1190 more"),
}


@contextmanager
def tls_server(
    shown: Certificate,
    folder: Path,
    clients: Certificate | None = None,
    seen: list[object] | None = None,
) -> Iterator[str]:
    """Says nothing once TLS is there, for which it wants a certificate of `clients` where these are given."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # Keys that are too weak are for the client to refuse.
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.load_cert_chain(shown.write(folder, "shown"))
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=clients.pem)
    # A session that is resumed shows no certificate.
    context.num_tickets = 0
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(peer: socket.socket) -> None:
            with suppress(OSError), peer, context.wrap_socket(peer, server_side=True) as encrypted:
                if seen is not None:
                    seen.append(encrypted.getpeercert(binary_form=True))
                encrypted.recv(1 << 16)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


def openssl_refuses(address: str, ca: Path, *, partial: bool = False, lists: Path | None = None) -> int:
    """The number of OpenSSL's error; 0 where it believes. A chain that is partial ends with any certificate given."""
    host, port = address.split(":")
    context = ssl.create_default_context(cafile=str(ca))
    # Later Pythons set both, earlier ones neither.
    context.verify_flags &= ~(ssl.VERIFY_X509_STRICT | PARTIAL)
    if partial:
        context.verify_flags |= PARTIAL
    if lists is not None:
        context.load_verify_locations(lists)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    with socket.create_connection((host, int(port))) as connection:
        try:
            context.wrap_socket(connection, server_hostname=host).close()
        except ssl.SSLCertVerificationError as error:
            return error.verify_code
    return 0


PARTIAL = ssl.VERIFY_X509_PARTIAL_CHAIN


def judged_alike(
    shown: Certificate,
    given: tuple[Certificate, ...],
    folder: Path,
    *,
    revocations: str | None = None,
    is_believed: bool = False,
) -> None:
    """A client believes what OpenSSL believes in either way, and refuses what it refuses, unless told otherwise."""
    ca, lists = folder / "ca.pem", None
    ca.write_text("".join(Certificate(each.certificate, each.key).pem for each in given))
    settings: dict[str, Any] = {"security_protocol": "ssl", "ssl_ca_location": ca}
    if revocations is not None:
        lists = folder / "lists.pem"
        lists.write_text(revocations)
        settings["ssl_crl_location"] = lists
    with tls_server(shown, folder) as address:
        refusals = {openssl_refuses(address, ca, partial=partial, lists=lists) for partial in (False, True)}
        is_refused = 0 not in refusals and not is_believed
        with (
            kafkars.Admin(bootstrap_servers=address, **settings) as admin,
            pytest.raises(KafkaError) as raised,
        ):
            admin.list_topics(timeout=20 if is_refused else 0.5)
        assert (type(raised.value) is CertificateError) is is_refused, (refusals, raised.value)
        assert "Error" not in str(raised.value)


@pytest.mark.parametrize("given", ["root", "a", "root a", "a root", "b"])
@pytest.mark.parametrize("length", [0, 1, 2])
@pytest.mark.parametrize("limited", ["root", "a", "b"])
def test_a_path_is_as_long_as_its_authorities_allow(limited: str, length: int, given: str, tmp_path: Path) -> None:
    made: dict[str, Certificate] = {}
    above = None
    for name in ("root", "a", "b"):
        made[name] = above = sign(name, above, ca=True, length=length if name == limited else None)
    leaf = sign("a broker", above, ca=False, hosts=HERE)
    shown = Certificate(leaf.certificate, leaf.key, (made["b"].certificate, made["a"].certificate))
    judged_alike(shown, tuple(made[name] for name in given.split()), tmp_path)


@pytest.mark.parametrize("does", [None, *sorted(USES - {"encipher_only", "decipher_only"})])
@pytest.mark.parametrize("role", ["broker", "between", "root", "itself", "authority itself"])
def test_a_key_does_only_what_its_certificate_says(role: str, does: str | None, tmp_path: Path) -> None:
    if "itself" in role:
        own = sign("a broker", ca=role == "authority itself", does=does, hosts=HERE)
        judged_alike(own, (own,), tmp_path)
        return
    root = sign("a root", ca=True, does=does if role == "root" else None)
    between = sign("between", root, ca=True, does=does if role == "between" else None)
    leaf = sign("a broker", between, ca=False, does=does if role == "broker" else None, hosts=HERE)
    judged_alike(Certificate(leaf.certificate, leaf.key, (between.certificate,)), (root,), tmp_path)


# When a list counts, in days from now.
TIMES = {"valid": (-1, 5), "run out": (-9, -2), "not yet valid": (2, 9)}


def revoke(by: Certificate, revoked: tuple[Certificate, ...], days: tuple[int, int]) -> str:
    builder = x509.CertificateRevocationListBuilder().issuer_name(by.certificate.subject)
    builder = builder.last_update(NOW + days[0] * DAY).next_update(NOW + days[1] * DAY)
    builder = builder.add_extension(x509.CRLNumber(1), critical=False)
    for each in revoked:
        entry = x509.RevokedCertificateBuilder().serial_number(each.certificate.serial_number)
        builder = builder.add_revoked_certificate(entry.revocation_date(NOW - DAY).build())
    return builder.sign(by.key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()


@pytest.mark.parametrize("given", ["authority", "broker", "authority broker", "expired authority, broker", "itself"])
@pytest.mark.parametrize("lists", [True, False], ids=["listed", "not listed"])
@pytest.mark.parametrize("state", [*TIMES, "of another key"])
def test_a_list_of_the_revoked_counts_for_what_is_given_too(
    state: str,
    lists: bool,
    given: str,
    tmp_path: Path,
) -> None:
    authority = sign("an authority", ca=True, days=(-40, -30) if "expired" in given else (-1, 5))
    leaf = sign("a broker", None if given == "itself" else authority, ca=False, hosts=HERE)
    issuer = leaf if given == "itself" else authority
    revoked = leaf if lists else sign("another broker", authority, ca=False)
    if state == "of another key":
        issuer = sign(issuer.certificate.subject.rfc4514_string().removeprefix("CN="), ca=True)
    words = revoke(issuer, (revoked,), TIMES.get(state, TIMES["valid"]))
    among = [*([authority] if "authority" in given else []), *([] if given == "authority" else [leaf])]
    # OpenSSL wants the issuer of whatever has a list, and a valid one; here what is given itself is believed without.
    alone = {"broker": {"valid", "of another key"}, "expired authority, broker": {"valid"}}
    is_believed = not lists and state in alone.get(given, ())
    judged_alike(leaf, tuple(among), tmp_path, revocations=words, is_believed=is_believed)


@pytest.mark.parametrize("form", ["file", "text", "directory", "system"])
@pytest.mark.parametrize("case", CASES)
def test_what_openssl_refuses_is_refused(case: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, words = CASES[case]
    chain: Chain = make()
    (tmp_path / "ca").mkdir()
    ca = tmp_path / "ca" / "ca.pem"
    ca.write_text(chain.believed.pem)
    given: dict[str, Any] = {
        "file": {"ssl_ca_location": ca},
        "text": {"ssl_ca_pem": chain.believed.pem},
        "directory": {"ssl_ca_location": ca.parent},
        "system": {},
    }[form]
    if form == "system":
        # Beside the one to judge there is what cannot be read, and an authority of other brokers.
        damaged = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
        system = tmp_path / "system.pem"
        system.write_text(damaged + sign("another authority", ca=True).pem + chain.believed.pem)
        monkeypatch.setenv("SSL_CERT_FILE", str(system))
        monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with tls_server(chain.shown, tmp_path) as address:
        assert (openssl_refuses(address, ca) == 0) is (words == "")
        reasons = {words}
        if form == "system" and chain.shown is chain.believed:
            # The system's are authorities only: whoever wants a broker's own to be believed names it.
            own = "the certificate of an authority" if chain.is_authority else "no authority that is believed here"
            reasons = {own, words} - {""}
        is_refused = "" not in reasons
        settings = {"bootstrap_servers": address, "security_protocol": "ssl", **given}
        with kafkars.Admin(**settings) as admin, pytest.raises(KafkaError) as raised:
            admin.list_topics(timeout=20 if is_refused else 0.5)
        assert (type(raised.value) is CertificateError) is is_refused
        assert any(reason in str(raised.value) for reason in reasons)
        assert len(str(raised.value)) < 1000


def test_a_host_that_is_not_looked_at_makes_no_authority_of_a_client(tmp_path: Path) -> None:
    """Whoever has the key of a certificate beside the authority's could be every broker."""
    chain = signed_by(ca=False, usage=(CLIENT,))
    with tls_server(chain.shown, tmp_path) as address:
        settings = {
            "bootstrap_servers": address,
            "security_protocol": "ssl",
            "ssl_ca_pem": chain.believed.pem,
            "ssl_endpoint_identification_algorithm": "none",
        }
        with kafkars.Admin(**settings) as admin, pytest.raises(CertificateError, match="is no authority"):
            admin.list_topics(timeout=20)


def test_an_authority_that_expires_is_believed_until_then(tmp_path: Path) -> None:
    key_life = dt.timedelta(seconds=10)
    key = new_key("ec")
    builder = begin(
        "a short authority", "a short authority", key, NOW - DAY, dt.datetime.now(dt.timezone.utc) + key_life
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    authority = Certificate(builder.sign(key, hashes.SHA256()), key)
    shown = sign("a broker", authority, ca=False, hosts=HERE)
    with tls_server(shown, tmp_path) as address:
        settings = {"bootstrap_servers": address, "security_protocol": "ssl", "ssl_ca_pem": authority.pem}
        with kafkars.Admin(**settings) as admin:
            # One client: what it believes is not settled when it is made.
            seen: list[type[BaseException]] = []
            while CertificateError not in seen:
                with pytest.raises(KafkaError) as raised:
                    admin.list_topics(timeout=0.5)
                seen.append(type(raised.value))
            assert "has expired" in str(raised.value)
            assert seen[0] is not CertificateError


def weak(bits: int) -> Any:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def told() -> dict[str, tuple[Certificate, Certificate, str | None, str]]:
    """What is shown, what is given, a list of the revoked, and words of the error."""
    root, small = sign("a root", ca=True), weak(1024)
    first = sign("limited", root, ca=True, length=0)
    second = sign("too many", first, ca=True)
    many = sign("a broker", second, ca=False, hosts=HERE)
    limited = sign("constrained", ca=True, names=x509.NameConstraints([x509.DNSName("other.test")], None))
    weak_root = sign("a weak root", ca=True, key=small)
    mail = x509.RFC822Name("a@b.test")
    broker = sign("a broker", root, ca=False, hosts=HERE)
    forged = revoke(sign("a root", ca=True), (), TIMES["valid"])
    return {
        "a weak root": (sign("a broker", weak_root, ca=False, hosts=HERE), weak_root, None, "a weak root.*1024 bits"),
        "a weak broker": (sign("a broker", root, ca=False, hosts=HERE, key=small), root, None, "a broker.*1024 bits"),
        "names": (sign("a broker", limited, ca=False, hosts=("x.test",)), limited, None, "name constraints"),
        "lengths": (
            Certificate(many.certificate, many.key, (second.certificate, first.certificate)),
            root,
            None,
            "length",
        ),
        "no authority": (
            Certificate(
                (
                    leaf := sign("a leaf", between := sign("no authority", root, ca=False), ca=False, hosts=HERE)
                ).certificate,
                leaf.key,
                (between.certificate,),
            ),
            root,
            None,
            "no authority's",
        ),
        "a mail address": (sign("a broker", root, ca=False, names=mail), root, None, "only a subjectAltName counts"),
        "a list of another key": (broker, root, forged, "ssl_crl_location is not signed"),
    }


@pytest.mark.parametrize(
    "case",
    ["a weak root", "a weak broker", "names", "lengths", "no authority", "a mail address", "a list of another key"],
)
def test_what_is_told_names_the_cause(case: str, tmp_path: Path) -> None:
    shown, believed, revocations, words = told()[case]
    settings: dict[str, Any] = {"security_protocol": "ssl", "ssl_ca_pem": believed.pem}
    if revocations is not None:
        settings["ssl_crl_location"] = tmp_path / "lists.pem"
        settings["ssl_crl_location"].write_text(revocations)
    with (
        tls_server(shown, tmp_path) as address,
        kafkars.Admin(bootstrap_servers=address, **settings) as admin,
        pytest.raises(CertificateError, match=words) as raised,
    ):
        admin.list_topics(timeout=20)
    for raw in ("Error", "Unsupported", "Violat"):
        assert raw not in str(raised.value)
    assert 'subject "CN=' in str(raised.value)


def test_a_file_of_the_same_size_and_time_that_takes_the_place_of_another_is_read(tmp_path: Path) -> None:
    authority, other = sign("an authority", ca=True), sign("an authority", ca=True)
    size = max(len(authority.pem), len(other.pem))
    ca, new = tmp_path / "ca.pem", tmp_path / "new.pem"
    ca.write_text(other.pem.ljust(size, "\n"))
    new.write_text(authority.pem.ljust(size, "\n"))
    times = (ca.stat().st_atime_ns, ca.stat().st_mtime_ns)
    os.utime(new, ns=times)
    with (
        tls_server(sign("a broker", authority, ca=False, hosts=HERE), tmp_path) as address,
        kafkars.Admin(
            bootstrap_servers=address,
            security_protocol="ssl",
            ssl_ca_location=ca,
            socket_connection_setup_timeout_ms=10_000,
        ) as admin,
    ):
        with pytest.raises(CertificateError):
            admin.list_topics(timeout=20)
        new.replace(ca)
        assert (ca.stat().st_size, ca.stat().st_mtime_ns) == (size, times[1])
        seen: list[type[BaseException]] = [CertificateError]
        # The next login is tried after a while only. What is believed answers no request.
        while seen[-1] is CertificateError:
            with pytest.raises(KafkaError) as raised:
                admin.list_topics(timeout=1)
            seen.append(type(raised.value))


def of_the_first_version(name: str, by: Certificate) -> Certificate:
    """A certificate as `openssl x509 -req` makes it without extensions."""

    def element(tag: int, *contents: bytes) -> bytes:
        content = b"".join(contents)
        length = len(content).to_bytes((len(content).bit_length() + 7) // 8 or 1, "big")
        return bytes([tag]) + (length if len(content) < 0x80 else bytes([0x80 | len(length)]) + length) + content

    key = new_key("ec")
    algorithm = element(0x30, bytes.fromhex("06082a8648ce3d040302"))
    times = (element(0x17, f"{NOW + days * DAY:%y%m%d%H%M%SZ}".encode()) for days in (-1, 5))
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    issuer = by.certificate.subject.public_bytes()
    names = (issuer, element(0x30, *times), common_name(name).public_bytes())
    signed = element(0x30, element(0x02, b"\x07"), algorithm, *names, public)
    assert isinstance(by.key, ec.EllipticCurvePrivateKey)
    signature = by.key.sign(signed, ec.ECDSA(hashes.SHA256()))
    whole = element(0x30, signed, algorithm, element(0x03, b"\0", signature))
    return Certificate(x509.load_der_x509_certificate(whole), key)


def test_a_certificate_of_the_first_version_is_for_the_broker_to_judge(tmp_path: Path) -> None:
    root = sign("a root", ca=True)
    own, other = of_the_first_version("a client", root), of_the_first_version("another", root)
    settings: dict[str, Any] = {
        "security_protocol": "ssl",
        "ssl_ca_pem": root.pem,
        "ssl_certificate_pem": own.pem,
        "ssl_key_pem": own.key_pem(),
    }
    shown: list[object] = []
    with (
        tls_server(sign("a broker", root, ca=False, hosts=HERE), tmp_path, root, shown) as address,
        kafkars.Admin(bootstrap_servers=address, **settings) as admin,
    ):
        with pytest.raises(KafkaError) as raised:
            admin.list_topics(timeout=1)
        assert not isinstance(raised.value, (CertificateError, TlsError))
    assert shown[0] == own.certificate.public_bytes(Encoding.DER)
    with pytest.raises(ConfigError, match="ssl_certificate"):
        kafkars.Admin(bootstrap_servers="127.0.0.1:1", **settings | {"ssl_key_pem": other.key_pem()})


def test_a_broker_of_the_first_version_is_told_apart(tmp_path: Path) -> None:
    root = sign("a root", ca=True)
    with (
        tls_server(of_the_first_version("a broker", root), tmp_path) as address,
        kafkars.Admin(bootstrap_servers=address, security_protocol="ssl", ssl_ca_pem=root.pem) as admin,
        pytest.raises(CertificateError, match="first version"),
    ):
        admin.list_topics(timeout=20)

"""The forms in which files of certificates and keys come, beside how OpenSSL reads them."""

from __future__ import annotations

import itertools
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars.errors import ConfigError, KafkaError

from tests.support.certificates import Authority

pytestmark = pytest.mark.timeout(120)
AUTHORITY = Authority("a")
OTHER = Authority("b")
CLIENT = AUTHORITY.issue("client")
MARK = "\ufeff"

FORMS: dict[str, Callable[[str], bytes]] = {
    "as it is": lambda text: text.encode(),
    "a byte order mark": lambda text: (MARK + text).encode(),
    "a mark and CRLF": lambda text: (MARK + text).replace("\n", "\r\n").encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "text before": lambda text: f"Bag Attributes\n    localKeyID: 01\nsubject=CN = a\n{text}".encode(),
    "a mark and text before": lambda text: f"{MARK}subject=CN = a\n{text}".encode(),
    "text in Latin-1 before": lambda text: f"subject=CN = Zürich\n{text}".encode("latin-1"),
    "text behind": lambda text: f"{text}the end\n".encode(),
    "spaces at the ends of lines": lambda text: text.replace("\n", "  \n").encode(),
    "tabs at the ends of lines": lambda text: text.replace("\n", "\t\n").encode(),
    "no last line end": lambda text: text.rstrip("\n").encode(),
    "another one before, then a mark": lambda text: f"{OTHER.own.pem}{MARK}{text}".encode(),
    "the name of old": lambda text: text.replace(" CERTIFICATE", " X509 CERTIFICATE").encode(),
    "the name of old and a mark": lambda text: f"{MARK}{text}".replace(" CERT", " X509 CERT").encode(),
}
"""What OpenSSL reads."""

OTHERS: dict[str, tuple[Callable[[str], bytes], str]] = {
    "UTF-16": (lambda text: text.encode("utf-16"), "UTF-16; save it as UTF-8"),
    "DER": (ssl.PEM_cert_to_DER_cert, "it is DER; convert it"),
    "indented": (lambda text: text.replace("-----BEGIN", "  -----BEGIN").encode(), "at the start of a line"),
    "PKCS7": (lambda text: text.replace(" CERTIFICATE", " PKCS7").encode(), "-----BEGIN PKCS7-----.*print_certs"),
    "a request": (
        lambda text: text.replace(" CERT", " NEW CERT").replace("TE-----", "TE REQUEST-----").encode(),
        "REQUEST",
    ),
    "trusted": (lambda text: trusted(text).encode(), "-----BEGIN TRUSTED CERTIFICATE-----.*openssl x509 -in"),
    "trusted, and another": (lambda text: (OTHER.own.pem + trusted(text)).encode(), "TRUSTED CERTIFICATE"),
    "a name of its own": (
        lambda text: text.replace(" CERTIFICATE", " MIGHAgEAMBMG").encode(),
        "a section of another name",
    ),
    "a key": (lambda _: CLIENT.key_pem().encode(), "-----BEGIN PRIVATE KEY-----"),
    "nothing": (lambda _: b"", "holds no PEM"),
}
"""What is refused, and what the error says."""


def trusted(text: str) -> str:
    """OpenSSL's own form."""
    if shutil.which("openssl") is None:
        return text.replace(" CERTIFICATE", " TRUSTED CERTIFICATE")
    command = ["openssl", "x509", "-trustout", "-addtrust", "serverAuth"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def opened(**settings: Any) -> None:
    kafkars.Admin(bootstrap_servers="127.0.0.1:1", security_protocol="ssl", **settings).close()


@pytest.mark.parametrize("form", FORMS)
def test_authorities_are_read_as_openssl_reads_them(form: str, tmp_path: Path) -> None:
    content = FORMS[form](AUTHORITY.own.pem)
    path = tmp_path / "ca.pem"
    path.write_bytes(content)
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    theirs.load_verify_locations(cafile=path)
    assert theirs.cert_store_stats()["x509"] == 1 + content.startswith(OTHER.own.pem.encode())
    opened(ssl_ca_location=path)
    opened(ssl_ca_location=tmp_path)
    if form != "text in Latin-1 before":
        opened(ssl_ca_pem=content.decode())


@pytest.mark.parametrize("form", FORMS)
def test_a_certificate_and_its_key_are_read_as_openssl_reads_them(form: str, tmp_path: Path) -> None:
    """In one file and in two; the chain begins with the client's own, or the pair does not fit."""
    if "another" in form:
        return
    files = {"both": CLIENT.pem + CLIENT.key_pem(), "certificate": CLIENT.pem, "key": CLIENT.key_pem()}
    paths = {name: tmp_path / f"{name}.pem" for name in files}
    for name, text in files.items():
        paths[name].write_bytes(FORMS[form](text))
    encrypted = tmp_path / "encrypted.pem"
    encrypted.write_bytes(FORMS[form](CLIENT.key_pem("Xq7")))
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    theirs.load_cert_chain(paths["certificate"], paths["key"])
    theirs.load_cert_chain(paths["both"])
    theirs.load_cert_chain(paths["certificate"], encrypted, "Xq7")
    given = {"ssl_ca_pem": AUTHORITY.own.pem, "ssl_certificate_location": paths["certificate"]}
    opened(**given, ssl_key_location=paths["key"])
    opened(**given, ssl_key_location=encrypted, ssl_key_password="Xq7")
    opened(ssl_ca_pem=AUTHORITY.own.pem, ssl_certificate_location=paths["both"])


@pytest.mark.parametrize("form", FORMS)
def test_lists_of_revoked_certificates_are_read_as_openssl_reads_them(form: str, tmp_path: Path) -> None:
    path = tmp_path / "crl.pem"
    path.write_bytes(FORMS[form](AUTHORITY.revoke(CLIENT)))
    ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    opened(ssl_ca_pem=AUTHORITY.own.pem, ssl_crl_location=path)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("setting", ["ssl_ca_location", "ssl_certificate_location"])
def test_what_is_something_else_is_named(other: str, setting: str, tmp_path: Path) -> None:
    make, expected = OTHERS[other]
    path = tmp_path / "other.pem"
    path.write_bytes(make(AUTHORITY.own.pem))
    given = {"ssl_ca_pem": AUTHORITY.own.pem, "ssl_key_pem": CLIENT.key_pem()} if "cert" in setting else {}
    with pytest.raises(ConfigError, match=f"(?s){setting}: .*{expected}") as raised:
        opened(**given, **{setting: path})
    assert "MIGH" not in str(raised.value)


PARTS: tuple[Callable[[], str], ...] = (
    lambda: OTHER.own.pem,
    lambda: AUTHORITY.own.pem.replace(" CERT", " X509 CERT"),
    lambda: MARK,
    lambda: "subject=CN = a\n",
    lambda: "\r\n",
    lambda: "  \n",
    lambda: AUTHORITY.revoke(CLIENT),
)


def mixtures() -> Iterator[str]:
    for count in range(1, 4):
        for chosen in itertools.product(PARTS, repeat=count):
            yield "".join(part() for part in chosen)


def test_any_mixture_is_read_where_openssl_reads_it(tmp_path: Path) -> None:
    """Certificates, lists and text in any order; each mixture holds a certificate."""
    path = tmp_path / "mixture.pem"
    tried = 0
    for text in mixtures():
        if " CERTIFICATE" not in text:
            continue
        path.write_text(text, encoding="utf-8", newline="")
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
        except ssl.SSLError:
            continue
        tried += 1
        try:
            opened(ssl_ca_location=path)
        except KafkaError as error:
            pytest.fail(f"{error}: {text!r}")
    sys.stdout.write(f"{tried} mixtures\n")
    assert tried > 100

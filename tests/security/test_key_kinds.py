"""Private keys as OpenSSL writes them: which are read, and what is said of those that are not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import kafkars
import pytest
from kafkars.errors import ConfigError

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command"),
]
PASSWORD = "Xq7-canary"


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def pair(folder: Path, *kind: str) -> tuple[str, str]:
    """A certificate that signs itself, and its key, which is of a kind."""
    key, certificate = str(folder / "own.key"), str(folder / "own.pem")
    openssl("genpkey", *kind, "-out", key)
    openssl("req", "-x509", "-new", "-key", key, "-subj", "/CN=a", "-days", "2", "-out", certificate)
    return certificate, key


EC = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")


def opened(certificate: str, key: str, password: str | None = PASSWORD) -> None:
    kafkars.Admin(
        bootstrap_servers="127.0.0.1:1",
        security_protocol="ssl",
        ssl_certificate_location=certificate,
        ssl_key_location=key,
        ssl_key_password=password,
    ).close()


@pytest.mark.parametrize(
    "scheme",
    [
        ("-v2", "aes256"),
        ("-v2", "aes128", "-v2prf", "hmacWithSHA512"),
        ("-v2", "aes256", "-v2prf", "hmacWithSHA1"),
        ("-v2", "des3"),
        ("-v2", "des3", "-v2prf", "hmacWithSHA1"),
        ("-scrypt",),
    ],
    ids=" ".join,
)
def test_an_encrypted_key_is_read(scheme: tuple[str, ...], tmp_path: Path) -> None:
    certificate, key = pair(tmp_path, *EC)
    encrypted = str(tmp_path / "encrypted.key")
    openssl("pkcs8", "-topk8", *scheme, "-in", key, "-out", encrypted, "-passout", f"pass:{PASSWORD}")
    opened(certificate, encrypted)
    for _ in range(3):  # a wrong one decrypts to something that looks like a key's padding now and then
        with pytest.raises(ConfigError, match=r"^ssl_key_password: does not open the key$"):
            opened(certificate, encrypted, "another")


@pytest.mark.parametrize("scheme", ["PBE-SHA1-3DES", "PBE-SHA1-2DES"])
def test_an_unknown_scheme_is_no_wrong_password(scheme: str, tmp_path: Path) -> None:
    certificate, key = pair(tmp_path, *EC)
    encrypted = str(tmp_path / "encrypted.key")
    openssl("pkcs8", "-topk8", "-v1", scheme, "-in", key, "-out", encrypted, "-passout", f"pass:{PASSWORD}")
    with pytest.raises(ConfigError, match=r"^ssl_key_location: .*openssl pkcs8 -topk8 -v2 aes256 -in") as refused:
        opened(certificate, encrypted)
    assert PASSWORD not in str(refused.value)


@pytest.mark.parametrize(
    "kind",
    [
        ("-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"),
        ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"),
        ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"),
    ],
    ids=lambda kind: " ".join(kind[1::2]),
)
def test_a_kind_that_tls_does_not_use_is_told(kind: tuple[str, ...], tmp_path: Path) -> None:
    certificate, key = pair(tmp_path, *kind)
    with pytest.raises(ConfigError, match=r"^ssl_key_location: the private key is of a kind that is not offered"):
        opened(certificate, key, None)

"""What is read of an `ssl.SSLContext`, and what is refused because it cannot be."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kafkars import AdminConfig
from kafkars.compat._tls import SUITES, RememberingContext, UnusableTlsError, settings_of, suites_of
from kafkars.compat.aiokafka.helpers import create_ssl_context
from kafkars.config.secret import Secret

# Old programs choose versions by options, which Python calls deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:ssl.OP_NO")
INSTEAD = "say it with files"


def read(context: ssl.SSLContext) -> dict[str, Any]:
    settings = settings_of(context, INSTEAD)
    # What was read is something that the engine takes.
    AdminConfig(bootstrap_servers="127.0.0.1:1", security_protocol="ssl", **settings)
    return settings


def test_the_default_context_is_the_systems_authorities() -> None:
    assert read(ssl.create_default_context()) == {}
    assert read(create_ssl_context()) == {}


def test_a_context_without_authorities_never_believes_the_systems(files: Path) -> None:
    nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    directory = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    directory.load_verify_locations(capath=files / "authorities")
    for context in (nobody, directory, RememberingContext()):
        with pytest.raises(UnusableTlsError, match=f"no authorities.*{INSTEAD}"):
            settings_of(context, INSTEAD)
        given = {"ssl_ca_location": str(files / "ca.pem")}
        assert settings_of(context, INSTEAD, authorities=given) == given
    own = ssl.create_default_context(cafile=files / "ca.pem")
    other = {"ssl_ca_location": "other"}
    assert settings_of(own, INSTEAD, authorities=other) == {"ssl_ca_pem": (files / "ca.pem").read_text()}


def test_a_default_context_that_tells_nothing_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # A system whose authorities are in a directory only.
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    with pytest.raises(UnusableTlsError, match="no authorities"):
        settings_of(ssl.create_default_context(), INSTEAD)
    assert settings_of(create_ssl_context(), INSTEAD) == {}


def test_authorities_are_read_back(files: Path) -> None:
    expected = {"ssl_ca_pem": (files / "ca.pem").read_text()}
    assert read(ssl.create_default_context(cafile=files / "ca.pem")) == expected
    assert read(ssl.create_default_context(cadata=(files / "ca.pem").read_text())) == expected
    assert read(create_ssl_context(cadata=(files / "ca.pem").read_text())) == expected


def test_files_are_remembered_by_the_librarys_own_function(files: Path) -> None:
    # As files, so that they are read again when they have changed.
    assert read(create_ssl_context(cafile=files / "ca.pem")) == {"ssl_ca_location": str(files / "ca.pem")}
    assert read(create_ssl_context(capath=files / "authorities")) == {"ssl_ca_location": str(files / "authorities")}
    context = create_ssl_context(
        cafile=str(files / "ca.pem").encode(),
        certfile=files / "certificate.pem",
        keyfile=files / "encrypted.pem",
        password=lambda: b"Xq7-key",
    )
    found = read(context)
    password = found.pop("ssl_key_password")
    assert isinstance(password, Secret)
    assert (repr(password), password.read()) == ("***", "Xq7-key")
    assert found == {
        "ssl_ca_location": str(files / "ca.pem"),
        "ssl_certificate_location": str(files / "certificate.pem"),
        "ssl_key_location": str(files / "encrypted.pem"),
    }


def test_what_is_loaded_later_is_remembered_too(files: Path) -> None:
    context = create_ssl_context(cafile=files / "ca.pem")
    context.load_cert_chain(files / "certificate.pem", files / "key.pem")
    context.load_verify_locations(capath=str(files / "authorities"))
    found = read(context)
    assert found["ssl_ca_location"] == str(files / "authorities")
    assert found["ssl_ca_pem"] == (files / "ca.pem").read_text()
    assert found["ssl_key_location"] == str(files / "key.pem")


def test_the_host_is_checked_unless_the_context_says_otherwise(files: Path) -> None:
    context = ssl.create_default_context(cafile=files / "ca.pem")
    context.check_hostname = False
    assert read(context)["ssl_endpoint_identification_algorithm"] == "none"


@pytest.mark.parametrize(
    ("change", "versions"),
    [
        (lambda c: setattr(c, "minimum_version", ssl.TLSVersion.TLSv1_3), ["TLSv1.3"]),
        (lambda c: setattr(c, "maximum_version", ssl.TLSVersion.TLSv1_2), ["TLSv1.2"]),
        (lambda c: setattr(c, "minimum_version", ssl.TLSVersion.TLSv1_2), None),
        (lambda c: setattr(c, "minimum_version", ssl.TLSVersion.MINIMUM_SUPPORTED), None),
        (lambda c: setattr(c, "options", c.options | ssl.OP_NO_TLSv1_3), ["TLSv1.2"]),
    ],
)
def test_versions(files: Path, change: Callable[[ssl.SSLContext], None], versions: list[str] | None) -> None:
    context = ssl.create_default_context(cafile=files / "ca.pem")
    change(context)
    assert read(context).get("ssl_enabled_protocols") == versions


def test_cipher_suites_have_other_names() -> None:
    context = ssl.create_default_context()
    context.set_ciphers("ECDHE-RSA-AES256-GCM-SHA384:AES128-SHA")
    found = read(context)["ssl_cipher_suites"]
    assert "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384" in found
    assert set(found) <= set(SUITES.values())
    assert suites_of("x", "ECDHE+AESGCM:ECDHE+CHACHA20") == {}


def refusals(files: Path) -> dict[str, ssl.SSLContext]:
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    old = ssl.create_default_context()
    old.options |= ssl.OP_NO_TLSv1_2 | ssl.OP_NO_TLSv1_3
    revoking = ssl.create_default_context(cafile=files / "ca.pem")
    revoking.load_verify_locations(files / "crl.pem")
    revoking.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    weak = ssl.create_default_context()
    weak.maximum_version = ssl.TLSVersion.TLSv1_2
    weak.set_ciphers("AES128-SHA")
    return {"CERT_NONE.*cafile": unchecked, "TLS 1.2": old, f"revoked.*{INSTEAD}": revoking}


@pytest.mark.parametrize("number", range(3))
def test_what_cannot_be_honoured_is_an_error_that_says_what_to_do(files: Path, number: int) -> None:
    reason, context = list(refusals(files).items())[number]
    with pytest.raises(UnusableTlsError, match=reason):
        settings_of(context, INSTEAD)


def test_no_context_is_an_error_of_its_own() -> None:
    with pytest.raises(UnusableTlsError, match="SSLContext"):
        settings_of("tls", INSTEAD)  # type: ignore[arg-type]


def test_lists_of_revoked_certificates(files: Path) -> None:
    context = create_ssl_context(cafile=files / "ca.pem")
    context.load_verify_locations(files / "crl.pem")
    context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    assert read(context)["ssl_crl_location"] == str(files / "crl.pem")
    revoking = ssl.create_default_context(cafile=files / "ca.pem")
    revoking.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    found = settings_of(revoking, INSTEAD, revocations={"ssl_crl_location": "file"})
    assert found["ssl_crl_location"] == "file"


def test_a_list_that_openssl_does_not_know_is_its_error() -> None:
    with pytest.raises(ssl.SSLError, match="x: names no cipher suites"):
        suites_of("x", "NONSENSE")
    # Those of TLS 1.3 are in every list of OpenSSL's.
    assert all(
        name.startswith("TLS_") and "WITH" not in name for name in suites_of("x", "AES128-SHA")["ssl_cipher_suites"]
    )


def test_a_remembering_context_is_a_context() -> None:
    context = create_ssl_context()
    assert isinstance(context, RememberingContext)
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)

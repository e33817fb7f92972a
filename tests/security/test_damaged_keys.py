"""Keys that lost their form on the way (an environment variable, a folded YAML scalar, a bad rotation): no setting's
error and no line of the log holds any of one."""

from __future__ import annotations

import base64
import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars.errors import ConfigError, KafkaError
from kafkars.testing import Certificate as Shown
from kafkars.testing import Certificates, EmbeddedBroker, Listener

AUTHORITY = Certificates()
MADE = AUTHORITY.issue("client")
LINES = [line for line in MADE.key_pem.splitlines() if line and not line.startswith("-")]

DAMAGES: dict[str, Callable[[str], str]] = {
    "on one line": lambda pem: " ".join(pem.split("\n")),
    "with escaped line ends": lambda pem: pem.replace("\n", "\\n"),
    "without its end": lambda pem: pem.split("-----END")[0],
    "on one line without its end": lambda pem: " ".join(pem.split("-----END")[0].split("\n")),
    "without line ends": lambda pem: pem.replace("\n", ""),
    "with the end of another": lambda pem: pem.replace("-----END PRIVATE", "-----END EC PRIVATE"),
    "with a damaged beginning": lambda pem: pem.replace("PRIVATE KEY-----\n", "PRIVATE KEY", 1),
    "cut in the middle": lambda pem: pem[: len(pem) // 2],
    "with something in between": lambda pem: pem.replace("\n", "\n*&^\n"),
    "as a certificate": lambda pem: pem.replace("PRIVATE KEY", "CERTIFICATE"),
    "as a list": lambda pem: pem.replace("PRIVATE KEY", "X509 CRL"),
    "quoted": repr,
    "indented": lambda pem: pem.replace("\n", "\n    "),
    "in base64 once more": lambda pem: base64.b64encode(pem.encode()).decode(),
}
FILES = ("ssl_certificate_location", "ssl_key_location", "ssl_ca_location", "ssl_crl_location", "ssl_keystore_location")
TEXTS = ("ssl_certificate_pem", "ssl_key_pem", "ssl_ca_pem")


def pieces() -> list[str]:
    """Parts of the key: as text, in numbers as a list of bytes shows them, in hexadecimal."""
    found = []
    for line in LINES:
        for start in range(0, len(line) - 12, 4):
            piece = line[start : start + 12].encode()
            found += [piece.decode(), ", ".join(map(str, piece)), piece.hex()]
    return found


PIECES = pieces()


def assert_silent(*texts: object) -> None:
    for text in texts:
        said = str(text)
        assert not [piece for piece in PIECES if piece in said or piece in said.lower()], said[:500]


def refusal(call: Callable[[], object]) -> list[object]:
    """What a call says that may be refused."""
    try:
        call()
    except (ConfigError, KafkaError) as error:
        return [error, repr(error), *traceback.format_exception(error), error.__dict__]
    return []


def settings_of(name: str, text: str, folder: Path) -> dict[str, Any]:
    """A client with the damaged text in one setting, and what that setting needs beside it."""
    value: Any = text
    if name in FILES:
        value = folder / "damaged.pem"
        value.write_text(text)
    given = {"bootstrap_servers": "127.0.0.1:1", "security_protocol": "ssl", name: value}
    if "key_" in name:
        given["ssl_certificate_pem"] = MADE.certificate_pem
    return given


@pytest.mark.parametrize("name", [*FILES, *TEXTS])
@pytest.mark.parametrize("with_certificate", [False, True], ids=["key alone", "behind a certificate"])
def test_no_setting_shows_a_damaged_key(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, *, with_certificate: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    for done in DAMAGES.values():
        text = (MADE.certificate_pem if with_certificate else "") + done(MADE.key_pem)
        settings = settings_of(name, text, tmp_path)
        assert_silent(*refusal(lambda settings=settings: kafkars.Producer(**settings).close()))
    assert_silent(*(repr(record.__dict__) for record in caplog.records))


@pytest.mark.parametrize("name", FILES[:4])
def test_a_running_client_logs_no_damaged_key(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("kafkars").setLevel(1)
    path = tmp_path / "renewed.pem"
    good = {
        "ssl_certificate_location": MADE.certificate_pem + MADE.key_pem,
        "ssl_key_location": MADE.key_pem,
        "ssl_ca_location": AUTHORITY.ca_pem,
        "ssl_crl_location": AUTHORITY.revoke(AUTHORITY.issue("another")),
    }[name]
    path.write_text(good)
    listener = Listener("SSL", client_auth="requested")
    with EmbeddedBroker(listeners={"TLS": listener}, certificates=AUTHORITY) as broker:
        settings = broker.client_settings() | {name: path}
        if name == "ssl_key_location":
            settings["ssl_certificate_pem"] = MADE.certificate_pem
        elif name == "ssl_ca_location":
            del settings["ssl_ca_pem"]
        try:
            for done in DAMAGES.values():
                with kafkars.Admin(**settings) as admin:
                    path.write_text(("" if name == "ssl_key_location" else good) + done(MADE.key_pem) + "\n")
                    assert_silent(*refusal(admin.list_topics))
                path.write_text(good)
        finally:
            logging.getLogger("kafkars").setLevel(logging.NOTSET)
    lines = [record.getMessage() + repr(record.__dict__) for record in caplog.records]
    assert lines
    assert_silent(*lines)


def test_the_embedded_broker_shows_no_damaged_key() -> None:
    for done in DAMAGES.values():
        damaged = done(MADE.key_pem)
        for certificate in (Shown(MADE.certificate_pem + damaged, damaged), Shown(damaged, MADE.key_pem)):
            listeners = {"TLS": Listener("SSL", certificate=certificate)}
            assert_silent(*refusal(lambda listeners=listeners: EmbeddedBroker(listeners=listeners).stop()))

"""Secrets show themselves nowhere: not in settings, log lines, errors, tracebacks or metrics."""

from __future__ import annotations

import base64
import json
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import kafkars
import pytest
from kafkars import ProducerConfig
from kafkars.config.secret import Secret
from kafkars.config.security import CHECKS, secret
from kafkars.errors import ConfigError, KafkaError

from tests.security.conftest import ALICE, PASSWORDS, SecureKafka
from tests.support.certificates import Authority
from tests.support.sasl_gate import sasl_gate

WORDS = ("Xq7", "BEGIN PRIVATE KEY")
SEARCHED: list[int] = []


@pytest.fixture(scope="module", autouse=True)
def tally() -> Iterator[None]:
    """What `-s` prints at the end."""
    yield
    sys.stdout.write(f"{len(SEARCHED)} texts, {sum(SEARCHED)} characters of output were searched for secrets\n")


def assert_silent(*texts: object) -> None:
    for text in texts:
        SEARCHED.append(len(str(text)))
        for word in WORDS:
            assert word not in str(text), text


def test_a_config_shows_no_secret() -> None:
    key = Authority("a").issue("client").key_pem()
    config = ProducerConfig(
        bootstrap_servers="127.0.0.1:1",
        security_protocol="sasl_ssl",
        ssl_certificate_pem="certificate",
        ssl_key_pem=key,
        ssl_key_password="Xq7-key",
        ssl_keystore_password="Xq7-store",
        sasl_mechanism="PLAIN",
        sasl_username="alice",
        sasl_password="Xq7-password",
    )
    assert_silent(repr(config), str(config), config.sasl_password, f"{config.ssl_key_pem}")
    assert config.sasl_password == Secret("Xq7-password")


def test_keys_of_aws_show_themselves_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    keys = {"secret_access_key": "Xq7-key", "session_token": "Xq7-token"}
    with sasl_gate(refuses=True) as gate:
        settings = {
            **gate.token_settings,
            "sasl_mechanism": "AWS_MSK_IAM",
            "sasl_aws_msk_iam_region": "eu-west-1",
            "sasl_aws_msk_iam_access_key_id": "AKIA",
        } | {f"sasl_aws_msk_iam_{name}": value for name, value in keys.items()}
        config = ProducerConfig(**settings)
        assert_silent(repr(config), config.sasl_aws_msk_iam_credentials_provider)
        said = use(settings)
        signature = json.loads(gate.message)["x-amz-signature"]
    assert_silent(*said, *(record.getMessage() for record in caplog.records))
    assert signature not in str(said)


REPEATED: dict[str, Callable[[bytes], str]] = {
    "as it came": lambda message: message.decode(),
    "its second half": lambda message: message[len(message) // 2 :].decode(),
    "in base64": lambda message: base64.b64encode(message).decode(),
    "for the web": lambda message: base64.urlsafe_b64encode(message).decode().rstrip("="),
    "in hexadecimal": lambda message: message.hex().upper(),
    "percent-encoded": quote,
    "as JSON": lambda message: json.dumps({"sent": message.decode()}),
    "on lines of its own": lambda message: "\r\nERROR forged\r\n" + message.decode(),
}
"""What a broker's plugin may write of the message that it refuses."""

LOGINS: dict[str, dict[str, Any]] = {
    "PLAIN": {"sasl_username": "alice", "sasl_password": 'Xq7 canary+in/a"cage'},
    "OAUTHBEARER": {"sasl_oauthbearer_token_provider": lambda: "Xq7canary." + "eyJhbGciOiJub25lIn0" * 40},
    "AWS_MSK_IAM": {
        "sasl_aws_msk_iam_region": "eu-west-1",
        "sasl_aws_msk_iam_access_key_id": "AKIA",
        "sasl_aws_msk_iam_secret_access_key": "Xq7-key-canary",
        "sasl_aws_msk_iam_session_token": "Xq7canary/token+" * 20,
    },
}


def in_base64(word: bytes, before: int) -> str:
    """What stands for a word alone, behind so many other bytes."""
    whole = base64.b64encode(b"\0" * before + word)
    return whole[(0, 2, 3)[before] : (len(word) + before) // 3 * 4].decode().lower()


PIECES = ("canary", "eyjhbgci", "7cage", b"canary".hex(), *(in_base64(b"canary", before) for before in range(3)))
"""Parts of the secrets as they are, in hexadecimal, and in base64 at each of the three places, in small letters."""


@pytest.mark.parametrize("form", REPEATED)
@pytest.mark.parametrize("mechanism", LOGINS)
def test_a_broker_that_repeats_a_login_is_not_quoted(
    mechanism: str, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with sasl_gate(refuses=True) as gate:
        gate.words = lambda message: "we do not know " + REPEATED[form](message)
        settings = {**gate.token_settings, "sasl_mechanism": mechanism} | LOGINS[mechanism]
        said = use(settings)
        sent = gate.message
    texts = [str(text) for text in (*said, *(record.getMessage() for record in caplog.records))]
    SEARCHED.extend(map(len, texts))
    # Of a long message the beginning is shown, where there may be no secret.
    assert any("we do not know" in text and ("***" in text or len(sent) > 200) for text in texts)
    assert not [text for text in texts for piece in PIECES if piece in text.lower()]
    assert not [text for text in texts if "\nERROR forged" in text]
    if mechanism == "AWS_MSK_IAM":
        # Whoever has it may connect for a quarter of an hour.
        signature = json.loads(sent)["x-amz-signature"]
        assert not [text for text in texts if signature[:16] in text or signature[-16:] in text]


@pytest.mark.parametrize("name", ["ssl_certificate_pem", "ssl_ca_pem"])
@pytest.mark.parametrize("kind", ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"])
def test_a_key_among_certificates_is_refused_unquoted(name: str, kind: str) -> None:
    text = Authority("a").own.pem + f"-----BEGIN {kind}-----\nXq7\n-----END {kind}-----\n"
    with pytest.raises(ConfigError, match="ssl_key_pem") as raised:
        ProducerConfig(bootstrap_servers="127.0.0.1:1", security_protocol="ssl", **{name: text})
    assert_silent(raised.value, *traceback.format_exception(raised.value))


@pytest.mark.parametrize("name", [name for name, check in CHECKS.items() if check is secret or name.endswith("_pem")])
@pytest.mark.parametrize("wrong", [b"Xq7-bytes", ["Xq7-list"], {"Xq7": "dict"}, 7])
def test_a_wrong_secret_is_not_quoted(name: str, wrong: Any) -> None:
    with pytest.raises(ConfigError) as raised:
        ProducerConfig(bootstrap_servers="127.0.0.1:1", **{name: wrong})
    assert_silent(raised.value, *traceback.format_exception(raised.value))


@pytest.mark.timeout(180)
def test_nothing_that_is_said_holds_a_secret(
    secure_kafka: SecureKafka, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Good and bad logins by every mechanism, with every log line there is."""
    caplog.set_level(logging.DEBUG)
    logging.getLogger("kafkars").setLevel(1)
    token = secure_kafka.tokens.token()
    expired = secure_kafka.tokens.token(lives=-300)
    said: list[object] = []
    try:
        for mechanism in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"):
            for password in (PASSWORDS[ALICE], "Xq7-wrong"):
                said += use(secure_kafka.sasl(mechanism, listener="SASL", sasl_password=password))
        for each in (token, expired):
            settings = secure_kafka.sasl("OAUTHBEARER", sasl_oauthbearer_token_provider=lambda each=each: each)
            said += use(settings)
        client = secure_kafka.authority.issue("client")
        (tmp_path / "key.pem").write_text(client.key_pem("Xq7-key"))
        identity = {"ssl_certificate_pem": client.pem, "ssl_key_location": tmp_path / "key.pem"}
        said += use(secure_kafka.tls("MUTUAL", **identity, ssl_key_password="Xq7-key"))
        with pytest.raises(ConfigError) as raised:
            kafkars.Admin(**secure_kafka.tls("MUTUAL", **identity, ssl_key_password="Xq7-other"))
        said.append(raised.value)
    finally:
        logging.getLogger("kafkars").setLevel(logging.NOTSET)
    captured = capfd.readouterr()
    lines = [record.getMessage() + repr(record.__dict__) for record in caplog.records]
    assert any("PLAIN without TLS" in line for line in lines)
    for text in (*said, *lines, captured.out, captured.err):
        assert_silent(text)
        assert token not in str(text)
        assert expired not in str(text)


def use(settings: dict[str, Any]) -> list[object]:
    """What one client says of itself and of its errors."""
    said: list[object] = []
    with kafkars.Admin(**settings) as admin:
        try:
            admin.list_topics()
        except KafkaError as error:
            said += [error, repr(error), *traceback.format_exception(error), error.__dict__]
        said.append(repr(admin))
    with kafkars.Producer(**settings) as producer:
        said += [repr(producer), producer.metrics()]
    return said

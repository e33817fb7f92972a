"""AWS_MSK_IAM against a peer that checks signatures by the book; nothing of AWS is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars.errors import ConfigError, CredentialsError, SaslAuthenticationFailedError

from tests.support import sigv4
from tests.support.sasl_gate import SaslGate, guarded_broker
from tests.support.waiting import SECONDS

pytestmark = pytest.mark.timeout(120)
KEYS = {"AKIASETTINGS": "Xq7/settings+", "AKIAENVIRONMENT": "Xq7-environment", "AKIAPROFILE": "Xq7-profile"}
REGION, TOKEN = "eu-west-1", "Xq7/session+token=="
PREFIX = "sasl_aws_msk_iam_"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of AWS is set on this machine, and its files are elsewhere."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "REGION", "DEFAULT_REGION"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def gate(home: Path) -> Iterator[SaslGate]:
    assert not list(home.iterdir())
    with guarded_broker(records=1) as made:
        made.reply = b'{"version":"2020_10_22","request-id":"7"}'
        yield made


def connect(gate: SaslGate, mechanism: str = "AWS_MSK_IAM", **settings: Any) -> None:
    if mechanism == "OAUTHBEARER":
        gate.reply = b""
    base = gate.token_settings | {"sasl_mechanism": mechanism}
    with kafkars.Admin(**base, **{f"{PREFIX}{name}": value for name, value in settings.items()}) as admin:
        admin.list_topics(timeout=SECONDS)


def signer(gate: SaslGate, region: str = REGION, token: str | None = None) -> str:
    """Whose key has signed what came last."""
    message = gate.message
    if message.startswith(b"n,,"):
        value = message.decode().split("\x01")[1].removeprefix("auth=Bearer ")
        return sigv4.check_token(value, KEYS, region=region, token=token)
    return sigv4.check_message(message, KEYS, host="127.0.0.1", region=region, token=token)


@pytest.mark.parametrize("mechanism", ["AWS_MSK_IAM", "OAUTHBEARER"])
@pytest.mark.parametrize("token", [None, TOKEN])
def test_keys_come_from_settings(gate: SaslGate, mechanism: str, token: str | None, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(KEYS["AKIASETTINGS"] + "\n")
    keys = {"access_key_id": "AKIASETTINGS", "secret_access_key": path, "session_token": token}
    connect(gate, mechanism, region=REGION, **keys)
    assert signer(gate, token=token) == "AKIASETTINGS"


@pytest.mark.parametrize("mechanism", ["AWS_MSK_IAM", "OAUTHBEARER"])
def test_keys_come_from_a_function(gate: SaslGate, mechanism: str) -> None:
    async def later() -> tuple[str, str, str]:
        return "AKIASETTINGS", KEYS["AKIASETTINGS"], TOKEN

    connect(gate, mechanism, region=REGION, credentials_provider=later)
    assert signer(gate, token=TOKEN) == "AKIASETTINGS"
    connect(gate, mechanism, region=REGION, credentials_provider=lambda: ("AKIAPROFILE", KEYS["AKIAPROFILE"]))
    assert signer(gate) == "AKIAPROFILE"


def test_keys_come_from_the_environment(gate: SaslGate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENVIRONMENT")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS["AKIAENVIRONMENT"])
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-2")
    connect(gate)
    assert signer(gate, "us-east-2") == "AKIAENVIRONMENT"
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    monkeypatch.setenv("AWS_REGION", REGION)
    connect(gate)
    assert signer(gate, token=TOKEN) == "AKIAENVIRONMENT"


def test_keys_come_from_a_profile(gate: SaslGate, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = KEYS["AKIAPROFILE"]
    (home / "credentials").write_text(
        f"[default]\naws_access_key_id = AKIAPROFILE\naws_secret_access_key = {key}\n"
        f"[orders]\naws_access_key_id = AKIAPROFILE\naws_secret_access_key = {key}\naws_session_token = {TOKEN}\n"
    )
    (home / "config").write_text(
        "[default]\nregion = eu-west-1\n[profile orders]\nregion = eu-west-3\n"
        f"[profile whole]\naws_access_key_id=AKIAPROFILE\naws_secret_access_key={key}\nregion=ap-south-1\n"
    )
    connect(gate)
    assert signer(gate) == "AKIAPROFILE"
    connect(gate, profile="orders")
    assert signer(gate, "eu-west-3", TOKEN) == "AKIAPROFILE"
    connect(gate, profile="orders", region="us-west-1")
    assert signer(gate, "us-west-1", TOKEN) == "AKIAPROFILE"
    monkeypatch.setenv("AWS_PROFILE", "whole")
    connect(gate)
    assert signer(gate, "ap-south-1") == "AKIAPROFILE"


def test_without_keys_it_is_said_where_they_were_looked_for(gate: SaslGate, home: Path) -> None:
    with pytest.raises(CredentialsError, match="AWS_ACCESS_KEY_ID") as raised:
        connect(gate, region=REGION)
    assert str(home / "credentials") in str(raised.value)
    (home / "config").write_text("[profile assumed]\nrole_arn = arn:aws:iam::1:role/kafka\nregion = eu-west-1\n")
    with pytest.raises(CredentialsError, match=r"role_arn.*credentials_provider"):
        connect(gate, profile="assumed")
    (home / "credentials").write_text("aws_secret_access_key = Xq7\n")
    with pytest.raises(CredentialsError, match="cannot be read") as raised:
        connect(gate, region=REGION)
    assert "Xq7" not in str(raised.value)


def test_without_a_region_it_is_said_where_it_may_be_set(gate: SaslGate) -> None:
    with pytest.raises(CredentialsError, match="sasl_aws_msk_iam_region"):
        connect(gate, access_key_id="AKIASETTINGS", secret_access_key="s")


@pytest.mark.parametrize("bad", [lambda: "Xq7", lambda: ("Xq7",), lambda: ("Xq7", 7), lambda: 1 / 0])
def test_a_function_that_gives_something_else_is_named_and_not_quoted(gate: SaslGate, bad: Any) -> None:
    with pytest.raises(CredentialsError, match="function") as raised:
        connect(gate, region=REGION, credentials_provider=bad)
    assert "Xq7" not in str(raised.value)


@pytest.mark.parametrize("mechanism", ["AWS_MSK_IAM", "OAUTHBEARER"])
@pytest.mark.parametrize("source", ["a function", "a session token", "a file"])
def test_nothing_signs_nothing(gate: SaslGate, mechanism: str, source: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("\n")
    given: dict[str, Any] = {
        "a function": {"credentials_provider": lambda: ("AKIASETTINGS", "")},
        "a session token": {"credentials_provider": lambda: ("AKIASETTINGS", "Xq7", "")},
        "a file": {"access_key_id": "AKIASETTINGS", "secret_access_key": path},
    }[source]
    with pytest.raises(CredentialsError, match=r"is empty|gave nothing") as raised:
        connect(gate, mechanism, region=REGION, **given)
    assert "Xq7" not in str(raised.value)
    assert gate.message == b""


def test_a_refusal_is_the_brokers_own_words(gate: SaslGate) -> None:
    gate.refuses = True
    with pytest.raises(SaslAuthenticationFailedError, match=r"AWS_MSK_IAM.*wrong password"):
        connect(gate, region=REGION, access_key_id="AKIASETTINGS", secret_access_key="s")


def test_a_broker_that_says_nothing_is_not_believed(gate: SaslGate) -> None:
    gate.reply = b""
    with pytest.raises(SaslAuthenticationFailedError, match="empty"):
        connect(gate, region=REGION, access_key_id="AKIASETTINGS", secret_access_key="s")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"region": "eu west"}, "region: expected letters"),
        ({"region": "a/b"}, "region: expected letters"),
        ({"session_token": "Xq7"}, "session_token: has no meaning without"),
        ({"secret_access_key": "Xq7"}, "secret_access_key: has no meaning without"),
        ({"profile": "a", "credentials_provider": lambda: None}, "profile: cannot be used together"),
    ],
)
def test_settings_that_do_not_fit_are_refused_at_once(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as raised:
        kafkars.AdminConfig(
            bootstrap_servers="127.0.0.1:1",
            security_protocol="sasl_ssl",
            sasl_mechanism="AWS_MSK_IAM",
            **{f"{PREFIX}{name}": value for name, value in settings.items()},
        )
    assert "Xq7" not in str(raised.value)

"""Every mechanism with every fault: one error of one type, in time, that names what is wrong. `-s` prints the table."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars.errors import (
    CredentialsError,
    HandshakeTimeoutError,
    KafkaError,
    SaslAuthenticationFailedError,
    UnsupportedSaslMechanismError,
)

from tests.support.sasl_gate import sasl_gate
from tests.support.waiting import SECONDS

pytestmark = pytest.mark.timeout(120)
LIMIT_MS = 10_000
"""For a handshake that is answered, or fails before it is one."""
SILENCE_MS = 500
"""For one that is not."""
HANGS = threading.Event()
OUTCOMES: list[tuple[str, str, str, float]] = []

Source = Callable[[], Any] | Path


def by_password(mechanism: str) -> Callable[[Source], dict[str, Any]]:
    return lambda source: {"sasl_mechanism": mechanism, "sasl_username": "alice", "sasl_password": source}


def by_token(source: Source) -> dict[str, Any]:
    return {"sasl_mechanism": "OAUTHBEARER", "sasl_oauthbearer_token_provider": source}


def by_keys(source: Source) -> dict[str, Any]:
    keys = {"sasl_aws_msk_iam_access_key_id": "AKIA", "sasl_aws_msk_iam_secret_access_key": source}
    return {"sasl_mechanism": "AWS_MSK_IAM", "sasl_aws_msk_iam_region": "eu-west-1"} | keys


MECHANISMS: dict[str, Callable[[Source], dict[str, Any]]] = {
    "PLAIN": by_password("PLAIN"),
    "SCRAM-SHA-256": by_password("SCRAM-SHA-256"),
    "SCRAM-SHA-512": by_password("SCRAM-SHA-512"),
    "OAUTHBEARER": by_token,
    "AWS_MSK_IAM": by_keys,
}


def fails() -> str:
    raise RuntimeError("the vault is closed")


def hangs() -> str:
    HANGS.wait()
    return "late"


def good() -> str:
    return "good"


# Where credentials come from, what the broker does, and what must be raised with which words.
FAULTS: dict[str, tuple[Source, str, type[KafkaError], str]] = {
    "the broker refuses": (good, "refuses", SaslAuthenticationFailedError, "wrong password"),
    "the broker repeats the login": (good, "repeats", SaslAuthenticationFailedError, "you have sent"),
    "the mechanism is not offered": (good, "not offered", UnsupportedSaslMechanismError, "it offers OTHER"),
    "the broker falls silent": (good, "silent", HandshakeTimeoutError, "no answer"),
    "the broker hangs up": (good, "hangs up", SaslAuthenticationFailedError, "closed the connection"),
    "a function fails": (fails, "", CredentialsError, "the vault is closed"),
    "a function hangs": (hangs, "", CredentialsError, "has not answered"),
    "a function gives no text": (lambda: 7, "", CredentialsError, "TypeError"),
    "a file is missing": (Path("/nonexistent/secret"), "", CredentialsError, "/nonexistent/secret"),
}
LIES = {name for name in MECHANISMS if name.startswith("SCRAM")} | {"PLAIN"}


def cases() -> Iterator[tuple[str, str]]:
    for mechanism in MECHANISMS:
        for fault in FAULTS:
            # Tokens come from functions only.
            if (mechanism, fault) != ("OAUTHBEARER", "a file is missing"):
                yield mechanism, fault


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    yield
    HANGS.set()
    for mechanism, fault, error, seconds in OUTCOMES:
        sys.stdout.write(f"{mechanism:<14} {fault:<30} {error:<32} {seconds * 1000:6.0f} ms\n")


@pytest.mark.parametrize(("mechanism", "fault"), list(cases()))
def test_each_fault_is_one_error(client_api: Any, mechanism: str, fault: str) -> None:
    source, does, expected, words = FAULTS[fault]
    with sasl_gate(refuses=does in {"refuses", "repeats"}) as gate:
        gate.fault = does
        if does == "repeats":
            gate.words = lambda message: f"you have sent {message.decode()}"
        settings = gate.token_settings | MECHANISMS[mechanism](source)
        limit_ms = SILENCE_MS if does == "silent" or source is hangs else LIMIT_MS
        settings |= {"socket_connection_setup_timeout_ms": limit_ms}
        started = time.monotonic()
        with client_api.Admin(**settings) as admin, pytest.raises(KafkaError) as raised:
            admin.list_topics(timeout=SECONDS)
        seconds = time.monotonic() - started
    OUTCOMES.append((mechanism, fault, type(raised.value).__name__, seconds))
    assert type(raised.value) is expected
    assert words in str(raised.value)
    assert "good" not in str(raised.value)


@pytest.mark.parametrize("mechanism", sorted(LIES))
def test_a_broker_that_lies_is_not_believed(mechanism: str) -> None:
    with sasl_gate() as gate:
        gate.fault = "lies"
        settings = gate.token_settings | MECHANISMS[mechanism](good)
        with (
            kafkars.Admin(**settings) as admin,
            pytest.raises(SaslAuthenticationFailedError, match="cannot be trusted"),
        ):
            admin.list_topics(timeout=SECONDS)

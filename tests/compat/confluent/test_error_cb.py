"""`error_cb` hears of brokers that are out of reach: what the library says, and as soon."""

from __future__ import annotations

import gc
import importlib
import logging
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.compat.confluent.conftest import FACE, LIBRARY, SECONDS
from tests.support.peers import UNRESOLVABLE, closed_port

KINDS = ("producer", "consumer", "admin")
LATER = 0.1
"""How many seconds later than by the library a program may hear of it."""


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as broker:
        broker.create_topic("topic", 1)
        yield broker


@pytest.fixture
def guarded() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(security="SASL_PLAINTEXT", users={"alice": "secret"}) as broker:
        yield broker


class Client:
    """A client, and what its `error_cb` heard."""

    def __init__(self, ck: ModuleType, kind: str, settings: dict[str, Any]) -> None:
        self.codes: list[str] = []
        self.began = time.monotonic()
        self.heard: float | None = None
        given = {"log_level": 0, "error_cb": self._hear, **settings}
        if kind == "admin":
            self.made = importlib.import_module(f"{ck.__name__}.admin").AdminClient(given)
        elif kind == "consumer":
            self.made = ck.Consumer({"group.id": "group", **given})
            self.made.subscribe(["topic"])
        else:
            self.made = ck.Producer(given)

    def _hear(self, error: Any) -> None:
        self.heard = self.heard or time.monotonic()
        if error.name() not in self.codes:
            self.codes.append(error.name())

    def poll_until(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < deadline, self.codes
            # Not only polls that wait tell of it.
            self.made.poll(0)
            self.made.poll(0.01)

    def close(self) -> None:
        if hasattr(self.made, "close"):
            self.made.close()


def heard(ck: ModuleType, kind: str, settings: dict[str, Any], codes: set[str]) -> float:
    """How long it takes until a new client has heard these, and nothing else."""
    client = Client(ck, kind, settings)
    client.poll_until(lambda: codes <= set(client.codes))
    assert set(client.codes) == codes
    client.close()
    assert client.heard is not None
    return client.heard - client.began


@contextmanager
def refused() -> Iterator[tuple[str, set[str]]]:
    with closed_port() as address:
        yield address, {"_TRANSPORT", "_ALL_BROKERS_DOWN"}


@contextmanager
def several() -> Iterator[tuple[str, set[str]]]:
    with closed_port() as one, closed_port() as other:
        yield f"{one},{other}", {"_TRANSPORT", "_ALL_BROKERS_DOWN"}


@contextmanager
def unresolved() -> Iterator[tuple[str, set[str]]]:
    yield UNRESOLVABLE, {"_RESOLVE", "_ALL_BROKERS_DOWN"}


@pytest.fixture
def nobody() -> Iterator[dict[str, Any]]:
    """Settings of a client of a cluster that is not there."""
    with closed_port() as address:
        yield {"bootstrap.servers": address}


@pytest.mark.alone
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", [refused, several, unresolved], ids=lambda case: case.__name__)
def test_what_cannot_be_reached_is_told_as_soon_as_by_the_library(
    kind: str, case: Callable[[], AbstractContextManager[tuple[str, set[str]]]]
) -> None:
    with case() as (servers, codes):
        settings = {"bootstrap.servers": servers}
        seconds = {
            name: min(heard(importlib.import_module(name), kind, settings, codes) for _ in range(3))
            for name in (LIBRARY, FACE)
        }
    assert seconds[FACE] <= seconds[LIBRARY] + LATER


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_a_refused_login_is_told_as_soon_as_by_the_library(kind: str, guarded: EmbeddedBroker) -> None:
    settings = {
        "bootstrap.servers": guarded.bootstrap_servers,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "alice",
        "sasl.password": "wrong",
    }
    codes = {"_AUTHENTICATION", "_ALL_BROKERS_DOWN"}
    seconds = {
        name: min(heard(importlib.import_module(name), kind, settings, codes) for _ in range(2))
        for name in (LIBRARY, FACE)
    }
    assert seconds[FACE] <= seconds[LIBRARY] + LATER


@pytest.mark.parametrize("kind", KINDS)
def test_clients_without_work_hear_that_the_last_broker_is_gone(
    ck: ModuleType, kind: str, broker: EmbeddedBroker
) -> None:
    client = Client(ck, kind, {"bootstrap.servers": broker.bootstrap_servers})
    client.made.list_topics(timeout=SECONDS)
    if kind == "consumer":
        client.poll_until(client.made.assignment)
    assert client.codes == []
    broker.stop()
    client.poll_until(lambda: {"_TRANSPORT", "_ALL_BROKERS_DOWN"} <= set(client.codes))
    client.close()


@pytest.mark.parametrize("kind", KINDS)
def test_each_try_that_fails_is_told(ck: ModuleType, kind: str, nobody: dict[str, Any]) -> None:
    codes: list[str] = []
    client = Client(ck, kind, {**nobody, "error_cb": lambda error: codes.append(error.name())})
    client.poll_until(lambda: codes.count("_TRANSPORT") >= 4)
    assert set(codes) == {"_TRANSPORT", "_ALL_BROKERS_DOWN"}
    # Again only after ten seconds.
    assert codes.count("_ALL_BROKERS_DOWN") <= 2
    client.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["keyword", "property"])
def test_a_logger_gets_what_cannot_be_reached(ck: ModuleType, kind: str, place: str, nobody: dict[str, Any]) -> None:
    lines: list[logging.LogRecord] = []
    logger = logging.getLogger(f"{ck.__name__}.{kind}.{place}")
    logger.addFilter(lines.append)
    made = {
        "admin": lambda *arguments, **keywords: importlib.import_module(f"{ck.__name__}.admin").AdminClient(
            *arguments, **keywords
        ),
        "consumer": ck.Consumer,
        "producer": ck.Producer,
    }[kind]
    own = {**nobody, **({"group.id": "group"} if kind == "consumer" else {})}
    client = made(own, logger=logger) if place == "keyword" else made({**own, "logger": logger})
    deadline = time.monotonic() + SECONDS
    while not any(line.levelno == logging.ERROR and "FAIL" in line.getMessage() for line in lines):
        assert time.monotonic() < deadline, lines
        client.poll(0.05)
    if hasattr(client, "close"):
        client.close()


@pytest.mark.parametrize("kind", KINDS)
def test_what_error_cb_raises_reaches_whoever_polls(ck: ModuleType, kind: str, nobody: dict[str, Any]) -> None:
    def fail(error: Any) -> None:
        raise LookupError(error.name())

    client = Client(ck, kind, {**nobody, "error_cb": fail})
    raised: list[str] = []
    deadline = time.monotonic() + SECONDS
    while not {"_TRANSPORT", "_ALL_BROKERS_DOWN"} <= set(raised):
        assert time.monotonic() < deadline, raised
        try:
            client.made.poll(0.05)
        except LookupError as problem:
            raised += problem.args
    client.close()


@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_clients_that_their_callbacks_know_are_forgotten(kind: str, broker: EmbeddedBroker) -> None:
    face = importlib.import_module(FACE)

    class Known:
        """Holds a client, and is held by its callbacks."""

        client: Any

        def call(self, *_: Any) -> None:
            self.client.poll(0)

    known = Known()
    settings = {"bootstrap.servers": broker.bootstrap_servers, "error_cb": known.call}
    if kind == "consumer":
        known.client = face.Consumer({**settings, "group.id": "group", "on_commit": known.call})
    else:
        known.client = face.Producer({**settings, "on_delivery": known.call})
    known.client.close()
    gone = weakref.ref(known.client)
    del known, settings
    gc.collect()
    assert gone() is None

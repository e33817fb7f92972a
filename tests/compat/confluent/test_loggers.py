"""Each client's `logger` gets the lines of its own client, which name it."""

from __future__ import annotations

import gc
import logging
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tests.compat.confluent.conftest import Clients
from tests.support.waiting import SECONDS, eventually

NOWHERE = "127.0.0.1:9"
"""Nothing listens there."""


class Caught(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    @property
    def texts(self) -> list[str]:
        return [record.getMessage() for record in self.records]


def logger(handler: Caught) -> logging.Logger:
    made = logging.Logger("app")  # noqa: LOG001  not one that pytest listens to
    made.addHandler(handler)
    return made


def producer(clients: Clients, settings: dict[str, Any]) -> Any:
    return clients.ck.Producer(settings)


def consumer(clients: Clients, settings: dict[str, Any]) -> Any:
    made = clients.ck.Consumer({**settings, "group.id": clients.group()})
    made.subscribe([clients.topic()])
    return made


def admin(clients: Clients, settings: dict[str, Any]) -> Any:
    return __import__(f"{clients.ck.__name__}.admin", fromlist=["admin"]).AdminClient(settings)


KINDS = {"producer": producer, "consumer": consumer, "admin": admin}


@contextmanager
def three(
    clients: Clients, kind: Callable[[Clients, dict[str, Any]], Any], debug: dict[str, str]
) -> Iterator[tuple[list[Any], dict[str, Caught]]]:
    """Two clients that reach their cluster and one that does not, and what their loggers get."""
    good = clients.broker.bootstrap_servers
    caught = {name: Caught() for name in ("first", "second", "lost")}
    with ExitStack() as stack:
        made = []
        for name, handler in caught.items():
            servers = NOWHERE if name == "lost" else good
            settings = {"bootstrap.servers": servers, "client.id": name, "logger": logger(handler), **debug}
            made.append(stack.enter_context(kind(clients, settings)))
        yield made, caught


@pytest.mark.parametrize("debug", [{}, {"debug": "all"}], ids=["plain", "debug"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_logger_gets_the_lines_of_its_client_alone(clients: Clients, kind: str, debug: dict[str, str]) -> None:
    with three(clients, KINDS[kind], debug) as (made, caught):

        def is_told() -> bool:
            for client in made:
                client.poll(0.02)
            return bool(caught["lost"].records) and bool(not debug or (caught["first"].records))

        eventually(is_told, "the client that reaches nothing says so")
        for client in made[:2]:
            client.list_topics(timeout=SECONDS)
        for client in made:
            client.poll(0.02)
    assert any("FAIL" in text and NOWHERE in text for text in caught["lost"].texts)
    for name, handler in caught.items():
        for other in set(caught) - {name}:
            assert not [text for text in handler.texts if f"{other}#" in text]
        assert not [text for text in handler.texts if name != "lost" and NOWHERE in text]
        assert all(f" [{name}#" in text for text in handler.texts)


def test_lines_have_the_clients_name_in_their_second_place(clients: Clients) -> None:
    handler = Caught()
    with clients.ck.Producer({"bootstrap.servers": NOWHERE, "client.id": "app", "logger": logger(handler)}) as made:
        eventually(lambda: made.poll(0.02) or handler.records, "the first try has failed")
    failed: Any = next(each for each in handler.records if "FAIL" in each.getMessage())
    assert (failed.levelno, failed.msg, failed.args[0]) == (logging.ERROR, "%s [%s] %s", "FAIL")
    assert failed.args[1].startswith("app#")


@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_a_client_with_a_logger_go_nowhere_else(
    clients: Clients, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    handler = Caught()
    with KINDS[kind](clients, {"bootstrap.servers": NOWHERE, "client.id": "app", "logger": logger(handler)}) as made:
        eventually(lambda: made.poll(0.02) or len(handler.records) > 1, "tries have failed")
    assert not [record for record in caplog.records if "app" in record.getMessage()]


@pytest.mark.parametrize("kind", KINDS)
def test_with_debug_a_client_says_that_it_is_there(clients: Clients, kind: str) -> None:
    handler = Caught()
    with KINDS[kind](clients, {"client.id": "app", "logger": logger(handler), "debug": "msg"}) as made:
        made.poll(0.2)
    (first,) = [text for text in handler.texts if text.startswith("INIT")]
    assert first.startswith("INIT [app#")
    assert " [thrd:app]: " in first
    quiet = Caught()
    with KINDS[kind](clients, {"client.id": "app", "logger": logger(quiet)}) as made:
        made.poll(0.2)
    assert not [text for text in quiet.texts if text.startswith("INIT")]


@pytest.mark.parametrize("servers", [{}, {"bootstrap.servers": None}, {"bootstrap.servers": ""}])
@pytest.mark.parametrize("kind", KINDS)
def test_without_servers_a_client_has_no_broker_and_no_trouble(
    clients: Clients, kind: str, servers: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    texts: list[str] = []
    problems: list[Any] = []
    settings = {
        **servers,
        "statistics.interval.ms": 10,
        "stats_cb": texts.append,
        "error_cb": problems.append,
        "log_level": 0,
    }
    with KINDS[kind](clients, settings) as made:
        until = time.monotonic() + 0.5
        eventually(lambda: (made.poll(0.02), texts and time.monotonic() > until)[1], "statistics are told")
        with pytest.raises(clients.ck.KafkaException) as caught:
            made.list_topics(timeout=0.2)
    assert caught.value.args[0].name() == "_TRANSPORT"
    assert '"bootstrap"' not in "".join(texts)
    assert "127.0.0.1" not in "".join(texts)
    assert problems == []
    assert not [each for each in caplog.records if "127.0.0.1" in each.getMessage()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("debug", [{}, {"debug": "all"}], ids=["quiet", "debug"])
def test_a_client_that_is_dropped_is_freed_at_once(clients: Clients, kind: str, debug: dict[str, str]) -> None:
    if clients.ck.__name__ == "confluent_kafka":
        pytest.skip("its objects have no weak references")
    gc.collect()
    gc.disable()
    try:
        made = KINDS[kind](clients, {"bootstrap.servers": NOWHERE, "logger": logger(Caught()), **debug})
        dropped = weakref.ref(made._events_)
        del made
        assert dropped() is None
    finally:
        gc.enable()

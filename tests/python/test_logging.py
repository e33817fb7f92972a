"""Log lines of the native half arrive in `logging`, with fields, in batches, and never on stderr."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from kafkars import Consumer, Producer, _logging
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import eventually


def collected(caplog: pytest.LogCaptureFixture, logger: str) -> list[logging.LogRecord]:
    _logging.drain()
    return [record for record in caplog.records if record.name == logger]


def test_lines_have_logger_level_and_fields(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "kafkars")
    with Consumer(bootstrap_servers="127.0.0.1:1") as consumer:
        consumer.assign([("t", 0)])
        with pytest.raises(ConnectionError):
            consumer.topics(timeout=0.2)
        eventually(lambda: collected(caplog, "kafkars.net"), "there are lines of connections")
    record = next(each for each in collected(caplog, "kafkars.net") if hasattr(each, "broker"))
    assert record.levelno in {logging.DEBUG, logging.WARNING}
    assert vars(record)["broker"] == "127.0.0.1:1"
    assert "broker=127.0.0.1:1" in record.getMessage()
    assert record.created > 1_700_000_000


def test_a_level_set_before_a_client_is_made_counts_for_its_first_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "kafkars")
    fail_to_reach()
    _logging.drain()
    caplog.set_level(logging.DEBUG, "kafkars")
    fail_to_reach()
    eventually(lambda: [each for each in caplog.records if each.levelno == logging.DEBUG], "there are lines of DEBUG")


def test_levels_decide_what_is_collected(faulty_broker: EmbeddedBroker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "kafkars")
    with Producer(bootstrap_servers=faulty_broker.bootstrap_servers) as producer:
        producer.send("t", b"value").result(10)
    _logging.drain()
    assert not [record for record in caplog.records if record.name.startswith("kafkars")]
    caplog.set_level(logging.DEBUG, "kafkars")
    eventually(lambda: _heard(faulty_broker, caplog), "the new level is noticed")


def _heard(broker: EmbeddedBroker, caplog: pytest.LogCaptureFixture) -> bool:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("t", b"value").result(10)
    return bool(collected(caplog, "kafkars.net"))


def test_nothing_goes_to_stderr(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "kafkars")
    with Consumer(bootstrap_servers="127.0.0.1:1") as consumer, pytest.raises(ConnectionError):
        consumer.topics(timeout=0.1)
    eventually(lambda: collected(caplog, "kafkars.net"), "there are lines of connections")
    assert capfd.readouterr().err == ""


class Raising(logging.Filter):
    """Fails once, at the first line of ours."""

    def __init__(self) -> None:
        super().__init__()
        self.has_failed = False

    def filter(self, record: logging.LogRecord) -> bool:
        del record
        if not self.has_failed:
            self.has_failed = True
            raise ValueError("a filter that fails once")
        return True


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What threads have told of their failures."""
    found: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", found.append)
    return found


def fail_to_reach() -> None:
    with Consumer(bootstrap_servers="127.0.0.1:1") as consumer, pytest.raises(ConnectionError):
        consumer.topics(timeout=0.1)


def test_a_filter_that_fails_ends_no_later_line(caplog: pytest.LogCaptureFixture, told: list[Any]) -> None:
    caplog.set_level(logging.DEBUG, "kafkars")
    filtered = Raising()
    logger = logging.getLogger("kafkars.net")
    logger.addFilter(filtered)
    try:
        fail_to_reach()
        eventually(lambda: told, "the filter has failed")
        caplog.clear()
        fail_to_reach()
        eventually(lambda: [each for each in caplog.records if each.name == "kafkars.net"], "there are lines")
    finally:
        logger.removeFilter(filtered)
    assert filtered.has_failed
    assert [str(each.exc_value) for each in told] == ["a filter that fails once"]


class Busy(str):
    """A logger's name; whoever looks at it is interrupted by a thread that makes another logger."""

    __slots__ = ()

    def startswith(self, *prefix: Any) -> bool:
        logging.getLogger(f"made meanwhile {uuid.uuid4()}")
        return super().startswith(*prefix)


def test_loggers_made_meanwhile_end_no_lines() -> None:
    known = logging.root.manager.loggerDict
    names = set(known)
    name = Busy("busy")
    known[name] = logging.getLogger("busy")
    try:
        assert _logging._level() <= logging.WARNING
    finally:
        for each in set(known) - names:
            del known[each]


def test_clients_made_together_start_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    together = threading.Barrier(8)

    class Thread(threading.Thread):
        """Counts those that hand lines over, and runs none."""

        def __init__(self, *, target: Callable[[], object], name: str, daemon: bool) -> None:
            super().__init__(target=target, name=name, daemon=daemon)

        def start(self) -> None:
            started.append(self.name)

    def first() -> None:
        together.wait()
        _logging.start()

    threads = [threading.Thread(target=first) for _ in range(8)]
    monkeypatch.setattr(_logging, "_thread", None)
    with monkeypatch.context() as patched:
        patched.setattr(threading, "Thread", Thread)
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert started == ["kafkars-log"]

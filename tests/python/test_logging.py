"""Log lines of the native half arrive in `logging`, with fields, in batches, and never on stderr."""

from __future__ import annotations

import logging

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
    (record, *_) = collected(caplog, "kafkars.net")
    assert record.levelno in {logging.DEBUG, logging.WARNING}
    assert vars(record)["broker"] == "127.0.0.1:1"
    assert "broker=127.0.0.1:1" in record.getMessage()
    assert record.created > 1_700_000_000


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

"""Consumers that are closed while nobody coordinates their group: what was read is committed once somebody does."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module

import pytest

from tests.compat.confluent.conftest import FACE, Clients, poll_until

AWAY_SECONDS = 2.0


@contextmanager
def no_coordinator(clients: Clients, seconds: float | None) -> Iterator[None]:
    """Nobody coordinates groups, for a while or to the end of the block."""
    if not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("needs the embedded broker's faults")
    with ExitStack() as faults:
        for request, error in (("OffsetCommit", "NOT_COORDINATOR"), ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE")):
            faults.enter_context(clients.broker.handle.intercept(request, error))
        if seconds is None:
            yield
            return
        timer = threading.Timer(seconds, faults.close)
        timer.start()
        yield
        timer.join()


@pytest.mark.parametrize("is_member", [False, True], ids=["by assignment", "in a group"])
def test_close_waits_for_a_coordinator(clients: Clients, monkeypatch: pytest.MonkeyPatch, is_member: bool) -> None:
    if clients.ck.__name__ == FACE:
        # A rebalance, in which others wait, is not delayed for as long.
        commits = import_module("kafkars.compat.confluent_kafka._commits")
        monkeypatch.setattr(commits, "REBALANCE_SECONDS", AWAY_SECONDS / 4)
    topic, group = clients.topic(messages=1), clients.group()
    consumer = clients.consumer({"group.id": group, "auto.commit.interval.ms": 600_000})
    if is_member:
        consumer.subscribe([topic])
    else:
        consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
    poll_until(consumer, 1)
    with no_coordinator(clients, AWAY_SECONDS):
        consumer.close()
    after = clients.consumer({"group.id": group})
    assert after.committed([clients.ck.TopicPartition(topic, 0)], timeout=20)[0].offset == 1


def test_a_last_commit_that_nobody_hears_of_is_logged(
    clients: Clients, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("the library writes it to stderr")
    monkeypatch.setattr(import_module("kafkars.compat.confluent_kafka._commits"), "CLOSE_SECONDS", 0.5)
    topic = clients.topic(messages=1)
    consumer = clients.consumer({"auto.commit.interval.ms": 600_000})
    consumer.subscribe([topic])
    poll_until(consumer, 1)
    with no_coordinator(clients, None), caplog.at_level(logging.WARNING, "kafkars.compat"):
        consumer.close()
    (line,) = [each.getMessage() for each in caplog.records if each.name == "kafkars.compat"]
    assert line.startswith("the last commit failed: ")
    assert topic in line

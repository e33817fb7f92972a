"""An application that commits every record of a backlog without waiting: the commits cost what they are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Consumer
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import eventually

COMMITS = 30_000
SESSION_MS = 6_000


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1}) as started:
        yield started


@pytest.fixture
def member(broker: EmbeddedBroker) -> Iterator[Any]:
    """A member of a group that has its partition."""
    with Consumer(
        bootstrap_servers=broker.bootstrap_servers,
        group_id="group",
        session_timeout_ms=SESSION_MS,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    ) as consumer:
        consumer.subscribe("t")
        eventually(lambda: consumer.poll(0.1) is None and bool(consumer.assignment()), "it has a place")
        yield consumer


def commit_all(consumer: Any) -> Counter[str]:
    """Commits as fast as it can, and gets the outcomes."""
    told: Counter[str] = Counter()
    for number in range(COMMITS):
        consumer.commit_async({("t", 0): number}, lambda _, error: told.update([type(error).__name__]))
    eventually(lambda: consumer.poll(0.1) is None and sum(told.values()) == COMMITS, "all are told")
    return told


def test_all_are_made_and_the_member_keeps_its_place(member: Any) -> None:
    assert commit_all(member) == {"NoneType": COMMITS}
    assert member.committed(("t", 0))["t", 0].offset == COMMITS - 1
    assert member.assignment()


def test_they_wait_for_a_silent_coordinator_together(member: Any, broker: EmbeddedBroker) -> None:
    with broker.intercept("OffsetCommit", "delay", seconds=3.0, times=1):
        assert commit_all(member) == {"NoneType": COMMITS}
    assert member.committed(("t", 0))["t", 0].offset == COMMITS - 1
    assert len(broker.requests("OffsetCommit")) < COMMITS / 100


def test_those_whose_time_is_over_end_together(member: Any, broker: EmbeddedBroker) -> None:
    with broker.intercept("OffsetCommit", "delay", seconds=5.0):
        for number in range(COMMITS):
            member.commit_async({("t", 0): number})
        member.unsubscribe(timeout=0.5)
    assert member.assignment() == set()

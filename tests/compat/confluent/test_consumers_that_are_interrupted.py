"""Exceptions of the handlers of signals at any line of a consumer's close(), and while the outcomes of commits are
told.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, poll_until
from tests.compat.interrupting import LINES, MADE, Interrupt

pytestmark = pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])

MODULES = ("_consumer.py", "_rebalance.py", "_commits.py", "_ending.py", "_telling.py", "_pending.py", "_assignment.py")


def offset(clients: Clients, group: str, topic: str) -> int:
    asking = clients.ck.Consumer({"bootstrap.servers": clients.broker.bootstrap_servers, "group.id": group})
    [found] = asking.committed([clients.ck.TopicPartition(topic, 0)], SECONDS)
    asking.close()
    return int(found.offset)


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
@pytest.mark.parametrize("is_member", [True, False], ids=["member", "on its own"])
def test_a_close_that_has_begun_commits_and_tells_everything_once(
    clients: Clients, made: Callable[[], BaseException], is_member: bool
) -> None:
    topic = clients.topic(messages=2)
    for line in LINES:
        heard: list[Any] = []
        group = clients.group()
        consumer = clients.ck.Consumer(
            {
                "bootstrap.servers": clients.broker.bootstrap_servers,
                "group.id": group,
                "auto.offset.reset": "earliest",
                "auto.commit.interval.ms": 600_000,
                "on_commit": lambda error, places, heard=heard: heard.append((error, places[0].offset)),
            }
        )
        if is_member:
            consumer.subscribe([topic], on_revoke=lambda _, places, heard=heard: heard.append(len(places)))
        else:
            consumer.assign([clients.ck.TopicPartition(topic, 0)])
        poll_until(consumer, 2)
        interrupt = Interrupt(line, made(), MODULES)
        is_interrupted = interrupt.is_raised_by(consumer.close)
        consumer.close()
        assert heard == [*([1] if is_member else []), (None, 2)], interrupt.where
        assert offset(clients, group, topic) == 2, interrupt.where
        if not is_interrupted:
            break
    assert line > 100, "it was interrupted"


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
@pytest.mark.parametrize("outcome", ["made", "refused"])
def test_a_commit_is_told_and_noted_once(clients: Clients, made: Callable[[], BaseException], outcome: str) -> None:
    topic = clients.topic()
    heard: list[Any] = []
    consumer = clients.consumer(
        {"enable.auto.commit": False, "on_commit": lambda error, _: heard.append(error and error.name())}
    )
    consumer.assign([clients.ck.TopicPartition(topic, 0)])

    def hear() -> None:
        until = time.monotonic() + SECONDS
        while not heard:
            assert time.monotonic() < until, interrupt.where
            consumer.poll(0.01)

    is_refused = outcome == "refused"
    refusing = (
        clients.broker.handle.intercept("OffsetCommit", "GROUP_AUTHORIZATION_FAILED") if is_refused else nullcontext()
    )
    with refusing:
        for line in LINES:
            heard.clear()
            consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, line)])
            interrupt = Interrupt(line, made(), MODULES)
            is_interrupted = interrupt.is_raised_by(hear)
            hear()
            consumer.poll(0)
            assert heard == ["GROUP_AUTHORIZATION_FAILED" if outcome == "refused" else None], interrupt.where
            if outcome == "made":
                assert consumer._commits_.known()[topic, 0].offset == line, interrupt.where
            assert not any(each.asked >= 0 for each in consumer._commits_._pending._stretches.values()), interrupt.where
            if not is_interrupted:
                break
    assert line > 20, "it was interrupted"

"""Refused commits whose outcome nobody waits for are in the log: one line for each cause, one when they succeed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafkars import Consumer, Producer, aio
from kafkars.errors import GroupAuthorizationFailedError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, eventually

REFUSED = "GROUP_AUTHORIZATION_FAILED"


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"topic": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("topic", b"value")
        yield broker


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, "kafkars.group")

    def found() -> list[str]:
        return [
            line
            for line in (each.getMessage() for each in caplog.records)
            if "commit" in line or "never retrieved" in line
        ]

    return found


def member(api: Any, broker: EmbeddedBroker, **settings: Any) -> Any:
    given = {"group_id": "group", "auto_offset_reset": "earliest", "enable_auto_commit": False, **settings}
    consumer = api(bootstrap_servers=broker.bootstrap_servers, **given)
    consumer.subscribe("topic")
    return consumer


def test_a_refused_commit_async_is_told_once_and_so_is_its_success(broker: EmbeddedBroker, lines: Any) -> None:
    with member(Consumer, broker) as consumer:
        assert consumer.poll(SECONDS) is not None
        with broker.intercept("OffsetCommit", REFUSED) as refusals:
            for number in range(1, 4):
                consumer.commit_async()
                eventually(lambda: refusals.hits == number, "a refusal")  # noqa: B023  called at once
        consumer.commit_async()
        eventually(lambda: len(lines()) == 2, "two lines")
        eventually(lambda: len(lines()) == 2, "two lines")
    (trouble, end) = lines()
    assert "a commit that nobody waits for failed (client=" in trouble
    assert "group=group, error=GROUP_AUTHORIZATION_FAILED" in trouble
    assert "topic-0" in trouble
    assert "commits succeed again (client=" in end
    assert "group=group, failed=3)" in end


def test_a_callback_hears_of_a_refusal_and_the_log_does_not(broker: EmbeddedBroker, lines: Any) -> None:
    heard: list[Any] = []
    with member(Consumer, broker) as consumer:
        assert consumer.poll(SECONDS) is not None
        broker.intercept("OffsetCommit", REFUSED, times=1)
        consumer.commit_async(callback=lambda _, error: heard.append(error))
        eventually(lambda: consumer.poll(0) is None and heard, "the callback")
        broker.intercept("OffsetCommit", "INVALID_COMMIT_OFFSET_SIZE")
        consumer.commit_async()
        eventually(lines, "a line of the other")
    assert len(lines()) == 1
    assert "INVALID_COMMIT_OFFSET_SIZE" in lines()[0]


def test_automatic_commits_are_told_of_once_for_each_change(broker: EmbeddedBroker, lines: Any) -> None:
    settings = {"enable_auto_commit": True, "auto_commit_interval_ms": 20}
    with member(Consumer, broker, **settings) as consumer:
        broker.intercept("OffsetCommit", REFUSED, times=5)
        assert consumer.poll(SECONDS) is not None
        eventually(lambda: consumer.poll(0.02) is None and len(lines()) == 2, "two lines")
    (trouble, end) = lines()
    assert "an automatic commit failed" in trouble
    assert REFUSED in trouble
    assert "commits succeed again (client=" in end
    assert "group=group, failed=5)" in end


@pytest.mark.parametrize("end", ["dropped", "cancelled", "kept"])
def test_a_commit_that_no_task_awaits_is_told_of(broker: EmbeddedBroker, lines: Any, end: str) -> None:
    async def main() -> None:
        async with member(aio.Consumer, broker) as consumer:
            assert await consumer.poll(SECONDS) is not None
            broker.intercept("OffsetCommit", REFUSED)
            call = consumer.commit()
            if end == "kept":
                with pytest.raises(GroupAuthorizationFailedError):
                    await call
                return
            if end == "cancelled":
                call.cancel()
            del call
            await asyncio.to_thread(eventually, lines, "a line")

    asyncio.run(asyncio.wait_for(main(), SECONDS))
    assert len(lines()) == (0 if end == "kept" else 1)

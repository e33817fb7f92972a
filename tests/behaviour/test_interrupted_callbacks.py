"""A signal's handler that raises while an error for a callback is made: the callback gets its error later, once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafkars import Consumer, Interceptor, Producer, errors
from kafkars.errors import GroupAuthorizationFailedError, PurgedError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, eventually

REFUSED = "GROUP_AUTHORIZATION_FAILED"
RECORDS = 5


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"topic": 1}) as started:
        yield started


@pytest.fixture
def interrupts(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[errors.KafkaError]], None]:
    """Lets Ctrl+C come once while each of the next errors of a class is made."""

    def begin(kind: type[errors.KafkaError]) -> None:
        comes = itertools.cycle([True, False])
        left = itertools.repeat(None, RECORDS)

        def interrupted(*arguments: Any, **keywords: Any) -> Any:
            if next(comes) and next(left, 0) is None:
                raise KeyboardInterrupt
            return kind(*arguments, **keywords)

        monkeypatch.setattr(errors, kind.__name__, interrupted)
        monkeypatch.setattr(errors, "BY_CODE", {**errors.BY_CODE, kind.code: interrupted})

    return begin


def interrupted_until(call: Callable[[], object], is_over: Callable[[], object]) -> int:
    """How often Ctrl+C ends the call until something holds."""
    interrupts = 0

    def goes_on() -> bool:
        nonlocal interrupts
        try:
            call()
        except KeyboardInterrupt:
            interrupts += 1
        return bool(is_over())

    eventually(goes_on, "all callbacks")
    return interrupts


def test_commit_callbacks_are_called_once_and_in_order(broker: EmbeddedBroker, interrupts: Any) -> None:
    with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="group") as consumer:
        consumer.assign([("topic", 0)])
        heard: list[tuple[int, Any, Any]] = []
        with broker.intercept("OffsetCommit", REFUSED):
            interrupts(GroupAuthorizationFailedError)
            for number in range(RECORDS):
                consumer.commit_async(
                    {("topic", 0): number}, lambda made, error, number=number: heard.append((number, made, error))
                )
            seen = interrupted_until(lambda: consumer.poll(0.01), lambda: len(heard) == RECORDS)
        assert seen == RECORDS
        assert [number for number, _, _ in heard] == list(range(RECORDS))
        assert {type(error) for _, _, error in heard} == {GroupAuthorizationFailedError}
        assert all(made for _, made, _ in heard)


def test_close_calls_the_commit_callbacks_that_are_left_and_raises_the_interrupt(
    broker: EmbeddedBroker, interrupts: Any
) -> None:
    consumer: Consumer[Any, Any] = Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="group")
    heard: list[Any] = []
    consumer.assign([("topic", 0)])
    with broker.intercept("OffsetCommit", REFUSED):
        interrupts(GroupAuthorizationFailedError)
        for number in range(RECORDS):
            consumer.commit_async({("topic", 0): number}, lambda _, error: heard.append(error))
        with pytest.raises(KeyboardInterrupt):
            consumer.close()
    assert [type(error) for error in heard] == [GroupAuthorizationFailedError] * RECORDS


def test_interceptors_are_told_of_failed_records_once(broker: EmbeddedBroker, interrupts: Any) -> None:
    heard: list[Any] = []

    class Notes(Interceptor):
        def on_acknowledgement(self, metadata: Any, error: Any) -> None:
            assert metadata is None
            heard.append(error)

    with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000, interceptors=[Notes()]) as producer:
        producer.partitions_for("topic")
        for _ in range(RECORDS):
            producer.send("topic", b"value")
        interrupts(PurgedError)
        producer.purge()
        seen = interrupted_until(lambda: producer.flush(0.01), lambda: len(heard) == RECORDS)
        assert producer.flush(SECONDS) == 0
    assert seen == RECORDS
    assert [type(error) for error in heard] == [PurgedError] * RECORDS

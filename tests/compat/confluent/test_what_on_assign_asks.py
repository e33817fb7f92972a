"""What a program asks for in `on_assign` counts: once it has called one of these, nothing else is assigned for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients

PARTITIONS = 4
ALL, NONE = list(range(PARTITIONS)), list[int]()

Call = Callable[[Any, list[Any]], object]
Case = tuple[list[Call], list[str | None], list[int], bool]
"""What is called in turn, the codes that these fail with, the partitions that are read, and whether `on_revoke` is
called."""

EAGER: dict[str, Case] = {
    "nothing": ([], [], ALL, True),
    "assign() of a part": ([lambda it, come: it.assign(come[:2])], [None], [0, 1], True),
    "assign() of nothing": ([lambda it, _: it.assign([])], [None], NONE, True),
    "assign() twice": (
        [lambda it, come: it.assign(come), lambda it, come: it.assign(come[1:])],
        [None] * 2,
        ALL[1:],
        True,
    ),
    "assign() of one twice": ([lambda it, come: it.assign([come[0], come[0]])], ["_INVALID_ARG"], NONE, False),
    "assign() of what is no list": ([lambda it, _: it.assign(None)], ["TypeError"], ALL, True),
    "unassign()": ([lambda it, _: it.unassign()], [None], NONE, False),
    "assign() and unassign()": (
        [lambda it, come: it.assign(come), lambda it, _: it.unassign()],
        [None] * 2,
        NONE,
        True,
    ),
    "unassign() and assign()": (
        [lambda it, _: it.unassign(), lambda it, come: it.assign(come[2:])],
        [None] * 2,
        ALL[2:],
        True,
    ),
    "incremental_assign()": ([lambda it, come: it.incremental_assign(come)], ["_STATE"], NONE, False),
    "incremental_unassign()": ([lambda it, come: it.incremental_unassign(come)], ["_STATE"], NONE, False),
    "unsubscribe()": ([lambda it, _: it.unsubscribe()], [None], NONE, True),
    "unsubscribe() and assign() of nothing": (
        [lambda it, _: it.unsubscribe(), lambda it, _: it.assign([])],
        [None] * 2,
        NONE,
        True,
    ),
    "commit()": ([lambda it, _: it.commit(asynchronous=False)], ["_NO_OFFSET"], ALL, True),
}

COOPERATIVE: dict[str, Case] = {
    "nothing": ([], [], ALL, True),
    "assign()": ([lambda it, come: it.assign(come)], ["_STATE"], NONE, True),
    "unassign()": ([lambda it, _: it.unassign()], ["_STATE"], NONE, True),
    "incremental_assign() of a part": ([lambda it, come: it.incremental_assign(come[:2])], [None], [0, 1], True),
    "incremental_assign() of nothing": ([lambda it, _: it.incremental_assign([])], [None], NONE, True),
    "incremental_assign() of part after part": (
        [lambda it, come: it.incremental_assign(come[:2]), lambda it, come: it.incremental_assign(come[2:])],
        [None] * 2,
        ALL,
        True,
    ),
    "incremental_assign() twice": (
        [lambda it, come: it.incremental_assign(come), lambda it, come: it.incremental_assign(come)],
        [None, "_CONFLICT"],
        ALL,
        True,
    ),
    "incremental_unassign()": ([lambda it, come: it.incremental_unassign(come)], ["_INVALID_ARG"], NONE, True),
    "incremental_unassign() of a part": (
        [lambda it, come: it.incremental_assign(come), lambda it, come: it.incremental_unassign(come[:1])],
        [None] * 2,
        ALL[1:],
        True,
    ),
    "unsubscribe()": ([lambda it, _: it.unsubscribe()], [None], NONE, True),
}

CASES = [
    pytest.param(strategy, case, id=f"{strategy}: {name}")
    for strategy, cases in {"range": EAGER, "cooperative-sticky": COOPERATIVE}.items()
    for name, case in cases.items()
]
KIP_848 = [pytest.param("consumer", case, id=f"consumer: {name}") for name, case in COOPERATIVE.items()]


def outcome(ck: Any, call: Call, consumer: Any, come: list[Any]) -> str | None:
    """The name of the error that a call fails with."""
    try:
        call(consumer, come)
    except ck.KafkaException as problem:
        name: str = problem.args[0].name()
        return name
    except TypeError as problem:
        return type(problem).__name__
    return None


@pytest.mark.parametrize(("strategy", "case"), CASES)
def test_what_on_assign_asks_for_is_what_is_read(clients: Clients, strategy: str, case: Case) -> None:
    check(clients, {"partition.assignment.strategy": strategy}, case)


@pytest.mark.kip_848
@pytest.mark.parametrize(("protocol", "case"), KIP_848)
def test_it_is_so_in_the_groups_of_kafka_4(clients: Clients, protocol: str, case: Case) -> None:
    check(clients, {"group.protocol": protocol}, case)


def check(clients: Clients, settings: dict[str, Any], case: Case) -> None:
    """Runs a program on one client."""
    calls, outcomes, read, is_told = case
    topic = clients.topic(PARTITIONS, messages=PARTITIONS)
    consumer = clients.consumer(settings)
    found: list[list[str | None]] = []
    revoked: list[list[int]] = []

    def on_assign(it: Any, come: list[Any]) -> None:
        if come:
            found.append([outcome(clients.ck, call, it, come) for call in calls])

    consumer.subscribe(
        [topic],
        on_assign=on_assign,
        on_revoke=lambda _, gone: revoked.append(sorted(each.partition for each in gone)),
    )
    messages = [message for message in [first_message(consumer, found)] if message is not None]
    if len(messages) < len(read):
        messages += consumer.consume(len(read) - len(messages), SECONDS)
    if len(messages) < PARTITIONS:
        # What is not to be read has some time to come.
        messages += consumer.consume(PARTITIONS - len(messages), 0.7)
    assert sorted(message.partition() for message in messages) == read
    assert [each.partition for each in consumer.assignment()] == read
    consumer.close()
    assert found == [outcomes]
    assert revoked == ([ALL] if is_told else [])


def first_message(consumer: Any, found: list[Any]) -> Any:
    """Polls until `on_assign` has run; that poll may return a message."""
    deadline = time.monotonic() + SECONDS
    while not found:
        assert time.monotonic() < deadline
        message = consumer.poll(0.1)
        assert message is None or found
    return message


GOING: dict[str, dict[str, str | None]] = {
    "range": {"unassign": None, "assign": None, "incremental_unassign": "_STATE"},
    "cooperative-sticky": {"unassign": "_STATE", "assign": "_STATE", "incremental_unassign": None},
}
"""What each call gives in `on_revoke`, while the consumer stays in the group."""


@pytest.mark.parametrize(
    ("strategy", "call"), [(strategy, call) for strategy, calls in GOING.items() for call in calls]
)
def test_what_on_revoke_may_call(clients: Clients, strategy: str, call: str) -> None:
    topic, other = clients.topic(1, messages=1), clients.topic(1, messages=1)
    consumer = clients.consumer({"partition.assignment.strategy": strategy, "topic.metadata.refresh.interval.ms": 200})
    found: list[str | None] = []

    def on_revoke(it: Any, gone: list[Any]) -> None:
        given = {"unassign": (), "assign": ([],), "incremental_unassign": (gone,)}[call]
        found.append(outcome(clients.ck, lambda it, _: getattr(it, call)(*given), it, gone))
        if found[-1] is not None:
            # The library waits for a call that fits, for ever.
            if strategy == "range":
                it.unassign()
            else:
                it.incremental_unassign(gone)

    consumer.subscribe([topic], on_revoke=on_revoke, on_lost=on_revoke)
    until(consumer, consumer.assignment)
    consumer.subscribe([other], on_revoke=on_revoke, on_lost=on_revoke)
    until(consumer, lambda: found)
    assert found == [GOING[strategy][call]]
    until(consumer, lambda: [each.topic for each in consumer.assignment()] == [other])
    consumer.close()


def until(consumer: Any, condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        consumer.poll(0.05)

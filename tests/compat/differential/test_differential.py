"""What a face does call by call is what the original does, except where a generated page says why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.brokers import Broker
from tests.compat.differential import page, refused_transactions
from tests.compat.differential.cases import NO_STATE, cases
from tests.compat.differential.reasons import matches, module_of, outcomes, reason, reasons
from tests.compat.differential.run import Difference, compared
from tests.compat.differential.worker import library_of

LIBRARIES = ["confluent_kafka", "aiokafka", "kafka_python"]
ASYNCIO = ["confluent_kafka_asyncio"]
SETTINGS = ["confluent_kafka_settings", "aiokafka_settings"]


SLOW = {
    "confluent_kafka": {"working", "subscribed", "fatal"},
    "confluent_kafka_asyncio": {"working", "in a transaction"},
    "aiokafka": {"started", "closed after reading", "subscribed", "subscribed anew", "without group"},
    "kafka_python": {"in a group", "assigned in a group", "subscribed"},
}
"""States whose calls wait for half a minute to more than one: `make face-calls` has them, and those of a client at work
are called on Kafka below.
"""


def states(*libraries: str) -> Iterator[Any]:
    """The other states of libraries, a test for each."""
    for library in libraries:
        known = dict.fromkeys([NO_STATE, *(state for kind in library_of(library).kinds for state in kind.states)])
        assert SLOW[library] <= known.keys()
        for state in known:
            if state not in SLOW[library]:
                yield pytest.param(library, state, id=f"{library}-{state}".replace(" ", "-"))


def assert_the_same(library: str, broker: Broker, *named: str) -> None:
    def look() -> list[Difference]:
        count, _, differences = compared(library, broker.bootstrap_servers, frozenset(named))
        assert count > 0
        return differences

    assert_known(library, look)


def assert_known(library: str, look: Callable[[], list[Difference]]) -> None:
    """Looks for differences that no row excuses. What is only now and then different is a matter of time: it must be
    so again to count.
    """

    def unknown() -> dict[str, Difference]:
        return {each.case: each for each in look() if reason(library, each) is None}

    found = unknown()
    if found:
        again = unknown()
        found = {case: each for case, each in found.items() if case in again}
    told = (f"{case}: {each.in_short}: {each.original} | {each.face}" for case, each in found.items())
    assert not found, "\n".join(told)


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("library", "state"), list(states(*LIBRARIES, *ASYNCIO)))
def test_every_call_ends_as_in_the_original(library: str, state: str, embedded_broker: Broker) -> None:
    assert_the_same(library, embedded_broker, state)


@pytest.mark.timeout(200)
@pytest.mark.parametrize("library", SETTINGS)
def test_every_setting_is_taken_or_refused_as_in_the_original(library: str, embedded_broker: Broker) -> None:
    assert_the_same(library, embedded_broker, NO_STATE, "fresh")


ON_KAFKA = [
    *(("confluent_kafka", state) for state in ("working", "in a transaction")),
    *(("aiokafka", state) for state in ("working", "in a transaction")),
    ("kafka_python", "in a transaction"),
]
"""States in which calls reach a broker."""


@pytest.mark.kafka
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("library", "state"), ON_KAFKA)
def test_calls_end_as_in_the_original_on_kafka(library: str, state: str, kafka_cluster: Any) -> None:
    assert_the_same(library, kafka_cluster, state)


@pytest.mark.timeout(200)
def test_transactions_that_are_refused_end_as_in_the_original() -> None:
    assert_known(refused_transactions.LIBRARY, refused_transactions.differences)


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_page_of_differences_is_up_to_date(library: str) -> None:
    written = page.path(library).read_text(encoding="utf-8")
    assert written == page.text(library), f"run python -m tests.compat.differential.page {library}"


@pytest.mark.parametrize("library", LIBRARIES + SETTINGS + ASYNCIO)
def test_every_reason_is_about_a_call(library: str) -> None:
    names = [case.name for case in cases(library_of(library))]
    assert len(names) > 300
    for each in reasons(library):
        for pattern in each.cases:
            assert any(matches(name, pattern) for name in names), pattern


@pytest.mark.parametrize("library", [*LIBRARIES, *SETTINGS, *ASYNCIO, refused_transactions.LIBRARY])
def test_every_outcome_that_is_excused_belongs_to_a_row(library: str) -> None:
    """A row is known by its first pattern, and no row excuses what no call ends in."""
    rows = [each.cases[0] for each in reasons(library)]
    assert len(set(rows)) == len(rows)
    also = getattr(module_of(library), "ALSO", None)
    others = {each.cases[0] for each in reasons(also)} if also else set()
    assert set(outcomes(library)) - others == set(rows)
    assert all(outcomes(library).values())


def test_an_original_that_was_out_of_time_excuses_no_other_outcome_of_the_face() -> None:
    def found(original: str, face: str) -> bool:
        case = "[working] AIOKafkaAdminClient.list_consumer_group_offsets(group_id=number)"
        sides = ({"raised": name, "is": [], "says": None} for name in (original, face))
        return reason("aiokafka", Difference(case, *sides, later=None)) is not None

    assert found("ValueError", "TypeError")
    assert found("RequestTimedOutError", "TypeError")
    assert not found("RequestTimedOutError", "ValueError")
    assert not found("IndexError", "TypeError")

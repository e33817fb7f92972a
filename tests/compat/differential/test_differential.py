"""What a face does call by call is what the original does, except where a generated page says why not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.brokers import Broker
from tests.compat.differential import page
from tests.compat.differential.cases import cases
from tests.compat.differential.reasons import matches, reason, reasons
from tests.compat.differential.run import compared
from tests.compat.differential.worker import library_of

LIBRARIES = ["confluent_kafka", "aiokafka", "kafka_python"]
SETTINGS = ["confluent_kafka_settings", "aiokafka_settings"]


def assert_the_same(library: str, broker: Broker, states: frozenset[str]) -> None:
    count, _, differences = compared(library, broker.bootstrap_servers, states)
    assert count > 300
    unknown = [each for each in differences if reason(library, each) is None]
    if unknown:
        # What is only now and then different is a matter of time: it must be so again to count.
        _, _, differences = compared(library, broker.bootstrap_servers, states)
        again = {each.case for each in differences}
        unknown = [each for each in unknown if each.case in again]
    assert not unknown, "\n".join(f"{each.case} {each.what}: {each.original} | {each.face}" for each in unknown)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_call_ends_as_in_the_original(library: str, embedded_broker: Broker) -> None:
    assert_the_same(library, embedded_broker, library_of(library).short)


@pytest.mark.timeout(200)
@pytest.mark.parametrize("library", SETTINGS)
def test_every_setting_is_taken_or_refused_as_in_the_original(library: str, embedded_broker: Broker) -> None:
    assert_the_same(library, embedded_broker, frozenset({"fresh"}))


@pytest.mark.kafka
@pytest.mark.timeout(400)
@pytest.mark.parametrize("library", LIBRARIES)
def test_calls_in_a_transaction_end_as_in_the_original_on_kafka(library: str, kafka_cluster: Any) -> None:
    assert_the_same(library, kafka_cluster, frozenset({"in a transaction"}))


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_page_of_differences_is_up_to_date(library: str) -> None:
    written = page.path(library).read_text(encoding="utf-8")
    assert written == page.text(library), f"run python -m tests.compat.differential.page {library}"


@pytest.mark.parametrize("library", LIBRARIES + SETTINGS)
def test_every_reason_is_about_a_call(library: str) -> None:
    names = [case.name for case in cases(library_of(library))]
    for each in reasons(library):
        for pattern in each.cases:
            assert any(matches(name, pattern) for name in names), pattern

"""Random programs see the same on confluent_kafka and on its face. Long forms: `python -m
tests.compat.differential.programs` and `python -m tests.compat.differential.group_programs`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.group_programs import difference
from tests.compat.differential.programs import differences, prepare

SEEDS = range(4)
GROUP_SEEDS = (2, 131, 138)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    """A broker with what programs read."""
    with EmbeddedBroker() as broker:
        prepare(broker.bootstrap_servers)
        yield broker.bootstrap_servers


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_sees_the_same(seed: int, servers: str) -> None:
    assert not list(differences(servers, seed))


@pytest.mark.timeout(180)
@pytest.mark.parametrize("seed", GROUP_SEEDS)
def test_a_group_sees_the_same(seed: int) -> None:
    assert difference(seed) is None

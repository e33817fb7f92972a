"""Random programs see the same on confluent_kafka and on its face. Long form: `python -m
tests.compat.differential.programs`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.programs import differences, prepare

SEEDS = range(4)


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

"""Random programs see the same on confluent_kafka and kafka-python and on their faces. Long forms: `python -m
tests.compat.differential.programs`, `commit_programs`, `consume_programs`, `group_programs`, `callback_programs`,
`producer_programs` and `kafka_programs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from kafkars.testing import EmbeddedBroker

from tests.compat.differential import (
    callback_programs,
    commit_programs,
    consume_programs,
    group_programs,
    kafka_programs,
    producer_programs,
    programs,
)
from tests.compat.differential.strategies import NEWER

# 0, 1 and 3 found that one partition that there is not kept others from being committed.
SEEDS = range(4)
# These found that what was read before a seek was committed after what was read since.
COMMIT_SEEDS = (8, 14, 17, 21)
# Found that markers counted as read which no poll had come to, in place of what was read before a seek.
TRANSACTION_SEEDS = (122,)
# 0 and 19 found that the face read partitions anew that were assigned again, and told of no commit where nothing was
# read.
KAFKA_SEEDS = (0, 4, 19)
# All of these found that what callbacks do did not apply to what consume() had taken.
CONSUME_SEEDS = range(4)
GROUP_SEEDS = (2, 131, 138)
NEWER_GROUP_SEEDS = (0, 2)
# 134 found that what a member does not assign again was committed all the same.
CALLBACK_SEEDS = (100, 121, 126, 134)
# 0 and 3 found that in the newer protocol nothing told of a revocation that was over.
NEWER_CALLBACK_SEEDS = (0, 3)
# These found that the face went on after a commit that was refused, and told of no fence in polls.
PRODUCER_SEEDS = (16, 23, 33, 37, 38)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    """A broker with what programs read."""
    with EmbeddedBroker() as broker:
        programs.prepare(broker.bootstrap_servers)
        yield broker.bootstrap_servers


@pytest.mark.timeout(400)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_sees_the_same(seed: int, servers: str) -> None:
    assert programs.difference(servers, seed) is None


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", COMMIT_SEEDS)
def test_commits_leave_the_same(seed: int) -> None:
    assert commit_programs.difference(seed) is None


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", TRANSACTION_SEEDS)
def test_commits_in_a_topic_of_transactions_leave_the_same(seed: int) -> None:
    assert commit_programs.difference(seed, in_transactions=True) is None


@pytest.mark.timeout(300)
def test_acting_within_consume_gives_the_same() -> None:
    with EmbeddedBroker() as broker, ThreadPoolExecutor(len(CONSUME_SEEDS)) as pool:
        consume_programs.prepare(broker.bootstrap_servers)
        found = pool.map(partial(consume_programs.difference, broker.bootstrap_servers), CONSUME_SEEDS)
        assert [each for each in found if each is not None] == []


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", GROUP_SEEDS)
def test_a_group_sees_the_same(seed: int) -> None:
    assert group_programs.difference(seed) is None


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", CALLBACK_SEEDS)
def test_callbacks_see_the_same(seed: int) -> None:
    assert callback_programs.difference(seed) is None


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", NEWER_GROUP_SEEDS)
def test_a_group_of_the_newer_protocol_sees_the_same(seed: int) -> None:
    assert group_programs.difference(seed, NEWER) is None


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", NEWER_CALLBACK_SEEDS)
def test_callbacks_of_the_newer_protocol_see_the_same(seed: int) -> None:
    assert callback_programs.difference(seed, NEWER) is None


@pytest.mark.timeout(180)
@pytest.mark.parametrize("seed", PRODUCER_SEEDS)
def test_a_producer_sees_the_same(seed: int) -> None:
    assert producer_programs.difference(producer_programs.program(seed)) is None


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("version", kafka_programs.SIDES)
def test_a_program_of_kafka_python_sees_the_same(version: str) -> None:
    with EmbeddedBroker() as broker:
        assert not list(kafka_programs.differences(version, broker.bootstrap_servers, KAFKA_SEEDS))

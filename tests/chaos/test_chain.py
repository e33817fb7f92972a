"""Reading, transforming and producing in transactions: every record comes out once and in order, whatever is killed."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.chaos.cluster import ChaosCluster, Repeated, kills_and_cuts
from tests.chaos.copier import COPIED
from tests.chaos.ledger import Ledger
from tests.chaos.load import load
from tests.chaos.offsets import Offsets
from tests.chaos.programs import Program
from tests.chaos.readers import READERS
from tests.chaos.scale import Scale
from tests.support.waiting import eventually

pytestmark = [pytest.mark.kafka, pytest.mark.chaos, pytest.mark.timeout(900)]

log = logging.getLogger(__name__)

PARTITIONS = 4
KEYS = 40
COPIERS = 2
SECONDS_BETWEEN_CRASHES = (2.0, 7.0)
# Longer than a member's session: others have its partitions when it goes on, and it does not know.
SECONDS_FROZEN = 4.0
SECONDS_TO_CATCH_UP = 180.0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """In a minute there is time for one kind of membership."""
    kinds = ("classic", "consumer", "alone") if metafunc.config.getoption("--chaos-long") else ("consumer",)
    metafunc.parametrize("membership", kinds)


def test_a_chain_copies_every_record_once_and_in_order(
    cluster: ChaosCluster, scale: Scale, seed: int, membership: str, tmp_path: Path
) -> None:
    source, target = (cluster.new_topic(name, PARTITIONS) for name in ("source", "target"))
    group = f"copiers of {source}"
    how, count = (str(PARTITIONS), 1) if membership == "alone" else (membership, COPIERS)
    ledger = Ledger(KEYS)
    chance = random.Random(seed)

    def copier(number: int) -> Program:
        arguments = (cluster.proxied, source, target, group, f"{group} {number}", how)
        return Program(tmp_path / f"copier-{number}.log", "tests.chaos.copier", *arguments)

    with ExitStack() as running:
        copiers = [running.enter_context(copier(number)) for number in range(count)]
        with (
            kills_and_cuts(cluster, target, PARTITIONS, seed),
            Repeated(crasher(copiers, chance), lambda: chance.uniform(*SECONDS_BETWEEN_CRASHES)),
        ):
            seconds = scale.load_seconds
            load(cluster.proxied, source, ledger, seconds=seconds, rate=scale.chain_records / seconds)
        crashes = [(each.kills, each.freezes) for each in copiers]
        log.info("%d records, copiers killed and frozen %s times", ledger.sent, crashes)
        cluster.heal()
        with Offsets(cluster.direct, source, PARTITIONS, group) as offsets:
            ends = offsets.ends()

            def is_done() -> bool:
                for each in copiers:
                    each.check()
                return offsets.committed() == ends

            eventually(is_done, "everything is copied", SECONDS_TO_CATCH_UP)
    cluster.kafka.wait_in_sync(target)
    for name, read in READERS.items():
        found = read(cluster.direct, target, PARTITIONS)
        assert all(record.value is not None and record.value.startswith(COPIED) for record in found), name
        copies = ((record.key, (record.value or b"").removeprefix(COPIED)) for record in found)
        assert ledger.differences(copies) == [], name


def crasher(copiers: list[Program], chance: random.Random) -> Callable[[], None]:
    """Kills a copier and starts it again, or freezes it for so long that the group gives it up."""

    def crash() -> None:
        chosen = chance.choice(copiers)
        if chance.random() < 0.7:
            chosen.restart()
        else:
            chosen.freeze(SECONDS_FROZEN)

    return crash

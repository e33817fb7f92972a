"""Reading, transforming and producing in transactions: every record comes out once and in order, whatever is killed."""

from __future__ import annotations

import logging
import random
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
SECONDS_BETWEEN_KILLS = (2.0, 7.0)
SECONDS_TO_CATCH_UP = 180.0


def test_a_chain_copies_every_record_once_and_in_order(
    cluster: ChaosCluster, scale: Scale, seed: int, tmp_path: Path
) -> None:
    source, target = (cluster.new_topic(name, PARTITIONS) for name in ("source", "target"))
    name = f"copier of {source}"
    ledger = Ledger(KEYS)
    chance = random.Random(seed)
    arguments = (cluster.proxied, source, target, str(PARTITIONS), name)
    with Program(tmp_path / "copier.log", "tests.chaos.copier", *arguments) as copier:
        with (
            kills_and_cuts(cluster, target, PARTITIONS, seed),
            Repeated(copier.restart, lambda: chance.uniform(*SECONDS_BETWEEN_KILLS)),
        ):
            load(cluster.proxied, source, ledger, scale.load_seconds, scale.chain_records / scale.load_seconds)
        log.info("%d records sent, the copier killed %d times", ledger.sent, copier.kills)
        cluster.heal()
        with Offsets(cluster.direct, source, PARTITIONS, name) as offsets:
            ends = offsets.ends()

            def is_done() -> bool:
                copier.check()
                return offsets.committed() == ends

            eventually(is_done, "everything is copied", SECONDS_TO_CATCH_UP)
    cluster.kafka.wait_in_sync(target)
    for reader, read in READERS.items():
        found = read(cluster.direct, target, PARTITIONS)
        assert all(record.value is not None and record.value.startswith(COPIED) for record in found), reader
        copies = ((record.key, (record.value or b"").removeprefix(COPIED)) for record in found)
        assert ledger.differences(copies) == [], reader

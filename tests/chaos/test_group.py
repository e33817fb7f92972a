"""Groups on three brokers: whatever happens to members and brokers, nothing is lost, and only the uncommitted comes
again."""

from __future__ import annotations

import logging
import random
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.chaos.cluster import ChaosCluster
from tests.chaos.group import Group
from tests.chaos.member import PROTOCOLS
from tests.chaos.programs import Program
from tests.chaos.scale import Scale
from tests.kafka import Node

pytestmark = [pytest.mark.kafka, pytest.mark.chaos, pytest.mark.timeout(600)]

log = logging.getLogger(__name__)

MOST_MEMBERS = 20
FEWEST_MEMBERS = 5
STEADY_MEMBERS = 4
PROGRAMS = 3
SECONDS_BETWEEN_COMINGS_AND_GOINGS = (0.1, 0.9)
SECONDS_BETWEEN_KILLS = (0.3, 2.5)
SECONDS_TO_SETTLE = 60.0
SECONDS_PAUSED = 10.0
LONGEST_BACKOFF = 1.0


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def test_twenty_members_join_and_leave(
    cluster: ChaosCluster, scale: Scale, seed: int, protocol: str, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    pause = threading.Event()
    with Group(cluster, protocol, tmp_path, partitions=MOST_MEMBERS) as group:
        for number in range(MOST_MEMBERS):
            group.join(automatic=number % 3 == 0)
        ends = time.monotonic() + scale.churn_seconds
        while time.monotonic() < ends:
            pause.wait(chance.uniform(*SECONDS_BETWEEN_COMINGS_AND_GOINGS))
            present = len(group.members)
            if present == FEWEST_MEMBERS or (present < MOST_MEMBERS and chance.random() < 0.5):
                group.join(automatic=chance.random() < 0.3)
            else:
                group.leave(chance.choice(group.members))
        group.finish()


def test_a_group_recovers_from_each_fault_of_a_broker(
    cluster: ChaosCluster, scale: Scale, protocol: str, tmp_path: Path
) -> None:
    with Group(cluster, protocol, tmp_path, partitions=2 * STEADY_MEMBERS) as group:
        for _ in range(STEADY_MEMBERS):
            group.join()
        group.wait_for_progress(time.monotonic(), SECONDS_TO_SETTLE)
        limit = 2 * LONGEST_BACKOFF + scale.patience_seconds
        for fault in (coordinator_killed, leader_killed, broker_paused):
            able_again = fault(group)
            seconds = group.wait_for_progress(able_again, SECONDS_TO_SETTLE)
            log.info("%s, %s protocol: recovered in %.2f s", fault.__name__, protocol, seconds)
            assert seconds < limit, fault.__name__
            cluster.heal()
            cluster.kafka.wait_in_sync(group.topic)
        group.finish()


def coordinator_killed(group: Group) -> float:
    """The moment in which another node coordinates the group."""
    kafka = group.cluster.kafka
    kafka.coordinator(group.group_id).kill()
    kafka.coordinator(group.group_id)
    return time.monotonic()


def leader_killed(group: Group) -> float:
    """The moment in which each partition has a leader again."""
    kafka = group.cluster.kafka
    kafka.leader(group.topic).kill()
    for partition in range(group.partitions):
        kafka.leader(group.topic, partition)
    return time.monotonic()


def broker_paused(group: Group) -> float:
    """The moment in which it goes on. It coordinates the group, and leads partitions when it is stopped."""
    node: Node = group.cluster.kafka.coordinator(group.group_id)
    node.pause()
    threading.Event().wait(SECONDS_PAUSED)
    node.resume()
    return time.monotonic()


def test_members_are_killed_at_random(
    cluster: ChaosCluster, scale: Scale, seed: int, protocol: str, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    pause = threading.Event()
    with ExitStack() as running, Group(cluster, protocol, tmp_path, partitions=2 * PROGRAMS) as group:

        def program(number: int) -> Program:
            arguments = [cluster.direct, group.topic, group.group_id, protocol, str(group.new_journal())]
            # The first is missed for a while each time; the others come back in time and have their places.
            arguments += [f"static-{number}"] if number else []
            return Program(tmp_path / f"program-{number}.log", "tests.chaos.member", *arguments)

        programs = [running.enter_context(program(number)) for number in range(PROGRAMS)]
        for _ in range(scale.member_kills):
            pause.wait(chance.uniform(*SECONDS_BETWEEN_KILLS))
            chance.choice(programs).restart()
        group.finish()

"""SyncGroup whose answer comes late, or never."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import kafkars
import pytest
from kafkars.testing import EmbeddedBroker

from tests.support.groups import assigned, poll_until
from tests.support.waiting import SECONDS, eventually

TOPIC = "late"
TRIES = 4
SETTINGS: dict[str, Any] = {"group_id": "group", "auto_offset_reset": "earliest", "request_timeout_ms": 500}


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    """A broker of this test alone."""
    with EmbeddedBroker(topics={TOPIC: 2}) as started:
        yield started


def test_an_answer_that_never_comes_keeps_nobody_out_for_long(broker: EmbeddedBroker) -> None:
    """It took `max_poll_interval_ms`, which is five minutes."""
    consumer = kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, **SETTINGS)
    with broker.intercept("SyncGroup", "drop", times=1) as lost, consumer as member:
        member.subscribe([TOPIC])
        assigned(member, 2)
    assert lost.hits == 1


class PatientAssignor:
    """Assigns partitions in turns, when it may."""

    name = "patient"

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.calls = 0

    def assign(self, partitions: Mapping[str, int], members: Any) -> dict[str, list[Any]]:
        """Waits, and assigns."""
        self.calls += 1
        assert self.may_end.wait(SECONDS)
        members = list(members)
        given: dict[str, list[Any]] = {member.member_id: [] for member in members}
        for number in range(partitions[TOPIC]):
            given[members[number % len(members)].member_id].append((TOPIC, number))
        return given


def test_a_slow_leader_costs_its_followers_no_rebalance(broker: EmbeddedBroker) -> None:
    assignor = PatientAssignor()
    assignor.may_end.set()
    made = [
        kafkars.Consumer(
            bootstrap_servers=broker.bootstrap_servers,
            client_id=name,
            partition_assignment_strategy=assignor,
            **SETTINGS,
        )
        for name in ("leads", "follows")
    ]
    leader, follower = made
    leader.subscribe([TOPIC])
    assigned(leader, 2)
    assignor.may_end.clear()
    before = assignor.calls
    follower.subscribe([TOPIC])

    def syncs() -> list[Any]:
        return broker.requests("SyncGroup", client_id="follows")

    poll_until(made, lambda: len(syncs()) >= TRIES, "a follower that asks again")
    assignor.may_end.set()
    poll_until(made, lambda: [len(one.assignment()) for one in made] == [1, 1], "an assignment of both")
    assert assignor.calls == before + 1, "one rebalance"
    [_] = {(request.body["member_id"], request.body["generation_id"]) for request in syncs()}
    for one in made:
        one.close(timeout=SECONDS)
    eventually(lambda: broker.requests("LeaveGroup", client_id="follows"), "it leaves")

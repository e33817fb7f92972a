"""A fault that is set by a wrong name would never strike, so the name is an error that helps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from kafkars.errors import InvalidArgumentError, NotLeaderOrFollowerError
from kafkars.testing import EmbeddedBroker
from kafkars.testing.faults import Action


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    """A broker whose faults nobody meets."""
    with EmbeddedBroker() as started:
        yield started


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("dissconnect", "disconnect"),
        ("Delay", "delay"),
        ("flip-byte", "flip_byte"),
        ("NOT_LEADER", "NOT_LEADER_OR_FOLLOWER"),
        ("not_leader_or_follower", "NOT_LEADER_OR_FOLLOWER"),
        ("REQUEST_TIMEDOUT", "REQUEST_TIMED_OUT"),
    ],
)
def test_an_action_has_its_nearest_name(broker: EmbeddedBroker, given: str, meant: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f'did you mean "{meant}"') as raised:
        broker.intercept("Fetch", given)
    assert all(action in str(raised.value) for action in get_args(Action))


@pytest.mark.parametrize(
    ("given", "meant"), [("Fech", "Fetch"), ("OffsetComit", "OffsetCommit"), ("Prodce", "Produce")]
)
def test_an_api_has_its_nearest_name(broker: EmbeddedBroker, given: str, meant: str) -> None:
    calls = (
        lambda: broker.intercept(given, "drop"),
        lambda: broker.requests(given),
        lambda: broker.wait_for_request(given, timeout=0),
    )
    for call in calls:
        with pytest.raises(InvalidArgumentError, match=f'did you mean "{meant}"') as raised:
            call()
        assert "InitProducerId" in str(raised.value)


def test_what_is_near_nothing_is_listed_without_a_guess(broker: EmbeddedBroker) -> None:
    for call in (lambda: broker.intercept("Fetch", "qqqq"), lambda: broker.intercept("qqqq", "drop")):
        with pytest.raises(InvalidArgumentError) as raised:
            call()
        assert "did you mean" not in str(raised.value)
        assert "'qqqq'" in str(raised.value) or '"qqqq"' in str(raised.value)


def test_every_action_and_code_is_taken(broker: EmbeddedBroker) -> None:
    for action in (*get_args(Action), "NOT_LEADER_OR_FOLLOWER", NotLeaderOrFollowerError, "12345"):
        broker.intercept("fetch", action, seconds=0.001, times=1).remove()


def test_a_fault_of_a_node_that_is_not_there_is_refused(broker: EmbeddedBroker) -> None:
    with pytest.raises(InvalidArgumentError, match="there is no node 7"):
        broker.intercept("Fetch", "drop", node=7)

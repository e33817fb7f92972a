"""A subscription that ends before its join is answered leaves nothing behind in the group."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kafkars import TopicPartition
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.clients import Clients
from tests.support.groups import PROTOCOLS, Group, assigned
from tests.support.waiting import eventually

JOIN = {"classic": "JoinGroup", "consumer": "ConsumerGroupHeartbeat"}


def goodbyes(group: Group) -> list[str]:
    """The members that have told the coordinator that they leave."""
    handle = group.clients.broker.handle
    if group.protocol == "classic":
        return [member["member_id"] for request in handle.requests("LeaveGroup") for member in request.body["members"]]
    beats = [request.body for request in handle.requests("ConsumerGroupHeartbeat")]
    return [beat["member_id"] for beat in beats if beat["member_epoch"] < 0]


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A broker of this test alone."""
    with EmbeddedBroker() as started:
        yield Broker("embedded", started)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_group_that_was_left_during_the_join_takes_commits_from_outside(clients: Clients, protocol: str) -> None:
    """An id that the coordinator has given to nobody would keep the group from being empty."""
    group = Group(clients, protocol)
    hasty = group.member(enable_auto_commit=False)
    with clients.broker.handle.intercept(JOIN[protocol], "delay", seconds=0.3, times=1) as late:
        hasty.subscribe([group.topic])
        eventually(lambda: late.hits == 1, "a join under way")
        hasty.unsubscribe(timeout=0)
        eventually(lambda: hasty.health().state == "unsubscribed", "the end of a subscription")
    [gone] = goodbyes(group)
    assert gone
    member = group.reader(enable_auto_commit=False)
    assigned(member, 4)
    member.unsubscribe(timeout=5)
    place = TopicPartition(group.topic, 0)
    member.assign([place])
    member.commit({place: 7})
    assert member.committed(place)[place].offset == 7

"""A live group moves from the classic to the consumer protocol and back, one member at a time."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.errors import UnsupportedByBrokerError

from tests.brokers import Broker
from tests.support.clients import Clients, read
from tests.support.groups import Group, poll_until

Moved = list[tuple[int, int]]


def replace(members: list[Any], group: Group, **settings: Any) -> Moved:
    """The oldest member goes and a new one comes; answers what was read meanwhile."""
    members.pop(0).close()
    members.append(group.reader(**settings))
    records = poll_until(members, lambda: [len(each.assignment()) for each in members] == [2, 2], "two for each", 40)
    return [(record.partition, record.offset) for record in records]


@pytest.mark.kip_848
def test_a_live_group_moves_to_the_consumer_protocol_and_back(clients: Clients) -> None:
    group = Group(clients, "classic")
    members = [group.reader(), group.reader()]
    records = poll_until(members, lambda: [len(each.assignment()) for each in members] == [2, 2], "two for each")
    seen: Moved = [(record.partition, record.offset) for record in records]
    classic, modern = group, Group.of(group, "consumer")
    for number, into in enumerate([modern, modern, classic, classic]):
        group.clients.fill(group.topic, range(10), partition=number)
        seen += replace(members, into)
    assert {member.group_metadata().group_id for member in members} == {group.group_id}
    while len(set(seen)) < 80:
        for member in members:
            seen += [(record.partition, record.offset) for record in member.poll_batch(timeout=0.1)]
    # Everything, and nothing that was committed comes again.
    assert sorted(seen) == [(partition, offset) for partition in range(4) for offset in range(20)]


@pytest.mark.kafka
def test_brokers_without_the_consumer_protocol_say_what_they_lack(kafka_cluster: Broker, client_api: Any) -> None:
    clients = Clients(kafka_cluster, client_api)
    version = getattr(kafka_cluster.handle, "options", None)
    is_old = version is not None and version.version.startswith(("2.", "3."))
    group = Group(clients, "consumer")
    member = group.reader()
    if is_old:
        with pytest.raises(UnsupportedByBrokerError, match=r'group_protocol="consumer".*needs Kafka 4\.0'):
            poll_until([member], lambda: False, "the refusal")
    else:
        assert len(read(member, 40)) == 40
    clients.close()

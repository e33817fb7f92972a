"""`list_groups()`: groups with their members, and what these and their leader have sent."""

from __future__ import annotations

import struct
import time
from typing import Any

import confluent_kafka.admin
import kafkars
import pytest
from kafkars.admin import NewTopic
from kafkars.compat.confluent_kafka.admin import AdminClient
from kafkars.testing import EmbeddedBroker

from tests.compat.confluent.conftest import Clients
from tests.support.waiting import SECONDS, eventually


def admin(clients: Clients) -> Any:
    return made(clients.ck, {"bootstrap.servers": clients.broker.bootstrap_servers, "log_level": 0})


def made(ck: Any, settings: dict[str, Any]) -> Any:
    return __import__(f"{ck.__name__}.admin", fromlist=["admin"]).AdminClient(settings)


def parts(group: Any) -> Any:
    members = [(each.id, each.client_id, each.client_host, each.metadata, each.assignment) for each in group.members]
    return group.id, group.state, group.protocol_type, group.protocol, group.error, sorted(members)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_members_have_the_bytes_that_were_sent(clients: Clients) -> None:
    topic, group = clients.topic(partitions=3, messages=3), clients.group()
    with kafkars.Consumer(
        bootstrap_servers=clients.broker.bootstrap_servers, group_id=group, auto_offset_reset="earliest"
    ) as consumer:
        consumer.subscribe(topic)
        assert consumer.poll(SECONDS) is not None
        with admin(clients) as client:
            (found,) = client.list_groups(group, timeout=SECONDS)
        original = confluent_kafka.admin.AdminClient({"bootstrap.servers": clients.broker.bootstrap_servers})
        (expected,) = original.list_groups(group, timeout=SECONDS)
        assert parts(found) == parts(expected)
        (member,) = found.members
        name = topic.encode()
        one_topic = struct.pack(f">ih{len(name)}s", 1, len(name), name)
        assert member.metadata[2:].startswith(one_topic)
        assert member.assignment[2:].startswith(one_topic + struct.pack(">iiii", 3, 0, 1, 2))
        assert expected.broker is not None
        assert found.broker.port == expected.broker.port


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_group_without_members_is_listed(clients: Clients) -> None:
    topic, group = clients.topic(messages=1), clients.group()
    consumer = clients.consumer({"group.id": group})
    consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 1)], asynchronous=False)
    with admin(clients) as client:
        (found,) = client.list_groups(group, timeout=SECONDS)
        assert (found.state, found.members, found.error) == ("Empty", [], None)
        assert client.list_groups(f"{group}-none", timeout=SECONDS) == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("group", [None, "group-7"])
def test_many_groups_are_not_looked_up_one_after_another(group: str | None) -> None:
    """A cluster may have thousands, and each look-up is a round trip."""
    with EmbeddedBroker(topics={"t": 1}, nodes=2) as broker:
        with kafkars.Admin(bootstrap_servers=broker.bootstrap_servers) as native:
            for number in range(40):
                native.alter_group_offsets(f"group-{number}", {("t", 0): 1})
        settings = {"bootstrap.servers": broker.bootstrap_servers, "client.id": "lists"}
        with AdminClient(settings) as client:
            found = client.list_groups(group, timeout=SECONDS)
        expected = {f"group-{number}" for number in range(40)} if group is None else {group}
        assert {each.id for each in found} == expected
        assert {each.broker and each.broker.id for each in found} <= {1, 2}
        # Those that describe them, all at once.
        assert len(broker.requests("FindCoordinator", client_id="lists")) <= len(expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_members_of_the_newer_protocol_have_bytes_too(clients: Clients) -> None:
    topic, group = clients.topic(messages=1), clients.group()
    consumer = clients.consumer({"group.id": group, "group.protocol": "consumer"})
    consumer.subscribe([topic])
    eventually(lambda: consumer.poll(0.1), "the member reads")
    with admin(clients) as client:
        (found,) = client.list_groups(group, timeout=SECONDS)
    seen = found.state, [(each.metadata, each.assignment) for each in found.members]
    # The library does not ask in the way in which such groups are described.
    assert seen == (("Dead", []) if clients.ck is confluent_kafka else ("Stable", [(b"", b"")]))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_all_steps_of_a_call_share_its_time(ck: Any) -> None:
    """Brokers are asked for their groups, then for the cluster, then for what the groups are."""
    with EmbeddedBroker() as broker:
        settings = {"bootstrap.servers": broker.bootstrap_servers, "log_level": 0}
        with kafkars.Admin(bootstrap_servers=broker.bootstrap_servers) as native, made(ck, settings) as client:
            native.create_topics([NewTopic("t")])
            native.alter_group_offsets("g", {("t", 0): 0})
            assert [each.id for each in client.list_groups(timeout=SECONDS)] == ["g"]
            broker.slow_down(latency=0.4)
            started = time.monotonic()
            with pytest.raises(ck.KafkaException) as caught:
                client.list_groups(timeout=0.6)
            assert time.monotonic() - started < 0.6 + 0.35
    assert caught.value.args[0].code() in {ck.KafkaError._TIMED_OUT, ck.KafkaError._TRANSPORT}

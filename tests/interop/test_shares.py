"""Share groups (KIP-932) as other clients use them, on the embedded broker and on Kafka: Java's tool and
confluent-kafka."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest
from confluent_kafka import admin
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.kafka.cluster import wait_until
from tests.support.java_tools import JavaTools

SECONDS = 60.0
ACCEPT, RELEASE, REJECT = 1, 2, 3


@pytest.fixture
def group(broker: Broker) -> str:
    """A share group that reads from the beginning."""
    group = f"share-{uuid.uuid4()}"
    set_group(broker, group, "share.auto.offset.reset", "earliest")
    return group


def set_group(broker: Broker, group: str, name: str, value: str) -> None:
    client = admin.AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    entry = admin.ConfigEntry(name, value, incremental_operation=admin.AlterConfigOpType.SET)
    resource = admin.ConfigResource(admin.ResourceType.GROUP, group, incremental_configs=[entry])
    client.incremental_alter_configs([resource])[resource].result(SECONDS)


def produce(broker: Broker, topic: str, values: list[bytes]) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap_servers})
    for value in values:
        producer.produce(topic, value)
    assert producer.flush(SECONDS) == 0


class Member:
    """A share consumer of confluent-kafka that says itself what became of records."""

    def __init__(self, broker: Broker, group: str, topic: str) -> None:
        settings = {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": group,
            "share.acknowledgement.mode": "explicit",
        }
        self.consumer = confluent_kafka.ShareConsumer(settings)
        self.consumer.subscribe([topic])

    def take(self) -> list[Any]:
        """What it is given, after waiting for it a moment."""
        return [message for message in self.consumer.poll(0.5) if message.error() is None]

    def settle(self, messages: list[Any], kind: int) -> None:
        for message in messages:
            self.consumer.acknowledge(message, kind)
        outcome = self.consumer.commit_sync(SECONDS)
        assert all(problem is None for problem in outcome.values()), outcome

    def take_all(self, count: int) -> list[Any]:
        """Takes `count` records and accepts them."""
        taken: list[Any] = []

        def enough() -> bool:
            messages = self.take()
            self.settle(messages, ACCEPT)
            taken.extend(messages)
            return len(taken) >= count

        wait_until(enough, SECONDS, f"{count} records are there")
        return taken


def test_java_and_confluent_share_a_topic(broker: Broker, group: str) -> None:
    topic = broker.new_topic(partitions=2)
    values = [b"%d" % number for number in range(20)]
    produce(broker, topic, values)
    printed = JavaTools(broker.bootstrap_servers).share(topic, count=5, group=group)
    first = [each.value.encode() for each in printed]
    assert len(first) == 5
    member = Member(broker, group, topic)
    rest = member.take_all(15)
    member.consumer.close()
    assert sorted(first + [message.value() for message in rest]) == sorted(values), "every record once"


def test_released_records_come_again_and_rejected_ones_do_not(broker: Broker, group: str) -> None:
    topic = broker.new_topic()
    produce(broker, topic, [b"good", b"bad", b"later"])
    member = Member(broker, group, topic)
    taken: list[Any] = []

    def has_three() -> bool:
        taken.extend(member.take())
        return len(taken) >= 3

    wait_until(has_three, SECONDS, "all three are there")
    good, bad, later = taken
    member.consumer.acknowledge(bad, REJECT)
    member.consumer.acknowledge(later, RELEASE)
    member.settle([good], ACCEPT)
    again = member.take_all(1)
    assert [message.value() for message in again] == [b"later"]
    assert [message.delivery_count() for message in again] == [2]
    produce(broker, topic, [b"new"])
    assert [message.value() for message in member.take_all(1)] == [b"new"]
    member.consumer.close()


def test_what_a_member_leaves_behind_goes_to_another(broker: Broker, group: str) -> None:
    topic = broker.new_topic()
    produce(broker, topic, [b"1", b"2"])
    first, second = Member(broker, group, topic), Member(broker, group, topic)
    taken: list[Any] = []

    def has_two() -> bool:
        taken.extend(first.take())
        return len(taken) >= 2

    wait_until(has_two, SECONDS, "the first has both")
    first.consumer.close()
    assert [message.value() for message in second.take_all(2)] == [b"1", b"2"]
    second.consumer.close()


def test_a_share_group_goes_on_where_it_was_after_a_restart(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path) as embedded:
        broker = Broker("embedded", embedded)
        topic = broker.new_topic()
        set_group(broker, "g", "share.auto.offset.reset", "earliest")
        produce(broker, topic, [b"1", b"2"])
        member = Member(broker, "g", topic)
        assert len(member.take_all(2)) == 2
        member.consumer.close()
    with EmbeddedBroker(data_dir=tmp_path) as embedded:
        broker = Broker("embedded", embedded)
        produce(broker, topic, [b"3"])
        member = Member(broker, "g", topic)
        assert [message.value() for message in member.take_all(1)] == [b"3"]
        member.consumer.close()

"""Administration: topics, settings and groups, on both brokers, sync and asyncio."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer as PeerConsumer
from kafkars import Admin, errors
from kafkars.admin import ConfigChange, ConfigResource, ConfigSource, NewTopic

from tests.brokers import Broker
from tests.support.waiting import SECONDS, eventually

NUMBERS = itertools.count(1)


@pytest.fixture
def admin(broker: Broker, client_api: Any) -> Iterator[Admin]:
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as made:
        yield made


@pytest.fixture
def name() -> str:
    return f"admin-{os.getpid()}-{next(NUMBERS)}"


def test_a_topic_is_created_described_listed_and_deleted(admin: Admin, name: str) -> None:
    settings = {"retention.ms": "60000"}
    created = admin.create_topics([NewTopic(name, partitions=3, replication_factor=1, configs=settings)])
    assert list(created) == [name]
    assert (created[name].partitions, created[name].replication_factor) == (3, 1)

    eventually(lambda: name in admin.list_topics(), "the topic is listed")
    described = admin.describe_topics([name])[name]
    assert [info.partition for info in described.partitions] == [0, 1, 2]
    assert not described.is_internal
    assert described.topic_id == created[name].topic_id

    assert admin.delete_topics([name]) == {name: None}
    eventually(lambda: name not in admin.list_topics(), "the topic is gone")


def test_defaults_of_the_cluster_are_used(admin: Admin, name: str) -> None:
    created = admin.create_topics([NewTopic(name)])
    assert created[name].partitions
    assert created[name].replication_factor == 1


def test_a_check_creates_nothing(admin: Admin, name: str) -> None:
    assert list(admin.create_topics([NewTopic(name, 1, 1)], validate_only=True)) == [name]
    assert name not in admin.list_topics()


def test_replicas_go_where_they_are_put(admin: Admin, name: str) -> None:
    (broker, *_) = admin.describe_cluster().brokers
    admin.create_topics([NewTopic(name, assignments=[[broker.id], [broker.id]])])
    eventually(lambda: name in admin.list_topics(), "the topic is listed")
    partitions = admin.describe_topics([name])[name].partitions
    assert [info.replicas for info in partitions] == [(broker.id,), (broker.id,)]


def test_every_topic_has_its_own_outcome(admin: Admin, name: str, topic: str) -> None:
    wanted = [NewTopic(topic, 1, 1), NewTopic(name, 1, 1), NewTopic("not a name", 1, 1)]
    outcomes = admin.create_topics(wanted, return_exceptions=True)
    assert list(outcomes) == [topic, name, "not a name"]
    assert isinstance(outcomes[topic], errors.TopicAlreadyExistsError)
    created = outcomes[name]
    assert not isinstance(created, errors.KafkaError)
    assert created.partitions == 1
    assert isinstance(outcomes["not a name"], errors.InvalidTopicError)
    # All are carried out before the first failure is raised.
    other = name + "-b"
    with pytest.raises(errors.TopicAlreadyExistsError) as raised:
        admin.create_topics([NewTopic(topic, 1, 1), NewTopic(other, 1, 1)])
    assert raised.value.topic == topic
    eventually(lambda: other in admin.list_topics(), "the other topic is there all the same")


def test_unknown_topics_are_told(admin: Admin, name: str) -> None:
    with pytest.raises(errors.UnknownTopicOrPartitionError, match=name):
        admin.describe_topics([name])
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        admin.delete_topics([name])
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        admin.describe_configs([("topic", name)])
    assert name not in admin.list_topics(), "asking must not create it"


def test_partitions_are_added(admin: Admin, topic: str) -> None:
    assert admin.create_partitions({topic: 4}) == {topic: None}
    eventually(lambda: len(admin.describe_topics([topic])[topic].partitions) == 4, "there are four")
    with pytest.raises(errors.InvalidPartitionsError):
        admin.create_partitions({topic: 2})
    with pytest.raises(errors.InvalidArgumentError, match="no total"):
        admin.create_partitions({}, assignments={topic: [[1]]})


def test_settings_are_read_and_changed(admin: Admin, topic: str) -> None:
    resource = ConfigResource("topic", topic)
    before = admin.describe_configs([resource])[resource]["delete.retention.ms"]
    assert before.is_default
    changes = {"delete.retention.ms": "12345", "cleanup.policy": ConfigChange("append", "compact")}
    admin.alter_configs({resource: changes})

    def changed() -> bool:
        return admin.describe_configs([resource])[resource]["delete.retention.ms"].value == "12345"

    eventually(changed, "the setting has changed")
    entry = admin.describe_configs([resource], include_synonyms=True)[resource]["delete.retention.ms"]
    assert entry.source is ConfigSource.DYNAMIC_TOPIC_CONFIG
    assert next(synonym.value for synonym in entry.synonyms) == "12345"
    assert admin.describe_configs([resource])[resource]["cleanup.policy"].value == "delete,compact"

    admin.alter_configs({resource: {"delete.retention.ms": None}})
    eventually(lambda: not changed(), "the setting is back")
    assert admin.describe_configs([resource])[resource]["delete.retention.ms"].value == before.value


def test_wrong_settings_are_refused(admin: Admin, topic: str) -> None:
    resource = ConfigResource("topic", topic)
    # The latter from brokers before 3.0.
    with pytest.raises((errors.InvalidConfigError, errors.InvalidRequestError)):
        admin.alter_configs({resource: {"retention.ms": "soon"}})
    with pytest.raises(errors.InvalidArgumentError, match="no operation"):
        admin.alter_configs({resource: {"retention.ms": ConfigChange("double", "2")}})  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="no type of resource"):
        admin.describe_configs([("table", topic)])


def test_a_broker_tells_its_settings(admin: Admin) -> None:
    (broker, *_) = admin.describe_cluster().brokers
    resource = ConfigResource("broker", str(broker.id))
    settings = admin.describe_configs([resource])[resource]
    assert settings["num.partitions"].value
    with pytest.raises(errors.KafkaError):
        admin.describe_configs([("broker", "4711")], timeout=1)


def test_groups_are_listed_described_and_deleted(admin: Admin, broker: Broker, topic: str, name: str) -> None:
    settings = {"bootstrap.servers": broker.bootstrap_servers, "group.id": name, "client.id": "peer"}
    member = PeerConsumer(settings)
    member.subscribe([topic])
    stop = threading.Event()
    thread = threading.Thread(target=lambda: [member.poll(0.05) for _ in iter(stop.is_set, True)])
    thread.start()
    try:
        eventually(lambda: name in stable(admin), "the group is stable")
        described = admin.describe_groups([name])[name]
        (listed,) = [group for group in admin.list_groups() if group.group_id == name]
        # Brokers before 3.8 do not tell the type.
        assert listed.group_type in {"Classic", None}
        assert (described.group_type, described.state, described.protocol_type) == ("Classic", "Stable", "consumer")
        assert [(one.client_id, one.assignment) for one in described.members] == [("peer", ((topic, 0),))]
        with pytest.raises(errors.NonEmptyGroupError):
            admin.delete_groups([name])
    finally:
        stop.set()
        thread.join(SECONDS)
        member.close()
    eventually(lambda: admin.describe_groups([name])[name].state == "Empty", "the member has left")
    assert admin.delete_groups([name]) == {name: None}
    assert name not in {group.group_id for group in admin.list_groups()}


def stable(admin: Admin) -> set[str]:
    return {group.group_id for group in admin.list_groups(states=["Stable"])}


def test_unknown_groups_are_told(admin: Admin, name: str) -> None:
    with pytest.raises(errors.GroupIdNotFoundError):
        admin.describe_groups([name])
    with pytest.raises(errors.GroupIdNotFoundError):
        admin.delete_groups([name])


def test_the_coordinators_of_groups_and_transactions_are_found(admin: Admin, name: str) -> None:
    brokers = {one.id for one in admin.describe_cluster().brokers}
    assert admin.find_coordinator(name) in brokers
    assert admin.find_coordinator(name, kind="transaction") in brokers
    with pytest.raises(errors.InvalidArgumentError):
        admin.find_coordinator(name, kind="share")


def test_the_cluster_is_described(admin: Admin, broker: Broker) -> None:
    cluster = admin.describe_cluster()
    assert cluster.cluster_id
    addresses = {f"{one.host}:{one.port}" for one in cluster.brokers}
    assert set(broker.bootstrap_servers.split(",")) <= addresses
    assert cluster.controller in {one.id for one in cluster.brokers}


def test_one_text_is_not_taken_for_many(admin: Admin) -> None:
    with pytest.raises(TypeError, match="in a list"):
        admin.delete_topics("orders")
    with pytest.raises(TypeError, match="NewTopic"):
        admin.create_topics(["orders"])  # type: ignore[list-item]


@pytest.mark.parametrize("wrong", [None, "orders", [("orders", 0)]])
@pytest.mark.parametrize("call", ["alter_configs", "create_partitions", "delete_records", "list_offsets"])
def test_what_is_no_dict_is_refused_where_one_is_expected(admin: Admin, call: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match="expected a dict"):
        getattr(admin, call)(wrong)


def test_nothing_works_after_close(admin: Admin) -> None:
    admin.list_topics()
    admin.close()
    admin.close()
    assert admin.closed
    with pytest.raises(errors.ClosedError):
        admin.list_topics()


def test_a_cluster_that_is_not_there_is_told_in_time(client_api: Any) -> None:
    with client_api.Admin(bootstrap_servers="127.0.0.1:1") as admin:
        with pytest.raises(errors.BootstrapError, match=r"127\.0\.0\.1:1"):
            admin.list_topics(timeout=0.5)
        with pytest.raises(ValueError, match="timeout"):
            admin.list_topics(timeout=-1)

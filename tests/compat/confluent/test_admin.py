"""AdminClient: the same answers and errors from the library and its face, on both brokers."""

# ruff: noqa: ARG005  each of many calls uses what it needs

from __future__ import annotations

import importlib
import itertools
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import kafkars
import pytest
from kafkars.testing import EmbeddedCluster

from tests.brokers import Broker
from tests.support.waiting import SECONDS, eventually

NUMBERS = itertools.count(1)


@pytest.fixture
def ad(ck: ModuleType) -> ModuleType:
    """`confluent_kafka.admin`, of either."""
    return importlib.import_module(ck.__name__ + ".admin")


@pytest.fixture
def admin(ad: ModuleType, broker: Broker) -> Iterator[Any]:
    with ad.AdminClient({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0}) as made:
        yield made


@pytest.fixture
def name() -> str:
    return f"confluent-admin-{os.getpid()}-{next(NUMBERS)}"


def results(futures: dict[Any, Any]) -> list[Any]:
    return [future.result(SECONDS) for future in futures.values()]


def code(future: Any, ck: ModuleType) -> str:
    """The name of the error that a future ends with."""
    with pytest.raises(ck.KafkaException) as caught:
        future.result(SECONDS)
    return str(caught.value.args[0].name())


def test_topics_are_created_listed_described_and_deleted(ck: ModuleType, ad: ModuleType, admin: Any, name: str) -> None:
    topic = ad.NewTopic(name, 2, 1, config={"retention.ms": "60000"})
    assert results(admin.create_topics([topic], operation_timeout=10, request_timeout=20)) == [None]
    eventually(lambda: name in admin.list_topics(timeout=10).topics, "the topic is listed")
    found = admin.list_topics(name, timeout=10)
    assert list(found.topics) == [name]
    (leader,) = {each.leader for each in found.topics[name].partitions.values()}
    assert found.topics[name].partitions[1].replicas == found.topics[name].partitions[1].isrs == [leader]
    assert leader in found.brokers
    assert found.cluster_id == admin.cluster_id(timeout=10)
    assert (repr(found.topics[name]), str(found.topics[name])) == (f"TopicMetadata({name}, 2 partitions)", name)

    (described,) = results(admin.describe_topics(ck.TopicCollection([name])))
    assert (described.name, described.is_internal, len(described.partitions)) == (name, False, 2)
    assert described.partitions[0].leader.id == leader
    assert [node.id for node in described.partitions[1].replicas] == [leader]
    assert str(described.topic_id)

    assert results(admin.create_partitions([ad.NewPartitions(name, 3)])) == [None]
    assert results(admin.delete_topics([name])) == [None]
    eventually(lambda: name not in admin.list_topics(timeout=10).topics, "the topic is gone")


def test_each_topic_has_its_own_outcome(ck: ModuleType, ad: ModuleType, admin: Any, topic: str, name: str) -> None:
    futures = admin.create_topics([ad.NewTopic(topic, 1, 1), ad.NewTopic(name, 1, 1), ad.NewTopic("no name", 1, 1)])
    assert list(futures) == [topic, name, "no name"]
    assert futures[name].result(SECONDS) is None
    assert code(futures[topic], ck) == "TOPIC_ALREADY_EXISTS"
    assert code(futures["no name"], ck) == "TOPIC_EXCEPTION"
    assert code(admin.create_topics([ad.NewTopic(name + "x", 1, 9)])[name + "x"], ck) == "INVALID_REPLICATION_FACTOR"
    assert code(admin.create_partitions([ad.NewPartitions(topic, 1)])[topic], ck) == "INVALID_PARTITIONS"
    missing = name + "-missing"
    assert code(admin.delete_topics([missing])[missing], ck) == "UNKNOWN_TOPIC_OR_PART"
    assert code(admin.describe_topics(ck.TopicCollection([missing]))[missing], ck) == "UNKNOWN_TOPIC_OR_PART"


def test_a_check_creates_nothing(ad: ModuleType, admin: Any, name: str) -> None:
    assert results(admin.create_topics([ad.NewTopic(name, 1, 1)], validate_only=True)) == [None]
    assert name not in admin.list_topics(timeout=10).topics


def test_settings_are_described_and_changed(ck: ModuleType, ad: ModuleType, admin: Any, topic: str) -> None:
    resource = ad.ConfigResource("topic", topic)

    def setting(which: str) -> Any:
        return admin.describe_configs([resource])[resource].result(SECONDS)[which]

    entry = setting("delete.retention.ms")
    assert (entry.name, entry.value, entry.is_default, entry.is_read_only) == (
        "delete.retention.ms",
        "86400000",
        True,
        False,
    )
    assert entry.source == ad.ConfigSource.DEFAULT_CONFIG.value
    change = ad.ConfigEntry("delete.retention.ms", "2000", incremental_operation=ad.AlterConfigOpType.SET)
    other = ad.ConfigEntry("segment.ms", "3000", incremental_operation=ad.AlterConfigOpType.SET)
    changed = ad.ConfigResource("topic", topic, incremental_configs=[change, other])
    assert results(admin.incremental_alter_configs([changed])) == [None]
    eventually(lambda: setting("delete.retention.ms").value == "2000", "the setting is changed")
    assert setting("delete.retention.ms").source == ad.ConfigSource.DYNAMIC_TOPIC_CONFIG.value

    with pytest.deprecated_call():
        futures = admin.alter_configs([ad.ConfigResource("topic", topic, set_config={"segment.ms": 4000})])
    assert results(futures) == [None]
    eventually(lambda: setting("segment.ms").value == "4000", "the setting is replaced")
    eventually(lambda: setting("delete.retention.ms").value == "86400000", "others are back at their defaults")

    missing = ad.ConfigResource("topic", topic + "-missing")
    assert code(admin.describe_configs([missing])[missing], ck) == "UNKNOWN_TOPIC_OR_PART"


def test_groups_are_listed_described_and_deleted(
    ck: ModuleType, admin: Any, broker: Broker, topic: str, name: str
) -> None:
    with kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, group_id=name, client_id="c") as consumer:
        consumer.subscribe(topic)

        def joined() -> bool:
            consumer.poll(0.05)
            return bool(consumer.assignment())

        # Before there is a coordinator for the first group of a cluster, librdkafka reports that instead of waiting.
        eventually(joined, "the group has a coordinator and the consumer its partition")

        def described() -> Any:
            consumer.poll(0.05)
            return admin.describe_consumer_groups([name])[name].result(SECONDS)

        eventually(lambda: described().state == ck.ConsumerGroupState.STABLE, "the group is stable")
        group = described()
        assert (group.group_id, group.is_simple_consumer_group, group.partition_assignor) == (name, False, "range")
        assert group.type == ck.ConsumerGroupType.CLASSIC
        (member,) = group.members
        assert (member.client_id, member.group_instance_id) == ("c", None)
        assert member.assignment.topic_partitions == [ck.TopicPartition(topic, 0)]
        assert group.coordinator.id in admin.list_topics(timeout=10).brokers
        assert code(admin.delete_consumer_groups([name])[name], ck) == "NON_EMPTY_GROUP"

        listed = admin.list_consumer_groups(states={ck.ConsumerGroupState.STABLE}).result(SECONDS)
        (mine,) = [each for each in listed.valid if each.group_id == name]
        assert (mine.state, mine.is_simple_consumer_group, listed.errors) == (ck.ConsumerGroupState.STABLE, False, [])
        assert mine.type == ck.ConsumerGroupType.CLASSIC
        with pytest.deprecated_call():
            (old,) = admin.list_groups(name, timeout=10)
        assert (old.id, old.state, old.protocol_type, old.protocol, len(old.members)) == (
            name,
            "Stable",
            "consumer",
            "range",
            1,
        )
    assert results(admin.delete_consumer_groups([name])) == [None]
    assert code(admin.delete_consumer_groups([name])[name], ck) == "GROUP_ID_NOT_FOUND"


def test_offsets_of_groups_are_set_and_listed(ck: ModuleType, admin: Any, topic: str, name: str) -> None:
    wanted = ck.ConsumerGroupTopicPartitions(name, [ck.TopicPartition(topic, 0, 5), ck.TopicPartition(topic, 99, 1)])
    (done,) = results(admin.alter_consumer_group_offsets([wanted]))
    assert [(each.partition, each.offset) for each in done.topic_partitions] == [(0, 5), (99, 1)]
    assert done.topic_partitions[0].error is None
    assert done.topic_partitions[1].error.name() == "UNKNOWN_TOPIC_OR_PART"
    (all_of_it,) = results(admin.list_consumer_group_offsets([ck.ConsumerGroupTopicPartitions(name)]))
    assert [(each.topic, each.partition, each.offset) for each in all_of_it.topic_partitions] == [(topic, 0, 5)]
    some = [ck.TopicPartition(topic, 0), ck.TopicPartition(topic, 1)]
    (named,) = results(admin.list_consumer_group_offsets([ck.ConsumerGroupTopicPartitions(name, some)]))
    assert [(each.partition, each.offset) for each in named.topic_partitions] == [(0, 5), (1, -1001)]


def test_offsets_and_records_of_partitions(
    ck: ModuleType, ad: ModuleType, admin: Any, broker: Broker, topic: str
) -> None:
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for timestamp in (1000, 2000, 3000):
            producer.send(topic, b"v", timestamp=timestamp)
    place = ck.TopicPartition(topic, 0)

    def offset(spec: Any) -> tuple[int, int]:
        found = admin.list_offsets({place: spec}, isolation_level=ck.IsolationLevel.READ_COMMITTED)[place]
        info = found.result(SECONDS)
        return info.offset, info.timestamp

    assert offset(ad.OffsetSpec.earliest()) == (0, -1)
    assert offset(ad.OffsetSpec.latest()) == (3, -1)
    assert offset(ad.OffsetSpec.for_timestamp(1500)) == (1, 2000)
    assert offset(ad.OffsetSpec.for_timestamp(9000)) == (-1, -1)
    assert offset(ad.OffsetSpec.max_timestamp())[0] == 2
    (deleted,) = results(admin.delete_records([ck.TopicPartition(topic, 0, 2)]))
    assert deleted.low_watermark == 2
    assert offset(ad.OffsetSpec.earliest()) == (2, -1)
    beyond = ck.TopicPartition(topic, 0, 99)
    assert code(admin.delete_records([beyond])[beyond], ck) == "OFFSET_OUT_OF_RANGE"


def test_the_cluster_is_described(admin: Any) -> None:
    found = admin.describe_cluster().result(SECONDS)
    assert found.cluster_id == admin.list_topics(timeout=10).cluster_id
    assert found.controller.id in [node.id for node in found.nodes]


WRONG: list[tuple[Callable[[Any, Any, Any], object], Any]] = [
    (lambda admin, ck, ad: admin.create_topics([]), ValueError),
    (lambda admin, ck, ad: admin.create_topics(None), TypeError),
    (lambda admin, ck, ad: admin.create_topics([ad.NewTopic("t", 1, 1)], nonsense=1), TypeError),
    (lambda admin, ck, ad: admin.create_topics([ad.NewTopic("t", 1, 1)], request_timeout="x"), TypeError),
    (lambda admin, ck, ad: admin.create_topics([ad.NewTopic("t", 1, 1)], request_timeout=-5), ValueError),
    (lambda admin, ck, ad: admin.create_topics([ad.NewTopic("t", 2, 1, replica_assignment=[[1]])]), ValueError),
    (lambda admin, ck, ad: admin.delete_topics("t"), TypeError),
    (lambda admin, ck, ad: admin.delete_topics([]), ValueError),
    (lambda admin, ck, ad: admin.create_partitions([]), ValueError),
    (lambda admin, ck, ad: admin.describe_topics(["t"]), TypeError),
    (lambda admin, ck, ad: admin.describe_configs([]), ValueError),
    (lambda admin, ck, ad: admin.describe_configs(["x"]), ValueError),
    (lambda admin, ck, ad: admin.incremental_alter_configs([ad.ConfigResource("topic", "t")]), ValueError),
    (lambda admin, ck, ad: admin.list_consumer_groups(states="x"), TypeError),
    (lambda admin, ck, ad: admin.describe_consumer_groups("g"), TypeError),
    (lambda admin, ck, ad: admin.describe_consumer_groups([]), ValueError),
    (lambda admin, ck, ad: admin.delete_consumer_groups([]), ValueError),
    (lambda admin, ck, ad: admin.list_consumer_group_offsets([]), ValueError),
    (lambda admin, ck, ad: admin.list_consumer_group_offsets(["g"]), TypeError),
    (lambda admin, ck, ad: admin.list_consumer_group_offsets([ck.ConsumerGroupTopicPartitions("")]), ValueError),
    (lambda admin, ck, ad: admin.alter_consumer_group_offsets([ck.ConsumerGroupTopicPartitions("g")]), ValueError),
    (lambda admin, ck, ad: admin.list_offsets([1]), TypeError),
    (lambda admin, ck, ad: admin.list_offsets({ck.TopicPartition("t", 0): 3}), TypeError),
    (lambda admin, ck, ad: admin.list_offsets({ck.TopicPartition("t", -1): ad.OffsetSpec.latest()}), ValueError),
    (lambda admin, ck, ad: admin.delete_records(["x"]), TypeError),
    (lambda admin, ck, ad: ad.AdminClient({"nonsense": 1}), "KafkaException"),
    (lambda admin, ck, ad: ad.AdminClient(5), TypeError),
    (lambda admin, ck, ad: ad.NewTopic(1, 1), TypeError),
    (lambda admin, ck, ad: ad.NewTopic("t", "x"), TypeError),
    (lambda admin, ck, ad: ad.NewPartitions("t"), TypeError),
    (lambda admin, ck, ad: ad.ConfigResource("nonsense", "t"), ValueError),
]


def test_wrong_arguments_are_refused_before_anything_is_asked(ck: ModuleType, ad: ModuleType) -> None:
    admin = ad.AdminClient({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    for call, error in WRONG:
        with pytest.raises(getattr(ck, error) if isinstance(error, str) else error):
            call(admin, ck, ad)


def test_a_cluster_that_is_not_there_is_an_error_of_the_future(ck: ModuleType, ad: ModuleType) -> None:
    admin = ad.AdminClient({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    assert code(admin.create_topics([ad.NewTopic("t", 1, 1)], request_timeout=0.3)["t"], ck) in {
        "_TIMED_OUT",
        "_TRANSPORT",
    }
    with pytest.raises(ck.KafkaException) as caught:
        admin.list_topics(timeout=0.2)
    assert caught.value.args[0].name() == "_TRANSPORT"


def test_what_describes_has_the_same_shape(ad: ModuleType) -> None:
    assert repr(ad.NewTopic("t", 2)) == "NewTopic(topic=t,num_partitions=2)"
    assert ad.NewTopic("t", 1) == ad.NewTopic("t", 1) != ad.NewTopic("t", 2)
    assert len({ad.NewTopic("t", 1), ad.NewTopic("t", 1)}) == 1
    assert (ad.NewTopic("t").num_partitions, ad.NewTopic("t").replication_factor, ad.NewTopic("t").config) == (
        -1,
        -1,
        None,
    )
    assert repr(ad.NewPartitions("t", 3)) == "NewPartitions(topic=t,new_total_count=3)"
    one = ad.ConfigResource(ad.ResourceType.TOPIC, "t", set_config={"a": "b"})
    assert (one, len(one), repr(one)) == (ad.ConfigResource(2, "t"), 1, "ConfigResource(ResourceType.TOPIC,t)")
    assert (str(ad.ConfigEntry("a", "b")), repr(ad.ConfigEntry("a", "b"))) == ('a="b"', 'ConfigEntry(a="b")')
    empty = ad.ClusterMetadata()
    assert vars(empty) == {
        "cluster_id": None,
        "controller_id": -1,
        "brokers": {},
        "topics": {},
        "orig_broker_id": -1,
        "orig_broker_name": None,
    }
    assert ad.MemberAssignment(None).topic_partitions == []
    assert ad.OffsetSpec.latest() == ad.OffsetSpec.latest() != ad.OffsetSpec.earliest()
    listing = ad.ConsumerGroupListing("g", True, state="stable", type=1)
    assert (listing.state.name, listing.type.name) == ("STABLE", "CONSUMER")


def test_error_cb_hears_in_polls_that_no_broker_answers(ad: ModuleType) -> None:
    heard: list[tuple[str, threading.Thread]] = []
    settings = {
        "bootstrap.servers": "127.0.0.1:1",
        "error_cb": lambda error: heard.append((error.name(), threading.current_thread())),
    }
    admin = ad.AdminClient(settings)
    end = time.monotonic() + 10
    while "_ALL_BROKERS_DOWN" not in [name for name, _ in heard]:
        assert time.monotonic() < end, heard
        admin.poll(0.2)
    assert [name for name, _ in heard][:2] == ["_TRANSPORT", "_ALL_BROKERS_DOWN"]
    assert {thread for _, thread in heard} == {threading.current_thread()}


def test_a_broker_is_named_by_its_number(ad: ModuleType, admin: Any) -> None:
    def asked(call: str, **settings: Any) -> str:
        resource = ad.ConfigResource(ad.ConfigResource.Type.BROKER, "first", **settings)
        with pytest.raises(ad.KafkaException) as raised:
            getattr(admin, call)([resource])[resource].result(10)
        code: str = raised.value.args[0].name()
        return code

    change = ad.ConfigEntry("log.retention.ms", "1", incremental_operation=ad.AlterConfigOpType.SET)
    assert asked("describe_configs") == "_INVALID_ARG"
    assert asked("incremental_alter_configs", incremental_configs=[change]) == "_INVALID_ARG"


def test_statistics_are_told_in_polls(ad: ModuleType, broker: Broker) -> None:
    told: list[dict[str, Any]] = []
    conf = {
        "bootstrap.servers": broker.bootstrap_servers,
        "client.id": "mine",
        "statistics.interval.ms": 100,
        "stats_cb": lambda text: told.append(json.loads(text)),
    }
    admin = ad.AdminClient(conf)
    admin.list_topics(timeout=10)
    end = time.monotonic() + 20
    # The first ones may be from before the answer.
    while len(told) < 2 or not is_connected(told[-1]):
        assert time.monotonic() < end, told[-1:]
        admin.poll(0.2)
    assert {(each["client_id"], each["type"], each["msg_cnt"]) for each in told} == {("mine", "producer", 0)}


def is_connected(statistics: dict[str, Any]) -> bool:
    """True if a broker is there and has been asked something."""
    return statistics["tx"] > 0 and any(each["state"] == "UP" for each in statistics["brokers"].values())


def test_error_cb_hears_nothing_of_a_cluster_that_is_there(ad: ModuleType, embedded_broker: Broker) -> None:
    heard: list[Any] = []
    admin = ad.AdminClient({"bootstrap.servers": embedded_broker.bootstrap_servers, "error_cb": heard.append})
    admin.list_topics(timeout=10)
    assert admin.poll(0.3) == 0
    assert heard == []
    with pytest.raises(ad.KafkaException):
        admin.delete_topics(["nowhere"])["nowhere"].result(10)
    assert admin.poll(0) == 0
    assert heard == []


@pytest.mark.parametrize("ck", ["kafkars.compat.confluent_kafka"], indirect=True)
def test_what_error_cb_raises_comes_out_of_the_poll(ad: ModuleType) -> None:
    def raising(_: Any) -> None:
        raise ValueError("mine")

    with ad.AdminClient({"bootstrap.servers": "127.0.0.1:1", "error_cb": raising}) as admin:
        with pytest.raises(ValueError, match="mine"):
            admin.poll(10)
        # The other error is heard all the same.
        with pytest.raises(ValueError, match="mine"):
            admin.poll(10)


def test_why_there_are_no_groups_is_part_of_the_list(ck: ModuleType, ad: ModuleType) -> None:
    with ad.AdminClient({"bootstrap.servers": "127.0.0.1:1", "log_level": 0}) as admin:
        listed = admin.list_consumer_groups(request_timeout=0.5).result(SECONDS)
    assert listed.valid == []
    [error] = listed.errors
    assert isinstance(error, ck.KafkaError)
    assert error.code() == ck.KafkaError._TIMED_OUT


def test_groups_of_other_brokers_are_listed_beside_a_silent_one(ad: ModuleType) -> None:
    with EmbeddedCluster(nodes=3, topics={"t": 1}) as cluster:
        with kafkars.Admin(bootstrap_servers=cluster.bootstrap_servers) as native:
            for node in (1, 2, 3):
                cluster.move_coordinator(f"of-{node}", node)
                native.alter_group_offsets(f"of-{node}", {("t", 0): 0})
        with ad.AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0}) as admin:
            everything = admin.list_consumer_groups(request_timeout=10).result(SECONDS)
            assert ({each.group_id for each in everything.valid}, everything.errors) == ({"of-1", "of-2", "of-3"}, [])
            cluster.pause_node(2)
            listed = admin.list_consumer_groups(request_timeout=2).result(SECONDS)
        assert {each.group_id for each in listed.valid} == {"of-1", "of-3"}
        assert len(listed.errors) == 1


def test_a_group_without_a_coordinator_keeps_back_no_other(ck: ModuleType, ad: ModuleType) -> None:
    groups = ["g0", "g1", "g2", "none"]
    with EmbeddedCluster(nodes=3, topics={"t": 1}) as cluster:
        with kafkars.Admin(bootstrap_servers=cluster.bootstrap_servers) as native:
            for group in groups[:3]:
                native.alter_group_offsets(group, {("t", 0): 0})
        with (
            ad.AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0}) as admin,
            cluster.intercept(
                "FindCoordinator", "COORDINATOR_NOT_AVAILABLE", when=lambda asked: "'g1'" in str(asked.body)
            ),
        ):
            started = time.monotonic()
            futures = admin.describe_consumer_groups(groups, request_timeout=2)
            with pytest.raises(ck.KafkaException) as caught:
                futures["g1"].result(SECONDS)
            found = {group: futures[group].result(SECONDS) for group in groups if group != "g1"}
            assert time.monotonic() - started < 2 + 1
    assert caught.value.args[0].code() == ck.KafkaError._TIMED_OUT
    assert {group: each.state.name for group, each in found.items()} == {"g0": "EMPTY", "g2": "EMPTY", "none": "DEAD"}
    assert all(each.coordinator.id in {1, 2, 3} for each in found.values())

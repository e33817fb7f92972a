"""Wrong arguments of AdminClient: the class of error, and whether the call raises it or its future."""

# ruff: noqa: ARG005  each of many calls uses what it needs

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import ModuleType
from typing import Any

import pytest

from tests.brokers import Broker

SECONDS = 20.0

Made = Callable[[ModuleType, ModuleType], Any]


@pytest.fixture
def ad(ck: ModuleType) -> ModuleType:
    """`confluent_kafka.admin`, of either."""
    return __import__(f"{ck.__name__}.admin", fromlist=["admin"])


@pytest.fixture
def admin(ad: ModuleType, broker: Broker) -> Iterator[Any]:
    with ad.AdminClient({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0}) as made:
        yield made


def entry(ad: ModuleType, name: Any = "retention.ms", value: Any = "1", operation: Any = "SET") -> Any:
    kind = operation if not isinstance(operation, str) else ad.AlterConfigOpType[operation]
    return ad.ConfigEntry(name, value, incremental_operation=kind)


def resource(ad: ModuleType, *entries: Any, name: str = "orders") -> Any:
    return ad.ConfigResource("topic", name, incremental_configs=list(entries))


def parts(ck: ModuleType, *partitions: Any) -> list[Any]:
    return [ck.ConsumerGroupTopicPartitions("group", list(partitions))]


def new(ad: ModuleType, count: int, assigned: Any = None) -> list[Any]:
    return [ad.NewTopic("t", count, replica_assignment=assigned)]


IN_THE_CALL: dict[str, tuple[str, Made, type[Exception]]] = {
    "operation is a text": (
        "incremental_alter_configs",
        lambda ck, ad: [resource(ad, ad.ConfigEntry("a", "1", incremental_operation="SET"))],
        TypeError,
    ),
    "operation is a number": (
        "incremental_alter_configs",
        lambda ck, ad: [resource(ad, entry(ad, operation=0))],
        TypeError,
    ),
    "no operation": ("incremental_alter_configs", lambda ck, ad: [resource(ad, entry(ad, operation=None))], TypeError),
    "changes are a text": (
        "incremental_alter_configs",
        lambda ck, ad: [ad.ConfigResource("topic", "t", incremental_configs="something")],
        TypeError,
    ),
    "changes are a dict": (
        "incremental_alter_configs",
        lambda ck, ad: [ad.ConfigResource("topic", "t", incremental_configs={"retention.ms": "1"})],
        TypeError,
    ),
    "a change is a text": ("incremental_alter_configs", lambda ck, ad: [resource(ad, "x")], TypeError),
    "a change is None": ("incremental_alter_configs", lambda ck, ad: [resource(ad, entry(ad), None)], TypeError),
    "no name": ("incremental_alter_configs", lambda ck, ad: [resource(ad, entry(ad, None))], TypeError),
    "name is a number": ("incremental_alter_configs", lambda ck, ad: [resource(ad, entry(ad, 5))], TypeError),
    "name is empty": ("incremental_alter_configs", lambda ck, ad: [resource(ad, entry(ad, ""))], ValueError),
    "no resource": ("incremental_alter_configs", lambda ck, ad: [None], TypeError),
    "a text for a resource": ("incremental_alter_configs", lambda ck, ad: ["x"], TypeError),
    "a text for resources": ("incremental_alter_configs", lambda ck, ad: "x", TypeError),
    "resources are a tuple": ("incremental_alter_configs", lambda ck, ad: (resource(ad, entry(ad)),), ValueError),
    "resources are a dict": ("describe_configs", lambda ck, ad: {}, ValueError),
    "resources are bytes": ("describe_configs", lambda ck, ad: b"x", ValueError),
    "resources are no list": ("describe_configs", lambda ck, ad: 5, TypeError),
    "settings are a list": ("alter_configs", lambda ck, ad: [ad.ConfigResource("topic", "t", ["a"])], TypeError),
    "the name of a setting is empty": (
        "alter_configs",
        lambda ck, ad: [ad.ConfigResource("topic", "t", {"": "a"})],
        ValueError,
    ),
    "a topic is None": ("delete_topics", lambda ck, ad: [None, "t"], ValueError),
    "topics are a tuple": ("delete_topics", lambda ck, ad: ("t",), TypeError),
    "a group is None": ("delete_consumer_groups", lambda ck, ad: [None], ValueError),
    "a group is a number": ("delete_consumer_groups", lambda ck, ad: [1], ValueError),
    "a group is bytes": ("delete_consumer_groups", lambda ck, ad: [b"g"], ValueError),
    "a described group is None": ("describe_consumer_groups", lambda ck, ad: ["g", None], ValueError),
    "a partition is None": ("list_consumer_group_offsets", lambda ck, ad: parts(ck, None), ValueError),
    "a partition is a number": ("list_consumer_group_offsets", lambda ck, ad: parts(ck, 1), TypeError),
    "an altered partition is None": (
        "alter_consumer_group_offsets",
        lambda ck, ad: parts(ck, ck.TopicPartition("t", 0, 1), None),
        ValueError,
    ),
    "a user is empty": (
        "alter_user_scram_credentials",
        lambda ck, ad: [ad.UserScramCredentialAlteration("")],
        ValueError,
    ),
    "neither upsertion nor deletion": (
        "alter_user_scram_credentials",
        lambda ck, ad: [ad.UserScramCredentialAlteration("carol")],
        TypeError,
    ),
    "described topics are a text": ("describe_topics", lambda ck, ad: ck.TopicCollection("orders"), TypeError),
    "described topics are a tuple": ("describe_topics", lambda ck, ad: ck.TopicCollection(("orders",)), TypeError),
    "described topics are an empty text": ("describe_topics", lambda ck, ad: ck.TopicCollection(""), TypeError),
    "rules are a dict": ("create_acls", lambda ck, ad: {}, ValueError),
    "fewer partitions than numbered": ("create_topics", lambda ck, ad: new(ad, 3, [[1]]), ValueError),
    "more partitions than numbered": ("create_topics", lambda ck, ad: new(ad, 1, [[1], [1]]), ValueError),
    "partitions, and no number": ("create_topics", lambda ck, ad: new(ad, -1, [[1]]), ValueError),
    "no partitions, and a number": ("create_topics", lambda ck, ad: new(ad, 3, []), ValueError),
    "brokers of partitions are a text": ("create_topics", lambda ck, ad: new(ad, 1, "x"), ValueError),
    "brokers of partitions are a tuple": ("create_topics", lambda ck, ad: new(ad, 1, ([1],)), ValueError),
    "brokers of a partition are a tuple": ("create_topics", lambda ck, ad: new(ad, 1, [(1,)]), ValueError),
    "a broker is a text": ("create_topics", lambda ck, ad: new(ad, 1, [["1"]]), ValueError),
    "a partition has no broker": ("create_topics", lambda ck, ad: new(ad, 1, [[]]), ValueError),
    "too few partitions": ("create_topics", lambda ck, ad: new(ad, -2), ValueError),
    "too many partitions": ("create_topics", lambda ck, ad: new(ad, 100_001), ValueError),
    "too few copies": ("create_topics", lambda ck, ad: [ad.NewTopic("t", 1, -2)], ValueError),
    "too many copies": ("create_topics", lambda ck, ad: [ad.NewTopic("t", 1, 10_001)], ValueError),
    "no partitions in all": ("create_partitions", lambda ck, ad: [ad.NewPartitions("t", 0)], ValueError),
    "below 0 partitions in all": ("create_partitions", lambda ck, ad: [ad.NewPartitions("t", -1)], ValueError),
    "100001 partitions in all": ("create_partitions", lambda ck, ad: [ad.NewPartitions("t", 100_001)], ValueError),
    "new partitions without brokers": ("create_partitions", lambda ck, ad: [ad.NewPartitions("t", 2, [])], ValueError),
    "brokers of new ones are a text": ("create_partitions", lambda ck, ad: [ad.NewPartitions("t", 2, "x")], ValueError),
    "a new one has a number": ("create_partitions", lambda ck, ad: [ad.NewPartitions("t", 2, [1])], ValueError),
}
"""The method, its argument, and the class of error."""


@pytest.mark.parametrize("case", IN_THE_CALL)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_wrong_arguments_raise_in_the_call(ck: ModuleType, ad: ModuleType, admin: Any, case: str) -> None:
    method, made, kind = IN_THE_CALL[case]
    given = made(ck, ad)
    with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
        getattr(admin, method)(given)
    assert caught.type is kind


FLAGS: dict[str, tuple[str, Made, str]] = {
    "a cluster": ("describe_cluster", lambda ck, ad: None, "include_authorized_operations"),
    "groups": ("describe_consumer_groups", lambda ck, ad: ["g"], "include_authorized_operations"),
    "topics": ("describe_topics", lambda ck, ad: ck.TopicCollection(["t"]), "include_authorized_operations"),
    "new topics": ("create_topics", lambda ck, ad: new(ad, 1), "validate_only"),
    "new partitions": ("create_partitions", lambda ck, ad: [ad.NewPartitions("t", 2)], "validate_only"),
    "changes": ("incremental_alter_configs", lambda ck, ad: [resource(ad, entry(ad))], "validate_only"),
    "offsets": (
        "list_consumer_group_offsets",
        lambda ck, ad: [ck.ConsumerGroupTopicPartitions("group")],
        "require_stable",
    ),
}


@pytest.mark.parametrize("case", FLAGS)
def test_a_flag_is_a_bool(ck: ModuleType, ad: ModuleType, admin: Any, case: str) -> None:
    method, made, name = FLAGS[case]
    given = made(ck, ad)
    for flag in (0, 1, "x", None):
        with pytest.raises(TypeError):
            getattr(admin, method)(*([] if given is None else [given]), **{name: flag})


def test_groups_are_listed_by_an_unknown_state_too(ck: ModuleType, admin: Any) -> None:
    """Of a type that is unknown nobody can ask."""
    states, kind = ck.ConsumerGroupState, ck.ConsumerGroupType
    for asked in ({states.UNKNOWN}, {states.UNKNOWN, states.STABLE}):
        found = admin.list_consumer_groups(states=asked).result(SECONDS)
        assert found.errors == []
    with pytest.raises(ValueError, match="UNKNOWN"):
        admin.list_consumer_groups(types={kind.UNKNOWN})


def code(future: Future[Any]) -> str:
    """The name of the `KafkaException` that a future ends with."""
    error: Any = future.exception(SECONDS)
    return str(error.args[0].name())


TWICE = {
    "append and subtract": (("cleanup.policy", "delete", "APPEND"), ("cleanup.policy", "compact", "SUBTRACT")),
    "set and set": (("cleanup.policy", "delete", "SET"), ("cleanup.policy", "compact", "SET")),
    "set and delete": (("cleanup.policy", "delete", "SET"), ("cleanup.policy", None, "DELETE")),
}


@pytest.mark.parametrize("by", ["constructor", "method"])
@pytest.mark.parametrize("changes", TWICE)
def test_two_changes_of_one_setting_are_refused_and_none_is_made(
    ad: ModuleType, admin: Any, broker: Broker, changes: str, by: str
) -> None:
    topic, other = (broker.new_topic(1, {"cleanup.policy": "compact"}) for _ in range(2))
    entries = [entry(ad, *each) for each in TWICE[changes]]
    if by == "constructor":
        changed = resource(ad, *entries, name=topic)
    else:
        changed = resource(ad, name=topic)
        for each in entries:
            changed.add_incremental_config(each)
    futures = admin.incremental_alter_configs([changed, resource(ad, entry(ad), name=other)])
    assert [code(each) for each in futures.values()] == ["_INVALID_ARG"] * 2
    found = admin.describe_configs([ad.ConfigResource("topic", topic)])
    (settings,) = (each.result(SECONDS) for each in found.values())
    assert settings["cleanup.policy"].value == "compact"


def test_two_changes_of_one_setting_are_refused_without_a_broker(ad: ModuleType) -> None:
    with ad.AdminClient({"bootstrap.servers": "127.0.0.1:9", "log_level": 0}) as admin:
        futures = admin.incremental_alter_configs([resource(ad, entry(ad), entry(ad))])
        assert [code(each) for each in futures.values()] == ["_INVALID_ARG"]


def test_a_resource_that_is_changed_twice_is_refused(ad: ModuleType, admin: Any) -> None:
    futures = admin.incremental_alter_configs([resource(ad, entry(ad)), resource(ad, entry(ad, "segment.ms"))])
    assert [code(each) for each in futures.values()] == ["_INVALID_ARG"]


def test_names_of_settings_are_made_texts(ad: ModuleType, admin: Any, topic: str) -> None:
    new = ad.NewTopic(f"{topic}-new", 1, 1, config={5: "x"})
    assert [code(each) for each in admin.create_topics([new]).values()] == ["INVALID_CONFIG"]
    with pytest.warns(DeprecationWarning, match="alter_configs"):
        futures = admin.alter_configs([ad.ConfigResource("topic", topic, {5: "x"})])
    assert [code(each) for each in futures.values()] == ["INVALID_CONFIG"]


def test_a_closed_client_has_nothing_to_poll_for(ad: ModuleType) -> None:
    with ad.AdminClient({"bootstrap.servers": "127.0.0.1:9", "log_level": 0}) as admin:
        admin.create_topics([ad.NewTopic("orders", 1, 1)], request_timeout=1)
    assert len(admin) == 0


def test_a_text_has_no_settings(ad: ModuleType) -> None:
    with pytest.raises(AttributeError):
        ad.ConfigResource("topic", "t", set_config="abc")

"""Access control as an administrator of another library sees it: the same answers from real Kafka and the embedded
broker."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.security.conftest import BOB, PASSWORDS, SecureKafka

pytestmark = pytest.mark.timeout(180)

SECONDS = 30

ALONE = {
    "create_topics": "TOPIC_AUTHORIZATION_FAILED",
    "delete_topics": "TOPIC_AUTHORIZATION_FAILED",
    "create_partitions": "TOPIC_AUTHORIZATION_FAILED",
    "describe_topic_configs": "TOPIC_AUTHORIZATION_FAILED",
    "alter_topic_configs": "TOPIC_AUTHORIZATION_FAILED",
    "describe_broker_configs": "CLUSTER_AUTHORIZATION_FAILED",
    "describe_topics": "TOPIC_AUTHORIZATION_FAILED",
    # The library looks for the leader first, and is told of no topic.
    "list_offsets": "_NOENT",
    "delete_records": "_NOENT",
    "describe_groups": "GROUP_AUTHORIZATION_FAILED",
    "group_offsets": "GROUP_AUTHORIZATION_FAILED",
    "delete_groups": "GROUP_AUTHORIZATION_FAILED",
    "create_acls": "CLUSTER_AUTHORIZATION_FAILED",
    "delete_acls": "CLUSTER_AUTHORIZATION_FAILED",
    "elect_leaders": "CLUSTER_AUTHORIZATION_FAILED",
}
"""What a user hears for whom there is no rule. The library's own call for SCRAM credentials breaks its memory when it
is refused."""

READER = ALONE | {
    "describe_topics": "done",
    "list_offsets": "done",
    "delete_records": "TOPIC_AUTHORIZATION_FAILED",
}
"""What somebody hears who may read the topic."""


def settings(kafka: SecureKafka, user: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": kafka.address("SASL"),
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": user,
        "sasl.password": PASSWORDS[user],
    }


def admin(kafka: SecureKafka, user: str) -> Any:
    from confluent_kafka.admin import AdminClient

    return AdminClient(settings(kafka, user))


@contextlib.contextmanager
def member(kafka: SecureKafka, user: str, group: str, topics: list[str]) -> Iterator[Any]:
    """A consumer of the protocol of KIP-848, another library's."""
    from confluent_kafka import Consumer

    own = {"group.id": group, "group.protocol": "consumer", "topic.metadata.refresh.interval.ms": 500}
    consumer = Consumer(settings(kafka, user) | own)
    consumer.subscribe(topics)
    try:
        yield consumer
    finally:
        consumer.close()


def assigned(consumer: Any) -> list[str]:
    """The topics that it has, once it has any."""
    until = time.monotonic() + SECONDS
    while not (found := sorted({each.topic for each in consumer.assignment()})):
        assert time.monotonic() < until, "nothing was assigned"
        consumer.poll(0.1)
    return found


def calls(client: Any, topic: str) -> dict[str, Callable[[], Any]]:
    """Each gives futures, or one."""
    from confluent_kafka import ConsumerGroupTopicPartitions, ElectionType, TopicCollection, TopicPartition
    from confluent_kafka import admin as api

    partition = TopicPartition(topic, 0)
    group = f"group of {topic}"
    binding = rule(topic, api.AclOperation.READ)
    anything = api.AclBindingFilter(
        api.ResourceType.TOPIC,
        topic,
        api.ResourcePatternType.ANY,
        None,
        None,
        api.AclOperation.ANY,
        api.AclPermissionType.ANY,
    )
    config = api.ConfigResource(api.ConfigResource.Type.TOPIC, topic)
    entry = api.ConfigEntry("retention.ms", "1000", incremental_operation=api.AlterConfigOpType.SET)
    changed = api.ConfigResource(api.ConfigResource.Type.TOPIC, topic, incremental_configs=[entry])
    return {
        "create_topics": lambda: client.create_topics([api.NewTopic(f"{topic}-new", 1, 1)]),
        "delete_topics": lambda: client.delete_topics([topic]),
        "create_partitions": lambda: client.create_partitions([api.NewPartitions(topic, 2)]),
        "describe_topic_configs": lambda: client.describe_configs([config]),
        "alter_topic_configs": lambda: client.incremental_alter_configs([changed]),
        "describe_broker_configs": lambda: client.describe_configs(
            [api.ConfigResource(api.ConfigResource.Type.BROKER, "1")]
        ),
        "describe_topics": lambda: client.describe_topics(TopicCollection([topic])),
        "list_offsets": lambda: client.list_offsets({partition: api.OffsetSpec.latest()}),
        "delete_records": lambda: client.delete_records([TopicPartition(topic, 0, 0)]),
        "describe_groups": lambda: client.describe_consumer_groups([group]),
        "group_offsets": lambda: client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]),
        "delete_groups": lambda: client.delete_consumer_groups([group]),
        "create_acls": lambda: client.create_acls([binding]),
        "describe_acls": lambda: client.describe_acls(anything),
        "delete_acls": lambda: client.delete_acls([anything]),
        "elect_leaders": lambda: client.elect_leaders(ElectionType.PREFERRED, [partition]),
    }


def rule(topic: str, operation: Any, kind: str = "TOPIC") -> Any:
    from confluent_kafka import admin as api

    return api.AclBinding(
        api.ResourceType[kind],
        topic,
        api.ResourcePatternType.LITERAL,
        f"User:{BOB}",
        "*",
        operation,
        api.AclPermissionType.ALLOW,
    )


def outcome(call: Callable[[], Any]) -> str:
    from confluent_kafka import KafkaException

    futures = call()
    futures = list(futures.values()) if isinstance(futures, dict) else [futures]
    try:
        for future in futures:
            future.result(SECONDS)
    except KafkaException as raised:
        return str(raised.args[0].name())
    return "done"


def test_who_may_do_nothing_is_told_so_by_every_call(secure_kafka: SecureKafka) -> None:
    topic = secure_kafka.new_topic()
    bob = calls(admin(secure_kafka, BOB), topic)
    found = {name: outcome(bob[name]) for name in ALONE}
    assert found == ALONE


def test_a_rule_gives_what_goes_with_it_and_nothing_else(secure_kafka: SecureKafka) -> None:
    from confluent_kafka import admin as api

    topic = secure_kafka.new_topic()
    alice = admin(secure_kafka, "alice")
    bob = calls(admin(secure_kafka, BOB), topic)
    read = rule(topic, api.AclOperation.READ)
    assert outcome(lambda: alice.create_acls([read])) == "done"
    described = calls(alice, topic)["describe_acls"]().result(SECONDS)
    assert [(each.principal, each.operation) for each in described] == [(f"User:{BOB}", api.AclOperation.READ)]
    assert {name: outcome(bob[name]) for name in ALONE} == READER
    removed = calls(alice, topic)["delete_acls"]()
    for future in removed.values():
        assert len(future.result(SECONDS)) == 1
    assert outcome(bob["describe_topics"]) == ALONE["describe_topics"]


def test_a_group_is_shown_to_whom_its_topics_may_be_shown(secure_kafka: SecureKafka) -> None:
    from confluent_kafka import admin as api

    mine, theirs = secure_kafka.new_topic(), secure_kafka.new_topic()
    group = f"group of {mine}"
    alice, bob = admin(secure_kafka, "alice"), admin(secure_kafka, BOB)
    rules = [rule(group, api.AclOperation.DESCRIBE, "GROUP"), rule(mine, api.AclOperation.DESCRIBE)]
    assert outcome(lambda: alice.create_acls(rules)) == "done"

    def described() -> str:
        return outcome(lambda: bob.describe_consumer_groups([group]))

    with member(secure_kafka, "alice", group, [mine, theirs]) as consumer:
        assert assigned(consumer) == sorted([mine, theirs])
        assert described() == "TOPIC_AUTHORIZATION_FAILED"
        assert outcome(lambda: alice.create_acls([rule(theirs, api.AclOperation.DESCRIBE)])) == "done"
        assert described() == "done"


def test_a_pattern_takes_the_topics_that_may_be_described(secure_kafka: SecureKafka) -> None:
    from confluent_kafka import admin as api

    mine, theirs = secure_kafka.new_topic(), secure_kafka.new_topic()
    group = f"group of {mine}"
    alice = admin(secure_kafka, "alice")
    rules = [rule(group, api.AclOperation.READ, "GROUP"), rule(mine, api.AclOperation.READ)]
    assert outcome(lambda: alice.create_acls(rules)) == "done"
    pattern = f"^({re.escape(mine)}|{re.escape(theirs)})$"
    with member(secure_kafka, BOB, group, [pattern]) as consumer:
        assert assigned(consumer) == [mine]
    with member(secure_kafka, "alice", f"another {group}", [pattern]) as consumer:
        assert assigned(consumer) == sorted([mine, theirs])

"""Where replicas are, what they take, and moving them, on both brokers, sync and asyncio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Admin, errors

from tests.brokers import Broker
from tests.support.waiting import eventually


@pytest.fixture
def admin(broker: Broker, client_api: Any) -> Iterator[Admin]:
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as made:
        yield made


def test_folders_tell_what_each_replica_takes(admin: Admin, broker: Broker, client_api: Any) -> None:
    topic = broker.new_topic(partitions=2)
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send(topic, b"x" * 1000, partition=1).result()
    (node, *_) = admin.describe_cluster().brokers

    def both() -> Any:
        """What is said of the folder, once the broker has made both replicas there."""
        (found,) = admin.describe_log_dirs(partitions=[(topic, 0), (topic, 1)])[node.id]
        return found if len(found.replicas) == 2 else None

    folder = eventually(both, "both replicas are in the folder")
    assert folder.path
    assert folder.error is None
    assert (folder.total_bytes or 0) >= (folder.usable_bytes or 0)
    assert list(folder.replicas) == [(topic, 0), (topic, 1)]
    empty, used = folder.replicas.values()
    assert empty.size == 0
    assert used.size > 1000
    assert (used.offset_lag, used.is_future) == (0, False)
    assert (topic, 1) in admin.describe_log_dirs([node.id])[node.id][0].replicas


def test_a_broker_that_is_not_there_has_an_outcome_of_its_own(admin: Admin) -> None:
    (node, *_) = admin.describe_cluster().brokers
    outcomes: Any = admin.describe_log_dirs([node.id, 777], partitions=[], timeout=2, return_exceptions=True)
    assert list(outcomes) == [node.id, 777]
    assert isinstance(outcomes[777], errors.KafkaError)
    with pytest.raises(errors.KafkaError, match="777"):
        admin.describe_log_dirs([777], timeout=2)


def test_a_replica_that_is_where_it_shall_be_is_not_moved(admin: Admin, topic: str) -> None:
    (node, *_) = admin.describe_cluster().brokers
    assert admin.alter_partition_reassignments({(topic, 0): [node.id]}) == {(topic, 0): None}
    assert admin.list_partition_reassignments([(topic, 0)]) == {}
    assert (topic, 0) not in admin.list_partition_reassignments()


def test_every_partition_has_its_own_outcome(admin: Admin, topic: str) -> None:
    (node, *_) = admin.describe_cluster().brokers
    wanted: Any = {(topic, 0): [node.id], (topic, 7): [node.id], ("no such topic", 0): None}
    outcomes: Any = admin.alter_partition_reassignments(wanted, return_exceptions=True)
    assert list(outcomes) == list(wanted)
    assert outcomes[(topic, 0)] is None
    assert isinstance(outcomes[(topic, 7)], errors.UnknownTopicOrPartitionError)
    with pytest.raises(errors.NoReassignmentInProgressError):
        admin.alter_partition_reassignments({(topic, 0): None})
    with pytest.raises(errors.InvalidReplicaAssignmentError):
        admin.alter_partition_reassignments({(topic, 0): [node.id, 777]})


def test_what_may_be_done_is_told_where_it_is_asked(admin: Admin, topic: str) -> None:
    assert admin.describe_cluster().authorized_operations is None
    cluster = admin.describe_cluster(include_authorized_operations=True).authorized_operations
    assert cluster is not None
    assert {"create", "alter", "describe_configs"} <= cluster
    assert admin.describe_topics([topic])[topic].authorized_operations is None
    described = admin.describe_topics([topic], include_authorized_operations=True)[topic].authorized_operations
    assert described is not None
    assert {"read", "write", "describe"} <= described
    assert "cluster_action" not in described


def test_what_may_be_done_with_a_group_is_told(admin: Admin, topic: str) -> None:
    group = f"group of {topic}"
    admin.alter_group_offsets(group, {(topic, 0): 0})
    assert admin.describe_groups([group])[group].authorized_operations is None
    described = admin.describe_groups([group], include_authorized_operations=True)[group].authorized_operations
    assert described is not None
    assert {"read", "delete", "describe"} <= described

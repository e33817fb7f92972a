"""Administration of offsets: of groups, and of partitions; on both brokers, sync and asyncio."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer as PeerConsumer
from kafkars import Admin, OffsetAndMetadata, Producer, TopicPartition, errors
from kafkars.admin import ListedOffset

from tests.brokers import Broker
from tests.support.waiting import SECONDS, eventually

NUMBERS = itertools.count(1)
# In ms since 1970; of the n-th record.
START = 1_700_000_000_000


@pytest.fixture
def admin(broker: Broker, client_api: Any) -> Iterator[Admin]:
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as made:
        yield made


@pytest.fixture
def group() -> str:
    return f"offsets-{os.getpid()}-{next(NUMBERS)}"


@pytest.fixture
def filled(broker: Broker) -> str:
    """A topic with ten records in each of two partitions."""
    topic = broker.new_topic(partitions=2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(20):
            producer.send(topic, b"%d" % number, partition=number % 2, timestamp=START + number)
        assert producer.flush() == 0
    return topic


def test_offsets_of_a_group_are_set_read_and_forgotten(admin: Admin, filled: str, group: str) -> None:
    first, second = TopicPartition(filled, 0), TopicPartition(filled, 1)
    wanted = {first: 3, second: OffsetAndMetadata(5, "why", 0)}
    assert admin.alter_group_offsets(group, wanted) == {first: None, second: None}
    expected = {first: OffsetAndMetadata(3), second: OffsetAndMetadata(5, "why", 0)}
    assert admin.list_group_offsets([group]) == {group: expected}
    assert admin.list_group_offsets({group: [second]}) == {group: {second: expected[second]}}

    assert admin.delete_group_offsets(group, [second]) == {second: None}
    assert admin.list_group_offsets([group]) == {group: {first: expected[first]}}
    assert admin.list_group_offsets({group: [second]}) == {group: {}}


def test_a_group_goes_on_where_it_was_put(
    admin: Admin, broker: Broker, client_api: Any, filled: str, group: str
) -> None:
    admin.alter_group_offsets(group, {(filled, 0): 8, (filled, 1): 9})
    settings = {"bootstrap_servers": broker.bootstrap_servers, "group_id": group, "auto_offset_reset": "none"}
    with client_api.Consumer(**settings) as consumer:
        consumer.subscribe([filled])
        found = [consumer.poll(timeout=SECONDS).value for _ in range(3)]
    assert sorted(found) == [b"16", b"18", b"19"]


def test_offsets_of_a_group_with_members_stay(admin: Admin, broker: Broker, filled: str, group: str) -> None:
    member = PeerConsumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": group})
    member.subscribe([filled])
    stop = threading.Event()
    thread = threading.Thread(target=lambda: [member.poll(0.05) for _ in iter(stop.is_set, True)])
    thread.start()
    try:
        eventually(lambda: group in {one.group_id for one in admin.list_groups(states=["Stable"])}, "it is stable")
        with pytest.raises(errors.UnknownMemberIdError) as raised:
            admin.alter_group_offsets(group, {(filled, 0): 1})
        assert (raised.value.topic, raised.value.partition) == (filled, 0)
        with pytest.raises(errors.GroupSubscribedToTopicError):
            admin.delete_group_offsets(group, [(filled, 0)])
    finally:
        stop.set()
        thread.join(SECONDS)
        member.close()


def test_unknown_groups_have_committed_nothing(admin: Admin, filled: str, group: str) -> None:
    assert admin.list_group_offsets([group]) == {group: {}}
    with pytest.raises(errors.GroupIdNotFoundError):
        admin.delete_group_offsets(group, [(filled, 0)])


def test_offsets_of_partitions_are_told(admin: Admin, filled: str) -> None:
    partition = TopicPartition(filled, 0)

    def told(spec: Any) -> ListedOffset:
        (found,) = admin.list_offsets({partition: spec}).values()
        return found

    assert told("earliest").offset == 0
    assert told("latest").offset == 10
    assert told(START + 5)[:2] == (3, START + 6)
    assert told(START + 100) == ListedOffset(None, None, None)
    both = admin.list_offsets({(filled, 0): "latest", (filled, 1): "earliest"}, isolation_level="read_committed")
    assert {of: found.offset for of, found in both.items()} == {(filled, 0): 10, (filled, 1): 0}


def test_the_newest_record_is_found(admin: Admin, broker: Broker, filled: str, request: pytest.FixtureRequest) -> None:
    wanted = {(filled, 0): "max_timestamp"}
    if broker.kind == "kafka" and int(request.config.getoption("--kafka-version").split(".")[0]) < 3:
        with pytest.raises(errors.UnsupportedVersionError, match="KIP-734"):
            admin.list_offsets(wanted)
        return
    (found,) = admin.list_offsets(wanted).values()
    assert found[:2] == (9, START + 18)


def test_records_are_deleted(admin: Admin, filled: str) -> None:
    first, second = TopicPartition(filled, 0), TopicPartition(filled, 1)
    assert admin.delete_records({first: 4, second: -1}) == {first: 4, second: 10}
    offsets = admin.list_offsets(dict.fromkeys([first, second], "earliest"))
    assert [found.offset for found in offsets.values()] == [4, 10]
    # What has gone already is no mistake.
    assert admin.delete_records({first: 2}) == {first: 4}


def test_every_partition_has_its_own_outcome(admin: Admin, filled: str) -> None:
    wanted = {(filled, 0): 11, (filled, 1): 1, (filled, 2): 1, ("unknown-topic", 0): 1}
    outcomes: dict[Any, Any] = admin.delete_records(wanted, return_exceptions=True)
    assert list(outcomes) == list(wanted)
    assert isinstance(outcomes[filled, 0], errors.OffsetOutOfRangeError)
    assert (outcomes[filled, 0].topic, outcomes[filled, 0].partition) == (filled, 0)
    assert outcomes[filled, 1] == 1
    assert isinstance(outcomes[filled, 2], errors.UnknownTopicOrPartitionError)
    assert isinstance(outcomes["unknown-topic", 0], errors.UnknownTopicOrPartitionError)
    assert "unknown-topic" not in admin.list_topics(), "asking must not create it"
    with pytest.raises(errors.OffsetOutOfRangeError):
        admin.delete_records(wanted)


def test_mistakes_in_arguments_are_told(admin: Admin, filled: str, group: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="no offset to ask for"):
        admin.list_offsets({(filled, 0): "newest"})  # type: ignore[dict-item]
    with pytest.raises(errors.InvalidArgumentError, match="isolation_level"):
        admin.list_offsets({(filled, 0): "latest"}, isolation_level="committed")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="TopicPartition"):
        admin.delete_group_offsets(group, [filled])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="in a list"):
        admin.list_group_offsets(group)

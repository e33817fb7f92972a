"""Small things of clients that programs look at: the release found out, rows of administrators, clients that are
closed or forgotten, iteration over a `poll()` of the program's own.
"""

from __future__ import annotations

import copy
import subprocess
import sys
import time
from typing import Any

import pytest
from kafkars import Admin, Producer
from kafkars.admin import NewTopic
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.compat.kafka import errors
from kafkars.compat.kafka._versions import NEWEST_OF_2, NEWEST_OF_3, OLDEST, release_of
from kafkars.testing import EmbeddedBroker
from kafkars.types import TopicPartition

from tests.support.waiting import eventually

PLACE = TopicPartition("t", 0)


@pytest.fixture(params=[version_2, version_3], ids=["2", "3"])
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


def members(broker: EmbeddedBroker) -> int:
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        (found,) = admin.describe_groups(["g"]).values()
        return len(found.members)


def filled(broker: EmbeddedBroker, count: int = 5) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(count):
            producer.send("t", b"%d" % number, partition=0)


def test_clients_tell_the_release_that_they_found(library: Any) -> None:
    newest = {version_2: (2, 6), version_3: (4, 3)}[library]
    with EmbeddedBroker(topics={"t": 1}) as broker:
        for kind in (library.KafkaConsumer, library.KafkaProducer):
            with kind(bootstrap_servers=broker.bootstrap_servers) as client:
                assert client.config["api_version"] == newest
            with kind(bootstrap_servers=broker.bootstrap_servers, api_version=(2, 5)) as client:
                assert client.config["api_version"] == (2, 5)
        admin = library.KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
        assert admin.config["api_version"] == (newest if library is version_2 else None)
        admin.close()


def test_the_release_is_the_newest_whose_request_is_known() -> None:
    of_2_8 = {0: (0, 9), 1: (0, 12), 48: (0, 1)}
    assert release_of(of_2_8, NEWEST_OF_3) == (2, 8)
    assert release_of(of_2_8, NEWEST_OF_2) == (2, 6)
    assert release_of({3: (0, 1)}, NEWEST_OF_3) == OLDEST
    assert release_of({}, NEWEST_OF_3) is None


@pytest.mark.parametrize("servers", [b"127.0.0.1:9", [b"127.0.0.1:9"], [None], [9], 9, None])
def test_addresses_that_are_no_text_are_a_type_error(library: Any, servers: Any) -> None:
    for kind in (library.KafkaConsumer, library.KafkaProducer, library.KafkaAdminClient):
        with pytest.raises(TypeError):
            kind(bootstrap_servers=servers)


def test_no_address_is_not_the_address_of_this_machine(library: Any) -> None:
    for kind in (library.KafkaConsumer, library.KafkaProducer, library.KafkaAdminClient):
        with pytest.raises(ValueError, match="bootstrap_servers"):
            kind(bootstrap_servers=[])


def test_rows_of_topics_that_are_created_and_deleted_are_whole() -> None:
    with EmbeddedBroker() as broker:
        admin = version_3.KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
        made = admin.create_topics({"t": {"configs": {"retention.ms": "1000"}}}, validate_only=True)["topics"][0]
        assert made["configs"]["retention.ms"] == {
            "value": "1000",
            "read_only": False,
            "config_source": "DYNAMIC_TOPIC_CONFIG",
            "is_sensitive": False,
        }
        admin.create_topics(["t"])
        with pytest.raises(errors.InvalidRequestError):
            admin.delete_topics("tt")
        assert admin.delete_topics(["t"])["topics"] == [
            {"name": "t", "error_code": 0, "error_message": None, "topic_id": None}
        ]
        admin.close()


def test_messages_of_rows_are_the_brokers_own(library: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        admin = library.KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
        with Admin(bootstrap_servers=broker.bootstrap_servers) as engine:
            (found,) = engine.delete_topics(["gone"], return_exceptions=True).values()
        assert isinstance(found, errors.engine.BrokerError)
        assert found.broker_message
        assert found.broker_message in str(found)
        assert found.name not in found.broker_message
        admin.close()


def test_a_closed_consumer_of_3_has_no_partitions_of_a_subscription_any_more(library: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        filled(broker)
        consumer = library.KafkaConsumer(
            "t", bootstrap_servers=broker.bootstrap_servers, group_id="g", auto_offset_reset="earliest"
        )
        assert next(consumer).offset == 0
        consumer.pause(PLACE)
        consumer.close()
        left = {PLACE} if library is version_2 else set()
        assert (consumer.assignment(), consumer.paused()) == (left, left)
        by_hand = library.KafkaConsumer(bootstrap_servers=broker.bootstrap_servers)
        by_hand.assign([PLACE])
        by_hand.pause(PLACE)
        by_hand.close()
        assert (by_hand.assignment(), by_hand.paused()) == ({PLACE}, {PLACE})


ENDING = """
import sys
from kafkars.compat.{library} import KafkaConsumer
consumer = KafkaConsumer("t", bootstrap_servers=sys.argv[1], group_id=sys.argv[2], auto_offset_reset="earliest")
for record in consumer:
    if record.offset == 3:
        break
{ending}
"""


@pytest.mark.parametrize("ending", ["", "del consumer, record", "raise SystemExit(0)", "consumer.close()"])
def test_only_a_consumer_that_is_closed_commits_at_its_end(library: Any, ending: str) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        filled(broker)
        name = library.__name__.rpartition(".")[2]
        program = ENDING.format(library=name, ending=ending)
        command = [sys.executable, "-c", program, broker.bootstrap_servers, "g"]
        subprocess.run(command, check=True, timeout=60)
        with library.KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, group_id="g") as reader:
            assert reader.committed(PLACE) == (4 if "close" in ending else None)


def test_iteration_goes_through_a_poll_of_the_programs_own(library: Any) -> None:
    class Evens(library.KafkaConsumer):  # type: ignore[misc]
        def poll(self, *arguments: Any, **named: Any) -> Any:
            found = super().poll(*arguments, **named)
            return {place: [each for each in those if each.offset % 2 == 0] for place, those in found.items()}

    with EmbeddedBroker(topics={"t": 1}) as broker:
        filled(broker)
        settings = {"bootstrap_servers": broker.bootstrap_servers, "auto_offset_reset": "earliest"}
        with Evens(**settings) as consumer:
            consumer.assign([PLACE])
            records = iter(consumer)
            assert [next(records).offset for _ in range(3)] == [0, 2, 4]
            assert consumer.position(PLACE) == 5
        with library.KafkaConsumer("t", **settings) as plain:
            assert iter(plain) is plain


def test_a_member_that_polls_too_late_joins_again(library: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        filled(broker)
        settings = {"bootstrap_servers": broker.bootstrap_servers, "group_id": "g", "auto_offset_reset": "earliest"}
        with library.KafkaConsumer(
            "t", max_poll_interval_ms=500, session_timeout_ms=6000, heartbeat_interval_ms=50, **settings
        ) as consumer:
            assert len(consumer.poll(20_000)[PLACE]) == 5
            # Longer than the member may be silent: its place is given up meanwhile.
            until = time.monotonic() + 20
            while members(broker) and time.monotonic() < until:
                pass
            again: list[int] = []
            until = time.monotonic() + 20
            while not again and time.monotonic() < until:
                again += [each.offset for those in consumer.poll(100).values() for each in those]
            assert again == [0, 1, 2, 3, 4]


def test_a_deleted_topic_is_not_made_again_by_who_found_it(library: Any) -> None:
    with (
        EmbeddedBroker(topics={"x-1": 1, "x-2": 1}) as broker,
        Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
    ):
        for group in ({}, {"group_id": "g"}):
            with library.KafkaConsumer(
                bootstrap_servers=broker.bootstrap_servers, metadata_max_age_ms=100, **group
            ) as consumer:
                consumer.subscribe(pattern="x-.*")
                until = time.monotonic() + 20
                while len(consumer.assignment()) < 2 and time.monotonic() < until:
                    consumer.poll(50)
                admin.delete_topics(["x-1"])
                # A member has nothing for a moment while it joins again.
                while consumer.assignment() != {TopicPartition("x-2", 0)} and time.monotonic() < until:
                    consumer.poll(50)
                assert consumer.assignment() == {TopicPartition("x-2", 0)}
                assert admin.list_topics() == ["x-2"]
            admin.create_topics([NewTopic("x-1", 1)])


@pytest.mark.parametrize("group", [None, "g"])
def test_internal_topics_match_a_pattern_if_they_are_not_excluded(library: Any, group: str | None) -> None:
    with EmbeddedBroker(topics={"t": 1, "__consumer_offsets": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers, "metadata_max_age_ms": 100}
        for excludes, matching in ((False, {"t", "__consumer_offsets"}), (True, {"t"})):
            with library.KafkaConsumer(group_id=group, exclude_internal_topics=excludes, **settings) as consumer:
                consumer.subscribe(pattern="^(t|__consumer_offsets)$")
                until = time.monotonic() + 20
                while not consumer.assignment() and time.monotonic() < until:
                    consumer.poll(50)
                assert {place.topic for place in consumer.assignment()} == matching


def test_clients_are_not_copied(library: Any) -> None:
    with EmbeddedBroker() as broker:
        for made in (library.KafkaConsumer, library.KafkaProducer):
            with made(bootstrap_servers=broker.bootstrap_servers) as client, pytest.raises(TypeError):
                copy.copy(client)


def test_close_waits_little_where_no_broker_is_left(library: Any) -> None:
    broker = EmbeddedBroker(topics={"t": 1})
    filled(broker)
    consumer = library.KafkaConsumer(
        "t", bootstrap_servers=broker.bootstrap_servers, group_id="g", auto_offset_reset="earliest"
    )
    assert next(consumer).offset == 0
    broker.close()
    until = time.monotonic() + 20
    while consumer.bootstrap_connected() and time.monotonic() < until:
        consumer.poll(20)
    began = time.monotonic()
    consumer.close()
    assert time.monotonic() - began < (14 if library is version_2 else 6)


def test_partitions_that_are_known_are_told_while_no_broker_is_there(library: Any) -> None:
    broker = EmbeddedBroker(topics={"t": 3})
    consumer = library.KafkaConsumer("t", bootstrap_servers=broker.bootstrap_servers)

    def is_known() -> bool:
        consumer.poll(100)
        return bool(consumer.partitions_for_topic("t") == {0, 1, 2})

    eventually(is_known, "the partitions are known")
    broker.close()
    for _ in range(200):
        if not consumer.bootstrap_connected():
            break
        consumer.poll(20)
    assert consumer.partitions_for_topic("t") == {0, 1, 2}
    consumer.close(timeout_ms=0)

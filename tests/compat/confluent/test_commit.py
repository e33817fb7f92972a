"""Offsets that are committed: in all forms, by hand and by themselves."""

from __future__ import annotations

import time
from types import ModuleType
from typing import Any

import confluent_kafka
import pytest

from tests.brokers import Broker
from tests.compat.confluent.conftest import Clients, places, poll_until, serve_until


def committed(clients: Clients, group: str, topic: str, partitions: int = 1) -> list[int]:
    asking = clients.consumer({"group.id": group})
    places_of = [clients.ck.TopicPartition(topic, number) for number in range(partitions)]
    return [each.offset for each in asking.committed(places_of, timeout=20)]


def test_without_arguments_what_was_read_is_committed(clients: Clients) -> None:
    topic = clients.topic(messages=3)
    consumer = clients.consumer({"enable.auto.commit": False})
    here = [clients.ck.TopicPartition(topic, 0)]
    consumer.assign(here)
    poll_until(consumer, 2)
    answer = consumer.commit(asynchronous=False)
    assert places(answer) == [(topic, 0, 2)]
    assert answer[0].error is None
    assert places(consumer.committed(here, timeout=20)) == [(topic, 0, 2)]
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.commit(asynchronous=False)
    assert caught.value.args[0] == clients.ck.KafkaError._NO_OFFSET


def test_a_message_stands_for_the_offset_after_it(clients: Clients) -> None:
    topic = clients.topic(messages=3)
    consumer = clients.consumer({"enable.auto.commit": False})
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    messages = poll_until(consumer, 3)
    assert places(consumer.commit(message=messages[0], asynchronous=False)) == [(topic, 0, 1)]
    assert places(consumer.commit(messages[1], asynchronous=False)) == [(topic, 0, 2)]
    failed = clients.ck.Message(topic, 0, 1, error=clients.ck.KafkaError(3))
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.commit(message=failed, asynchronous=False)
    assert caught.value.args[0] == clients.ck.KafkaError._INVALID_ARG


def test_offsets_are_committed_with_their_text(clients: Clients) -> None:
    topic = clients.topic()
    consumer = clients.consumer()
    made = clients.ck.TopicPartition(topic, 0, 2, "text")
    assert places(consumer.commit(offsets=[made], asynchronous=False)) == [(topic, 0, 2)]
    [found] = consumer.committed([clients.ck.TopicPartition(topic, 0)], timeout=20)
    assert (found.offset, found.metadata) == (2, "text")
    assert places(consumer.commit(offsets=[made], **{"async": False})) == [(topic, 0, 2)]


@pytest.mark.parametrize("text", ["", "text", "café"])
def test_texts_are_the_same_for_the_library_and_its_face(clients: Clients, text: str) -> None:
    topic, group = clients.topic(partitions=2), clients.group()
    library = confluent_kafka.Consumer({"bootstrap.servers": clients.broker.bootstrap_servers, "group.id": group})
    consumer = clients.consumer({"group.id": group})
    for partition, (writer, module) in enumerate([(consumer, clients.ck), (library, confluent_kafka)]):
        writer.commit(offsets=[module.TopicPartition(topic, partition, 1, text)], asynchronous=False)
    for reader, module in ((consumer, clients.ck), (library, confluent_kafka)):
        found = reader.committed([module.TopicPartition(topic, partition) for partition in (0, 1)], timeout=20)
        assert {each.partition: each.metadata for each in found} == {0: text, 1: text}
    library.commit(offsets=[confluent_kafka.TopicPartition(topic, 0, 2)], asynchronous=False)
    [without] = consumer.committed([clients.ck.TopicPartition(topic, 0)], timeout=20)
    assert (without.offset, without.metadata) == (2, None)
    library.close()


@pytest.mark.parametrize("offset", [None, -1001])
def test_nothing_to_commit_is_an_error(clients: Clients, offset: int | None) -> None:
    consumer = clients.consumer()
    offsets = [] if offset is None else [clients.ck.TopicPartition("topic", 0, offset)]
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.commit(offsets=offsets, asynchronous=False)
    assert caught.value.args[0] == clients.ck.KafkaError._NO_OFFSET
    assert consumer.commit() is None


def test_wrong_arguments_of_commit(clients: Clients) -> None:
    consumer = clients.consumer()
    with pytest.raises(ValueError, match="mutually exclusive"):
        consumer.commit(message=clients.ck.Message("topic", 0, 1), offsets=[])
    for arguments in ({"offsets": 5}, {"offsets": [5]}, {"message": 5}, {"unknown": 5}):
        with pytest.raises(TypeError):
            consumer.commit(**arguments)


def test_a_topic_that_does_not_exist_cannot_be_committed(clients: Clients) -> None:
    consumer = clients.consumer()
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.commit(offsets=[clients.ck.TopicPartition("nobody-made-this", 0, 1)], asynchronous=False)
    assert caught.value.args[0] == clients.ck.KafkaError.UNKNOWN_TOPIC_OR_PART


def test_on_commit_hears_in_poll_what_became_of_a_commit(clients: Clients) -> None:
    topic = clients.topic()
    told: list[Any] = []
    consumer = clients.consumer({"on_commit": lambda error, partitions: told.append((error, places(partitions)))})
    assert consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 3)]) is None
    assert told == []
    serve_until(consumer, lambda: told)
    assert told == [(None, [(topic, 0, 3)])]
    del told[:]
    consumer.commit(offsets=[clients.ck.TopicPartition("nobody-made-this", 0, 3)])
    serve_until(consumer, lambda: told)
    [(error, partitions)] = told
    assert error == clients.ck.KafkaError.UNKNOWN_TOPIC_OR_PART
    assert partitions == [("nobody-made-this", 0, 3)]


def test_on_commit_hears_of_commits_made_by_themselves(clients: Clients) -> None:
    topic = clients.topic(messages=3)
    told: list[Any] = []
    settings = {
        "on_commit": lambda error, partitions: told.append((error, places(partitions))),
        "auto.commit.interval.ms": 100,
    }
    consumer = clients.consumer(settings)
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    poll_until(consumer, 3)
    serve_until(consumer, lambda: told and told[-1] == (None, [(topic, 0, 3)]))


@pytest.mark.parametrize("subscribed", [True, False])
@pytest.mark.parametrize("listened", [True, False])
def test_closing_commits_what_was_read(clients: Clients, subscribed: bool, listened: bool) -> None:
    topic, group = clients.topic(messages=3), clients.group()
    told: list[Any] = []
    settings: dict[str, Any] = {"on_commit": lambda *outcome: told.append(outcome)} if listened else {}
    # Nothing is committed before the end.
    consumer = clients.consumer({"group.id": group, "auto.commit.interval.ms": 600_000, **settings})
    if subscribed:
        consumer.subscribe([topic])
    else:
        consumer.assign([clients.ck.TopicPartition(topic, 0)])
    poll_until(consumer, 2)
    consumer.close()
    assert committed(clients, group, topic) == [2]
    assert [error for error, _ in told] == ([None] if listened else [])


def test_without_automatic_commits_nothing_is(clients: Clients) -> None:
    topic, group = clients.topic(messages=3), clients.group()
    consumer = clients.consumer({"group.id": group, "enable.auto.commit": False})
    consumer.subscribe([topic])
    poll_until(consumer, 3)
    consumer.close()
    assert committed(clients, group, topic) == [-1001]


@pytest.mark.parametrize("subscribed", [True, False])
def test_only_what_was_stored_is_committed(clients: Clients, subscribed: bool) -> None:
    topic, group = clients.topic(messages=3), clients.group()
    settings = {"group.id": group, "enable.auto.offset.store": False, "auto.commit.interval.ms": 600_000}
    consumer = clients.consumer(settings)
    here = clients.ck.TopicPartition(topic, 0)
    if subscribed:
        consumer.subscribe([topic])
    else:
        consumer.assign([here])
    messages = poll_until(consumer, 3)
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.commit(asynchronous=False)
    assert caught.value.args[0] == clients.ck.KafkaError._NO_OFFSET
    consumer.store_offsets(message=messages[0])
    assert places(consumer.commit(asynchronous=False)) == [(topic, 0, 1)]
    consumer.store_offsets(offsets=[clients.ck.TopicPartition(topic, 0, 2)])
    consumer.close()
    assert committed(clients, group, topic) == [2]


def test_offsets_are_stored_for_assigned_partitions_only(clients: Clients) -> None:
    consumer = clients.consumer({"enable.auto.offset.store": False})
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.store_offsets(offsets=[clients.ck.TopicPartition("topic", 0, 1)])
    assert caught.value.args[0] == clients.ck.KafkaError._UNKNOWN_PARTITION
    with pytest.raises(ValueError, match="mutually exclusive"):
        consumer.store_offsets(message=clients.ck.Message("topic", 0, 1), offsets=[])
    with pytest.raises(ValueError, match="either message or offsets"):
        consumer.store_offsets()


def test_a_consumer_that_stores_by_itself_refuses_offsets(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    [message] = poll_until(consumer, 1)
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.store_offsets(message)
    assert caught.value.args[0] == clients.ck.KafkaError._INVALID_ARG


def test_a_callback_commits_before_partitions_go(clients: Clients) -> None:
    topic, group = clients.topic(messages=3), clients.group()
    consumer = clients.consumer({"group.id": group, "enable.auto.commit": False})

    def on_revoke(consumer: Any, _partitions: list[Any]) -> None:
        consumer.commit(asynchronous=False)

    consumer.subscribe([topic], on_revoke=on_revoke)
    poll_until(consumer, 3)
    consumer.close()
    assert committed(clients, group, topic) == [3]


WAYS = pytest.mark.parametrize("is_member", [False, True], ids=["by assignment", "in a group"])


def reading_three(clients: Clients, is_member: bool) -> tuple[Any, str, str, list[Any]]:
    """A consumer that has read three messages, its topic and group, and what its `on_commit` hears."""
    topic, group = clients.topic(messages=3), clients.group()
    told: list[Any] = []
    settings = {
        "group.id": group,
        "enable.auto.commit": False,
        "on_commit": lambda error, partitions: told.append((error, places(partitions))),
    }
    consumer = clients.consumer(settings)
    if is_member:
        consumer.subscribe([topic])
    else:
        consumer.assign([clients.ck.TopicPartition(topic, 0)])
    poll_until(consumer, 3)
    return consumer, topic, group, told


@WAYS
def test_a_commit_made_just_before_the_end_is_made_and_told(clients: Clients, is_member: bool) -> None:
    consumer, topic, group, told = reading_three(clients, is_member)
    assert consumer.commit(asynchronous=True) is None
    consumer.close()
    assert told == [(None, [(topic, 0, 3)])]
    assert committed(clients, group, topic) == [3]


@WAYS
def test_the_last_of_several_commits_made_before_the_end_counts(clients: Clients, is_member: bool) -> None:
    consumer, topic, group, told = reading_three(clients, is_member)
    for offset in (1, 2, 3):
        consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, offset)])
    consumer.close()
    assert told == [(None, [(topic, 0, offset)]) for offset in (1, 2, 3)]
    assert committed(clients, group, topic) == [3]


@WAYS
def test_by_a_slow_coordinator_a_commit_made_before_the_end_is_made_and_told(
    embedded_broker: Broker, ck: ModuleType, is_member: bool
) -> None:
    clients = Clients(ck, embedded_broker)
    consumer, topic, group, told = reading_three(clients, is_member)
    with embedded_broker.handle.intercept("OffsetCommit", "delay", seconds=1.0, times=1):
        consumer.commit()
        consumer.close()
    assert told == [(None, [(topic, 0, 3)])]
    assert committed(clients, group, topic) == [3]
    clients.close()


@pytest.mark.parametrize("place", ["topic", "partition"])
def test_what_does_not_exist_holds_nothing_up(clients: Clients, place: str) -> None:
    """A commit there is refused at once, and `close()` has nothing to wait for."""
    topic = clients.topic()
    settings = {"allow.auto.create.topics": False, "enable.auto.offset.store": False}
    consumer = clients.consumer(settings)
    nowhere = (f"{topic}-gone", 0) if place == "topic" else (topic, 7)
    consumer.assign([clients.ck.TopicPartition(*nowhere, 0)])
    started = time.monotonic()
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.commit(offsets=[clients.ck.TopicPartition(*nowhere, 1)], asynchronous=False)
    assert caught.value.args[0].code() == clients.ck.KafkaError.UNKNOWN_TOPIC_OR_PART
    consumer.store_offsets(offsets=[clients.ck.TopicPartition(*nowhere, 1)])
    consumer.commit(offsets=[clients.ck.TopicPartition(*nowhere, 1)])
    consumer.poll(0.1)
    consumer.close()
    assert time.monotonic() - started < 8


def test_where_nothing_was_read_nothing_is_committed(clients: Clients) -> None:
    topic, group = clients.topic(messages=3), clients.group()
    consumer = clients.consumer({"group.id": group})
    consumer.assign([clients.ck.TopicPartition(topic, 0, 2)])
    consumer.close()
    other = clients.consumer({"group.id": group})
    [at] = other.committed([clients.ck.TopicPartition(topic, 0)], 20)
    assert at.offset == clients.ck.OFFSET_INVALID


@pytest.mark.parametrize("mode", ["subscribe", "assign"])
def test_a_commit_just_before_the_end_is_made_and_told(clients: Clients, mode: str) -> None:
    topic, group, told = clients.topic(messages=3), clients.group(), []
    consumer = clients.consumer(
        {
            "group.id": group,
            "enable.auto.commit": False,
            "on_commit": lambda error, places: told.append((error, places)),
        }
    )
    if mode == "assign":
        consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
    else:
        consumer.subscribe([topic])
    poll_until(consumer, 2)
    consumer.commit()
    consumer.close()
    assert [(error, [each.offset for each in places]) for error, places in told] == [(None, [2])]
    other = clients.consumer({"group.id": group})
    assert other.committed([clients.ck.TopicPartition(topic, 0)], 20)[0].offset == 2


def test_what_a_commit_returns_names_also_what_had_no_offset(clients: Clients) -> None:
    topic = clients.topic(2, 2)
    consumer = clients.consumer({"enable.auto.commit": False, "enable.auto.offset.store": False})
    at = clients.ck.TopicPartition
    consumer.assign([at(topic, 0, 0), at(topic, 1, 0)])
    poll_until(consumer, 2)
    committed = consumer.commit(offsets=[at(topic, 0, 1), at(topic, 1, clients.ck.OFFSET_END)], asynchronous=False)
    assert places(committed) == [(topic, 0, 1), (topic, 1, clients.ck.OFFSET_END)]
    consumer.store_offsets(offsets=[at(topic, 1, 1), at(topic, 7, 1)])
    committed = consumer.commit(asynchronous=False)
    assert sorted(places(committed)) == [(topic, 0, clients.ck.OFFSET_INVALID), (topic, 1, 1)]


@pytest.mark.parametrize("stores_itself", [True, False], ids=["read", "stored"])
@pytest.mark.parametrize("way", ["assign", "unassign", "incremental_unassign"])
def test_what_was_read_of_partitions_that_go_is_committed(clients: Clients, way: str, stores_itself: bool) -> None:
    topic, group = clients.topic(2, messages=8), clients.group()
    consumer = clients.consumer({"group.id": group, "enable.auto.offset.store": stores_itself})
    zero, one = (clients.ck.TopicPartition(topic, number) for number in (0, 1))
    take = consumer.incremental_assign if way == "incremental_unassign" else consumer.assign
    take([zero])
    for message in poll_until(consumer, 3):
        if not stores_itself:
            consumer.store_offsets(message=message)
    if way == "assign":
        consumer.assign([one])
    elif way == "unassign":
        consumer.unassign()
    else:
        consumer.incremental_unassign([zero])
    consumer.close()
    assert committed(clients, group, topic) == [3]


ABSENT = {
    "partition": (None, 77),
    "topic": ("nobody-made-this", 0),
    "partition below 0": (None, -3),
    "topic without a name": ("", 0),
    "what is no name": ("a/b", 0),
}
"""Topics and partitions that are not there, the topic of the test for None."""


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("bad", ABSENT.values(), ids=ABSENT)
def test_what_can_be_committed_is_beside_what_does_not_exist(
    clients: Clients, bad: tuple[str | None, int], asynchronous: bool
) -> None:
    topic, group = clients.topic(partitions=2), clients.group()
    told: list[Any] = []
    consumer = clients.consumer(
        {"group.id": group, "on_commit": lambda error, found: told.append((error.name(), places(found)))}
    )
    place = clients.ck.TopicPartition
    absent = place(topic if bad[0] is None else bad[0], bad[1], 3)
    offsets = [absent, place(topic, 0, 1), place(topic, 1, 2)]
    if asynchronous:
        assert consumer.commit(offsets=offsets) is None
        serve_until(consumer, lambda: told)
        assert told == [("UNKNOWN_TOPIC_OR_PART", sorted(places(offsets)))]
    else:
        with pytest.raises(clients.ck.KafkaException) as caught:
            consumer.commit(offsets=offsets, asynchronous=False)
        assert caught.value.args[0].name() == "UNKNOWN_TOPIC_OR_PART"
    assert committed(clients, group, topic, 2) == [1, 2]


def test_on_commit_hears_texts_and_epochs(clients: Clients) -> None:
    topic = clients.topic(partitions=2, messages=2)
    told: list[Any] = []
    consumer = clients.consumer(
        {
            "enable.auto.commit": False,
            "on_commit": lambda _, found: told.extend((each.metadata, each.leader_epoch) for each in found),
        }
    )
    consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 1, "text", 0)])
    serve_until(consumer, lambda: told)
    assert told == [("text", 0)]
    del told[:]
    consumer.assign([clients.ck.TopicPartition(topic, 1)])
    consumer.commit(message=poll_until(consumer, 1)[0])
    serve_until(consumer, lambda: told)
    assert told == [(None, 0)]


def test_an_asynchronous_commit_asks_nobody_about_its_topic(ck: ModuleType, embedded_broker: Broker) -> None:
    topic = embedded_broker.new_topic()
    consumer = ck.Consumer({"bootstrap.servers": embedded_broker.bootstrap_servers, "group.id": topic})
    # The connections are there, and the group's coordinator is known.
    consumer.committed([ck.TopicPartition(topic, 0)], timeout=20)
    with embedded_broker.handle.intercept("Metadata", "delay", seconds=2.0):
        began = time.monotonic()
        consumer.commit(offsets=[ck.TopicPartition(topic, 7, 1), ck.TopicPartition("nobody-made-this", 0, 1)])
        assert time.monotonic() - began < 0.5
    consumer.close()

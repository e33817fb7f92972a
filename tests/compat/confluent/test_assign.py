"""Partitions of the program's own choice: where they are read from, and questions about their offsets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compat.confluent.conftest import Clients, places, poll_until, serve_until


def offsets(consumer: Any, seconds: float = 0.5) -> list[int]:
    return [each.offset() for each in consumer.consume(50, seconds)]


@pytest.mark.parametrize(
    ("start", "read"),
    [
        (None, [0, 1, 2]),
        (-2, [0, 1, 2]),
        (1, [1, 2]),
        (-1, []),
        (-1000, [0, 1, 2]),
        (-1001, [0, 1, 2]),
        (-2002, [1, 2]),
    ],
)
def test_reading_starts_where_the_partition_says(clients: Clients, start: int | None, read: list[int]) -> None:
    topic = clients.topic(messages=3)
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0, *([] if start is None else [start]))])
    assert [each.offset() for each in poll_until(consumer, len(read))] == read
    assert consumer.poll(0.2) is None


def test_reading_goes_on_where_the_group_has_committed(clients: Clients) -> None:
    topic = clients.topic(messages=3)
    group = clients.group()
    first = clients.consumer({"group.id": group})
    first.commit(offsets=[clients.ck.TopicPartition(topic, 0, 2)], asynchronous=False)
    second = clients.consumer({"group.id": group})
    second.assign([clients.ck.TopicPartition(topic, 0)])
    assert [each.offset() for each in poll_until(second, 1)] == [2]


def test_an_assignment_shows_the_offsets_it_was_made_with(clients: Clients) -> None:
    one, two = clients.topic(messages=1), clients.topic(2)
    consumer = clients.consumer()
    assert consumer.assignment() == []
    made = [
        clients.ck.TopicPartition(two, 1, -1),
        clients.ck.TopicPartition(two, 0, -2),
        clients.ck.TopicPartition(one, 0),
    ]
    consumer.assign(made)
    poll_until(consumer, 1)
    assert places(consumer.assignment()) == sorted([(one, 0, -1000), (two, 0, -2), (two, 1, -1)])
    consumer.unassign()
    assert consumer.assignment() == []


def test_partitions_are_added_and_taken_away(clients: Clients) -> None:
    topic = clients.topic(2, messages=4)
    consumer = clients.consumer()
    zero, one = (clients.ck.TopicPartition(topic, number) for number in (0, 1))
    consumer.assign([zero])
    poll_until(consumer, 2)
    consumer.incremental_assign([clients.ck.TopicPartition(topic, 1, 1)])
    assert [(each.partition(), each.offset()) for each in poll_until(consumer, 1)] == [(1, 1)]
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.incremental_assign([one])
    assert caught.value.args[0] == clients.ck.KafkaError._CONFLICT
    consumer.incremental_unassign([one])
    assert [each.partition for each in consumer.assignment()] == [0]
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.incremental_unassign([one])
    assert caught.value.args[0] == clients.ck.KafkaError._INVALID_ARG


def test_a_member_of_an_eager_group_cannot_take_away_single_partitions(clients: Clients) -> None:
    """Before it has joined it is not known that the group is eager."""
    place = clients.ck.TopicPartition(clients.topic(), 0)
    # Nobody listens there, so that it does not join.
    outsider = clients.consumer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    outsider.subscribe([place.topic])
    with pytest.raises(clients.ck.KafkaException) as caught:
        outsider.incremental_unassign([place])
    assert caught.value.args[0] == clients.ck.KafkaError._INVALID_ARG
    consumer = clients.consumer()
    consumer.subscribe([place.topic])
    serve_until(consumer, consumer.assignment)
    for call in (consumer.incremental_unassign, consumer.incremental_assign):
        with pytest.raises(clients.ck.KafkaException) as caught:
            call([place])
        assert caught.value.args[0] == clients.ck.KafkaError._STATE


@pytest.mark.parametrize("given", [None, 5, ("topic", 0), ["topic"], "topic"])
def test_an_assignment_is_a_list_of_partitions(clients: Clients, given: object) -> None:
    consumer = clients.consumer()
    for name in ("assign", "incremental_assign", "incremental_unassign", "pause", "resume", "position", "committed"):
        with pytest.raises(TypeError):
            getattr(consumer, name)(given)


def test_a_cooperative_member_may_give_up_what_it_does_not_have(clients: Clients) -> None:
    consumer = clients.consumer({"partition.assignment.strategy": "cooperative-sticky"})
    consumer.subscribe([clients.topic()])
    consumer.assign([])
    consumer.unassign()
    assert consumer.assignment() == []


def test_seeking(clients: Clients) -> None:
    topic = clients.topic(messages=3)
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    poll_until(consumer, 3)
    for offset, read in ((1, [1, 2]), (-2, [0, 1, 2]), (2, [2]), (-1, [])):
        consumer.seek(clients.ck.TopicPartition(topic, 0, offset))
        assert [each.offset() for each in poll_until(consumer, len(read))] == read
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.seek(clients.ck.TopicPartition(topic, 0, -1000))
    assert caught.value.args[0] == clients.ck.KafkaError._INVALID_ARG
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.seek(clients.ck.TopicPartition(topic, 7, 0))
    assert caught.value.args[0].code() in {clients.ck.KafkaError._UNKNOWN_PARTITION, clients.ck.KafkaError._STATE}


def test_seeking_without_an_assignment(clients: Clients) -> None:
    with pytest.raises(clients.ck.KafkaException) as caught:
        clients.consumer().seek(clients.ck.TopicPartition("topic", 0, 0))
    # The library tells one or the other by whether it has heard of the topic.
    assert caught.value.args[0].code() in {clients.ck.KafkaError._UNKNOWN_PARTITION, clients.ck.KafkaError._STATE}


def test_a_callback_cannot_seek_before_it_has_assigned(clients: Clients) -> None:
    topic, codes = clients.topic(messages=1), []

    def on_assign(consumer: Any, partitions: list[Any]) -> None:
        with pytest.raises(clients.ck.KafkaException) as caught:
            consumer.seek(clients.ck.TopicPartition(topic, 0, 0))
        codes.append(caught.value.args[0].code())
        consumer.assign(partitions)

    consumer = clients.consumer()
    consumer.subscribe([topic], on_assign=on_assign)
    poll_until(consumer, 1)
    # The library has not heard of the topic by then.
    assert codes == [clients.ck.KafkaError._UNKNOWN_PARTITION]


def test_a_paused_partition_gives_nothing_until_it_is_resumed(clients: Clients) -> None:
    topic = clients.topic(2, messages=4)
    consumer = clients.consumer()
    zero, one = (clients.ck.TopicPartition(topic, number) for number in (0, 1))
    consumer.assign([zero, one])
    consumer.pause([one, clients.ck.TopicPartition(topic, 7)])
    assert {each.partition() for each in poll_until(consumer, 2)} == {0}
    assert consumer.poll(0.3) is None
    consumer.resume([one, clients.ck.TopicPartition(topic, 7)])
    assert {each.partition() for each in poll_until(consumer, 2)} == {1}


@pytest.mark.parametrize("way", ["assign", "incremental_assign"])
def test_a_partition_stays_paused_when_it_is_assigned_again(clients: Clients, way: str) -> None:
    topic = clients.topic(messages=2)
    consumer = clients.consumer()
    here, again = [clients.ck.TopicPartition(topic, 0)], [clients.ck.TopicPartition(topic, 0, 1)]
    consumer.assign(here)
    consumer.pause(here)
    assert consumer.poll(0.5) is None
    if way == "incremental_assign":
        consumer.unassign()
    getattr(consumer, way)(again)
    assert consumer.poll(0.5) is None
    consumer.resume(here)
    [message] = poll_until(consumer, 1)
    assert message.offset() == 1


@pytest.mark.parametrize("number", [0, 1])
def test_a_partition_can_be_paused_before_it_is_assigned(clients: Clients, number: int) -> None:
    """Of a topic that the consumer knows, whether it has read that partition or not; others are left out."""
    topic, stranger = clients.topic(2, messages=4), clients.topic(messages=1)
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    poll_until(consumer, 2)
    consumer.unassign()
    here = clients.ck.TopicPartition(topic, number, 1)
    consumer.pause([here, clients.ck.TopicPartition(stranger, 0)])
    consumer.assign([here, clients.ck.TopicPartition(stranger, 0, 0)])
    assert [each.topic() for each in poll_until(consumer, 1)] == [stranger]
    assert consumer.poll(0.5) is None
    consumer.resume([here])
    assert [(each.topic(), each.offset()) for each in poll_until(consumer, 1)] == [(topic, 1)]


def test_a_partition_stays_paused_when_the_group_gives_it_back(clients: Clients) -> None:
    topic = clients.topic(messages=2)
    consumer = clients.consumer()
    here = [clients.ck.TopicPartition(topic, 0)]
    consumer.subscribe([topic])
    [message] = poll_until(consumer, 1)
    consumer.pause(here)
    consumer.unsubscribe()
    serve_until(consumer, lambda: not consumer.assignment())
    consumer.subscribe([topic])
    serve_until(consumer, consumer.assignment)
    assert consumer.poll(0.5) is None
    consumer.resume(here)
    [message] = poll_until(consumer, 1)
    assert message.offset() == 1


@pytest.mark.parametrize("call", ["pause", "resume"])
def test_what_on_assign_pauses_and_resumes_counts(clients: Clients, call: str) -> None:
    topic = clients.topic(messages=2)
    consumer = clients.consumer()
    told: list[object] = []

    def on_assign(consumer: Any, partitions: list[Any]) -> None:
        told.append(partitions)
        if len(told) > 1:
            getattr(consumer, call)(partitions)

    consumer.subscribe([topic], on_assign=on_assign)
    poll_until(consumer, 1)
    if call == "resume":
        consumer.pause(consumer.assignment())
    consumer.unsubscribe()
    serve_until(consumer, lambda: not consumer.assignment())
    consumer.subscribe([topic], on_assign=on_assign)
    if call == "pause":
        serve_until(consumer, lambda: len(told) == 2)
        assert consumer.poll(0.5) is None
        consumer.resume(consumer.assignment())
    [message] = poll_until(consumer, 1)
    assert message.offset() == 1


def test_watermarks(clients: Clients) -> None:
    topic = clients.topic(messages=3)
    consumer = clients.consumer()
    here = clients.ck.TopicPartition(topic, 0)
    assert consumer.get_watermark_offsets(here, cached=True) == (-1001, -1001)
    assert consumer.get_watermark_offsets(here, timeout=20) == (0, 3)
    assert consumer.get_watermark_offsets(here) == (0, 3)
    consumer.assign([here])
    poll_until(consumer, 3)
    assert consumer.get_watermark_offsets(here, cached=True) == (0, 3)
    for topic_name, number in ((topic, 7), ("nobody-made-this", 0)):
        with pytest.raises(clients.ck.KafkaException) as caught:
            consumer.get_watermark_offsets(clients.ck.TopicPartition(topic_name, number), timeout=5)
        assert caught.value.args[0] == clients.ck.KafkaError._UNKNOWN_PARTITION


def test_offsets_are_found_by_time(clients: Clients) -> None:
    topic = clients.topic()
    producer = clients.writer()
    for number in range(3):
        producer.produce(topic, str(number), timestamp=1_700_000_000_000 + number * 1000)
    producer.flush()
    consumer = clients.consumer()
    asked = [clients.ck.TopicPartition(topic, 0, 1_700_000_000_000 + wanted) for wanted in (1, 2000, 2001)]
    found = [consumer.offsets_for_times([each], timeout=20)[0] for each in asked]
    assert places(found) == [(topic, 0, 1), (topic, 0, 2), (topic, 0, -1)]
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.offsets_for_times([clients.ck.TopicPartition(topic, 7, 0)], timeout=5)
    assert caught.value.args[0] == clients.ck.KafkaError._UNKNOWN_PARTITION

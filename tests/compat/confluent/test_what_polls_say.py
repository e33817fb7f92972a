"""What a poll says of callbacks that raise, members that are fenced or too slow, and clusters that cannot be
reached."""

from __future__ import annotations

import threading
import time
from types import ModuleType
from typing import Any

import pytest
from kafkars import Admin

from tests.brokers import Broker
from tests.compat.confluent.conftest import SECONDS, Clients, poll_until, serve_until

NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}
UNTIMED = (0, -1)
QUICK = {"session.timeout.ms": 6000, "heartbeat.interval.ms": 100}


def test_an_assignment_stands_when_its_callback_raises(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer()

    def raising(_: Any, partitions: list[Any]) -> None:
        raise LookupError([each.topic for each in partitions])

    consumer.subscribe([topic], on_assign=raising)
    with pytest.raises(LookupError, match=topic):
        poll_until(consumer, 1)
    assert [each.topic for each in consumer.assignment()] == [topic]


def test_a_fenced_member_hears_it_by_a_message(clients: Clients) -> None:
    topic = clients.topic()
    told: list[tuple[str, bool]] = []
    settings = {**QUICK, "group.id": clients.group(), "group.instance.id": "same"}
    settings["on_commit"] = lambda error, _: told.append((error.name(), error.fatal()))
    old, new = (clients.consumer({**settings, "enable.auto.commit": False}) for _ in range(2))
    for each in (old, new):
        each.subscribe([topic])
        serve_until(each, each.assignment)
    # Of what has become of it the commit says the same, also when heartbeats were refused already.
    for _ in range(2):
        with pytest.raises(clients.ck.KafkaException) as caught:
            old.commit(offsets=[clients.ck.TopicPartition(topic, 0, 0)], asynchronous=False)
        assert caught.value.args[0].name() in {"FENCED_INSTANCE_ID", "_FATAL"}
        assert not caught.value.args[0].fatal()
    (message,) = poll_until(old, 1)
    error = message.error()
    assert (error.name(), error.fatal(), message.topic(), message.offset()) == ("_FATAL", False, None, None)
    assert message.timestamp() == UNTIMED
    assert "fenced" in error.str().lower()
    with pytest.raises(clients.ck.KafkaException) as caught:
        old.subscribe([topic])
    assert caught.value.args[0].name() == "_FATAL"
    told.clear()
    for offsets in (None, [clients.ck.TopicPartition(topic, 0, 0)]):
        old.commit(offsets=offsets, asynchronous=True)
    serve_until(old, lambda: len(told) == 2)
    assert told == [("_FATAL", False)] * 2


def test_a_fenced_member_that_has_nothing_to_commit_hears_that_it_is_fenced(clients: Clients) -> None:
    """What it has read lies below its latest commit, whose outcome it has not taken."""
    topic = clients.topic()
    told: list[str] = []
    settings = {**QUICK, "group.id": clients.group(), "group.instance.id": "same"}
    settings["on_commit"] = lambda error, _: told.append(error.name())
    old, new = (clients.consumer({**settings, "enable.auto.commit": False}) for _ in range(2))
    for each in (old, new):
        each.subscribe([topic])
        serve_until(each, each.assignment)
    with pytest.raises(clients.ck.KafkaException):
        old.commit(offsets=[clients.ck.TopicPartition(topic, 0, 0)], asynchronous=False)
    old.commit(offsets=[clients.ck.TopicPartition(topic, 0, 9)], asynchronous=True)
    for _ in range(2):
        old.commit(asynchronous=True)
        with pytest.raises(clients.ck.KafkaException) as caught:
            old.commit(asynchronous=False)
        assert caught.value.args[0].name() in {"FENCED_INSTANCE_ID", "_FATAL"}
    poll_until(old, 1)
    serve_until(old, lambda: len(told) == 3)
    assert set(told) <= {"FENCED_INSTANCE_ID", "_FATAL"}


@pytest.mark.timeout(60)
def test_who_was_too_slow_hears_it_before_its_partitions_are_lost(clients: Clients) -> None:
    """The member is silent for as long as its group has it."""
    topic = clients.topic()
    group = clients.group()
    heard: list[str] = []
    consumer = clients.consumer({**QUICK, "group.id": group, "max.poll.interval.ms": 6000})
    consumer.subscribe([topic], on_lost=lambda *_: heard.append("lost"), on_revoke=lambda *_: heard.append("revoked"))
    serve_until(consumer, consumer.assignment)
    wait_until_empty(clients, group)
    (message,) = poll_until(consumer, 1)
    assert (message.error().name(), heard) == ("_MAX_POLL_EXCEEDED", [])
    assert (message.topic(), message.partition(), message.timestamp()) == (None, 0, UNTIMED)
    serve_until(consumer, lambda: heard)
    assert heard == ["lost"]


@pytest.mark.timeout(60)
def test_who_was_too_slow_commits_nothing(clients: Clients) -> None:
    """Not before it hears so, and not until it has heard what is lost."""
    topic, group = clients.topic(messages=2), clients.group()
    told: list[Any] = []
    heard: list[str] = []
    consumer = clients.consumer(
        {
            **QUICK,
            "group.id": group,
            "max.poll.interval.ms": 6000,
            "enable.auto.commit": False,
            "on_commit": lambda error, places: told.append((error.name(), len(places))),
        }
    )

    def refused(**what: Any) -> str:
        with pytest.raises(clients.ck.KafkaException) as caught:
            consumer.commit(**what, asynchronous=False)
        name: str = caught.value.args[0].name()
        return name

    consumer.subscribe([topic], on_lost=lambda *_: heard.append(refused()))
    (first,) = poll_until(consumer, 1)
    wait_until_empty(clients, group)
    named = [clients.ck.TopicPartition(topic, 0, 1)]
    for turn in ("before", "after"):
        assert refused() == "_ASSIGNMENT_LOST"
        assert (refused(message=first), refused(offsets=named)) == ("UNKNOWN_MEMBER_ID", "UNKNOWN_MEMBER_ID")
        if turn == "before":
            consumer.commit()
            consumer.commit(offsets=named)
            (message,) = poll_until(consumer, 1)
            assert message.error().name() == "_MAX_POLL_EXCEEDED"
    assert poll_until(consumer, 1)[0].value() == b"value-0"
    assert heard == ["_ASSIGNMENT_LOST"]
    assert sorted(told) == [("UNKNOWN_MEMBER_ID", 1), ("_ASSIGNMENT_LOST", 0)]
    assert [each.offset for each in consumer.commit(asynchronous=False)] == [1]


def wait_until_empty(clients: Clients, group: str) -> None:
    """Waits until a group has no member."""
    with Admin(bootstrap_servers=clients.broker.bootstrap_servers) as admin:
        deadline = time.monotonic() + SECONDS
        while admin.describe_groups([group])[group].members:
            assert time.monotonic() < deadline
            threading.Event().wait(0.1)


def test_a_topic_that_does_not_exist_is_told_with_its_first_partition(clients: Clients) -> None:
    consumer = clients.consumer()
    consumer.subscribe(["nobody-made-this"])
    (message,) = poll_until(consumer, 1)
    assert message.error().code() == clients.ck.KafkaError.UNKNOWN_TOPIC_OR_PART
    assert (message.topic(), message.partition(), message.offset()) == ("nobody-made-this", 0, None)
    assert message.timestamp() == UNTIMED


def test_the_end_of_a_partition_has_no_time(clients: Clients) -> None:
    topic = clients.topic()
    consumer = clients.consumer({"enable.partition.eof": True})
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    (message,) = poll_until(consumer, 1)
    assert (message.error().name(), message.timestamp()) == ("_PARTITION_EOF", UNTIMED)


def test_an_assigned_partition_that_does_not_exist_is_told_once_at_most(clients: Clients) -> None:
    """The library waits for it, and says nothing."""
    topic = clients.topic(messages=1)
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, number) for number in (0, 7)])
    found = poll_until(consumer, 1)
    while all(each.error() for each in found):
        found += poll_until(consumer, 1)
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        message = consumer.poll(0.2)
        found += [] if message is None else [message]
    told = [each.error().code() for each in found if each.error()]
    assert told in ([], [clients.ck.KafkaError._UNKNOWN_PARTITION])
    assert [each.value() for each in found if not each.error()] == [b"value-0"]


def test_each_call_says_in_its_own_way_that_nobody_answers(ck: ModuleType) -> None:
    consumer = ck.Consumer({**NOWHERE, "group.id": "group"})
    producer = ck.Producer({**NOWHERE, "transactional.id": "id"})
    place = ck.TopicPartition("topic", 0)
    calls = {
        "_TRANSPORT": lambda: consumer.list_topics(timeout=0.5),
        "_ALL_BROKERS_DOWN": lambda: consumer.get_watermark_offsets(place, timeout=0.5),
        "_TIMED_OUT": lambda: consumer.committed([place], timeout=0.5),
    }
    for name, call in calls.items():
        with pytest.raises(ck.KafkaException) as caught:
            call()
        assert caught.value.args[0].name() == name
    with pytest.raises(ck.KafkaException) as caught:
        producer.init_transactions(0.5)
    error = caught.value.args[0]
    assert (error.name(), error.retriable(), error.fatal()) == ("_TIMED_OUT", True, False)
    consumer.close()


REFUSALS = [
    "UNSUPPORTED_ASSIGNOR",
    "INVALID_REQUEST",
    "GROUP_MAX_SIZE_REACHED",
    "GROUP_AUTHORIZATION_FAILED",
    "GROUP_ID_NOT_FOUND",
    "INVALID_REGULAR_EXPRESSION",
]


@pytest.mark.parametrize("is_member", [False, True], ids=["joining", "member"])
@pytest.mark.parametrize("code", REFUSALS)
def test_what_the_coordinator_refuses_is_refused_for_good(
    ck: ModuleType, embedded_broker: Broker, code: str, is_member: bool
) -> None:
    """Of members with `group.protocol=consumer`."""
    clients, told = Clients(ck, embedded_broker), []
    topic = clients.topic()
    consumer = clients.consumer({"group.protocol": "consumer", "error_cb": told.append, "log_level": 0})
    if is_member:
        consumer.subscribe([topic])
        serve_until(consumer, consumer.assignment)
    with embedded_broker.handle.intercept("ConsumerGroupHeartbeat", code) as refused:
        if not is_member:
            consumer.subscribe([topic])
        (message,) = poll_until(consumer, 1)
        if code == "INVALID_REQUEST" and ck.__name__ != "confluent_kafka":
            # Names no cause: the face joins once more.
            assert message.error().name() == code
            (message,) = poll_until(consumer, 1)
        assert (message.error().name(), message.error().fatal(), message.topic()) == ("_FATAL", False, None)
        at_first = refused.hits
        for _ in range(10):
            assert consumer.poll(0.1) is None
        # The face says goodbye to a coordinator that has the member.
        assert refused.hits <= at_first + is_member
        calls = {
            "commit": lambda: consumer.commit(offsets=[ck.TopicPartition(topic, 0, 1)], asynchronous=False),
            "subscribe": lambda: consumer.subscribe([topic]),
            "unsubscribe": consumer.unsubscribe,
        }
        for name, call in calls.items():
            with pytest.raises(ck.KafkaException) as caught:
                call()
            error = caught.value.args[0]
            assert (name, error.name(), error.fatal()) == (name, "_FATAL", False)
        assert told == []
    consumer.close()

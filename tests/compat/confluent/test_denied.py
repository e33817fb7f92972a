"""Topics and groups that a client has no rights to: the library's codes, and what is allowed goes on beside them."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from kafkars.testing import Acl, EmbeddedBroker

from tests.brokers import Broker
from tests.compat.confluent.conftest import SECONDS, Clients, poll_until

ALLOWED, DENIED, UNREADABLE, MISSING = "allowed", "denied", "unreadable", "missing"
GROUP = "denied-group"
ANYBODY = "User:ANONYMOUS"
RULES = [
    Acl(ANYBODY, "ALL", "TOPIC", DENIED, permission="DENY"),
    Acl(ANYBODY, "READ", "TOPIC", UNREADABLE, permission="DENY"),
    Acl(ANYBODY, "ALL", "GROUP", GROUP, permission="DENY"),
]
REFUSED = "TOPIC_AUTHORIZATION_FAILED"


@pytest.fixture
def clients(ck: ModuleType) -> Iterator[Clients]:
    topics = {ALLOWED: 2, DENIED: 2, UNREADABLE: 1}
    with EmbeddedBroker(topics=topics, acls=RULES, allow_everyone_if_no_acl_found=True) as broker:
        made = Clients(ck, Broker("embedded", broker))
        yield made
        made.close()


def shown(partitions: list[Any]) -> list[tuple[str, int, int, str | None]]:
    """Partitions with the names of their errors."""
    return [
        (each.topic, each.partition, each.offset, None if each.error is None else each.error.name())
        for each in partitions
    ]


def refusal(clients: Clients, call: Any) -> str:
    """The name of the error that a call raises."""
    with pytest.raises(clients.ck.KafkaException) as caught:
        call()
    return str(caught.value.args[0].name())


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.parametrize("topics", [[DENIED], ["zz", DENIED, "aa"]])
def test_a_subscription_says_which_topics_are_denied_and_which_are_missing(
    clients: Clients, protocol: str, topics: list[str]
) -> None:
    consumer = clients.consumer({"group.protocol": protocol})
    consumer.subscribe(topics)
    told: dict[str | None, str] = {}
    wanted = {name: REFUSED if name == DENIED else "UNKNOWN_TOPIC_OR_PART" for name in topics}
    if protocol == "consumer":
        # The coordinator refuses the subscription, without a word of which topic it is.
        wanted = {None: REFUSED}
    while not wanted.items() <= told.items():
        [message] = poll_until(consumer, 1)
        told.setdefault(message.topic(), message.error().name())
        assert message.partition() == 0
    assert {name: told[name] for name in wanted} == wanted
    if protocol == "classic":
        assert list(told) == sorted(topics)


def test_a_topic_that_may_be_seen_but_not_read_is_an_error_of_its_partition(clients: Clients) -> None:
    consumer = clients.consumer()
    consumer.subscribe([UNREADABLE])
    [message] = poll_until(consumer, 1)
    assert (message.topic(), message.partition(), message.error().name()) == (UNREADABLE, 0, REFUSED)


@pytest.mark.parametrize("topic", [DENIED, UNREADABLE])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_commit_says_that_a_topic_is_denied(clients: Clients, topic: str, asynchronous: bool) -> None:
    told: list[Any] = []
    consumer = clients.consumer({"on_commit": lambda error, found: told.append((error.name(), sorted(shown(found))))})
    place = clients.ck.TopicPartition
    offsets = [place(topic, 0, 1), place(ALLOWED, 0, 1)]
    if not asynchronous:
        assert refusal(clients, lambda: consumer.commit(offsets=offsets, asynchronous=False)) == REFUSED
    else:
        consumer.commit(offsets=offsets)
        while not told:
            consumer.poll(0.1)
        assert told == [(REFUSED, [(ALLOWED, 0, 1, REFUSED), (topic, 0, 1, REFUSED)])]
    # What is allowed is committed all the same.
    assert shown(consumer.committed([place(ALLOWED, 0)], timeout=SECONDS)) == [(ALLOWED, 0, 1, None)]


def test_committed_offsets_of_denied_partitions_have_an_error_beside_the_others(clients: Clients) -> None:
    consumer = clients.consumer()
    place = clients.ck.TopicPartition
    consumer.commit(offsets=[place(ALLOWED, 1, 7)], asynchronous=False)
    asked = [place(DENIED, 0), place(ALLOWED, 1), place(UNREADABLE, 0), place(DENIED, 1), place(ALLOWED, 0)]
    nothing = clients.ck.OFFSET_INVALID
    assert shown(consumer.committed(asked, timeout=SECONDS)) == [
        (DENIED, 0, nothing, REFUSED),
        (ALLOWED, 1, 7, None),
        (UNREADABLE, 0, nothing, REFUSED),
        (DENIED, 1, nothing, REFUSED),
        (ALLOWED, 0, nothing, None),
    ]
    assert shown(consumer.committed([place(DENIED, 0)], timeout=SECONDS)) == [(DENIED, 0, nothing, REFUSED)]


def test_offsets_for_times_have_an_error_where_there_is_no_answer(clients: Clients) -> None:
    consumer = clients.consumer()
    place = clients.ck.TopicPartition
    asked = [place(DENIED, 0, 5), place(ALLOWED, 0, 5), place(MISSING, 0, 5), place(ALLOWED, 9, 5)]
    assert shown(consumer.offsets_for_times(asked, timeout=SECONDS)) == [
        (DENIED, 0, 5, REFUSED),
        (ALLOWED, 0, clients.ck.OFFSET_END, None),
        (MISSING, 0, 5, "UNKNOWN_TOPIC_OR_PART"),
        (ALLOWED, 9, 5, "_UNKNOWN_PARTITION"),
    ]
    for only in ([asked[0]], [asked[2]], [asked[0], asked[2], asked[3]]):
        refused = refusal(clients, lambda only=only: consumer.offsets_for_times(only, timeout=SECONDS))
        assert refused == "_UNKNOWN_PARTITION"
    refused = refusal(clients, lambda: consumer.get_watermark_offsets(asked[0], timeout=SECONDS))
    assert refused == "_UNKNOWN_PARTITION"


def test_a_commit_of_a_denied_group_says_so(clients: Clients) -> None:
    """The library tries until its time is over, and says then that it has waited for the coordinator."""
    if clients.ck.__name__ == "confluent_kafka":
        pytest.skip("takes a minute")
    consumer = clients.consumer({"group.id": GROUP})
    offsets = [clients.ck.TopicPartition(ALLOWED, 0, 1)]
    refused = "GROUP_AUTHORIZATION_FAILED"
    assert refusal(clients, lambda: consumer.commit(offsets=offsets, asynchronous=False)) == refused
    consumer.subscribe([ALLOWED])
    [message] = poll_until(consumer, 1)
    assert (message.error().name(), message.partition()) == (refused, 0)
    assert refusal(clients, lambda: consumer.commit(offsets=offsets, asynchronous=False)) == refused


def test_a_member_id_of_ones_own_making_lasts(clients: Clients) -> None:
    consumer = clients.consumer({"group.protocol": "consumer"})
    own = consumer.memberid()
    assert len(own) == 22
    consumer.subscribe([ALLOWED])
    while not consumer.assignment():
        assert consumer.poll(0.1) is None
    assert consumer.memberid() == own
    consumer.unsubscribe()
    while consumer.assignment():
        assert consumer.poll(0.1) is None
    assert consumer.memberid() == own

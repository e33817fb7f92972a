"""What `on_revoke` and `on_lost` give up is not assigned any more while they still run, as in the library."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, poll_until, serve_until
from tests.compat.confluent.test_what_polls_say import QUICK, wait_until_empty

MESSAGES = 4
EAGER = {"partition.assignment.strategy": "range", "heartbeat.interval.ms": "100"}
COOPERATIVE = {"partition.assignment.strategy": "cooperative-sticky", "heartbeat.interval.ms": "100"}
KINDS = {"eager": EAGER, "cooperative": COOPERATIVE, "consumer": {"group.protocol": "consumer"}}
# In the library what is called after a callback of close() has given up its partitions may find that the consumer is
# gone, and what the callback raises then ends the process.
FACE_ALONE = pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True)
ALL_KINDS = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
STORED, LATER = 2, 4


def give_up(consumer: Any, partitions: list[Any], kind: dict[str, str]) -> None:
    """Does what the documentation asks of a callback."""
    if kind is EAGER:
        consumer.unassign()
    else:
        consumer.incremental_unassign(partitions)


def code_of(clients: Clients, call: Any, *arguments: Any, **named: Any) -> str | None:
    """The name of the error with which a call fails."""
    try:
        call(*arguments, **named)
    except clients.ck.KafkaException as refused:
        name: str = refused.args[0].name()
        return name
    return None


class Member:
    """A member that stores offsets itself, and what its callback has seen after it gave up what goes."""

    def __init__(self, clients: Clients, topic: str, kind: dict[str, str], **settings: Any) -> None:
        self.clients, self.topic, self.kind = clients, topic, kind
        self.seen: list[Any] = []
        self.told: list[Any] = []
        self.watches = True
        made = {"auto.commit.interval.ms": 600_000, "enable.auto.offset.store": False}
        self.consumer = clients.consumer({**made, "on_commit": self._committed, **kind, **settings})
        self.consumer.subscribe([topic], on_revoke=self._revoked)

    def _committed(self, error: Any, partitions: list[Any]) -> None:
        self.told.append((error, [(each.partition, each.offset) for each in partitions]))

    def _revoked(self, consumer: Any, partitions: list[Any]) -> None:
        before = {each.partition for each in consumer.assignment()}
        give_up(consumer, partitions, self.kind)
        if not self.watches:
            return
        after = {each.partition for each in consumer.assignment()}
        assert before - after == {each.partition for each in partitions}
        at = self.clients.ck.TopicPartition(self.topic, partitions[0].partition, LATER)
        self.seen.append(
            (
                code_of(self.clients, consumer.store_offsets, offsets=[at]),
                code_of(self.clients, consumer.seek, at),
                [each.offset for each in consumer.position(partitions)] == [-1001] * len(partitions),
            )
        )

    def read(self) -> None:
        """Reads everything, and stores an offset of each partition that it has."""
        for message in poll_until(self.consumer, 2 * MESSAGES):
            if message.offset() == STORED - 1:
                self.consumer.store_offsets(message)


def committed(clients: Clients, group: str, topic: str) -> list[int]:
    """What a group has committed."""
    asking = clients.consumer({"group.id": group})
    found = asking.committed([clients.ck.TopicPartition(topic, number) for number in range(2)], timeout=SECONDS)
    return [each.offset for each in found]


REFUSED = ("_STATE", "_STATE", True)


@ALL_KINDS
def test_what_unsubscribe_gives_up_is_gone(clients: Clients, kind: dict[str, str]) -> None:
    topic, group = clients.topic(partitions=2, messages=2 * MESSAGES), clients.group()
    member = Member(clients, topic, kind, **{"group.id": group})
    member.read()
    member.consumer.unsubscribe()
    serve_until(member.consumer, lambda: member.seen and member.told)
    member.consumer.close()
    assert member.seen == [REFUSED]
    assert member.told == [(None, [(0, STORED), (1, STORED)])]
    assert committed(clients, group, topic) == [STORED, STORED]


@ALL_KINDS
@FACE_ALONE
def test_what_close_gives_up_is_gone(clients: Clients, kind: dict[str, str]) -> None:
    topic, group = clients.topic(partitions=2, messages=2 * MESSAGES), clients.group()
    member = Member(clients, topic, kind, **{"group.id": group})
    member.read()
    member.consumer.close()
    assert member.seen == [REFUSED]
    assert member.told == [(None, [(0, STORED), (1, STORED)])]
    assert committed(clients, group, topic) == [STORED, STORED]


@ALL_KINDS
def test_what_a_rebalance_takes_is_gone_once_it_is_given_up(clients: Clients, kind: dict[str, str]) -> None:
    topic, group = clients.topic(partitions=2, messages=2 * MESSAGES), clients.group()
    first = Member(clients, topic, kind, **{"group.id": group})
    first.read()
    other = clients.consumer({"group.id": group, "enable.auto.commit": False, **kind})
    other.subscribe([topic])

    def is_shared() -> bool:
        other.poll(0.1)
        return len(first.consumer.assignment()) == len(other.assignment()) == 1

    while not is_shared():
        first.consumer.poll(0.1)
    first.watches = False
    assert first.seen == [REFUSED]
    # What goes is committed when it goes; what the cooperative member has kept is when it is closed.
    taken = [offset for offset in committed(clients, group, topic) if offset != -1001]
    assert taken == [STORED] * (2 if kind is EAGER else 1)


@ALL_KINDS
def test_giving_up_twice(clients: Clients, kind: dict[str, str]) -> None:
    topic = clients.topic(partitions=2, messages=2)
    consumer = clients.consumer({"enable.auto.commit": False, **kind})
    seen: list[Any] = []

    def revoked(_: Any, partitions: list[Any]) -> None:
        give_up(consumer, partitions, kind)
        seen.append(code_of(clients, consumer.incremental_unassign, partitions[:1]))
        seen.append(code_of(clients, consumer.commit, asynchronous=False))

    consumer.subscribe([topic], on_revoke=revoked)
    poll_until(consumer, 2)
    consumer.unsubscribe()
    serve_until(consumer, lambda: seen)
    assert seen == ["_STATE" if kind is EAGER else "_INVALID_ARG", "_NO_OFFSET"]


@ALL_KINDS
@FACE_ALONE
def test_while_it_closes_whatever_assigns_gives_up(clients: Clients, kind: dict[str, str]) -> None:
    topic, group = clients.topic(partitions=2, messages=2), clients.group()
    consumer = clients.consumer({"group.id": group, "auto.commit.interval.ms": 600_000, **kind})
    foreign = [clients.ck.TopicPartition(clients.topic(), 0)]
    seen: list[Any] = []

    def revoked(_: Any, partitions: list[Any]) -> None:
        for call in (consumer.incremental_assign, consumer.incremental_unassign, consumer.assign):
            seen.extend(
                (code_of(clients, call, named), consumer.assignment())
                for named in (foreign, partitions, partitions[:1])
            )

    consumer.subscribe([topic], on_revoke=revoked)
    poll_until(consumer, 2)
    consumer.close()
    assert seen == [(None, [])] * 9
    assert committed(clients, group, topic) == [1, 1]


@pytest.mark.timeout(60)
def test_what_on_lost_gives_up_is_gone(clients: Clients) -> None:
    topic, group = clients.topic(messages=2), clients.group()
    stores = {"enable.auto.offset.store": False, "auto.commit.interval.ms": 600_000}
    consumer = clients.consumer({**QUICK, **stores, "group.id": group, "max.poll.interval.ms": 6000})
    at = clients.ck.TopicPartition(topic, 0, 1)
    seen: list[Any] = []

    def lost(*_: Any) -> None:
        consumer.unassign()
        seen.append(consumer.assignment())
        seen.append(code_of(clients, consumer.seek, at))
        seen.append(code_of(clients, consumer.store_offsets, offsets=[at]))
        seen.append(code_of(clients, consumer.commit, asynchronous=False))

    consumer.subscribe([topic], on_lost=lost)
    [message] = poll_until(consumer, 1)
    consumer.store_offsets(message)
    wait_until_empty(clients, group)
    assert poll_until(consumer, 1)[0].error().name() == "_MAX_POLL_EXCEEDED"
    serve_until(consumer, lambda: seen)
    assert seen == [[], "_STATE", "_STATE", "_NO_OFFSET"]
    consumer.close()
    assert committed(clients, group, topic)[0] == -1001


def test_who_has_unsubscribed_assigns_more_before_its_partitions_go(clients: Clients) -> None:
    """What it had read of those is committed when they go."""
    topic, group = clients.topic(messages=MESSAGES), clients.group()
    member = clients.consumer({"group.id": group, "auto.commit.interval.ms": 600_000, **COOPERATIVE})
    gone = threading.Event()
    member.subscribe([topic], on_revoke=lambda *_: gone.set())
    poll_until(member, MESSAGES)
    member.unsubscribe()
    more = clients.ck.TopicPartition(clients.topic(), 0)
    member.incremental_assign([more])
    serve_until(member, gone.is_set)
    member.incremental_unassign([more])
    member.close()
    assert committed(clients, group, topic)[0] == MESSAGES


def test_who_has_unsubscribed_from_an_eager_group_assigns_no_more_before_its_partitions_go(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer(EAGER)
    at = [clients.ck.TopicPartition(topic, 0)]
    consumer.subscribe([topic])
    poll_until(consumer, 1)
    consumer.unsubscribe()
    assert code_of(clients, consumer.incremental_assign, at) == "_STATE"
    assert code_of(clients, consumer.incremental_unassign, at) == "_STATE"

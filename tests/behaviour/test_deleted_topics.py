"""A topic that is deleted holds nobody up, and one that is made again under its name is read and committed from its
beginning."""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from typing import Any

import pytest
from kafkars import TopicPartition
from kafkars.admin import NewTopic
from kafkars.errors import KafkaError, UnknownTopicIdError, UnknownTopicOrPartitionError

from tests.kafka import wire
from tests.support.clients import Clients, read, values
from tests.support.groups import closing
from tests.support.waiting import SECONDS, Stopwatch, eventually

NEVER_MS = 3_600_000
NUMBERS = itertools.count(1)
GONE = (UnknownTopicOrPartitionError, UnknownTopicIdError)


class Topics:
    """Topics a, b and c of a test alone, of which a and b exist, and one group that reads them."""

    def __init__(self, clients: Clients, protocol: str, by: str) -> None:
        self.clients = clients
        self.prefix = clients.broker.new_topic(name="deleted")
        self.admin = clients.api.Admin(bootstrap_servers=clients.broker.bootstrap_servers)
        self.settings = {"group_id": self.prefix, "group_protocol": protocol, "metadata_max_age_ms": 500}
        self.by = by
        self.create("a", "b")

    def name(self, which: str) -> str:
        return f"{self.prefix}-{which}"

    def place(self, which: str) -> TopicPartition:
        return TopicPartition(self.name(which), 0)

    def create(self, *which: str) -> None:
        """Makes topics and waits until the broker knows them."""
        self.admin.create_topics([NewTopic(self.name(one), partitions=1) for one in which])
        deadline = time.monotonic() + SECONDS
        while not {self.name(one) for one in which} <= set(self.admin.list_topics()):
            assert time.monotonic() < deadline, "topics that were made are listed"

    def delete(self, which: str) -> None:
        """Deletes a topic and waits until the broker knows of it: until then it takes commits for it."""
        self.admin.delete_topics([self.name(which)])
        wire.wait_until_gone(self.clients.broker.bootstrap_servers, self.name(which))

    def fill(self, which: str, *texts: object) -> None:
        self.clients.fill(self.name(which), texts)

    def reader(self, **settings: Any) -> Any:
        """A member that reads the topics."""
        member = self.clients.consumer(**self.settings, **settings)
        if self.by == "pattern":
            member.subscribe(pattern=f"{self.prefix}-.*")
        else:
            member.subscribe([self.name(which) for which in "abc"])
        return member

    def committed(self, which: str) -> int | None:
        """What the group has of a topic now."""
        offsets = self.admin.list_group_offsets([self.prefix])[self.prefix]
        found = offsets.get(self.place(which))
        return None if found is None else found.offset


@pytest.fixture(params=["names", "pattern"])
def topics(request: pytest.FixtureRequest, clients: Clients, protocol: str) -> Any:
    made = Topics(clients, protocol, request.param)
    yield made
    made.admin.close()


def read_through(member: Any, count: int, seconds: float = SECONDS) -> list[Any]:
    """The values of the next records, whatever is raised of topics that are gone."""
    deadline = time.monotonic() + seconds
    found: list[Any] = []
    while len(found) < count:
        assert time.monotonic() < deadline, f"{found} within {seconds} s"
        with suppress(*GONE):
            found.extend(values(member.poll_batch(max_records=count - len(found), timeout=0.2)))
    return found


def test_a_deleted_topic_holds_up_neither_its_group_nor_its_end(topics: Topics) -> None:
    member = topics.reader(auto_commit_interval_ms=NEVER_MS)
    topics.fill("a", "a1")
    topics.fill("b", "b1")
    assert sorted(read_through(member, 2)) == [b"a1", b"b1"]
    topics.delete("a")
    topics.create("c")
    topics.fill("b", "b2")
    topics.fill("c", "c1")
    # Half a minute, with a commit before the revocation that nobody takes.
    assert sorted(read_through(member, 2, seconds=12.0)) == [b"b2", b"c1"]
    with Stopwatch() as watch, closing(member):
        pass
    assert watch.seconds < SECONDS / 2
    assert topics.committed("b") == 2


def test_a_deleted_topic_is_given_up_and_taken_again_when_it_is_made(topics: Topics) -> None:
    member = topics.reader()
    topics.fill("a", "a1")
    topics.fill("b", "b1")
    assert sorted(read_through(member, 2)) == [b"a1", b"b1"]
    topics.delete("a")

    def owned() -> set[TopicPartition]:
        with suppress(*GONE):
            member.poll_batch(timeout=0.05)
        return set(member.assignment())

    eventually(lambda: owned() == {topics.place("b")}, "the group gives it up")
    # Nobody asks for it any more, so nothing is told of it.
    for _ in range(60):
        assert not member.poll_batch(timeout=0.05)
    topics.create("a")
    topics.fill("a", "a2")
    topics.fill("b", "b2")
    assert sorted(read_through(member, 2)) == [b"a2", b"b2"]
    assert set(member.assignment()) == {topics.place("a"), topics.place("b")}
    member.close()


def test_closing_right_after_a_deletion_takes_no_time_and_loses_nothing_else(topics: Topics) -> None:
    member = topics.reader(auto_commit_interval_ms=NEVER_MS)
    topics.fill("a", "a1")
    topics.fill("b", "b1")
    assert sorted(read_through(member, 2)) == [b"a1", b"b1"]
    topics.delete("a")
    with Stopwatch() as watch, closing(member):
        pass
    assert watch.seconds < SECONDS / 2
    assert topics.committed("b") == 1


def test_a_commit_for_a_deleted_topic_is_refused_by_name_and_the_others_are_made(topics: Topics) -> None:
    member = topics.reader(enable_auto_commit=False)
    topics.fill("a", "a1")
    topics.fill("b", "b1")
    read_through(member, 2)
    topics.delete("a")
    with Stopwatch() as watch, pytest.raises(GONE, match=topics.name("a")):
        member.commit({topics.place("a"): 1, topics.place("b"): 1})
    assert watch.seconds < 10
    assert topics.committed("b") == 1


@pytest.mark.parametrize("had", ["committed", "uncommitted"])
# By name, as older brokers fetch and commit, what leaves before the client has heard of it is for what has the name.
@pytest.mark.commits_by_id
@pytest.mark.parametrize("gap", ["at once", "later"])
def test_a_topic_that_is_made_again_is_read_from_its_beginning(topics: Topics, had: str, gap: str) -> None:
    with closing(topics.reader(auto_commit_interval_ms=200 if had == "committed" else NEVER_MS)) as member:
        topics.fill("a", "old0", "old1", "old2")
        topics.fill("b", "b0")
        read_through(member, 4)
        deadline = time.monotonic() + SECONDS
        while had == "committed" and topics.committed("a") != 3:
            assert time.monotonic() < deadline, "the group has committed"
            member.poll(timeout=0.05)
        topics.delete("a")
        if gap == "later":
            topics.fill("b", "b1")
            # The consumer hears of it meanwhile.
            assert read_through(member, 1) == [b"b1"]
            with suppress(KafkaError):
                member.poll(timeout=1.0)
        topics.create("a")
        topics.fill("a", *(f"new{number}" for number in range(10)))
        assert read_through(member, 10) == [b"new%d" % number for number in range(10)]
    assert topics.committed("a") == 10


@pytest.mark.commits_by_id
def test_an_offset_of_a_deleted_topic_is_not_committed_for_the_one_made_after_it(topics: Topics) -> None:
    member = topics.reader(enable_auto_commit=False)
    topics.fill("a", "old0", "old1", "old2")
    assert len(read(member, 3)) == 3
    topics.delete("a")
    topics.create("a")
    with pytest.raises(GONE, match=topics.name("a")):
        member.commit({topics.place("a"): 3})
    assert topics.committed("a") is None
    topics.fill("a", *(f"new{number}" for number in range(10)))
    assert len(read_through(member, 10)) == 10
    member.commit()
    assert topics.committed("a") == 10

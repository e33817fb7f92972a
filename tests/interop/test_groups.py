"""Groups of other libraries' consumers share partitions, commit and come back, on either broker."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import confluent_kafka
import pytest

from tests.brokers import Broker
from tests.interop.members import CONFLUENT_CONSUMER, KINDS, SECONDS, Kind, Member
from tests.kafka.cluster import wait_until
from tests.support.waiting import StuckError

log = logging.getLogger(__name__)

PARTITIONS = 4
CLASSIC_KINDS = [kind for kind in KINDS if kind is not CONFLUENT_CONSUMER]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


@pytest.fixture
def shared_topic(broker: Broker) -> str:
    return broker.new_topic(partitions=PARTITIONS)


@pytest.fixture
def group() -> str:
    return f"group-{uuid.uuid4()}"


@contextmanager
def joining(broker: Broker, group: str, topic: str) -> Iterator[Callable[..., Member]]:
    """Makes members of one group, and ends those that are left."""
    members: list[Member] = []

    def join(kind: Kind, instance: str | None = None, topic: str = topic) -> Member:
        members.append(kind.join(broker.bootstrap_servers, group, topic, instance))
        return members[-1]

    try:
        yield join
    finally:
        for member in members:
            if not member.closed:
                member.close()


@pytest.fixture
def joined(broker: Broker, shared_topic: str, group: str) -> Iterator[Callable[..., Member]]:
    """See `joining()`."""
    with joining(broker, group, shared_topic) as join:
        yield join


Course = Callable[[Broker, str, Callable[..., Member], Kind], None]


def in_a_group_of_its_own(course: Course, broker: Broker, kind: Kind) -> None:
    """Runs a course of events. kafka-python 3.0.12 waits for its coordinator without end at times, on Apache Kafka as
    well, in a call or with one call after the other: then once more.
    """
    tries = 3 if kind.name == "kafka-python" else 1
    for left in reversed(range(tries)):
        topic = broker.new_topic(partitions=PARTITIONS)
        try:
            with joining(broker, f"group-{uuid.uuid4()}", topic) as join:
                course(broker, topic, join, kind)
        except (StuckError, TimeoutError) as stuck:
            if not left:
                raise
            log.warning("%s: once more, after %r", kind, stuck)
        else:
            return


def produce(broker: Broker, topic: str, values: list[bytes]) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap_servers})
    for number, value in enumerate(values):
        producer.produce(topic, value, partition=number % PARTITIONS)
    assert producer.flush(SECONDS) == 0


def shared(members: list[Member], found: list[bytes] | None = None) -> Callable[[], bool]:
    """Lets all poll once; whether they share all partitions evenly."""

    sink = [] if found is None else found

    def check() -> bool:
        for member in members:
            sink.extend(member.poll())
        owned = [member.assignment() for member in members]
        everything = sorted(partition for partitions in owned for partition in partitions)
        sizes = {len(partitions) for partitions in owned}
        return everything == list(range(PARTITIONS)) and max(sizes) - min(sizes) <= 1

    return check


@each_kind
@pytest.mark.timeout(5 * SECONDS)
def test_members_share_the_partitions_as_they_come_and_go(broker: Broker, kind: Kind) -> None:
    in_a_group_of_its_own(come_and_go, broker, kind)


def come_and_go(broker: Broker, shared_topic: str, joined: Callable[..., Member], kind: Kind) -> None:
    first = joined(kind)
    wait_until(shared([first]), SECONDS, "the first has all")
    second = joined(kind)
    wait_until(shared([first, second]), SECONDS, "both have half")
    found: list[bytes] = []
    values = [b"%d" % number for number in range(100)]
    produce(broker, shared_topic, values)
    check = shared([first, second], found)
    wait_until(lambda: check() and len(found) >= len(values), SECONDS, "everything has been read")
    assert sorted(found) == sorted(values), "every record once"
    first.close()
    wait_until(shared([second]), SECONDS, "the second has all")


@each_kind
@pytest.mark.timeout(5 * SECONDS)
def test_a_group_goes_on_where_it_has_committed(broker: Broker, kind: Kind) -> None:
    in_a_group_of_its_own(go_on, broker, kind)


def go_on(broker: Broker, shared_topic: str, joined: Callable[..., Member], kind: Kind) -> None:
    produce(broker, shared_topic, [b"before"] * 20)
    found: list[bytes] = []
    first = joined(kind)
    check = shared([first], found)
    wait_until(lambda: check() and len(found) >= 20, SECONDS, "everything has been read")
    first.commit()
    first.close()
    produce(broker, shared_topic, [b"after"] * 20)
    found.clear()
    check = shared([joined(kind)], found)
    wait_until(lambda: check() and len(found) >= 20, SECONDS, "the rest has been read")
    assert found == [b"after"] * 20


# kafka-python 3.0.12 waits for its coordinator without end in one run of five, on Apache Kafka as well, where nothing
# of ours takes part.
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name != "kafka-python"], ids=str)
def test_a_static_member_comes_back_to_its_partitions(joined: Callable[..., Member], kind: Kind) -> None:
    first, second = joined(kind, "one"), joined(kind, "two")
    wait_until(shared([first, second]), SECONDS, "both have half")
    had = first.assignment(), second.assignment()
    first.close()
    first = joined(kind, "one")

    def back() -> bool:
        first.poll()
        second.poll()
        assert second.assignment() == had[1], "nothing moves while a static member is away"
        return first.assignment() == had[0]

    wait_until(back, SECONDS, "the first is back")


# kafka-python, driven by one thread, does not get back into a group that has become classic again, on either broker.
@pytest.mark.kip_848
@pytest.mark.parametrize("kind", [kind for kind in CLASSIC_KINDS if kind.name != "kafka-python"], ids=str)
def test_members_of_both_protocols_share_a_group(
    broker: Broker, shared_topic: str, joined: Callable[..., Member], kind: Kind
) -> None:
    found: list[bytes] = []
    first = joined(kind)
    wait_until(shared([first], found), SECONDS, "the first has all")
    # The group moves to the consumer protocol under its member, and takes another one of the classic protocol.
    second = joined(CONFLUENT_CONSUMER)
    wait_until(shared([first, second], found), SECONDS, "both have half")
    third = joined(kind)
    check = shared([first, second, third], found)
    wait_until(check, SECONDS, "all have some")
    values = {b"%d" % number for number in range(100)}
    produce(broker, shared_topic, list(values))
    # Not each once: what was read and not committed comes again when partitions change hands.
    wait_until(lambda: check() and values <= set(found), SECONDS, "everything has been read")
    # And back, when the last member of the consumer protocol leaves.
    second.close()
    check = shared([first, third], found)
    wait_until(check, SECONDS, "both have half again")
    later = {b"later %d" % number for number in range(100)}
    produce(broker, shared_topic, list(later))
    wait_until(lambda: check() and later <= set(found), SECONDS, "everything has been read again")


def test_an_expression_finds_topics(shared_topic: str, joined: Callable[..., Member]) -> None:
    member = joined(CONFLUENT_CONSUMER, topic=f"^{shared_topic[:-1]}[{shared_topic[-1]}]$")
    wait_until(shared([member]), SECONDS, "the expression has found the topic")


def test_administrators_see_and_delete_groups(broker: Broker, group: str, joined: Callable[..., Member]) -> None:
    from confluent_kafka.admin import AdminClient

    members = [joined(KINDS[0]), joined(KINDS[0])]
    wait_until(shared(members), SECONDS, "both have half")
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    described = admin.describe_consumer_groups([group])[group].result(SECONDS)
    assert described.state == confluent_kafka.ConsumerGroupState.STABLE
    assert described.partition_assignor == "range"
    owned = [member.assignment.topic_partitions for member in described.members]
    assert sorted(partition.partition for partitions in owned for partition in partitions) == list(range(PARTITIONS))
    listed = admin.list_consumer_groups().result(SECONDS).valid
    assert group in [one.group_id for one in listed]
    with pytest.raises(confluent_kafka.KafkaException) as refused:
        admin.delete_consumer_groups([group])[group].result(SECONDS)
    assert refused.value.args[0].code() == confluent_kafka.KafkaError.NON_EMPTY_GROUP
    for member in members:
        member.close()
    admin.delete_consumer_groups([group])[group].result(SECONDS)
    listed = admin.list_consumer_groups().result(SECONDS).valid
    assert group not in [one.group_id for one in listed]

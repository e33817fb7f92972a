"""Groups: assignment and revocation, told to callbacks in poll() and close()."""

from __future__ import annotations

from collections.abc import Callable

from confluent_kafka import Consumer, TopicPartition

from tests.compat.programs.case import Case
from tests.compat.programs.of_confluent_kafka.consuming import consumer_of, fill, polled

Heard = list[tuple[str, int]]


def member(case: Case, group: str, topic: str, heard: Heard, **settings: object) -> Consumer:
    def note(what: str) -> Callable[[Consumer, list[TopicPartition]], None]:
        return lambda _, partitions: heard.append((what, len(partitions)))

    consumer = consumer_of(case, group, **settings)
    consumer.subscribe([topic], on_assign=note("assigned"), on_revoke=note("revoked"), on_lost=note("lost"))
    return consumer


def until(consumers: list[Consumer], sizes: list[int]) -> bool:
    for _ in range(400):
        if [len(consumer.assignment()) for consumer in consumers] == sizes:
            return True
        for consumer in consumers:
            consumer.poll(0.05)
    return False


def members_come_and_go(case: Case) -> None:
    for strategy in ("range", "roundrobin", "cooperative-sticky"):
        topic, group = case.topic(strategy, partitions=4), case.name(f"group-{strategy}")
        heard: Heard = []
        also: Heard = []
        first = member(case, group, topic, heard, partition_assignment_strategy=strategy)
        case.tell(strategy, until([first], [4]))
        second = member(case, group, topic, also, partition_assignment_strategy=strategy)
        case.tell(until([first, second], [2, 2]))
        second.close()
        case.tell(until([first], [4]))
        first.close()
        # Whether an empty change is told as one depends on who asks first.
        case.tell([one for one in heard if one[1]], [one for one in also if one[1]])


def positions_from_a_callback(case: Case) -> None:
    topic = case.topic(partitions=2)
    fill(case, topic, 8, partitions=2)
    consumer = consumer_of(case)

    def restore(asked: Consumer, partitions: list[TopicPartition]) -> None:
        case.tell(asked is consumer, sorted((one.topic, one.partition, one.offset) for one in partitions))
        for partition in partitions:
            partition.offset = 2 + partition.partition
        asked.assign(partitions)

    consumer.subscribe([topic], on_assign=restore)
    case.tell(sorted((m.partition(), m.offset()) for m in polled(consumer, 3)))
    consumer.close()


def a_callback_that_fails(case: Case) -> None:
    topic = case.topic()
    fill(case, topic, 1)
    consumer = consumer_of(case)

    def failing(_: Consumer, partitions: list[TopicPartition]) -> None:
        raise ValueError("out of a callback")

    consumer.subscribe([topic], on_assign=failing)
    for _ in range(100):
        try:
            message = consumer.poll(0.2)
        except ValueError as error:
            case.tell(error)
            break
        assert message is None
    consumer.close()


def topics_by_pattern(case: Case) -> None:
    one, two, other = case.topic("one"), case.topic("two"), case.topic("other")
    for topic in (one, two, other):
        fill(case, topic, 1)
    consumer = consumer_of(case)
    consumer.subscribe([f"^{case.stem}-(one|two)-.*"])
    case.tell(sorted(case.plain(message.topic()) for message in polled(consumer, 2)), consumer.poll(0.2))
    case.tell(sorted(case.plain(one.topic) for one in consumer.assignment()))
    consumer.unsubscribe()
    case.tell(until([consumer], [0]))
    consumer.close()


def names_of_members(case: Case) -> None:
    topic = case.topic()
    consumer = consumer_of(case, client_id="named")
    consumer.subscribe([topic])
    case.tell(until([consumer], [1]), consumer.memberid().startswith("named"))
    consumer.close()


PROGRAMS = [members_come_and_go, positions_from_a_callback, a_callback_that_fails, topics_by_pattern, names_of_members]

"""Conversations with `SimpleConsumer`, `MultiProcessConsumer` and `OffsetCommitContext`."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from typing import Any

from tests.compat.kafka_legacy.calls import told
from tests.compat.kafka_legacy.talk import LONG, Conversation, Talk, each_of


def _values(messages: list[Any]) -> list[Any]:
    return sorted(each.message.value for each in messages)


def simple_consumer(talk: Talk) -> Any:
    talk.fill()
    made = talk.simple()
    first = made.get_messages(count=5, block=True, timeout=LONG)
    rest = made.get_messages(count=100, block=7, timeout=LONG)
    none = [made.get_message(block=False), made.get_messages(count=3, block=False), made.get_message(timeout=0.2)]
    return [len(first), _values(first + rest), none, made.offsets, made.pending(), made.pending([0]), repr(made)]


def partition_info(talk: Talk) -> Any:
    talk.fill(2)
    made = talk.simple(partitions=[1])
    asked = made.get_message(timeout=LONG, get_partition_info=True)
    made.provide_partition_info()
    return [asked, made.get_message(timeout=LONG), made.get_messages(count=1, timeout=0.2), repr(made), made.offsets]


def seeking(talk: Talk) -> Any:
    talk.fill(6)
    found: list[Any] = []
    made = talk.simple()
    moves: list[tuple[Any, ...]] = [
        (0, 0), (0, 2), (4, 0), (-4, 2), (-5, 2), (1, 1), (-1, 1), (2,), (3, None, 1), (0, 0, 2), (-1, 2, 0), (1, 1, 1),
        (0, 3), (0, -1), (0, 0, 99), (100, 0), (0, "0"),
    ]  # fmt: skip
    for move in moves:
        found.append((told(lambda move=move, made=made: made.seek(*move)), sorted(made.offsets.items())))
        found.append(told(lambda made=made: made.pending()))
        if made.offsets.keys() != {0, 1, 2}:
            made = talk.simple()
    return found


def iterating(talk: Talk) -> Any:
    talk.fill()
    made = talk.simple(iter_timeout=1)
    return [_values(list(made)), list(made), made.offsets]


def commits(talk: Talk) -> Any:
    talk.fill()
    made = talk.simple()
    before = made.commit()
    made.get_messages(count=12, timeout=LONG)
    committed = [made.commit(), made.commit(), made.commit([0])]
    again = talk.simple()
    unknown = talk.kafka.SimpleConsumer(talk.client, f"{talk.group}-other", talk.topic, auto_commit=False)
    nobody = talk.kafka.SimpleConsumer(talk.client, None, talk.topic, auto_commit=False)
    stops = [made.stop(), made.stop()]
    return [before, committed, again.offsets, again.pending(), unknown.offsets, nobody.offsets, stops]


def commits_by_number(talk: Talk) -> Any:
    talk.fill()
    made = talk.simple(auto_commit=True, auto_commit_every_n=5, auto_commit_every_t=None)
    made.get_messages(count=12, timeout=LONG)
    found = sorted(talk.simple().offsets.items())
    timed = talk.simple(auto_commit=True, auto_commit_every_n=None, auto_commit_every_t=60_000)
    timed.seek(1)
    timed.stop()
    return [found, talk.simple().offsets]


def buffers(talk: Talk) -> Any:
    talk.kafka.SimpleProducer(talk.client, random_start=False).send_messages(talk.topic, b"x" * 20_000)
    return each_of(
        lambda: talk.simple(buffer_size=10, max_buffer_size=5),
        lambda: len(talk.simple().get_message(timeout=LONG).message.value),
        lambda: len(talk.simple(buffer_size=100, max_buffer_size=None).get_message(timeout=LONG).message.value),
        lambda: talk.simple(buffer_size=100, max_buffer_size=10_000).get_message(timeout=LONG),
    )


def out_of_range(talk: Talk) -> Any:
    talk.fill()

    def one(policy: Any, offset: int) -> Any:
        made = talk.simple(auto_offset_reset=policy, partitions=[0])
        made.seek(offset)
        return made.get_message(timeout=LONG if policy == "smallest" else 1), made.offsets

    return each_of(
        *[lambda policy=policy: one(policy, 1000) for policy in ("smallest", "largest", None, "nonsense")],
        lambda: one("smallest", -7),
    )


def wrong_consumers(talk: Talk) -> Any:
    return each_of(
        lambda: talk.simple(partitions=["0"]),
        lambda: talk.simple(partitions=[0.5]),
        lambda: talk.simple(partitions=5),
        lambda: talk.simple(partitions=[]).offsets,
        lambda: talk.simple(nonsense=1),
        lambda: talk.kafka.SimpleConsumer(talk.client, 5, talk.topic),
        lambda: talk.kafka.SimpleConsumer(talk.client, talk.group, 5),
        lambda: talk.kafka.SimpleConsumer(talk.client, talk.group, None),
    )


def multi_process(talk: Talk) -> Any:
    talk.fill()
    made = talk.kafka.MultiProcessConsumer(talk.client, talk.group, talk.topic, auto_commit=False, num_procs=2)
    messages: list[Any] = []
    limit = time.monotonic() + 4 * LONG
    while len(messages) < 12 and time.monotonic() < limit:
        messages += made.get_messages(count=12 - len(messages), block=True, timeout=LONG)
    told_of = [len(made.procs), _values(messages), made.pending(), made.offsets]
    return [*told_of, made.stop(), each_of(lambda: talk.kafka.MultiProcessConsumer(talk.client, 5, talk.topic))]


def context(talk: Talk) -> Any:
    talk.fill()
    context = talk.load("kafka.context").OffsetCommitContext
    made = talk.simple()
    made.provide_partition_info()
    made.fetch_last_known_offsets()
    with context(made) as marks:
        for partition, message in made.get_messages(count=6, timeout=LONG):
            marks.mark(partition, message.offset)
    done = sorted(made.offsets.items()), sum(talk.simple().offsets.values())

    def fails() -> None:
        with context(made) as marks:
            for partition, message in made.get_messages(count=3, timeout=LONG):
                marks.mark(partition, message.offset)
            raise ZeroDivisionError

    return [sum(offset for _, offset in done[0]), done[1], told(fails), sum(made.offsets.values())]


def arguments(talk: Talk) -> Any:
    """Arguments of a consumer's calls at their limits, and of wrong types."""
    talk.fill(8)

    def call(name: str, *arguments: Any, **options: Any) -> Any:
        # One partition, so that the order is known; a consumer of its own for each call.
        made = talk.simple(partitions=[0])
        made.get_message(timeout=LONG)
        return getattr(made, name)(*arguments, **options), sorted(made.offsets.items()), made.count_since_commit

    counts: list[Any] = [0, -1, 1.5, None, "1", True]
    blocks: list[Any] = [0, 1, 2, 100, -1, None, "yes"]
    timeouts: list[Any] = [0, -1, 0.05, "1"]
    numbers: list[Any] = [[99], ["0"], [], [0, 0], 0]
    return [
        each_of(*[lambda each=each: call("get_messages", each, timeout=1) for each in counts]),
        each_of(*[lambda each=each: call("get_messages", 2, each, 1) for each in blocks]),
        each_of(*[lambda each=each: call("get_message", True, each) for each in timeouts]),
        each_of(*[lambda each=each: call("get_message", each, 1) for each in blocks]),
        each_of(*[lambda each=each: call("pending", each) for each in numbers]),
        each_of(*[lambda each=each: call("commit", each) for each in numbers]),
        each_of(*[lambda each=each: call("reset_partition_offset", each) for each in (0, 1, 99, "0", None)]),
        each_of(*[lambda each=each: call("fetch_last_known_offsets", each) for each in (None, [0], [99], [], 0)]),
        each_of(*[lambda each=each: call("seek", *each) for each in ((None,), ("1",), (1.5,), (0, None, "0"), ())]),
    ]


def after_the_end(talk: Talk) -> Any:
    """Calls on what is stopped or closed."""
    talk.fill(4)
    made, other = talk.simple(partitions=[0]), talk.consumer()
    producer = talk.kafka.SimpleProducer(talk.client, random_start=False)
    made.stop()
    stopped = each_of(lambda: made.get_message(timeout=LONG), made.commit, made.pending, lambda: made.seek(0))
    talk.client.close()
    closed = each_of(
        lambda: producer.send_messages(talk.topic, b"x"),
        producer.stop,
        lambda: made.get_message(timeout=LONG),
        talk.client.close,
        talk.client.close,
    )
    other.next()
    ended = each_of(other.close, other.close)
    return [stopped, closed, ended, len(told(other.next))]


def without_a_group(talk: Talk) -> Any:
    talk.fill(2)
    made = talk.kafka.SimpleConsumer(talk.client, None, talk.topic, auto_commit=False)
    found = made.get_messages(count=6, timeout=LONG)
    return [
        len(found),
        each_of(made.fetch_last_known_offsets, made.stop),
        each_of(lambda: talk.consumer(group_id=None).offsets("commit")),
    ]


def by_chance(seed: int) -> Conversation:
    """A program of calls as chance has it, on one partition, so that the order of messages is known."""

    def held(talk: Talk) -> Any:
        chance = random.Random(seed)
        producer = talk.load("kafka.producer.base").Producer(talk.client, codec=chance.choice((0, 0, 1)))
        reads = {
            "partitions": [1],
            "auto_offset_reset": chance.choice(("smallest", "largest")),
            "auto_commit": chance.random() < 0.5,
            "auto_commit_every_n": chance.choice((None, 1, 3)),
            "auto_commit_every_t": None,
            # All that there is: smaller ones hold as many messages as the broker's batches make them.
            "buffer_size": 1 << 20,
            "max_buffer_size": None,
        }
        made = [talk.simple(**reads)]
        written = itertools.count()

        def again() -> Any:
            made[0].stop()
            made[0] = talk.simple(**reads)

        def write() -> Any:
            values = [b"%d" % next(written) + b"x" * chance.choice((0, 0, 200)) for _ in range(chance.randrange(1, 5))]
            return producer.send_messages(talk.topic, 1, *values)

        steps: list[Callable[[], Any]] = [
            write,
            write,
            lambda: made[0].get_message(block=False),
            lambda: made[0].get_message(timeout=0.3),
            lambda: made[0].get_messages(count=chance.randrange(4), block=chance.random() < 0.5, timeout=0.3),
            lambda: made[0].seek(chance.randrange(8), chance.choice((None, 0, 1)), chance.choice((None, 1))),
            lambda: made[0].seek(chance.randrange(-4, 3), 2),
            *[
                lambda name=name, given=given: getattr(made[0], name)(*given)
                for name, given in (
                    ("pending", ()),
                    ("commit", ()),
                    ("reset_partition_offset", (1,)),
                    ("fetch_last_known_offsets", ([1],)),
                    ("provide_partition_info", ()),
                )
            ],
            again,
        ]
        # So many that none of the moves ends before the first.
        found: list[Any] = [producer.send_messages(talk.topic, 1, *[b"x"] * 4)]
        for _ in range(30):
            step = chance.choice(steps)
            found.append([told(step), sorted(made[0].offsets.items()), made[0].count_since_commit])
        return found

    return held

"""Conversations with the old `KafkaConsumer`."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

from tests.compat.kafka_legacy.calls import told
from tests.compat.kafka_legacy.talk import Conversation, Talk, each_of


def kafka_consumer(talk: Talk) -> Any:
    talk.fill(2)
    made = talk.consumer()
    found = sorted(made.next() for _ in range(6))
    end = told(made.next)
    places = {name: sorted(each.items()) for name, each in made.offsets().items()}
    return [found, end, places, each_of(lambda: made.offsets("fetch"), lambda: made.offsets("nonsense")), made.close()]


def done(talk: Talk) -> Any:
    talk.fill(3)
    made = talk.consumer()
    found = list(made.fetch_messages())
    before = told(made.commit)
    marked = [made.task_done(each) for each in found]
    again = talk.consumer()
    after = [told(made.commit), told(made.commit)]
    last = talk.consumer()
    return [len(found), before, marked, again.offsets("commit"), after, last.offsets("commit"), told(last.next)]


def topics(talk: Talk) -> Any:
    talk.fill(2)
    topic = talk.topic
    wanted: list[tuple[Any, ...]] = [
        (topic,), (topic.decode(),), ((topic, 1),), ((topic, 1, 1),), ({topic: 1},), ({topic: [0, 2]},),
        ({(topic, 1): 1},), (topic, (topic, 0)), ((topic, [0, 1]),), (5,), (None,), ((topic, 99),), ({topic: 99},),
        ((topic, "0"),), (), (b"",), ((),), ({},),
    ]  # fmt: skip
    made = talk.consumer()

    def one(forms: tuple[Any, ...]) -> Any:
        made.set_topic_partitions(*forms)
        return sorted(made.offsets("fetch").items())

    return [each_of(lambda forms=forms: one(forms))[0] for forms in wanted]


def methods(talk: Talk) -> Any:
    """Calls of wrong types, and in states in which there is nothing to do."""
    talk.fill(2)
    message = talk.common.KafkaMessage
    made = talk.consumer()
    empty = talk.kafka.KafkaConsumer(bootstrap_servers=[talk.servers], consumer_timeout_ms=100)
    wrong: list[Any] = [None, 5, message(talk.topic, 99, 0, None, b""), message(b"other", 0, 0, None, b"")]
    return each_of(
        *[lambda each=each: made.task_done(each) for each in wrong],
        lambda: made.task_done(message(talk.topic, 0, 1000, None, b"")),
        lambda: made.get_partition_offsets(talk.topic, None, -1, 1),
        lambda: made.get_partition_offsets(None, 0, -1, 1),
        lambda: made.get_partition_offsets(talk.topic, 0, "x", 1),
        lambda: made.configure(nonsense=1),
        lambda: made.configure(bootstrap_servers=[talk.servers], auto_offset_reset="nonsense"),
        lambda: list(empty.fetch_messages()),
        empty.next,
        lambda: empty.offsets("fetch"),
        empty.commit,
        lambda: made.offsets(5),
        lambda: iter(made) is made,
        lambda: len(repr(made)) > 0,
    )


def kafka_consumer_by_chance(seed: int) -> Conversation:
    """The same on the old `KafkaConsumer`."""

    def held(talk: Talk) -> Any:
        chance = random.Random(seed)
        producer = talk.load("kafka.producer.base").Producer(talk.client)
        settings = {
            "auto_offset_reset": chance.choice(("smallest", "largest")),
            "auto_commit_enable": chance.random() < 0.5,
            "auto_commit_interval_messages": chance.choice((None, 1, 2)),
            "auto_commit_interval_ms": None,
            "consumer_timeout_ms": 200,
        }
        made = [talk.consumer((talk.topic, 1), **settings)]
        given: list[Any] = []

        def keep(*messages: Any) -> Any:
            given.extend(messages)
            return list(messages)

        def commit() -> Any:
            return made[0].commit()

        def again() -> None:
            made[0].close()
            made[0] = talk.consumer((talk.topic, 1), **settings)

        steps: list[Callable[[], Any]] = [
            # More at once are cut by a broker of 2.8, which makes them into messages of the old format.
            lambda: producer.send_messages(talk.topic, 1, *[b"x"] * chance.randrange(1, 3)),
            lambda: keep(made[0].next()),
            lambda: keep(made[0].next()),
            lambda: keep(*made[0].fetch_messages()),
            lambda: keep(*itertools.islice(made[0].fetch_messages(), 1)),
            lambda: made[0].task_done(given[-1]),
            lambda: made[0].task_done(chance.choice(given)),
            commit,
            lambda: made[0].set_topic_partitions((talk.topic, 1, chance.randrange(6))),
            lambda: made[0].set_topic_partitions((talk.topic, 1)),
            lambda: made[0].get_partition_offsets(talk.topic, 1, chance.choice((-1, -2)), 1),
            again,
        ]
        found: list[Any] = [producer.send_messages(talk.topic, 1, *[b"x"] * 2)]
        for _ in range(25):
            step = chance.choice(steps)
            places = {name: sorted(each.items()) for name, each in made[0].offsets().items()}
            found.append([told(step), sorted(places.items())])
        made[0].close()
        return found

    return held


def settings(talk: Talk) -> Any:
    make = talk.kafka.KafkaConsumer
    return each_of(
        lambda: make(talk.topic),
        lambda: make(talk.topic, bootstrap_servers=[]),
        lambda: make(talk.topic, bootstrap_servers=[talk.servers], nonsense=1),
        lambda: talk.consumer(auto_offset_reset="nonsense"),
        lambda: talk.consumer(auto_commit_enable=True, group_id=None),
        lambda: talk.consumer(group_id=None).commit(),
        lambda: sorted(make.DEFAULT_CONFIG),
        lambda: talk.consumer(deserializer_class=1).next(),
    )


def offsets_of_partitions(talk: Talk) -> Any:
    talk.fill(4)
    made = talk.consumer()
    return each_of(
        lambda: made.get_partition_offsets(talk.topic, 0, -1, 1),
        lambda: made.get_partition_offsets(talk.topic, 0, -2, 1),
        lambda: made.get_partition_offsets(talk.topic, 0, -1, 5),
        lambda: made.get_partition_offsets(talk.topic, 99, -1, 1),
        lambda: made.get_partition_offsets(talk.topic, 0, -1, 0),
    )

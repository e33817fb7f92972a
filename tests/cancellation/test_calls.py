"""Commits, questions and the ends of clients that are given up: done or not done, never half, and nothing is left."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from kafkars.aio import Admin, Consumer, Producer
from kafkars.compat import aiokafka
from kafkars.testing import EmbeddedBroker
from kafkars.types import TopicPartition

from tests.cancellation.conftest import History
from tests.cancellation.ways import SEED, WAYS, Subject, Way
from tests.support.leftovers import assert_no_more_than, belongings

BOTH = [TopicPartition("t2", 0), TopicPartition("t2", 1)]


@pytest.mark.parametrize("library", ["native", "aiokafka"])
def test_a_commit_is_done_as_a_whole_or_not(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int, library: str
) -> None:
    source = random.Random(SEED)

    async def history(commit: Callable[[dict[Any, int]], Any], consumer: Consumer[Any, Any]) -> None:
        least = 0
        for number in range(1, cancels // 2 + 1):
            way = source.choice(WAYS)
            await way(Subject(lambda number=number: commit(dict.fromkeys(BOTH, number))), source)
            found = await consumer.committed(BOTH)
            offsets = {metadata.offset for metadata in found.values()}
            assert len(offsets) <= 1, "half of a commit"
            assert len(found) in {0, 2}
            if offsets:
                assert least <= min(offsets) <= number
                least = min(offsets)
        await commit(dict.fromkeys(BOTH, 10_000))
        assert {each.offset for each in (await consumer.committed(BOTH)).values()} == {10_000}

    async def main() -> None:
        settings: dict[str, Any] = {"bootstrap_servers": cluster.bootstrap_servers, "group_id": "g"}
        async with Consumer(**settings) as consumer:
            consumer.assign(BOTH)
            if library == "native":
                await history(consumer.commit, consumer)
                return
            async with aiokafka.AIOKafkaConsumer(**settings, enable_auto_commit=False) as other:
                other.assign([aiokafka.TopicPartition(*each) for each in BOTH])
                await history(other.commit, consumer)

    run(main)


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "position": lambda consumer: consumer.position(BOTH[0]),
    "beginning_offsets": lambda consumer: consumer.beginning_offsets(BOTH),
    "end_offsets": lambda consumer: consumer.end_offsets(BOTH),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({BOTH[0]: 0}),
    "topics": lambda consumer: consumer.topics(),
    "committed": lambda consumer: consumer.committed(BOTH[0]),
}
NATIVE_QUESTIONS = {
    **QUESTIONS,
    "committed": lambda consumer: consumer.committed(BOTH),
    "partitions_for": lambda consumer: consumer.partitions_for("t2"),
}
FACE_QUESTIONS = {
    **QUESTIONS,
    "seek_to_beginning": lambda consumer: consumer.seek_to_beginning(),
    "seek_to_end": lambda consumer: consumer.seek_to_end(BOTH[1]),
    "seek_to_committed": lambda consumer: consumer.seek_to_committed(),
}


@pytest.mark.parametrize("library", ["native", "aiokafka"])
def test_questions_are_answered_after_others_were_given_up(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int, library: str
) -> None:
    source = random.Random(SEED)

    async def main() -> None:
        settings: dict[str, Any] = {"bootstrap_servers": cluster.bootstrap_servers, "group_id": "g"}
        client: Any = Consumer(**settings) if library == "native" else aiokafka.AIOKafkaConsumer(**settings)
        questions = NATIVE_QUESTIONS if library == "native" else FACE_QUESTIONS
        async with client as consumer:
            consumer.assign(BOTH)
            for _ in range(cancels):
                ask, way = source.choice(list(questions.values())), source.choice(WAYS)
                await way(Subject(lambda ask=ask: ask(consumer)), source)
            assert await consumer.end_offsets(BOTH) == dict.fromkeys(BOTH, 0)
            assert await consumer.position(BOTH[0]) == 0

    run(main)


CLIENTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "Consumer": lambda settings: Consumer(**settings, group_id="g"),
    "Producer": lambda settings: Producer(**settings, linger_ms=60_000),
    "Admin": lambda settings: Admin(**settings),
    "AIOKafkaConsumer": lambda settings: aiokafka.AIOKafkaConsumer("t", **settings, group_id="f"),
    "AIOKafkaProducer": lambda settings: aiokafka.AIOKafkaProducer(**settings, linger_ms=60_000),
}


@pytest.mark.parametrize("way", [way for way in WAYS if way.__name__ != "dropped"])
@pytest.mark.parametrize("kind", CLIENTS)
def test_a_close_that_is_given_up_leaves_nothing(
    cluster: EmbeddedBroker, run: Callable[[History], None], kind: str, way: Way
) -> None:
    async def main() -> None:
        client: Any = CLIENTS[kind]({"bootstrap_servers": cluster.bootstrap_servers})
        is_face = hasattr(client, "start")
        if is_face:
            await client.start()
        if kind in {"Producer", "AIOKafkaProducer"}:
            # Otherwise it may not have left when the end comes, which then is no matter of a failure nobody looked at.
            delivery: Any = await client.send("t", b"value") if is_face else client.send_nowait("t", b"value")
            delivery.cancel()
        if kind == "Consumer":
            client.subscribe(["t"])
            await client.poll(0)
        if kind == "Admin":
            await client.list_topics()
        close = client.stop if is_face else client.close
        await way(Subject(close), random.Random(SEED))
        # A coroutine that never began has closed nothing.
        await close()
        if not is_face:
            assert client.closed

    with Producer_once(cluster):
        pass
    before = belongings()
    run(main)
    assert_no_more_than(before)


class Producer_once:  # noqa: N801
    """What a process makes once is not left behind by a test."""

    def __init__(self, cluster: EmbeddedBroker) -> None:
        import kafkars

        self._producer = kafkars.Producer(bootstrap_servers=cluster.bootstrap_servers)

    def __enter__(self) -> None:
        self._producer.send("t", b"once").result(10)

    def __exit__(self, *_: object) -> None:
        self._producer.close()

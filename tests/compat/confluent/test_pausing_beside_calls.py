"""`pause()` while another call gathers messages: none of the partition comes after it, and none is lost.

In the library `pause()` waits until such a call has ended. Here it does not wait.
"""

from __future__ import annotations

import asyncio
import importlib
import threading
from collections.abc import Callable
from typing import Any

import pytest
from kafkars.compat.confluent_kafka._handlers import ConsumerPolls

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, poll_until
from tests.kafka.cluster import wait_until

COUNT = 10
"""Messages of each of two partitions."""


@pytest.fixture(autouse=True)
def _face_alone(clients: Clients) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("in the library pause() waits for the other call")


def offsets(messages: list[Any], partition: int) -> list[int]:
    return [each.offset() for each in messages if each.partition() == partition and each.error() is None]


def ends(messages: list[Any]) -> list[int]:
    return [each.partition() for each in messages if each.error() is not None]


def taken(consumer: Any, places: list[Any]) -> None:
    """Waits until calls have taken all messages of these partitions."""
    positions: Callable[[], list[int]] = lambda: [consumer._engine_.position((at.topic, at.partition)) for at in places]  # noqa: E731
    wait_until(lambda: positions() == [COUNT] * len(places), SECONDS, "all is taken")


def gathering(consumer: Any, number: int) -> tuple[threading.Thread, list[Any]]:
    """Consumes that many messages on another thread."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(consumer.consume(number, SECONDS)))
    thread.start()
    return thread, found


def write_another(clients: Clients, topic: str) -> None:
    """Writes the message that the call waits for, to the partition that is not paused."""
    writer = clients.writer()
    writer.produce(topic, b"more", partition=1)
    assert writer.flush(SECONDS) == 0


@pytest.mark.parametrize("read_before", [0, 3])
def test_a_consume_on_another_thread_returns_nothing_of_it(clients: Clients, read_before: int) -> None:
    topic = clients.topic(2, messages=2 * COUNT)
    places = [clients.ck.TopicPartition(topic, number, 0) for number in range(2)]
    consumer = clients.consumer({"enable.auto.commit": False})
    consumer.assign(places[:1])
    assert offsets(poll_until(consumer, read_before), 0) == list(range(read_before))
    consumer.incremental_assign(places[1:])
    thread, found = gathering(consumer, 2 * COUNT - read_before + 1)
    taken(consumer, places)
    consumer.pause(places[:1])
    write_another(clients, topic)
    thread.join(SECONDS)
    assert (offsets(found, 0), offsets(found, 1)) == ([], list(range(COUNT + 1)))
    (at,) = consumer.position(places[:1])
    assert at.offset == (read_before or clients.ck.OFFSET_INVALID)
    assert {each.partition: each.offset for each in consumer.commit(asynchronous=False)}[1] == COUNT + 1
    assert consumer.consume(COUNT, 0.1) == []
    consumer.resume(places[:1])
    assert offsets(consumer.consume(COUNT - read_before, SECONDS), 0) == list(range(read_before, COUNT))


def test_the_end_of_a_paused_partition_comes_after_its_messages(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[int] = []
    make = ConsumerPolls.partition_end

    def partition_end(polls: ConsumerPolls, topic: str, partition: int, offset: int) -> Any:
        met.append(partition)
        return make(polls, topic, partition, offset)

    monkeypatch.setattr(ConsumerPolls, "partition_end", partition_end)
    topic = clients.topic(2, messages=2 * COUNT)
    places = [clients.ck.TopicPartition(topic, number, 0) for number in range(2)]
    consumer = clients.consumer({"enable.partition.eof": True})
    consumer.assign(places)
    thread, found = gathering(consumer, 2 * COUNT + 3)
    wait_until(lambda: sorted(met) == [0, 1], SECONDS, "both ends")
    consumer.pause(places[:1])
    write_another(clients, topic)
    thread.join(SECONDS)
    assert (offsets(found, 0), offsets(found, 1)) == ([], list(range(COUNT + 1)))
    assert ends(found)[:1] == [1]
    consumer.resume(places[:1])
    rest = consumer.consume(COUNT + 2, SECONDS)
    assert offsets(rest, 0) == list(range(COUNT))
    assert [each.error() is None for each in rest if each.partition() == 0] == [True] * COUNT + [False]


@pytest.mark.parametrize("resumes", [False, True], ids=["paused", "resumed"])
def test_calls_of_asyncio_return_nothing_of_it(clients: Clients, resumes: bool) -> None:
    topic = clients.topic(2, messages=2 * COUNT)
    places = [clients.ck.TopicPartition(topic, number, 0) for number in range(2)]
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "group.id": clients.group()}

    async def work() -> None:
        consumer = importlib.import_module(FACE + ".aio").AIOConsumer(settings)
        await consumer.assign(places)
        first = asyncio.ensure_future(consumer.consume(99, 2))
        held: Callable[[], int] = lambda: sum(len(each.messages) for each in consumer._consumer._gatherings_)  # noqa: E731
        await asyncio.to_thread(wait_until, lambda: held() == 2 * COUNT, SECONDS, "the call has all messages")
        await consumer.pause(places[:1])
        if resumes:
            await consumer.resume(places[:1])
        found = await first
        assert offsets(found, 1) == list(range(COUNT))
        if resumes:
            assert offsets(found, 0) == list(range(COUNT))
        else:
            assert offsets(found, 0) == []
            assert [each.offset for each in await consumer.position(places)] == [clients.ck.OFFSET_INVALID, COUNT]
            await consumer.resume(places[:1])
            assert offsets(await consumer.consume(COUNT, SECONDS), 0) == list(range(COUNT))
        await consumer.close()

    asyncio.run(asyncio.wait_for(work(), 3 * SECONDS))


@pytest.mark.parametrize("steps", ["pause, seek", "seek, pause", "pause, assign"])
def test_where_the_program_goes_on_counts_more_than_what_was_taken_before(clients: Clients, steps: str) -> None:
    """In a callback that the call runs when it has taken messages."""
    topic = clients.topic(messages=100)
    place = clients.ck.TopicPartition
    heard: list[Any] = []

    def on_commit(_error: Any, _partitions: Any) -> None:
        if heard:
            return
        heard.append(consumer.position([place(topic, 0)])[0].offset)
        for step in steps.split(", "):
            if step == "pause":
                consumer.pause([place(topic, 0)])
            elif step == "seek":
                consumer.seek(place(topic, 0, 50))
            else:
                consumer.assign([place(topic, 0, 50)])
                consumer.pause([place(topic, 0)])

    consumer = clients.consumer({"on_commit": on_commit, "auto.commit.interval.ms": 300})
    consumer.assign([place(topic, 0, 0)])
    assert len(consumer.consume(10, SECONDS)) == 10
    # The automatic commit of these is made, and told, within this call.
    assert consumer.consume(1_000, 2.0) == []
    assert heard
    consumer.resume([place(topic, 0)])
    assert [each.offset() for each in consumer.consume(3, SECONDS)] == [50, 51, 52]

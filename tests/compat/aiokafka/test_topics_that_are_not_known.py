"""Sends to topics that are not known yet, or not any more. Until its topic is known a record is the caller's alone."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import SECONDS

TIMES = 10
LONG_MS = int(1000 * SECONDS)
"""Longer than a test takes."""
SHORT_MS = 1500


def plain(library: Library) -> type:
    """The library's own producer."""
    kind: type = library.module().AIOKafkaProducer
    return kind


def serializing(library: Library) -> type:
    """A producer with a `_serialize()` of its own, which does what it replaces."""

    class Own(library.module().AIOKafkaProducer):  # type: ignore[misc, name-defined]
        def _serialize(self, key: Any, value: Any, headers: Any) -> Any:
            return super()._serialize(key, value, headers)

    return Own


KINDS = pytest.mark.parametrize("kind", [plain, serializing])


async def values(library: Library, topic: str) -> list[bytes]:
    """What is stored in a topic of one partition."""
    place = library.partition(topic)
    async with library.consumer() as consumer:
        consumer.assign([place])
        count = (await consumer.end_offsets([place]))[place]
        return [(await consumer.getone()).value for _ in range(count)]


def be_busy_until_known(library: Library, producer: Any, topic: str) -> None:
    """Keeps the loop busy until the engine's own threads have learnt of a topic; the original has none."""
    end = time.monotonic() + SECONDS
    while library.is_face and producer.client.cluster.partitions_for_topic(topic) is None:
        assert time.monotonic() < end


@KINDS
def test_a_send_that_is_cancelled_while_its_topic_is_not_known_is_not_sent(
    library: Library, run: Run, kind: Any
) -> None:
    """Also where the topic became known while the loop was busy: whoever is cancelled sends again."""

    async def test() -> None:
        async with kind(library)(bootstrap_servers=library.broker.bootstrap_servers) as producer:
            for _ in range(TIMES):
                topic = library.broker.new_topic()
                task = asyncio.ensure_future(producer.send(topic, b"given up"))
                await asyncio.sleep(0)
                be_busy_until_known(library, producer, topic)
                # The broker may have answered within that turn of the loop.
                if not task.cancel():
                    continue
                with pytest.raises(asyncio.CancelledError):
                    await task
                await producer.send_and_wait(topic, b"sent again")
                assert await values(library, topic) == [b"sent again"]

    run(test)


@KINDS
@pytest.mark.parametrize("first", ["send", "send_batch"])
def test_records_and_batches_keep_their_order(library: Library, run: Run, kind: Any, first: str) -> None:
    async def test() -> None:
        async with kind(library)(bootstrap_servers=library.broker.bootstrap_servers) as producer:
            for _ in range(TIMES):
                topic = library.broker.new_topic()
                batch = producer.create_batch()
                batch.append(key=None, value=b"send_batch", timestamp=1)
                calls = {
                    "send": producer.send(topic, b"send", partition=0),
                    "send_batch": producer.send_batch(batch, topic, partition=0),
                }
                order = [first, *(call for call in calls if call != first)]
                tasks = [asyncio.ensure_future(calls[call]) for call in order]
                await asyncio.gather(*await asyncio.gather(*tasks))
                assert await values(library, topic) == [call.encode() for call in order]

    run(test)


@KINDS
def test_once_a_topic_is_known_nobody_waits_for_it_any_more(library: Library, run: Run, kind: Any) -> None:
    """Also where several tasks go on to send, each of which would wait for the others."""
    if not library.is_face:
        pytest.skip("looks into the face")

    async def test() -> None:
        async with kind(library)(bootstrap_servers=library.broker.bootstrap_servers) as producer:
            topic = library.broker.new_topic()

            async def send() -> None:
                for _ in range(TIMES):
                    await producer.send(topic, b"value", partition=0)
                    assert topic not in producer._known_topics_.awaited

            await asyncio.gather(*(send() for _ in range(4)))
            await producer.flush()
            assert len(await values(library, topic)) == 4 * TIMES

    run(test)


@KINDS
def test_who_waits_after_others_has_all_of_its_time(strict: Library, run: Run, kind: Any) -> None:
    topic = f"late-{strict.group()}"

    async def test() -> None:
        address = {"bootstrap_servers": strict.broker.bootstrap_servers}
        async with kind(strict)(request_timeout_ms=SHORT_MS, **address) as producer:
            early = asyncio.ensure_future(producer.send(topic, b"early"))
            await asyncio.wait([early], timeout=SHORT_MS / 2000)
            late = asyncio.ensure_future(producer.send(topic, b"late"))
            with pytest.raises(strict.errors.KafkaError):
                await early
            assert not late.done()
            strict.broker.handle.create_topic(topic)
            await (await late)
            assert await values(strict, topic) == [b"late"]

    run(test)


@KINDS
def test_flush_does_not_wait_for_a_topic_that_does_not_exist(strict: Library, run: Run, kind: Any) -> None:
    async def test() -> None:
        address = {"bootstrap_servers": strict.broker.bootstrap_servers}
        async with kind(strict)(request_timeout_ms=LONG_MS, **address) as producer:
            task = asyncio.ensure_future(producer.send("unknown", b"value"))
            await asyncio.sleep(0)
            await producer.flush()
            assert not task.done()
            task.cancel()
            await asyncio.wait([task])

    run(test)


@KINDS
def test_a_commit_does_not_wait_for_a_topic_that_does_not_exist(strict: Library, run: Run, kind: Any) -> None:
    """The send goes on when the topic is there, and finds no transaction."""
    topic, late = strict.broker.new_topic(), f"late-{strict.group()}"

    async def test() -> None:
        address = {"bootstrap_servers": strict.broker.bootstrap_servers}
        settings = {"transactional_id": strict.group(), "request_timeout_ms": LONG_MS, **address}
        async with kind(strict)(**settings) as producer:
            await producer.begin_transaction()
            await producer.send_and_wait(topic, b"value")
            task = asyncio.ensure_future(producer.send(late, b"late"))
            await asyncio.sleep(0)
            await producer.commit_transaction()
            strict.broker.handle.create_topic(late)
            with pytest.raises(strict.errors.IllegalOperation):
                await task
            # That it came too late is no fault of the next one.
            async with producer.transaction():
                await producer.send_and_wait(late, b"in time")
        async with strict.consumer(late, isolation_level="read_committed") as consumer:
            assert (await consumer.getone()).value == b"in time"

    run(test)


@pytest.mark.parametrize("wrong", ["topic", "partitioner", "partition"])
def test_a_send_that_fails_before_its_topic_is_known_spoils_no_transaction(
    strict: Library, run: Run, wrong: str
) -> None:
    topics = [strict.broker.new_topic(), strict.broker.new_topic()]
    unknown = "unknown" if wrong == "topic" else topics[1]

    def partitioner(key: bytes | None, everyone: list[int], _: list[int]) -> int:
        if key == b"wrong":
            raise ValueError
        return everyone[0]

    async def test() -> None:
        settings = {"transactional_id": strict.group(), "request_timeout_ms": SHORT_MS, "partitioner": partitioner}
        async with strict.producer(**settings) as producer, producer.transaction():
            await producer.send(topics[0], b"value")
            errors = (strict.errors.UnknownTopicOrPartitionError, ValueError, AssertionError)
            with pytest.raises(errors):
                await producer.send(unknown, b"value", b"wrong", partition=7 if wrong == "partition" else None)
        stored = strict.broker.handle.records(topics[0])
        assert [(record.value, record.state) for record in stored] == [(b"value", "committed")]

    run(test)


@pytest.mark.parametrize("settings", [{}, {"enable_idempotence": True}], ids=["plain", "idempotent"])
def test_what_is_sent_to_a_topic_that_is_deleted_fails(strict: Library, run: Run, settings: dict[str, Any]) -> None:
    """`request_timeout_ms` after it is gone."""
    topic, other = strict.broker.new_topic(), strict.broker.new_topic()

    async def test() -> None:
        address = {"bootstrap_servers": strict.broker.bootstrap_servers}
        limits = {"metadata_max_age_ms": 500, "request_timeout_ms": SHORT_MS}
        async with strict.producer(**limits, **settings) as producer:
            await producer.send_and_wait(topic, b"value")
            admin = strict.module("admin").AIOKafkaAdminClient(**address)
            await admin.start()
            await admin.delete_topics([topic])
            await admin.close()
            kinds = (strict.errors.UnknownTopicOrPartitionError, strict.errors.NotLeaderForPartitionError)
            for _ in range(2):
                with pytest.raises(kinds) as raised:
                    await producer.send_and_wait(topic, b"late")
                assert raised.value.retriable
            await producer.flush()
            await producer.send_and_wait(other, b"value")

    run(test)

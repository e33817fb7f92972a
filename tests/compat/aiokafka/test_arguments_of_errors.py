"""What errors are about is their argument: programs read it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run


def settings(library: Library) -> dict[str, Any]:
    return {"group_id": library.group(), "enable_auto_commit": False, "request_timeout_ms": 2_000}


@pytest.mark.parametrize("api", ["OffsetCommit", "OffsetFetch"])
def test_a_group_that_is_refused_is_named(embedded: Library, run: Run, api: str) -> None:
    topic = embedded.broker.new_topic()
    given = settings(embedded)

    async def test() -> None:
        await embedded.fill(topic, 1)
        async with embedded.consumer(topic, **given) as consumer:
            await consumer.getone()
            with (
                embedded.broker.handle.intercept(api, "GROUP_AUTHORIZATION_FAILED"),
                pytest.raises(embedded.errors.GroupAuthorizationFailedError) as refused,
            ):
                await (consumer.commit() if api == "OffsetCommit" else consumer.committed(embedded.partition(topic)))
            assert refused.value.args == (given["group_id"],)

    run(test)


def test_a_group_that_may_not_be_joined_is_named(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()
    given = settings(embedded)

    async def test() -> None:
        async with embedded.consumer(**given) as consumer:
            with embedded.broker.handle.intercept("JoinGroup", "GROUP_AUTHORIZATION_FAILED"):
                consumer.subscribe([topic])
                for _ in range(2):
                    with pytest.raises(embedded.errors.GroupAuthorizationFailedError) as refused:
                        await asyncio.wait_for(consumer.getone(), 10)
                    assert refused.value.args == (given["group_id"],)
                    if not embedded.is_face:
                        # The original tells it once.
                        break

    run(test)


def test_topics_that_are_refused_are_named(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        async with embedded.consumer(topic, **settings(embedded)) as consumer:
            await consumer.getone()
            with (
                embedded.broker.handle.intercept("OffsetCommit", "TOPIC_AUTHORIZATION_FAILED"),
                pytest.raises(embedded.errors.TopicAuthorizationFailedError) as refused,
            ):
                await consumer.commit()
            assert refused.value.args == ({topic},)
            with (
                embedded.broker.handle.intercept("Fetch", "TOPIC_AUTHORIZATION_FAILED"),
                pytest.raises(embedded.errors.TopicAuthorizationFailedError) as refused,
            ):
                await asyncio.wait_for(consumer.getone(), 10)
            assert refused.value.args == (topic,)

    run(test)


@pytest.mark.parametrize("ask", ["beginning_offsets", "end_offsets", "offsets_for_times"])
def test_a_partition_that_is_refused_is_named(embedded: Library, run: Run, ask: str) -> None:
    topic = embedded.broker.new_topic()
    partition = embedded.partition(topic)

    async def test() -> None:
        async with embedded.consumer(**settings(embedded)) as consumer:
            with (
                embedded.broker.handle.intercept("ListOffsets", "TOPIC_AUTHORIZATION_FAILED"),
                pytest.raises(embedded.errors.TopicAuthorizationFailedError) as refused,
            ):
                await getattr(consumer, ask)({partition: 0} if ask == "offsets_for_times" else [partition])
            assert refused.value.args == (partition,)

    run(test)


def test_partitions_without_timestamps(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic(partitions=2)
    partitions = [embedded.partition(topic, number) for number in range(2)]

    async def test() -> None:
        await embedded.fill(topic, 2, partitions=2)
        async with embedded.consumer(**settings(embedded)) as consumer:
            with embedded.broker.handle.intercept("ListOffsets", "UNSUPPORTED_FOR_MESSAGE_FORMAT"):
                assert await consumer.offsets_for_times(dict.fromkeys(partitions, 0)) == dict.fromkeys(partitions)
            found = await consumer.offsets_for_times(dict.fromkeys(partitions, 0))
            assert {partition: place.offset for partition, place in found.items()} == dict.fromkeys(partitions, 0)

    run(test)


@pytest.mark.parametrize("api", ["FindCoordinator", "InitProducerId"])
def test_a_transactional_id_that_is_refused_is_named(embedded: Library, run: Run, api: str) -> None:
    name = embedded.group()

    async def test() -> None:
        producer = embedded.producer(transactional_id=name)
        with (
            embedded.broker.handle.intercept(api, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"),
            pytest.raises(embedded.errors.TransactionalIdAuthorizationFailed) as refused,
        ):
            await producer.start()
        assert refused.value.args == (name,)
        await producer.stop()

    run(test)


def test_a_group_whose_offsets_are_refused_is_named(embedded: Library, run: Run) -> None:
    topic, group = embedded.broker.new_topic(), embedded.group()

    async def test() -> None:
        async with embedded.producer(transactional_id=embedded.group()) as producer:
            await producer.begin_transaction()
            with embedded.broker.handle.intercept("TxnOffsetCommit", "GROUP_AUTHORIZATION_FAILED"):
                for step in (
                    producer.send_offsets_to_transaction({embedded.partition(topic): 1}, group),
                    producer.commit_transaction(),
                ):
                    with pytest.raises(embedded.errors.GroupAuthorizationFailedError) as refused:
                        await step
                    assert refused.value.args == (group,)
            await producer.abort_transaction()

    run(test)

"""A commit that has failed does not pass for done when it is made again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run


def settings(library: Library) -> dict[str, Any]:
    return {
        "group_id": library.group(),
        "enable_auto_commit": False,
        "heartbeat_interval_ms": 100,
        "session_timeout_ms": 6_000,
        "request_timeout_ms": 2_000,
        "retry_backoff_ms": 20,
    }


@pytest.mark.parametrize("code", ["ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS"])
def test_a_commit_that_is_refused_fails_again(embedded: Library, run: Run, code: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 2)
        async with embedded.consumer(topic, **settings(embedded)) as consumer:
            assert (await consumer.getone()).offset == 0
            with embedded.broker.handle.intercept("OffsetCommit", code):
                for _ in range(3):
                    with pytest.raises(embedded.errors.CommitFailedError):
                        await consumer.commit()
            # It takes part again, and commits what it reads.
            assert (await consumer.getone()).offset == 0
            await consumer.commit()
            assert await consumer.committed(embedded.partition(topic)) == 1

    run(test)


@pytest.mark.parametrize("code", ["ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS"])
def test_a_commit_of_what_is_assigned_by_hand_is_refused_alike(embedded: Library, run: Run, code: str) -> None:
    topic = embedded.broker.new_topic()
    partition = embedded.partition(topic)

    async def test() -> None:
        await embedded.fill(topic, 1)
        async with embedded.consumer(**settings(embedded)) as consumer:
            consumer.assign([partition])
            await consumer.getone()
            with embedded.broker.handle.intercept("OffsetCommit", code):
                for offsets in ({}, {"offsets": {partition: 1}}):
                    with pytest.raises(embedded.errors.CommitFailedError):
                        await consumer.commit(**offsets)
            await consumer.commit()
            assert await consumer.committed(partition) == 1

    run(test)


def test_a_consumer_without_membership_cannot_commit_for_a_group_that_has_members(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()
    partition = library.partition(topic)

    async def test() -> None:
        names = settings(library)
        await library.fill(topic, 1)
        async with library.consumer(topic, **names) as member, library.consumer(**names) as other:
            await member.getone()
            other.assign([partition])
            await other.getone()
            with pytest.raises(library.errors.CommitFailedError):
                await other.commit()

    run(test)


def test_a_program_that_goes_on_elsewhere_may_commit_at_once(face: Library, run: Run) -> None:
    topic = face.broker.new_topic()
    partition = face.partition(topic)

    async def test() -> None:
        await face.fill(topic, 3)
        async with face.consumer(topic, **settings(face)) as consumer:
            await consumer.getone()
            with (
                face.broker.handle.intercept("OffsetCommit", "ILLEGAL_GENERATION", times=1),
                pytest.raises(face.errors.CommitFailedError),
            ):
                await consumer.commit()
            with pytest.raises(face.errors.CommitFailedError):
                await consumer.commit()
            consumer.seek(partition, 2)
            await consumer.commit()
            assert await consumer.committed(partition) == 2

    run(test)


def test_retrying_ends_when_the_session_would_have(face: Library, run: Run) -> None:
    """Programs that retry for ever: in the original it ends when the group has taken the member in again."""
    topic = face.broker.new_topic()

    async def test() -> None:
        await face.fill(topic, 1)
        async with face.consumer(topic, **settings(face)) as consumer:
            await consumer.getone()
            # Brokers take no session as short as this.
            consumer._commits._session = 0.5
            tries = 0
            with face.broker.handle.intercept("OffsetCommit", "ILLEGAL_GENERATION", times=1):
                while True:
                    tries += 1
                    try:
                        await consumer.commit()
                        break
                    except face.errors.CommitFailedError:
                        await asyncio.sleep(0.01)
            assert tries > 2
            assert (await consumer.getone()).offset == 0

    run(test)

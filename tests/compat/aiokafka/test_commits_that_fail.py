"""A commit that has failed does not pass for done when it is made again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import until


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
            changes = consumer._membership_.changes
            with (
                face.broker.handle.intercept("OffsetCommit", "ILLEGAL_GENERATION", times=1),
                pytest.raises(face.errors.CommitFailedError),
            ):
                await consumer.commit()
            with pytest.raises(face.errors.CommitFailedError):
                await consumer.commit()
            # The partitions go and come back.
            await until(lambda: consumer._membership_.changes >= changes + 2)
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
            consumer._commits_._session = 0.5
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


@pytest.mark.parametrize("names", ["all", "one"])
def test_a_commit_between_giving_back_and_getting_again_does_not_pass_for_done(
    embedded: Library, run: Run, names: str
) -> None:
    """Another member is slow to come back, and meanwhile nobody has these partitions."""
    topic, partitions = embedded.broker.new_topic(partitions=2), range(2)

    async def test() -> None:
        own = settings(embedded)
        await embedded.fill(topic, 4, partitions=2)
        is_slow, goes_on = asyncio.Event(), asyncio.Event()

        class Slow(embedded.module("abc").ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
            async def on_partitions_revoked(self, revoked: Any) -> None:
                if revoked:
                    is_slow.set()
                    await goes_on.wait()

            async def on_partitions_assigned(self, assigned: Any) -> None:
                pass

        async with embedded.consumer(topic, **own) as member, embedded.consumer(**own) as other:
            other.subscribe([topic], listener=Slow())
            while not (member.assignment() and other.assignment()):
                await member.getmany(timeout_ms=20)
                await other.getmany(timeout_ms=20)
            [mine] = member.assignment()
            await member.seek_to_beginning(mine)
            assert (await member.getone()).offset == 0
            third = embedded.consumer(topic, **own)
            starts = asyncio.ensure_future(third.start())
            await asyncio.wait_for(is_slow.wait(), 20)
            with suppress(TimeoutError, asyncio.TimeoutError):
                # The time in which it is told of the rebalance by a heartbeat, and gives back.
                await asyncio.wait_for(asyncio.shield(starts), 1)
            with pytest.raises(embedded.errors.CommitFailedError):
                await asyncio.wait_for(member.commit() if names == "all" else member.commit({mine: 1}), 20)
            goes_on.set()
            await starts
            for number in partitions:
                assert await third.committed(embedded.partition(topic, number)) is None
            await third.stop()

    run(test)


def test_what_is_assigned_after_unsubscribing_is_committed(library: Library, run: Run) -> None:
    """Though the group is still being left, and takes its partitions."""
    run(lambda: commit_by_hand_after_unsubscribing(library, pause=None))


@pytest.mark.parametrize("pause", [0, 0.01])
def test_when_it_is_assigned_makes_no_difference(face: Library, run: Run, pause: float) -> None:
    """aiokafka commits as the member that it was if it had just asked to leave, and that may be refused."""
    run(lambda: commit_by_hand_after_unsubscribing(face, pause=pause))


async def commit_by_hand_after_unsubscribing(library: Library, pause: float | None) -> None:
    topic = library.broker.new_topic()
    partition = library.partition(topic)
    await library.fill(topic, 3)
    async with library.consumer(topic, **settings(library)) as consumer:
        assert (await consumer.getone()).offset == 0
        for _ in range(2):
            consumer.unsubscribe()
            if pause is not None:
                await asyncio.sleep(pause)
            consumer.assign([partition])
            consumer.seek(partition, 1)
            assert (await consumer.getone()).offset == 1
            await consumer.commit()
            assert await consumer.committed(partition) == 2
            await consumer.commit({partition: 1})
            assert await consumer.committed(partition) == 1

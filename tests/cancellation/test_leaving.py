"""Members that end in every way there is, in whatever state: the group is left, and what they have finished is
committed."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import kafkars
import pytest
from kafkars import Admin, TopicPartition
from kafkars.aio import Consumer, Producer
from kafkars.errors import KafkaTimeoutError
from kafkars.testing import EmbeddedBroker

from tests.support.groups import PROTOCOLS

BOTH = [TopicPartition("t2", 0), TopicPartition("t2", 1)]
SECONDS = 10.0
GOODBYES = {"classic": "LeaveGroup", "consumer": "ConsumerGroupHeartbeat"}


class Scene:
    """A group of one protocol on one broker."""

    def __init__(self, broker: EmbeddedBroker, protocol: str, admin: Admin) -> None:
        self.broker = broker
        self.protocol = protocol
        self.admin = admin

    def member(self, **settings: Any) -> Consumer[Any, Any]:
        """A member whose place is kept for long, unless it says goodbye."""
        if self.protocol == "classic":
            settings |= {
                "session_timeout_ms": 60_000,
                "heartbeat_interval_ms": 100,
                "partition_assignment_strategy": "range",
            }
        return Consumer(
            bootstrap_servers=self.broker.bootstrap_servers,
            group_id="g",
            group_protocol=self.protocol,
            auto_offset_reset="earliest",
            auto_commit_interval_ms=60_000,
            **settings,
        )

    async def reader(self, **listeners: Any) -> Consumer[Any, Any]:
        """A member that has finished what it read before the last record."""
        member = self.member()
        member.subscribe(["t2"], **listeners)
        count = 0
        while count < 20:
            count += len(await member.poll_batch(20 - count, timeout=SECONDS))
        await member.poll(0)
        return member

    async def members(self) -> int:
        """How many the group has."""
        described = await asyncio.to_thread(self.admin.describe_groups, ["g"])
        return len(described["g"].members)

    async def committed(self) -> int:
        """How many records are committed."""
        found = await asyncio.to_thread(self.admin.list_group_offsets, ["g"])
        return sum(each.offset for each in found["g"].values())


@asynccontextmanager
async def scene_of(cluster: EmbeddedBroker, protocol: str) -> AsyncIterator[Scene]:
    async with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        for partition in range(2):
            for _ in range(10):
                await producer.send("t2", b"x", partition=partition)
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        yield Scene(cluster, protocol, admin)


async def eventually(reached: Callable[[], Any], what: str) -> None:
    async def wait() -> None:
        while not await reached():  # noqa: ASYNC110  # the broker tells nobody
            await asyncio.sleep(0.02)

    try:
        await asyncio.wait_for(wait(), SECONDS)
    except asyncio.TimeoutError:
        pytest.fail(what)


async def close(box: list[Any]) -> None:
    await box.pop().close(timeout=SECONDS)


async def close_in_no_time(box: list[Any]) -> None:
    with suppress(KafkaTimeoutError):
        await box.pop().close(timeout=0)


async def drop(box: list[Any]) -> None:
    box.clear()
    gc.collect()


async def cancel_at_once(box: list[Any]) -> None:
    ending = asyncio.ensure_future(box[0].close(timeout=SECONDS))
    ending.cancel()
    with suppress(asyncio.CancelledError):
        await ending
    assert box.pop().closed


async def cancel_a_moment_later(box: list[Any]) -> None:
    ending = asyncio.ensure_future(box[0].close(timeout=SECONDS))
    await asyncio.sleep(0.01)
    ending.cancel()
    with suppress(asyncio.CancelledError):
        await ending
    assert box.pop().closed


async def never_await(box: list[Any]) -> None:
    box[0].close(timeout=SECONDS)
    gc.collect()
    assert box.pop().closed


ENDS = [close, close_in_no_time, drop, cancel_at_once, cancel_a_moment_later, never_await]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("state", ["at rest", "revocation waits", "commit under way"])
@pytest.mark.parametrize("end", ENDS)
def test_a_member_that_ends_commits_and_says_goodbye(
    cluster: EmbeddedBroker, run: Callable[[Any], None], protocol: str, state: str, end: Any
) -> None:
    async def history() -> None:
        async with scene_of(cluster, protocol) as scene:
            box: list[Any] = [await scene.reader()]
            others, committed = 0, 20
            other = scene.member(client_id="other")
            reading: Any = None
            if state == "revocation waits":
                other.subscribe(["t2"])
                reading = asyncio.create_task(other.poll(SECONDS))
                others = 1

                async def is_rebalancing() -> bool:
                    return bool(box[0].health().state == "rebalancing")

                await eventually(is_rebalancing, "the revocation waits")
            if state == "commit under way":
                cluster.intercept("OffsetCommit", "delay", seconds=0.3, times=1)
                # The application's own word about a partition stands, also where it has read on.
                box[0].commit_async({BOTH[0]: 1})
                committed = 1 + 10
            await end(box)

            async def is_left() -> bool:
                return await scene.members() == others and await scene.committed() == committed

            try:
                await eventually(is_left, "the group is left, and what was read is committed")
            finally:
                if reading is not None:
                    reading.cancel()
                await other.close()

    run(history)


def give_up_at_once(member: Any) -> None:
    asyncio.ensure_future(member.unsubscribe(timeout=60)).cancel()


def give_up_unawaited(member: Any) -> None:
    member.unsubscribe(timeout=60)
    gc.collect()


def give_up_in_no_time(member: Any) -> Any:
    # Kept, and never awaited: its time is over all the same.
    return member.unsubscribe(timeout=0)


GIVES_UP = [give_up_at_once, give_up_unawaited, give_up_in_no_time]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("listens", [False, True])
@pytest.mark.parametrize("give_up", GIVES_UP)
def test_an_unsubscribe_that_is_given_up_leaves_the_group(
    cluster: EmbeddedBroker, run: Callable[[Any], None], protocol: str, listens: bool, give_up: Any
) -> None:
    async def history() -> None:
        async with scene_of(cluster, protocol) as scene:
            told: list[Any] = []
            member = await scene.reader(on_partitions_revoked=told.append if listens else None)
            kept = give_up(member)

            async def is_left() -> bool:
                return await scene.members() == 0 and await scene.committed() == 20

            await eventually(is_left, "the group is left, and what was read is committed")
            assert not told
            # The application hears of it with its next poll, and begins anew.
            member.subscribe(["t2"], on_partitions_revoked=told.append if listens else None)

            async def is_back() -> bool:
                assert await member.poll(0) is None
                return await scene.members() == 1 and member.assignment() == set(BOTH)

            await eventually(is_back, "the member is back")
            assert [sorted(each) for each in told] == ([BOTH] if listens else [])
            del kept
            await member.close()

    run(history)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("how", ["pending", "at once", "unawaited", "in no time"])
def test_what_is_assigned_by_hand_is_not_taken_by_an_end_of_before(
    cluster: EmbeddedBroker, run: Callable[[Any], None], protocol: str, how: str
) -> None:
    async def history() -> None:
        async with scene_of(cluster, protocol) as scene:
            told: list[Any] = []
            member: Any = await scene.reader(on_partitions_revoked=told.append)
            fault = cluster.intercept(GOODBYES[protocol], "delay", seconds=0.3)
            pending: Any = None
            if how == "pending":
                pending = asyncio.ensure_future(member.unsubscribe(timeout=SECONDS))
            elif how == "at once":
                give_up_at_once(member)
            elif how == "unawaited":
                give_up_unawaited(member)
            else:
                pending = give_up_in_no_time(member)
            member.assign({BOTH[1]: 0})
            record = None
            while record is None:
                record = await member.poll(SECONDS)
            assert (record.partition, record.offset) == (1, 0)
            if pending is not None:
                await pending

            async def is_left() -> bool:
                return await scene.members() == 0 and await scene.committed() == 20

            await eventually(is_left, "the group is left, and what was read before is committed")
            fault.remove()
            assert member.assignment() == {BOTH[1]}
            record = await member.poll(SECONDS)
            assert (record.partition, record.offset) == (1, 1)
            assert [sorted(each) for each in told] == [BOTH]
            await member.close()

    run(history)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_synchronous_unsubscribe_that_runs_out_of_time(cluster: EmbeddedBroker, protocol: str) -> None:
    with kafkars.Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        for partition in range(2):
            producer.send("t2", b"x", partition=partition)
        producer.flush()
    settings: dict[str, Any] = {"bootstrap_servers": cluster.bootstrap_servers, "auto_offset_reset": "earliest"}
    with kafkars.Consumer(**settings, group_id="g", group_protocol=protocol) as member:
        member.subscribe(["t2"])
        count = 0
        while count < 2:
            count += len(member.poll_batch(timeout=SECONDS))
        with cluster.intercept(GOODBYES[protocol], "delay", seconds=0.3):
            member.unsubscribe(timeout=0)
            member.assign({BOTH[1]: 0})
            record = None
            while record is None:
                record = member.poll(SECONDS)
            assert (record.partition, record.offset) == (1, 0)
            assert member.assignment() == {BOTH[1]}

"""What listeners of rebalances may do, and what happens to the group meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from kafkars import TopicPartition
from kafkars.errors import ClientStateError, NotAssignedError

from tests.support.clients import read
from tests.support.groups import Group, assigned, native, poll_until
from tests.support.waiting import eventually


class ListenerError(Exception):
    """Raised by a listener."""


only_sync = pytest.mark.parametrize("client_api", ["sync"], indirect=True)
only_asyncio = pytest.mark.parametrize("client_api", ["asyncio"], indirect=True)


def test_heartbeats_go_on_during_a_slow_listener(group: Group) -> None:
    member = group.member()
    beats: list[float] = []

    def slow(_: Any) -> None:
        def heard_at() -> float:
            age = native(member).health().last_heartbeat
            assert age is not None
            return time.monotonic() - float(age)

        for _ in range(3):
            before = heard_at()
            # The two clocks of one look are read a moment apart.
            eventually(lambda before=before: heard_at() > before + 0.05, "a heartbeat during the listener")
            beats.append(before)

    member.subscribe([group.topic], on_partitions_assigned=slow)
    assigned(member, 4)
    assert len(beats) >= 3


def test_what_a_listener_raises_reaches_the_poll_and_the_group_goes_on(group: Group) -> None:
    member = group.member()

    def fails(partitions: Any) -> None:
        if partitions:
            raise ListenerError("not today")

    member.subscribe([group.topic], on_partitions_assigned=fails)
    with pytest.raises(ListenerError, match="not today"):
        read(member, 40)
    assert len(member.assignment()) == 4
    assert len(read(member, 40)) == 40


def test_seek_in_a_listener_decides_where_reading_starts(group: Group) -> None:
    member = group.member()

    def rewind(partitions: Any) -> None:
        for partition in partitions:
            native(member).seek(partition, 8)

    member.subscribe([group.topic], on_partitions_assigned=rewind)
    assert sorted({record.offset for record in read(member, 8)}) == [8, 9]


@pytest.mark.parametrize("waits", [False, True], ids=["at once", "after a look-up"])
@pytest.mark.parametrize("before", [None, 4])
@only_sync
def test_a_commit_in_a_listener_decides_where_reading_starts(group: Group, before: int | None, waits: bool) -> None:
    """Positions are looked up meanwhile: what was found before the commit does not count."""
    places = [TopicPartition(group.topic, number) for number in range(4)]
    if before is not None:
        with group.clients.consumer(group_id=group.group_id, enable_auto_commit=False) as earlier:
            earlier.commit(dict.fromkeys(places, before))
    member = group.member(enable_auto_commit=False)

    def put_back(partitions: Any) -> None:
        if waits:
            native(member).committed(partitions)
        native(member).commit(dict.fromkeys(partitions, 1))

    member.subscribe([group.topic], on_partitions_assigned=put_back)
    assert min(record.offset for record in read(member, 36)) == 1


@only_asyncio
def test_a_commit_in_a_coroutine_decides_where_reading_starts(group: Group) -> None:
    member = group.member(enable_auto_commit=False)

    async def put_ahead(partitions: Any) -> None:
        await native(member).committed(partitions)
        await native(member).commit(dict.fromkeys(partitions, 8))

    member.subscribe([group.topic], on_partitions_assigned=put_ahead)
    assert sorted({record.offset for record in read(member, 8)}) == [8, 9]


def test_a_seek_in_a_listener_counts_more_than_a_commit(group: Group) -> None:
    member = group.member(enable_auto_commit=False)

    def both(partitions: Any) -> None:
        for partition in partitions:
            native(member).seek(partition, 8)
        if partitions:
            native(member).commit_async(dict.fromkeys(partitions, 2))

    member.subscribe([group.topic], on_partitions_assigned=both)
    assert sorted({record.offset for record in read(member, 8)}) == [8, 9]


def test_pause_in_a_listener_holds_from_the_first_record_on(group: Group) -> None:
    member = group.member()

    def pause(partitions: Any) -> None:
        native(member).pause([each for each in partitions if each.partition > 0])

    member.subscribe([group.topic], on_partitions_assigned=pause)
    assert {record.partition for record in read(member, 10)} == {0}
    member.resume([(group.topic, partition) for partition in range(1, 4)])
    assert {record.partition for record in read(member, 30)} == {1, 2, 3}


def listener(group: Group, calls: Callable[[Any, Any], list[Any]]) -> Callable[[Any, Any], Any]:
    """A listener that makes calls which wait: a function or, where they must be awaited, a coroutine function."""
    if group.clients.api.name == "sync":
        return calls

    async def awaits(member: Any, partitions: Any) -> None:
        for answer in calls(native(member), partitions):
            await answer

    return awaits


def test_a_listener_commits_what_it_gives_up(group: Group) -> None:
    member = group.member(enable_auto_commit=False)
    commit = listener(group, lambda consumer, _: [consumer.commit()])
    member.subscribe([group.topic], on_partitions_revoked=lambda partitions: commit(member, partitions))
    read(member, 40)
    member.close()
    committed = group.member().committed([(group.topic, partition) for partition in range(4)])
    assert [each.offset for each in committed.values()] == [10] * 4


def test_partitions_are_there_until_their_revocation_was_told(group: Group) -> None:
    member = group.member()
    asked = listener(group, lambda consumer, partitions: [consumer.position(each) for each in partitions])
    heard: list[Any] = []

    def revoked(partitions: Any) -> Any:
        heard.append(set(partitions) <= native(member).assignment())
        return asked(member, partitions)

    member.subscribe([group.topic], on_partitions_revoked=revoked)
    read(member, 40)
    member.unsubscribe()
    assert heard == [True]
    partition = TopicPartition(group.topic, 0)
    calls: list[Callable[[], Any]] = [
        lambda: member.position(partition),
        lambda: member.seek(partition, 0),
        lambda: member.pause(partition),
        lambda: member.lag(partition),
    ]
    for call in calls:
        with pytest.raises(NotAssignedError, match=rf"{partition.topic}.*not assigned"):
            call()


@only_asyncio
def test_records_wait_for_a_coroutine(group: Group) -> None:
    member = group.member()
    order: list[str] = []

    async def slow(_: Any) -> None:
        order.append("begin")
        for _ in range(10):
            await asyncio.sleep(0)
        # Something that takes the network: nothing is handed out meanwhile.
        await native(member).end_offsets([(group.topic, 0)])
        order.append("end")

    member.subscribe([group.topic], on_partitions_assigned=slow)
    order.extend("record" for _ in read(member, 40))
    assert order[:2] == ["begin", "end"]
    assert order.count("record") == 40


@only_asyncio
def test_what_a_coroutine_raises_reaches_the_poll(group: Group) -> None:
    member = group.member()

    async def fails(partitions: Any) -> None:
        await asyncio.sleep(0)
        if partitions:
            raise ListenerError("not today")

    member.subscribe([group.topic], on_partitions_assigned=fails)
    with pytest.raises(ListenerError, match="not today"):
        read(member, 40)
    assert len(read(member, 40)) == 40


@only_sync
def test_a_synchronous_consumer_refuses_coroutines(group: Group) -> None:
    member = group.member()

    async def never(_: Any) -> None: ...

    member.subscribe([group.topic], on_partitions_assigned=never)
    with pytest.raises(ClientStateError, match=r"use kafkars\.aio\.Consumer"):
        assigned(member, 4)


def test_reading_in_a_listener_is_an_error_and_not_a_deadlock(group: Group) -> None:
    member = group.member()
    outcomes: list[BaseException] = []

    def inside(consumer: Any, _: Any) -> list[Any]:
        calls: list[Callable[[], Any]] = [lambda: consumer.poll(1), lambda: consumer.poll_batch(timeout=1)]
        calls.append(consumer.unsubscribe)
        for call in calls:
            with pytest.raises(ClientStateError, match="waits for the listener") as caught:
                call()
            outcomes.append(caught.value)
        return []

    async def awaits(_: Any) -> None:
        consumer = native(member)
        for call in (consumer.poll, consumer.poll_batch):
            with pytest.raises(ClientStateError, match="waits for the listener") as caught:
                await call(timeout=1)
            outcomes.append(caught.value)

    heard = awaits if group.clients.api.name == "asyncio" else lambda partitions: inside(member, partitions)
    member.subscribe([group.topic], on_partitions_assigned=heard)
    assert len(read(member, 40)) == 40
    assert len(outcomes) >= 2


def test_a_listener_may_subscribe_to_something_else(group: Group) -> None:
    other = group.clients.broker.new_topic(1)
    member = group.member()
    member.subscribe([group.topic], on_partitions_assigned=lambda _: native(member).subscribe([group.topic, other]))
    poll_until([member], lambda: TopicPartition(other, 0) in member.assignment(), "the other topic")
    assert member.subscription() == {group.topic, other}


def test_assigning_step_by_step_by_hand(group: Group) -> None:
    member = group.member()
    first, second = TopicPartition(group.topic, 0), TopicPartition(group.topic, 1)
    member.incremental_assign([first])
    read(member, 6)
    member.incremental_assign({second: 7})
    assert member.assignment() == {first, second}
    records = read(member, 7)
    assert sorted(record.offset for record in records if record.partition == 1) == [7, 8, 9]
    assert sorted(record.offset for record in records if record.partition == 0) == [6, 7, 8, 9]
    member.incremental_unassign([first])
    assert member.assignment() == {second}
    with pytest.raises(NotAssignedError):
        member.incremental_unassign([first])

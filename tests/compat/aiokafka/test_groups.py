"""`AIOKafkaConsumer` as a member of a group."""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import kafkars.aio
import pytest

from tests.brokers import Broker
from tests.kafka import wire
from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import until

LONG_MS = 60_000


def listener(library: Library, log: list[tuple[str, set[Any]]], *, coroutines: bool) -> Any:
    """Keeps what it hears; one of the methods is a coroutine where wanted."""
    base = library.module("abc").ConsumerRebalanceListener

    class Plain(base):
        def on_partitions_revoked(self, revoked: Any) -> None:
            log.append(("revoked", {partition.partition for partition in revoked}))

        def on_partitions_assigned(self, assigned: Any) -> None:
            log.append(("assigned", {partition.partition for partition in assigned}))

    class Awaited(Plain):
        async def on_partitions_revoked(self, revoked: Any) -> None:
            await asyncio.sleep(0)
            super().on_partitions_revoked(revoked)

        async def on_partitions_assigned(self, assigned: Any) -> None:
            await asyncio.sleep(0)
            super().on_partitions_assigned(assigned)

    return Awaited() if coroutines else Plain()


@pytest.mark.parametrize("coroutines", [False, True], ids=["functions", "coroutines"])
def test_listeners_hear_of_every_rebalance_though_nobody_reads(library: Library, run: Run, coroutines: bool) -> None:
    topic = library.broker.new_topic(partitions=2)
    log: list[tuple[str, set[Any]]] = []

    async def test() -> None:
        group = library.group()
        first = library.consumer(group_id=group, heartbeat_interval_ms=100)
        first.subscribe([topic], listener=listener(library, log, coroutines=coroutines))
        await first.start()
        # start() of the original does not wait for coroutines.
        await until(lambda: len(log) == 2)
        assert log == [("revoked", set()), ("assigned", {0, 1})]
        assert len(first.assignment()) == 2
        second = library.consumer(topic, group_id=group, heartbeat_interval_ms=100)
        await second.start()
        await until(lambda: len(log) == 4)
        assert log[2] == ("revoked", {0, 1})
        assert log[3][0] == "assigned"
        mine, theirs = first.assignment(), second.assignment()
        assert len(mine) == len(theirs) == 1
        assert {partition.partition for partition in mine | theirs} == {0, 1}
        await second.stop()
        await until(lambda: len(log) == 6)
        assert log[5] == ("assigned", {0, 1})
        await first.stop()
        assert len(log) == 6

    run(test)


def test_what_a_listener_raises_goes_to_the_log(embedded: Library, run: Run, caplog: pytest.LogCaptureFixture) -> None:
    topic = embedded.broker.new_topic()

    class Broken(embedded.module("abc").ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_revoked(self, revoked: Any) -> None:
            del revoked
            raise ZeroDivisionError("revoked")

        async def on_partitions_assigned(self, assigned: Any) -> None:
            del assigned
            raise ZeroDivisionError("assigned")

    async def test() -> None:
        await embedded.fill(topic, 1)
        consumer = embedded.consumer(group_id=embedded.group())
        consumer.subscribe([topic], listener=Broken())
        async with consumer:
            assert (await consumer.getone()).offset == 0

    run(test)
    raised = [str(record.exc_info[1]) for record in caplog.records if record.exc_info and record.exc_info[1]]
    assert raised == ["revoked", "assigned"]


def test_a_listener_may_commit_and_seek(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 5)
        group, partition = library.group(), library.partition(topic)
        consumer = library.consumer(group_id=group, enable_auto_commit=False, heartbeat_interval_ms=100)
        seen: list[Any] = []

        class Listener(library.module("abc").ConsumerRebalanceListener):  # type: ignore[misc]
            async def on_partitions_revoked(self, revoked: Any) -> None:
                if revoked:
                    await consumer.commit({partition: 4})
                    seen.append(await consumer.committed(partition))

            async def on_partitions_assigned(self, assigned: Any) -> None:
                if assigned:
                    seen.append(await consumer.position(partition))
                    consumer.seek(partition, 3)

        consumer.subscribe([topic], listener=Listener())
        async with consumer:
            assert (await consumer.getone()).offset == 3
            async with library.consumer(topic, group_id=group, heartbeat_interval_ms=100):
                await until(lambda: len(seen) >= 2)
        assert seen[:2] == [0, 4]

    run(test)


def test_commits_of_every_form(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()
    structs = library.module("structs")

    async def test() -> None:
        await library.fill(topic, 9)
        partition = library.partition(topic)
        async with library.consumer(topic, group_id=library.group(), enable_auto_commit=False) as consumer:
            assert await consumer.committed(partition) is None
            await consumer.getone()
            await consumer.getone()
            await consumer.commit()
            assert await consumer.committed(partition) == 2
            for given, expected in ((3, 3), ((4, "text"), 4), (structs.OffsetAndMetadata(5, "text"), 5)):
                await consumer.commit({partition: given})
                assert await consumer.committed(partition) == expected
            for wrong, error in (
                ({}, ValueError),
                ([partition], ValueError),
                ({partition: "x"}, ValueError),
                ({partition: (1,)}, ValueError),
                ({partition: (1, 2)}, TypeError),
                ({topic: 1}, TypeError),
                ({library.partition("elsewhere"): 1}, library.errors.IllegalStateError),
            ):
                with pytest.raises(error):
                    await consumer.commit(wrong)
            assert await consumer.seek_to_committed() == {partition: 5}
            assert (await consumer.getone()).offset == 5
            assert await consumer.seek_to_committed(partition) == {partition: 5}

    run(test)


def test_the_next_member_goes_on_where_the_last_one_stopped(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 6)
        group = library.group()
        async with library.consumer(topic, group_id=group) as consumer:
            assert [(await consumer.getone()).offset for _ in range(2)] == [0, 1]
        async with library.consumer(topic, group_id=group) as consumer:
            assert [(await consumer.getone()).offset for _ in range(2)] == [2, 3]
            await consumer.commit()
        async with library.consumer(topic, group_id=group, enable_auto_commit=False) as consumer:
            assert [(await consumer.getone()).offset for _ in range(2)] == [4, 5]
        async with library.consumer(topic, group_id=group) as consumer:
            assert (await consumer.getone()).offset == 4

    run(test)


def test_positions_are_committed_from_time_to_time(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 2)
        partition = library.partition(topic)
        async with library.consumer(topic, group_id=library.group(), auto_commit_interval_ms=50) as consumer:
            await consumer.getone()
            await consumer.getone()
            await consumer.getmany(timeout_ms=10)
            while await consumer.committed(partition) != 2:  # noqa: ASYNC110  the coordinator is asked each time
                await asyncio.sleep(0.01)

    run(test)


def test_a_topic_may_be_exchanged(library: Library, run: Run) -> None:
    first, second = library.broker.new_topic(), library.broker.new_topic()

    async def test() -> None:
        await library.fill(first, 1)
        await library.fill(second, 1)
        async with library.consumer(first, group_id=library.group(), heartbeat_interval_ms=100) as consumer:
            assert (await consumer.getone()).topic == first
            consumer.subscribe([second])
            assert (await consumer.getone()).topic == second
            assert consumer.subscription() == {second}
            consumer.unsubscribe()
            assert consumer.subscription() == set()

    run(test)


def test_an_assignor_of_the_application_shares_the_partitions(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=3)
    protocol = library.module("coordinator.protocol")
    base = library.module("coordinator.assignors.abstract").AbstractPartitionAssignor
    heard: list[Any] = []

    class Everything(base):  # type: ignore[misc]
        """The first member gets all there is."""

        name = "everything"

        @classmethod
        def assign(cls, cluster: Any, members: Any) -> Any:
            first, *others = sorted(members)
            topics = {topic for member in members.values() for topic in member.subscription}
            everything = [(topic, sorted(cluster.partitions_for_topic(topic))) for topic in sorted(topics)]
            answer = {first: protocol.ConsumerProtocolMemberAssignment(0, everything, b"")}
            return answer | {other: protocol.ConsumerProtocolMemberAssignment(0, [], b"") for other in others}

        @classmethod
        def metadata(cls, topics: Any) -> Any:
            return protocol.ConsumerProtocolMemberMetadata(0, list(topics), b"")

        @classmethod
        def on_assignment(cls, assignment: Any) -> None:
            heard.append(sorted(partition.partition for partition in assignment.partitions()))

    async def test() -> None:
        settings = {
            "group_id": library.group(),
            "partition_assignment_strategy": (Everything,),
            "heartbeat_interval_ms": 100,
        }
        async with library.consumer(topic, **settings) as first:
            assert len(first.assignment()) == 3
            async with library.consumer(topic, **settings) as second:
                await until(lambda: sorted([len(first.assignment()), len(second.assignment())]) == [0, 3])

    run(test)
    assert heard[0] == [0, 1, 2]


@pytest.mark.parametrize("assignor", ["range.RangePartitionAssignor", "roundrobin.RoundRobinPartitionAssignor"])
def test_assignors_share_alike(assignor: str, embedded: Library) -> None:
    module, _, name = assignor.rpartition(".")
    chosen = getattr(embedded.module(f"coordinator.assignors.{module}"), name)
    protocol = embedded.module("coordinator.protocol")

    class Cluster:
        def partitions_for_topic(self, topic: str) -> set[int]:
            return set(range({"a": 3, "b": 4, "c": 1}[topic]))

    wishes = {"m1": ["a", "b"], "m2": ["a"], "m3": ["b", "c"]}
    members = {member: protocol.ConsumerProtocolMemberMetadata(0, topics, b"") for member, topics in wishes.items()}
    shares = {
        member: sorted(map(tuple, share.partitions())) for member, share in chosen.assign(Cluster(), members).items()
    }
    expected = {
        "range": {
            "m1": [("a", 0), ("a", 1), ("b", 0), ("b", 1)],
            "m2": [("a", 2)],
            "m3": [("b", 2), ("b", 3), ("c", 0)],
        },
        "roundrobin": {
            "m1": [("a", 0), ("a", 2), ("b", 1), ("b", 3)],
            "m2": [("a", 1)],
            "m3": [("b", 0), ("b", 2), ("c", 0)],
        },
    }
    assert shares == expected[chosen.name]


def test_members_of_both_libraries_share_a_group(face: Library, run: Run) -> None:
    topic = face.broker.new_topic(partitions=4)
    original = Library("aiokafka", face.broker)

    async def test() -> None:
        settings = {"group_id": face.group(), "heartbeat_interval_ms": 100}
        async with face.consumer(topic, **settings) as ours, original.consumer(topic, **settings) as theirs:
            await until(lambda: len(ours.assignment()) == len(theirs.assignment()) == 2)
            both = {tuple(partition) for partition in [*ours.assignment(), *theirs.assignment()]}
            assert both == {(topic, number) for number in range(4)}

    run(test)


@pytest.mark.parametrize("is_member", [False, True], ids=["by assignment", "in a group"])
def test_a_commit_under_way_when_the_consumer_stops_is_made(broker: Broker, run: Run, is_member: bool) -> None:
    """One task commits and another stops the consumer: the commit was asked for first. The original may cut it, and
    then waits."""
    library = Library("kafkars.compat.aiokafka", broker)
    topic = library.broker.new_topic()
    place, group = library.partition(topic), library.group()

    async def test() -> None:
        await library.fill(topic, 3)
        names = [topic] if is_member else []
        consumer = library.consumer(*names, group_id=group, enable_auto_commit=False)
        if not is_member:
            consumer.assign([place])
        await consumer.start()
        for _ in range(3):
            await consumer.getone()
        committing = asyncio.ensure_future(consumer.commit({place: 3}))
        await asyncio.sleep(0)
        await consumer.stop()
        await committing
        later = library.consumer(group_id=group)
        later.assign([place])
        await later.start()
        assert await later.committed(place) == 3
        await later.stop()

    run(test)


@pytest.mark.parametrize("names", ["all", "one"])
def test_a_commit_after_the_place_was_lost_does_not_pass_for_done(library: Library, run: Run, names: str) -> None:
    """Another member has everything: whoever rolls back at `CommitFailedError` must hear of it."""
    topic, group = library.broker.new_topic(1), library.group()
    settings = {"group_id": group, "enable_auto_commit": False, "heartbeat_interval_ms": 200}

    async def test() -> None:
        await library.fill(topic, 3)
        async with library.consumer(topic, max_poll_interval_ms=1_000, **settings) as slow:
            assert (await slow.getone()).offset == 0
            async with kafkars.aio.Admin(bootstrap_servers=library.broker.bootstrap_servers) as admin:
                while (await admin.describe_groups([group]))[group].members:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            async with library.consumer(topic, **settings) as other:
                [partition] = other.assignment()
                with pytest.raises(library.errors.CommitFailedError):
                    await (slow.commit() if names == "all" else slow.commit({partition: 1}))
                assert await other.committed(partition) is None
            # It takes part again, and commits.
            assert (await slow.getone()).offset == 0
            await slow.commit()
            assert await slow.committed(partition) == 1

    run(test)


def test_a_commit_after_the_place_was_lost_to_nobody(face: Library, run: Run) -> None:
    """The original stores it where no other member has come, and raises otherwise; the face always raises."""
    topic, group = face.broker.new_topic(1), face.group()

    async def test() -> None:
        await face.fill(topic, 3)
        lost = asyncio.Event()

        class Listener(face.module().ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
            async def on_partitions_revoked(self, revoked: Any) -> None:
                if revoked:
                    lost.set()

            async def on_partitions_assigned(self, assigned: Any) -> None:
                pass

        slow = face.consumer(group_id=group, enable_auto_commit=False, max_poll_interval_ms=300)
        slow.subscribe([topic], listener=Listener())
        await slow.start()
        assert (await slow.getone()).offset == 0
        await lost.wait()
        with pytest.raises(face.errors.CommitFailedError):
            await slow.commit()
        await slow.stop()

    run(test)


def test_a_listener_that_was_cancelled_within_does_not_hold_up_the_start(face: Library, run: Run) -> None:
    """So it is with the original, whose next read and `stop()` raise the CancelledError."""
    topic = face.broker.new_topic()

    class Cancelled(face.module("abc").ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_revoked(self, revoked: Any) -> None:
            del revoked

        async def on_partitions_assigned(self, assigned: Any) -> None:
            del assigned
            task = asyncio.ensure_future(asyncio.sleep(60))
            asyncio.get_running_loop().call_soon(task.cancel)
            await task

    async def test() -> None:
        await face.fill(topic, 1)
        consumer = face.consumer(group_id=face.group())
        consumer.subscribe([topic], listener=Cancelled())
        await consumer.start()
        try:
            assert consumer.assignment() == {face.partition(topic)}
            assert (await consumer.getone()).value == b"v0"
        finally:
            await consumer.stop()

    run(test)


@pytest.mark.parametrize("how", ["cancels its task", "raises"])
@pytest.mark.parametrize("method", ["on_partitions_revoked", "on_partitions_assigned"])
def test_a_listener_that_cancels_itself_leaves_no_read_waiting(face: Library, run: Run, method: str, how: str) -> None:
    """With the original all reads from then on raise the CancelledError."""
    topic = face.broker.new_topic()

    class Cancelling(face.module("abc").ConsumerRebalanceListener):  # type: ignore[misc]
        async def on_partitions_revoked(self, revoked: Any) -> None:
            del revoked
            await self.end("on_partitions_revoked")

        async def on_partitions_assigned(self, assigned: Any) -> None:
            del assigned
            await self.end("on_partitions_assigned")

        async def end(self, called: str) -> None:
            if called == method and how == "raises":
                raise asyncio.CancelledError
            task = asyncio.current_task()
            if called == method and task is not None:
                task.cancel()
                await asyncio.sleep(0)

    async def test() -> None:
        await face.fill(topic, 1)
        consumer = face.consumer(group_id=face.group())
        await consumer.start()
        consumer.subscribe([topic], listener=Cancelling())
        reading = asyncio.create_task(consumer.getone())
        await asyncio.wait([reading])
        if reading.cancelled():
            # The first one hears of it.
            reading = asyncio.create_task(consumer.getone())
        assert (await reading).value == b"v0"
        await consumer.stop()

    run(test)


@pytest.mark.parametrize("named", [False, True])
def test_a_read_within_a_listener_is_refused(face: Library, run: Run, named: bool) -> None:
    """It would wait for itself: records are handed out when the listener has ended."""
    topic, said = face.broker.new_topic(1), []

    async def test() -> None:
        await face.fill(topic, 1)
        consumer = face.consumer(group_id=face.group())

        class Reading(face.module("abc").ConsumerRebalanceListener):
            def on_partitions_revoked(self, revoked: Any) -> None:
                pass

            async def on_partitions_assigned(self, assigned: Any) -> None:
                for read in (consumer.getone, functools.partial(consumer.getmany, timeout_ms=LONG_MS)):
                    with pytest.raises(face.errors.IllegalStateError, match="after that has returned") as raised:
                        await (read(*assigned) if named else read())
                    said.append(raised.value)

        await consumer.start()
        consumer.subscribe([topic], listener=Reading())
        assert (await consumer.getone()).value == b"v0"
        assert len(said) == 2
        await consumer.stop()

    run(test)


def test_a_member_whose_instance_id_was_taken_hears_of_it_from_every_read(face: Library, run: Run) -> None:
    """aiokafka joins again, and the two take the place from each other for ever."""
    topic = face.broker.new_topic()

    async def test() -> None:
        names = {"group_id": face.group(), "group_instance_id": "one", "heartbeat_interval_ms": 100}
        async with face.consumer(topic, **names) as older, face.consumer(topic, **names) as newer:
            await until(newer.assignment)
            error = face.module("errors").KafkaError
            for read in (older.getone, older.getmany, functools.partial(older.getmany, timeout_ms=LONG_MS)):
                for _ in range(2):
                    with pytest.raises(error, match="FENCED_INSTANCE_ID"):
                        await asyncio.wait_for(read(), LONG_MS / 1_000)
            with pytest.raises(error, match="FENCED_INSTANCE_ID"):
                await asyncio.wait_for(anext(older), LONG_MS / 1_000)
            assert newer.assignment()

    run(test)


def test_a_member_whose_instance_id_was_taken_stops_as_any_other(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        names = {"group_id": library.group(), "group_instance_id": "one", "enable_auto_commit": False}
        await library.fill(topic, 1)
        older, newer = library.consumer(topic, **names), library.consumer(topic, **names)
        await older.start()
        await older.getone()
        await newer.start()
        await newer.getone()
        with pytest.raises(library.errors.CommitFailedError):
            await older.commit()
        await newer.stop()
        await older.stop()

    run(test)


def test_a_topic_that_a_pattern_finds_gives_no_place_back(face: Library, run: Run) -> None:
    """Nor does a look that finds another topic: the place is the other member's."""
    topic = face.broker.new_topic()

    async def test() -> None:
        names = {"group_id": face.group(), "group_instance_id": "one", "heartbeat_interval_ms": 100}
        async with (
            face.consumer(metadata_max_age_ms=200, **names) as older,
            face.consumer(metadata_max_age_ms=200, **names) as newer,
        ):
            for each in (older, newer):
                each.subscribe(pattern=f"^{topic}.*")
                await until(each.assignment)
            error = face.module("errors").KafkaError
            with pytest.raises(error, match="FENCED_INSTANCE_ID"):
                await asyncio.wait_for(older.getone(), LONG_MS / 1_000)
            face.broker.new_topic(name=f"{topic}-more")
            await until(lambda: len(newer.assignment()) == 2)
            for _ in range(5):
                with pytest.raises(error, match="FENCED_INSTANCE_ID"):
                    await older.getmany(timeout_ms=100)
                assert await newer.getmany(timeout_ms=100) == {}
            assert len(newer.assignment()) == 2

    run(test)


@pytest.mark.parametrize("grouped", [True, False], ids=["member", "alone"])
def test_a_topic_of_a_pattern_stays_deleted(face: Library, run: Run, grouped: bool) -> None:
    """As in aiokafka, of which some reads do not end then."""
    library = face
    topic = library.broker.new_topic()

    async def test() -> None:
        group = library.group() if grouped else None
        async with library.consumer(group_id=group, heartbeat_interval_ms=100, metadata_max_age_ms=200) as consumer:
            consumer.subscribe(pattern=f"^{topic}$")
            await until(consumer.assignment)
            admin = library.module("admin").AIOKafkaAdminClient(bootstrap_servers=library.broker.bootstrap_servers)
            await admin.start()
            try:
                await admin.delete_topics([topic])
                await asyncio.to_thread(wire.wait_until_gone, library.broker.bootstrap_servers, topic)
                # Its metadata is asked for several times meanwhile.
                for _ in range(8):
                    assert await consumer.getmany(timeout_ms=250) == {}
                    assert topic not in await admin.list_topics()
            finally:
                await admin.close()

    run(test)

"""Seeking, asking for offsets, pausing, and what to read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.kafka import wire
from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import eventually


def test_seeking(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)

    async def test() -> None:
        await library.fill(topic, 10, partitions=2)
        zero, one = library.partition(topic, 0), library.partition(topic, 1)
        async with library.consumer(topic) as consumer:
            # While its first position is asked for, aiokafka takes that answer for one to what is asked later.
            assert await consumer.position(one) == 0
            consumer.seek(zero, 3)
            assert await consumer.position(zero) == 3
            assert (await consumer.getone(zero)).offset == 3
            assert await consumer.seek_to_end() is True
            assert [await consumer.position(zero), await consumer.position(one)] == [5, 5]
            assert await consumer.seek_to_beginning(one) is True
            assert [await consumer.position(zero), await consumer.position(one)] == [5, 0]
            assert (await consumer.getone()).partition == 1

    run(test)


@pytest.mark.parametrize("offset", [-1, "1", 1.0, None])
def test_offsets_to_seek_are_whole_numbers(embedded: Library, run: Run, offset: Any) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic) as consumer:
            with pytest.raises(ValueError, match=r"[Oo]ffset"):
                consumer.seek(embedded.partition(topic), offset)

    run(test)


def test_calls_about_partitions_that_are_not_assigned(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        other = embedded.partition("elsewhere")
        async with embedded.consumer(topic) as consumer:
            state = embedded.errors.IllegalStateError
            for call in (consumer.pause, consumer.resume):
                with pytest.raises(state):
                    call(other)
                with pytest.raises(TypeError):
                    call("elsewhere")
            with pytest.raises(state):
                consumer.seek(other, 1)
            for ask in (consumer.position, consumer.seek_to_beginning, consumer.seek_to_end):
                with pytest.raises(state):
                    await ask(other)
            for seek in (consumer.seek_to_beginning, consumer.seek_to_end, consumer.seek_to_committed):
                with pytest.raises(TypeError):
                    await seek("elsewhere")

    run(test)


def test_seeking_nothing_is_a_mistake(face: Library, run: Run) -> None:
    async def test() -> None:
        # aiokafka does the same, but its stop() cancels its caller where nothing was ever wanted.
        async with face.consumer() as consumer:
            with pytest.raises(AssertionError):
                await consumer.seek_to_beginning()
            with pytest.raises(AssertionError):
                await consumer.seek_to_end()

    run(test)


def test_asking_for_offsets(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)

    async def test() -> None:
        await library.fill(topic, 10, partitions=2)
        zero, one = library.partition(topic, 0), library.partition(topic, 1)
        async with library.consumer() as consumer:
            assert await consumer.beginning_offsets([zero, one]) == {zero: 0, one: 0}
            assert await consumer.end_offsets([zero, one]) == {zero: 5, one: 5}
            # Brokers refuse a partition that is named twice.
            assert await consumer.beginning_offsets([zero, one, zero]) == {zero: 0, one: 0}
            assert await consumer.end_offsets([one, zero, one]) == {zero: 5, one: 5}
            found = await consumer.offsets_for_times({zero: 1003, one: 99_999})
            assert found == {zero: (2, 1004), one: None}
            assert (found[zero].offset, found[zero].timestamp) == (2, 1004)
            assert await consumer.offsets_for_times({}) == {}
            for timestamp in (-1, "x"):
                with pytest.raises(ValueError, match=r"negative|invalid"):
                    await consumer.offsets_for_times({zero: timestamp})

    run(test)


def test_a_paused_partition_hands_out_nothing(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)

    async def test() -> None:
        await library.fill(topic, 6, partitions=2)
        zero = library.partition(topic, 0)
        async with library.consumer(topic) as consumer:
            consumer.pause(zero)
            assert consumer.paused() == {zero}
            assert {(await consumer.getone()).partition for _ in range(3)} == {1}
            assert await consumer.getmany(timeout_ms=50) == {}
            consumer.resume(zero)
            assert consumer.paused() == set()
            assert [(await consumer.getone()).offset for _ in range(3)] == [0, 1, 2]

    run(test)


def test_no_reset_policy_raises(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 1)
        partition = library.partition(topic)
        async with library.consumer(auto_offset_reset="none") as consumer:
            consumer.assign([partition])
            with pytest.raises(library.errors.NoOffsetForPartitionError) as missing:
                await consumer.getone()
            assert missing.value.args == (partition,)
            consumer.seek(partition, 99)
            with pytest.raises(library.errors.OffsetOutOfRangeError) as outside:
                await consumer.getone()
            assert outside.value.args == ({partition: 99},)
            consumer.seek(partition, 0)
            assert (await consumer.getone()).offset == 0

    run(test)


def test_assigning_by_hand(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)

    async def test() -> None:
        await library.fill(topic, 4, partitions=2)
        one = library.partition(topic, 1)
        consumer = library.consumer()
        consumer.assign([one])
        assert consumer.assignment() == {one}
        async with consumer:
            assert consumer.assignment() == frozenset([one])
            assert consumer.subscription() == {topic}
            assert (await consumer.getone()).partition == 1
            with pytest.raises(library.errors.IllegalStateError):
                consumer.subscribe([topic])
            with pytest.raises(AttributeError):
                consumer.assign(["topic"])
            consumer.unsubscribe()
            assert consumer.assignment() == set()
            consumer.subscribe([topic])
            with pytest.raises(library.errors.IllegalStateError):
                consumer.assign([one])
            assert {(await consumer.getone()).partition for _ in range(4)} == {0, 1}

    run(test)


def test_subscribing(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        consumer = embedded.consumer()
        for wrong in ({}, {"topics": []}, {"topics": topic}, {"topics": [topic], "pattern": "x"}, {"pattern": 5}):
            with pytest.raises(TypeError):
                consumer.subscribe(**wrong)
        with pytest.raises(TypeError):
            consumer.subscribe([topic], listener=object())
        with pytest.raises(ValueError, match=r"\("):
            consumer.subscribe(pattern="(")
        for good in ([topic], (topic,), {topic}):
            consumer.subscribe(good)
            assert consumer.subscription() == frozenset([topic])
        with pytest.raises(embedded.errors.IllegalStateError):
            consumer.subscribe(pattern="^x")
        async with consumer:
            assert consumer.subscription() == frozenset([topic])
            assert consumer.assignment() == frozenset([embedded.partition(topic)])

    run(test)


def test_a_pattern_finds_topics_that_are_made_later(library: Library, run: Run) -> None:
    name = "pattern-of-face" if library.is_face else "pattern-of-original"
    first = library.broker.new_topic(name=name)
    prefix = name

    async def test() -> None:
        async with library.consumer(metadata_max_age_ms=100) as consumer:
            consumer.subscribe(pattern=prefix)
            await library.fill(first, 1)
            assert (await consumer.getone()).topic == first
            second = await asyncio.to_thread(library.broker.new_topic, name=name)
            await library.fill(second, 1)
            # aiokafka begins anew with the first topic, having no place to remember where it was.
            while (await consumer.getone()).topic != second:
                pass
            assert {first, second} <= consumer.subscription()

    run(test)


def test_committing_needs_a_group(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic) as consumer:
            for call in (
                consumer.commit(),
                consumer.committed(embedded.partition(topic)),
                consumer.seek_to_committed(),
            ):
                with pytest.raises(embedded.errors.IllegalOperation):
                    await call

    run(test)


def test_a_stopped_consumer_has_nothing_to_commit(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        consumer = embedded.consumer(group_id=topic)
        await consumer.start()
        await consumer.stop()
        with pytest.raises(embedded.errors.IllegalStateError):
            await consumer.commit()
        with pytest.raises(embedded.errors.IllegalStateError):
            await consumer.commit({embedded.partition(topic): 1})
        with pytest.raises(embedded.errors.ConsumerStoppedError):
            await consumer.getone()

    run(test)


def test_starting_twice_is_a_mistake(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic) as consumer:
            with pytest.raises(AssertionError):
                await consumer.start()

    run(test)


def test_a_partition_that_is_assigned_again_begins_anew(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()
    place = library.partition(topic)

    async def test() -> None:
        await library.fill(topic, 5)
        async with library.consumer(group_id=library.group(), enable_auto_commit=False) as consumer:
            consumer.assign([place])
            assert [(await consumer.getone()).offset for _ in range(3)] == [0, 1, 2]
            consumer.assign([place])
            assert await consumer.position(place) == 0
            assert (await consumer.getone()).offset == 0
            await consumer.commit()
            consumer.seek(place, 4)
            consumer.assign([place])
            assert await consumer.position(place) == 1

    run(test)


def test_what_stands_before_a_partition_that_is_not_assigned_is_paused(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()
    place, other = library.partition(topic), library.partition("elsewhere")

    async def test() -> None:
        async with library.consumer(group_id=library.group()) as consumer:
            consumer.assign([place])
            with pytest.raises(library.errors.IllegalStateError):
                consumer.pause(place, other)
            assert consumer.paused() == {place}
            with pytest.raises(library.errors.IllegalStateError):
                consumer.resume(place, other)
            assert consumer.paused() == set()

    run(test)


def test_a_partition_that_is_gone_is_no_error(face: Library, run: Run) -> None:
    """As in aiokafka, which may not find its way back to the topic."""
    topic = face.broker.new_topic(partitions=3)

    async def test() -> None:
        new_topic = face.module("admin").NewTopic
        admin = face.module("admin").AIOKafkaAdminClient(bootstrap_servers=face.broker.bootstrap_servers)
        await admin.start()
        try:
            async with face.consumer(metadata_max_age_ms=200, auto_offset_reset="earliest") as consumer:
                consumer.assign([face.partition(topic, number) for number in range(3)])
                assert await consumer.getmany(timeout_ms=200) == {}
                await admin.delete_topics([topic])
                # Where its consumer has made it again by looking it up, it has one partition, too.
                await admin.create_topics([new_topic(topic, 1, 1)])
                nodes = face.broker.bootstrap_servers.split(",")

                def is_there() -> bool:
                    return all(len(wire.metadata(node, topic).leaders) == 1 for node in nodes)

                await asyncio.to_thread(eventually, is_there, "every broker knows the new one")
                await face.fill(topic, 2)
                found: list[Any] = []
                while len(found) < 2:
                    for records in (await consumer.getmany(timeout_ms=200)).values():
                        found += records
                assert [record.partition for record in found] == [0, 0]
                for _ in range(5):
                    assert await consumer.getmany(timeout_ms=200) == {}
        finally:
            await admin.close()

    run(test)


@pytest.mark.parametrize("word", ["smallest", "", " earliest", "None", "LATEST"])
def test_a_word_that_does_not_tell_where_to_begin_is_said(
    embedded: Library, run: Run, caplog: pytest.LogCaptureFixture, word: str
) -> None:
    """Of older clients: reading then begins nowhere."""

    async def test() -> None:
        async with embedded.consumer(group_id=embedded.group(), auto_offset_reset=word):
            said = [each.message for each in caplog.records if each.name == "aiokafka.consumer.fetcher"]
        assert ["auto_offset_reset" in each for each in said] == ([] if word in {"None", "LATEST"} else [True])

    run(test)

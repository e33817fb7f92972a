"""Methods that aiokafka calls for every record, `_serialize()` and `_partition()`, where a program replaces them: such
sends go the same way as those of other producers.
"""

from __future__ import annotations

import asyncio
from typing import Any
from unittest import mock

import pytest

from tests.support.aiokafka_library import Library, Run

COUNT = 20
WAYS = ["send", "send_batch"]
PATIENT = {"request_timeout_ms": 600_000}
"""For many calls of `send_batch()`: the library's wait for those before them, and with each wait it takes off again
what it has waited in all.
"""


def serializing(library: Library) -> type:
    """A producer with a `_serialize()` of its own, which does what it replaces."""

    class Own(library.module().AIOKafkaProducer):  # type: ignore[misc, name-defined]
        def _serialize(self, key: Any, value: Any, headers: Any) -> Any:
            return super()._serialize(key, value, headers)

    return Own


async def records(library: Library, topic: str, partition: int = 0) -> list[Any]:
    """What is stored in a partition."""
    place = library.partition(topic, partition)
    async with library.consumer() as consumer:
        consumer.assign([place])
        end = (await consumer.end_offsets([place]))[place]
        found: list[Any] = []
        while await consumer.position(place) < end:
            for some in (await consumer.getmany(timeout_ms=100)).values():
                found += some
        return found


async def values(library: Library, topic: str, partition: int = 0) -> list[bytes | None]:
    return [record.value for record in await records(library, topic, partition)]


def numbered(count: int = COUNT) -> list[bytes]:
    return [b"%d" % number for number in range(count)]


async def batch_of(producer: Any, topic: str, value: bytes, partition: int | None = 0) -> Any:
    batch = producer.create_batch()
    batch.append(key=None, value=value, timestamp=1)
    return await producer.send_batch(batch, topic, partition=partition)


def sends(producer: Any, way: str, topic: str) -> list[Any]:
    """Tasks that send one after the other."""
    if way == "send":
        calls = [producer.send(topic, value, partition=0) for value in numbered()]
    else:
        calls = [batch_of(producer, topic, value) for value in numbered()]
    return [asyncio.create_task(call) for call in calls]


def producing(library: Library) -> type:
    """A producer that makes bytes and chooses partitions by methods of its own."""

    class Own(library.module().AIOKafkaProducer):  # type: ignore[misc, name-defined]
        def _serialize(self, key: Any, value: Any, headers: Any) -> Any:
            key_bytes, value_bytes = super()._serialize(key, value, headers)
            return key_bytes, b"%d headers, %b" % (len(headers), value_bytes)

        def _partition(self, topic: str, partition: Any, key: Any, *parts: Any) -> int:
            return int(key if partition is None else super()._partition(topic, partition, key, *parts))

    return Own


@pytest.mark.parametrize("kind", ["plain", "with a send() of its own"])
def test_methods_for_every_record_may_be_replaced(library: Library, run: Run, kind: str) -> None:
    topic = library.broker.new_topic(partitions=3)
    made = producing(library)

    class Sending(made):  # type: ignore[misc, valid-type]
        async def send(self, topic: str, value: Any = None, *arguments: Any, **settings: Any) -> Any:
            return await super().send(topic, value + "!", *arguments, **settings)

    async def test() -> None:
        address = {"bootstrap_servers": library.broker.bootstrap_servers}
        settings = {**address, "value_serializer": str.encode, "key_serializer": str.encode}
        async with (made if kind == "plain" else Sending)(**settings) as producer:
            for number in range(3):
                assert (await producer.send_and_wait(topic, "value", str(number))).partition == number
            assert (await producer.send_and_wait(topic, "value", "0", partition=1)).partition == 1
            with pytest.raises(AssertionError):
                await producer.send(topic, "value", "0", partition=7)
            await producer.send_and_wait(topic, "value", "2", headers=[("name", b"")])
        async with library.consumer(topic) as consumer:
            values = [(await consumer.getone(library.partition(topic, 2))).value for _ in range(2)]
        end = b"" if kind == "plain" else b"!"
        assert values == [b"0 headers, value" + end, b"1 headers, value" + end]

    run(test)


def test_headers_that_are_added_are_sent(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    class Tracing(library.module().AIOKafkaProducer):  # type: ignore[misc, name-defined]
        def _serialize(self, key: Any, value: Any, headers: Any) -> Any:
            headers.append(("schema", b"1"))
            return super()._serialize(key, value, headers)

    async def test() -> None:
        async with Tracing(bootstrap_servers=library.broker.bootstrap_servers) as producer:
            for headers in (None, [], [("own", b"0")]):
                await producer.send_and_wait(topic, b"value", headers=headers)
        added = ("schema", b"1")
        assert [record.headers for record in await records(library, topic)] == [
            (added,),
            (added,),
            (("own", b"0"), added),
        ]

    run(test)


def test_a_record_may_end_without_key_and_value(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    class Emptying(library.module().AIOKafkaProducer):  # type: ignore[misc, name-defined]
        def _serialize(self, *_: Any) -> Any:
            return None, None

    async def test() -> None:
        async with Emptying(bootstrap_servers=library.broker.bootstrap_servers) as producer:
            await producer.send_and_wait(topic, b"value")
            with pytest.raises(AssertionError):
                await producer.send(topic)
        assert [(record.key, record.value) for record in await records(library, topic)] == [(None, None)]

    run(test)


@pytest.mark.parametrize("way", WAYS)
def test_sends_to_a_topic_that_is_not_known_yet_keep_their_order(library: Library, run: Run, way: str) -> None:
    """Some of them are given up meanwhile, and let nobody pass."""

    async def test() -> None:
        address = {"bootstrap_servers": library.broker.bootstrap_servers}
        async with serializing(library)(**address, **PATIENT) as producer:
            # Each is made just before: a client may know every topic that was there when it asked for one.
            topics = [library.broker.new_topic()]
            tasks = sends(producer, way, topics[0])
            await asyncio.gather(*await asyncio.gather(*tasks))
            topics.append(library.broker.new_topic())
            tasks = sends(producer, way, topics[1])
            await asyncio.sleep(0)
            # The broker may have answered within that turn of the loop.
            given_up = [number for number in range(1, len(tasks), 2) if tasks[number].cancel()]
            sent = [task for number, task in enumerate(tasks) if number not in given_up]
            await asyncio.gather(*await asyncio.gather(*sent))
        assert await values(library, topics[0]) == numbered()
        wanted = [value for number, value in enumerate(numbered()) if number not in given_up]
        assert await values(library, topics[1]) == wanted

    run(test)


def test_batches_of_other_producers_keep_their_order(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer(**PATIENT) as producer:
            await asyncio.gather(*await asyncio.gather(*sends(producer, "send_batch", topic)))
        assert await values(library, topic) == numbered()

    run(test)


def test_what_tasks_were_made_to_send_before_stop_is_sent(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        producer = serializing(library)(bootstrap_servers=library.broker.bootstrap_servers)
        await producer.start()
        await producer.partitions_for(topic)
        tasks = [asyncio.create_task(producer.send_and_wait(topic, value)) for value in numbered()]
        await producer.stop()
        await asyncio.gather(*tasks)
        assert await values(library, topic) == numbered()
        with pytest.raises(library.errors.ProducerClosed):
            await producer.send(topic, b"late")

    run(test)


def test_what_tasks_have_begun_to_send_is_part_of_the_transaction(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        own = serializing(library)
        address = {"bootstrap_servers": library.broker.bootstrap_servers}
        async with own(transactional_id=library.group(), **address) as producer:
            await producer.partitions_for(topic)
            async with producer.transaction():
                tasks = sends(producer, "send", topic)
                await asyncio.sleep(0)
            await asyncio.gather(*await asyncio.gather(*tasks))
        async with library.consumer(topic, isolation_level="read_committed") as consumer:
            assert [(await consumer.getone()).value for _ in tasks] == numbered()

    run(test)


def test_outside_a_transaction_no_method_is_called(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()
    own = serializing(embedded)

    async def test() -> None:
        address = {"bootstrap_servers": embedded.broker.bootstrap_servers}
        async with own(transactional_id=embedded.group(), **address) as producer:
            with mock.patch.object(own, "_serialize") as serialize, pytest.raises(embedded.errors.IllegalOperation):
                await producer.send(topic, b"value")
            assert not serialize.called

    run(test)


def test_batches_go_where_the_subclass_says(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=3)
    asked: list[Any] = []

    class Choosing(library.module().AIOKafkaProducer):  # type: ignore[misc, name-defined]
        def _partition(self, *arguments: Any) -> int:
            asked.append(arguments)
            return 2

    async def test() -> None:
        async with Choosing(bootstrap_servers=library.broker.bootstrap_servers) as producer:
            for partition in (0, None):
                assert (await (await batch_of(producer, topic, b"value", partition))).partition == 2
        assert asked == [(topic, partition, None, None, None, None) for partition in (0, None)]

    run(test)


def test_partitions_that_are_no_numbers_are_told_apart_from_those_that_do_not_exist(
    embedded: Library, run: Run
) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with serializing(embedded)(bootstrap_servers=embedded.broker.bootstrap_servers) as producer:
            for partition, error in (("0", TypeError), (7, AssertionError), (-1, AssertionError)):
                with pytest.raises(error):
                    await producer.send(topic, b"value", partition=partition)
                with pytest.raises(error):
                    await batch_of(producer, topic, b"value", partition)  # type: ignore[arg-type]  # that is the point

    run(test)


def test_a_subclass_may_replace_partitions_for_as_well(embedded: Library, run: Run) -> None:
    """The producer itself does not call it."""
    topic = embedded.broker.new_topic()

    class Own(serializing(embedded)):  # type: ignore[misc]
        async def partitions_for(self, _: str) -> Any:
            raise AssertionError("the producer has called the method of its subclass")

    async def test() -> None:
        async with Own(bootstrap_servers=embedded.broker.bootstrap_servers) as producer:
            await producer.send_and_wait(topic, b"0")
            await (await batch_of(producer, topic, b"1"))
        assert await values(embedded, topic) == numbered(2)

    run(test)


@pytest.mark.parametrize("place", ["the same class", "a base", "a mixin"])
def test_what_replaces_send_calls_the_methods(embedded: Library, run: Run, place: str) -> None:
    topic = embedded.broker.new_topic()
    base: Any = embedded.module().AIOKafkaProducer

    def serialize(self: Any, key: Any, value: Any, headers: Any) -> Any:
        return key, base._serialize(self, key, value, headers)[1] + b"?"

    class Mixin:
        async def send(self, topic: str, value: Any, *arguments: Any) -> Any:
            return await super().send(topic, value + b"!", *arguments)  # type: ignore[misc]  # a mixin

    class Sending(Mixin, base):  # type: ignore[misc]
        pass

    bases = {"the same class": (base,), "a base": (Sending,), "a mixin": (Mixin, base)}[place]

    class Own(*bases):  # type: ignore[misc]
        _serialize = serialize
        if place == "the same class":

            async def send(self, topic: str, value: Any, *arguments: Any) -> Any:
                return await super().send(topic, value + b"!", *arguments)

    async def test() -> None:
        async with Own(bootstrap_servers=embedded.broker.bootstrap_servers) as producer:
            await producer.send_and_wait(topic, b"0")
            await (await producer.send(topic, b"1"))
        assert await values(embedded, topic) == [b"0!?", b"1!?"]

    run(test)


@pytest.mark.parametrize("made", ["before", "after"])
def test_a_tracer_sees_such_sends(embedded: Library, run: Run, made: str) -> None:
    """It stands in the place of `AIOKafkaProducer.send`, and has come before the subclass was made or after."""
    topic = embedded.broker.new_topic()
    kind: Any = embedded.module().AIOKafkaProducer
    native = kind.send
    seen: list[Any] = []

    async def send(self: Any, topic: str, *arguments: Any, **keywords: Any) -> Any:
        seen.append(topic)
        return await native(self, topic, *arguments, **keywords)

    async def test() -> None:
        own = serializing(embedded)
        with mock.patch.object(kind, "send", send):
            own = own if made == "before" else serializing(embedded)
            address = {"bootstrap_servers": embedded.broker.bootstrap_servers}
            async with own(value_serializer=str.encode, **address) as producer:
                await producer.send_and_wait(topic, "0")
                await (await producer.send(topic, "1"))
        assert seen == [topic, topic]
        assert await values(embedded, topic) == numbered(2)

    run(test)


def test_a_double_is_called_without_a_connection(embedded: Library, run: Run) -> None:
    async def test() -> None:
        producer = serializing(embedded)(value_serializer=str.encode)
        with mock.patch.object(embedded.module().AIOKafkaProducer, "send", autospec=True, return_value=1) as send:
            assert await producer.send("topic", "value", headers=None) == 1
        send.assert_called_once()
        assert send.call_args.args[:3] == (producer, "topic", "value")
        await producer.stop()

    run(test)


def test_the_send_of_the_class_calls_the_methods(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()
    base: Any = embedded.module().AIOKafkaProducer

    class Own(base):  # type: ignore[misc]
        def _serialize(self, key: Any, value: Any, headers: Any) -> Any:
            return super()._serialize(key, value + b"!", headers)

        async def send(self, *arguments: Any) -> Any:
            return await base.send(self, *arguments)

    async def test() -> None:
        async with Own(bootstrap_servers=embedded.broker.bootstrap_servers) as producer:
            await producer.send_and_wait(topic, b"0")
        assert await values(embedded, topic) == [b"0!"]

    run(test)


def test_what_stands_between_a_class_with_methods_and_the_librarys_gets_what_the_caller_gave(
    embedded: Library, run: Run
) -> None:
    topic = embedded.broker.new_topic()
    base: Any = embedded.module().AIOKafkaProducer

    class Serializing(base):  # type: ignore[misc]
        def _serialize(self, key: Any, value: Any, _: Any) -> Any:
            return key, repr(value).encode()

    class Wrapping(base):  # type: ignore[misc]
        async def send(self, topic: str, value: Any, *arguments: Any) -> Any:
            return await super().send(topic, [value], *arguments)

    class Both(Serializing, Wrapping):
        pass

    async def test() -> None:
        async with Both(bootstrap_servers=embedded.broker.bootstrap_servers) as producer:
            await producer.send_and_wait(topic, 1)
        assert await values(embedded, topic) == [b"[1]"]

    run(test)


@pytest.mark.parametrize("where", ["the class", "a class between", "the library's class", "the object"])
@pytest.mark.parametrize("when", ["before start", "later"])
def test_methods_that_are_replaced_later_are_called_from_then_on(
    embedded: Library, run: Run, where: str, when: str
) -> None:
    """By a decorator of the class, an assignment, a test double."""
    topic = embedded.broker.new_topic()
    base: Any = embedded.module().AIOKafkaProducer

    class Between(base):  # type: ignore[misc]
        pass

    class Own(Between):
        pass

    def marked(*parts: Any) -> Any:
        return None, parts[-2] + b"!"

    async def test() -> None:
        producer = Own(bootstrap_servers=embedded.broker.bootstrap_servers)
        places = {"the class": Own, "a class between": Between, "the library's class": base, "the object": producer}
        if when == "later":
            await producer.start()
            await producer.send_and_wait(topic, b"before")
        with mock.patch.object(places[where], "_serialize", marked):
            if when == "before start":
                await producer.start()
            await producer.send_and_wait(topic, b"meanwhile")
            await (await producer.send(topic, b"meanwhile"))
        await producer.send_and_wait(topic, b"after")
        await producer.stop()
        before = [b"before"] if when == "later" else []
        assert await values(embedded, topic) == [*before, b"meanwhile!", b"meanwhile!", b"after"]

    run(test)


def test_a_partition_is_chosen_by_a_method_that_is_replaced_later(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic(partitions=3)

    async def test() -> None:
        async with embedded.producer() as producer:
            with mock.patch.object(type(producer), "_partition", return_value=2):
                assert (await producer.send_and_wait(topic, b"value", partition=0)).partition == 2
            assert (await producer.send_and_wait(topic, b"value", partition=0)).partition == 0

    run(test)

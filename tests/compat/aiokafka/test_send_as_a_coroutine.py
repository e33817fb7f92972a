"""`send()` and `send_and_wait()` are coroutines of the original: nothing happens before they are awaited, and asyncio
makes tasks of them.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

CALLS = ["send", "send_and_wait"]


async def stored(library: Library, topic: str) -> list[bytes]:
    """What is in a topic of one partition."""
    place = library.partition(topic)
    async with library.consumer() as consumer:
        consumer.assign([place])
        count = (await consumer.end_offsets([place]))[place]
        return [(await consumer.getone()).value for _ in range(count)]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("way", [asyncio.ensure_future, asyncio.create_task], ids=["ensure_future", "create_task"])
def test_a_task_that_is_cancelled_before_its_first_step_sends_nothing(
    embedded: Library, run: Run, call: str, way: Any
) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer() as producer:
            task = way(getattr(producer, call)(topic, b"cancelled"))
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            await producer.send_and_wait(topic, b"sent")
        assert await stored(embedded, topic) == [b"sent"]

    run(test)


@pytest.mark.parametrize("call", CALLS)
def test_tasks_are_waited_for_together(embedded: Library, run: Run, call: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer() as producer:
            send = getattr(producer, call)
            tasks = [asyncio.ensure_future(send(topic, b"%d" % number)) for number in range(3)]
            assert all(isinstance(task, asyncio.Task) for task in tasks)
            done, _ = await asyncio.wait(tasks)
            assert done == set(tasks)
            await asyncio.gather(*(send(topic, b"%d" % number) for number in range(3, 6)))
        assert await stored(embedded, topic) == [b"%d" % number for number in range(6)]

    run(test)


def test_records_go_in_the_order_in_which_they_are_awaited(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer() as producer:
            first, second = producer.send(topic, b"called first"), producer.send(topic, b"called second")
            await second
            await first
        assert await stored(embedded, topic) == [b"called second", b"called first"]

    run(test)


@pytest.mark.parametrize("call", CALLS)
def test_what_is_never_awaited_is_not_sent_and_says_so(embedded: Library, run: Run, call: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer() as producer:
            await producer.send_and_wait(topic, b"sent")
            with pytest.warns(RuntimeWarning, match=f"coroutine 'AIOKafkaProducer.{call}' was never awaited"):
                # Nobody keeps it: it goes at once.
                getattr(producer, call)(topic, b"forgotten")
        assert await stored(embedded, topic) == [b"sent"]

    run(test)


@pytest.mark.parametrize("call", CALLS)
def test_closing_a_call_gives_it_up_without_a_warning(
    embedded: Library, run: Run, call: str, recwarn: pytest.WarningsRecorder
) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer() as producer:
            getattr(producer, call)(topic, b"given up").close()
            await producer.send_and_wait(topic, b"sent")
        assert await stored(embedded, topic) == [b"sent"]

    run(test)
    assert not [each for each in recwarn if each.category is RuntimeWarning]

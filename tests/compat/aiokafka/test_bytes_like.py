"""Values and keys that are not bytes, and functions of the program that raise in the midst of a send."""

from __future__ import annotations

import array
import asyncio
import ctypes
import mmap
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.support.aiokafka_library import Library, Run


def mapped() -> mmap.mmap:
    memory = mmap.mmap(-1, 4)
    memory[:] = b"mmap"
    return memory


BUFFERS: dict[str, Callable[[], Any]] = {
    "bytearray": lambda: bytearray(b"x"),
    "memoryview": lambda: memoryview(b"xy"),
    "memoryview of doubles": lambda: memoryview(array.array("d", [1.0])),
    "array": lambda: array.array("i", [1, 2]),
    "numpy": lambda: np.zeros((2, 2)),
    "pyarrow": lambda: pa.py_buffer(b"ab"),
    "mmap": mapped,
    "ctypes": lambda: (ctypes.c_char * 3)(b"a", b"b", b"c"),
}


@pytest.mark.parametrize("name", BUFFERS)
def test_whatever_shows_its_memory_is_sent(embedded: Library, run: Run, name: str) -> None:
    topic = embedded.broker.new_topic()
    given = BUFFERS[name]()

    async def test() -> None:
        async with embedded.producer() as producer:
            await producer.send_and_wait(topic, given, key=given, partition=0)
            batch = producer.create_batch()
            batch.append(key=given, value=given, timestamp=None)
            await (await producer.send_batch(batch, topic, partition=np.int64(0)))
        async with embedded.producer(value_serializer=lambda _: given) as producer:
            await producer.send_and_wait(topic, "value", key=given, partition=0)
        async with embedded.consumer(topic) as consumer:
            records = [await consumer.getone() for _ in range(3)]
        assert {(record.key, record.value) for record in records} == {(bytes(memoryview(given)),) * 2}

    run(test)


@pytest.mark.parametrize("given", [memoryview(b"abcd")[::2], "text", 5], ids=["in pieces", "text", "number"])
def test_what_does_not_is_refused(embedded: Library, run: Run, given: Any) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer() as producer:
            kind = BufferError if isinstance(given, memoryview) else TypeError
            with pytest.raises(kind):
                await producer.send(topic, given)
            with pytest.raises(kind):
                producer.create_batch().append(key=None, value=given, timestamp=None)
            with pytest.raises(TypeError):
                await producer.send_batch(producer.create_batch(), topic, partition="0")

    run(test)


async def awaited(call: Awaitable[Any]) -> Any:
    return await call


WAYS: dict[str, Callable[[Any], Any]] = {
    "await": awaited,
    "task": asyncio.create_task,
    "ensure_future": asyncio.ensure_future,
    "wait_for": lambda call: asyncio.wait_for(call, 5),
    "gather": asyncio.gather,
    "shield": asyncio.shield,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", ["value_serializer", "key_serializer", "partitioner"])
@pytest.mark.parametrize("method", ["send", "send_and_wait"])
def test_a_function_whose_iterator_is_at_its_end_fails_the_call(
    embedded: Library, run: Run, way: str, function: str, method: str
) -> None:
    topic = embedded.broker.new_topic()

    def ends(*_: Any) -> Any:
        return next(iter(()))

    async def test() -> None:
        async with embedded.producer(**{function: ends}) as producer:
            with pytest.raises(RuntimeError):
                await WAYS[way](getattr(producer, method)(topic, b"value", key=b"key"))

    run(test)

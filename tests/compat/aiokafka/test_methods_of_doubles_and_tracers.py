"""What test doubles, decorators that repeat calls, and tracers ask of methods, and what they put in their place."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import pickle
import weakref
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from tests.support.aiokafka_library import Library, Run

CLASSES = ["AIOKafkaProducer", "AIOKafkaConsumer"]
RECORDS = 3


def public_methods(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))]


@pytest.mark.parametrize("name", CLASSES)
def test_the_same_methods_are_coroutine_functions(name: str) -> None:
    import aiokafka
    from kafkars.compat import aiokafka as face

    original, ours = getattr(aiokafka, name), getattr(face, name)
    kinds = (inspect.iscoroutinefunction, asyncio.iscoroutinefunction, inspect.isfunction)
    for method in public_methods(original):
        found = [[kind(getattr(side, method)) for kind in kinds] for side in (original, ours)]
        assert found[0] == found[1], method


@pytest.mark.parametrize("name", CLASSES)
def test_methods_say_whose_they_are(embedded: Library, name: str) -> None:
    """In which file of the class they are written is nobody's concern."""
    kind = getattr(embedded.module(), name)
    for method in public_methods(kind):
        function = getattr(kind, method)
        assert (function.__module__, function.__qualname__) == (kind.__module__, f"{name}.{method}")
        assert pickle.loads(pickle.dumps(function)) is function
        assert inspect.getsource(function)


@pytest.mark.parametrize("name", CLASSES)
def test_doubles_are_awaitable_where_the_originals_are(name: str) -> None:
    import aiokafka
    from kafkars.compat import aiokafka as face

    def kinds(kind: type) -> dict[str, Any]:
        made = [mock.MagicMock(spec=kind), mock.AsyncMock(spec=kind), mock.create_autospec(kind, instance=True)]
        return {
            method: [inspect.iscoroutinefunction(getattr(double, method)) for double in made]
            for method in public_methods(getattr(aiokafka, name))
        }

    assert kinds(getattr(face, name)) == kinds(getattr(aiokafka, name))


def test_a_double_checks_arguments(embedded: Library) -> None:
    double = mock.create_autospec(embedded.module().AIOKafkaProducer, instance=True)
    with pytest.raises(TypeError):
        double.send_and_wait()
    with pytest.raises(TypeError):
        double.send("topic", payload=b"value")


@pytest.mark.parametrize("method", ["send", "send_and_wait", "flush"])
def test_a_patched_method_of_the_class_can_be_awaited(embedded: Library, run: Run, method: str) -> None:
    producer_class = embedded.module().AIOKafkaProducer

    async def test() -> None:
        producer = embedded.producer()
        with mock.patch.object(producer_class, method) as patched:
            patched.return_value = "patched"
            assert await getattr(producer, method)("topic", b"value") == "patched"
            patched.assert_awaited_once()
        assert inspect.iscoroutinefunction(getattr(producer_class, method))
        await producer.stop()

    run(test)


def test_methods_are_held_weakly_copied_and_pickled(embedded: Library, run: Run) -> None:
    """Libraries of signals keep the methods that they call as `weakref.WeakMethod`."""
    module = embedded.module()

    async def test() -> None:
        producer, consumer = embedded.producer(), embedded.consumer()
        for client, method in (
            (producer, "send"),
            (producer, "send_and_wait"),
            (consumer, "getone"),
            (consumer, "getmany"),
        ):
            function = getattr(type(client), method)
            assert weakref.ref(function)() is function
            assert weakref.WeakMethod(getattr(client, method))() == getattr(client, method)
            assert copy.copy(function) is function
            assert copy.deepcopy(function) is function
            assert not hasattr(function, "\ud800")
        for function in (module.AIOKafkaProducer.send, module.AIOKafkaConsumer.getone):
            assert pickle.loads(pickle.dumps(function)) is function
        await producer.stop()
        await consumer.stop()

    run(test)


def repeated(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator as `tenacity` has one: it waits for coroutines, and only for those."""
    if not inspect.iscoroutinefunction(function):
        pytest.fail(f"{function} is taken for a function that does not have to be awaited")

    @functools.wraps(function)
    async def again(*arguments: Any, **keywords: Any) -> Any:
        for _ in range(2):
            last = await function(*arguments, **keywords)
        return last

    return again


def test_decorators_see_coroutine_functions_in_bound_methods(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer() as producer, embedded.consumer(topic) as consumer:
            assert (await repeated(producer.send_and_wait)(topic, b"value")).offset == 1
            assert (await repeated(consumer.getone)()).offset == 1

    run(test)


class Traced:
    """Puts functions in the place of methods, as tracers do, and counts their calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def around(self, method: Any) -> Any:
        async def traced(*arguments: Any, **keywords: Any) -> Any:
            self.calls.append(method.__name__)
            return await method(*arguments, **keywords)

        return traced


async def iterate(consumer: Any) -> list[bytes]:
    values: list[bytes] = []
    async for record in consumer:
        values.append(record.value)
        if len(values) == RECORDS:
            break
    return values


@pytest.mark.parametrize("way", ["class", "object", "subclass", "while it iterates"])
def test_a_loop_calls_the_getone_that_there_is(
    embedded: Library, run: Run, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    topic, traced = embedded.broker.new_topic(), Traced()
    kind = embedded.module().AIOKafkaConsumer

    async def test() -> None:
        await embedded.fill(topic, RECORDS)
        settings = {"bootstrap_servers": embedded.broker.bootstrap_servers, "auto_offset_reset": "earliest"}
        if way == "subclass":
            made = type("Own", (kind,), {"getone": traced.around(kind.getone)})(topic, **settings)
        else:
            made = kind(topic, **settings)
        if way == "object":
            made.getone = traced.around(made.getone)
        if way == "class":
            monkeypatch.setattr(kind, "getone", traced.around(kind.getone))
        async with made as consumer:
            if way == "while it iterates":
                assert (await anext(aiter(consumer))).value == b"v0"
                monkeypatch.setattr(kind, "getone", traced.around(kind.getone))
                assert [(await anext(consumer)).value for _ in range(RECORDS - 1)] == [b"v1", b"v2"]
            else:
                assert await iterate(consumer) == [b"v0", b"v1", b"v2"]
            assert traced.calls == ["getone"] * (RECORDS - (way == "while it iterates"))
        with pytest.raises(StopAsyncIteration):
            await anext(consumer)

    run(test)


@pytest.mark.parametrize("way", ["class", "object", "subclass"])
def test_send_and_wait_calls_the_send_that_there_is(
    embedded: Library, run: Run, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    topic, traced = embedded.broker.new_topic(), Traced()
    kind = embedded.module().AIOKafkaProducer

    async def test() -> None:
        made = kind(bootstrap_servers=embedded.broker.bootstrap_servers)
        if way == "subclass":
            own = type("Own", (kind,), {"send": traced.around(kind.send)})
            await made.stop()
            made = own(bootstrap_servers=embedded.broker.bootstrap_servers)
        if way == "object":
            made.send = traced.around(made.send)
        if way == "class":
            monkeypatch.setattr(kind, "send", traced.around(kind.send))
        async with made as producer:
            assert (await producer.send_and_wait(topic, b"value", b"key")).offset == 0

    run(test)
    assert traced.calls == ["send"]


def test_classes_go_with_a_metaclass_of_the_program(embedded: Library) -> None:
    meta = type("Meta", (type,), {})
    for name in CLASSES:
        assert type(meta("Own", (getattr(embedded.module(), name),), {})) is meta


def test_what_a_loop_awaits_can_be_a_task(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, RECORDS)
        async with embedded.consumer(topic) as consumer:
            assert (await asyncio.create_task(consumer.__anext__())).value == b"v0"
            assert (await asyncio.ensure_future(consumer.__anext__())).value == b"v1"
            assert (await asyncio.wait_for(consumer.__anext__(), 30)).value == b"v2"

    run(test)


def test_health_checks_see_whether_a_producer_runs(embedded: Library, run: Run) -> None:
    async def test() -> None:
        producer = embedded.producer()
        assert producer._sender.sender_task is None
        await producer.start()
        task: Any = producer._sender.sender_task
        assert not task.done()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(task), 0.01)
        await producer.stop()
        assert producer._sender.sender_task is task
        assert task.done()

    run(test)


@pytest.mark.parametrize("state", ["made", "stopped", "uninitialised"])
def test_anext_with_a_default_of_a_consumer_that_reads_nothing(embedded: Library, run: Run, state: str) -> None:
    """CPython ends the process where `__anext__()` raises instead of what it returns."""
    kind, topic = embedded.module().AIOKafkaConsumer, embedded.broker.new_topic()

    async def test() -> None:
        consumer = kind.__new__(kind) if state == "uninitialised" else embedded.consumer(topic)
        if state == "stopped":
            await consumer.start()
            await consumer.stop()
        following = consumer.__anext__()
        if state == "stopped":
            with pytest.raises(StopAsyncIteration):
                await following
            assert await anext(consumer, "default") == "default"
        else:
            with pytest.raises((embedded.errors.IllegalStateError, AttributeError)):
                await following
            with pytest.raises((embedded.errors.IllegalStateError, AttributeError)):
                await anext(consumer, "default")
        if state == "made":
            await consumer.stop()

    run(test)

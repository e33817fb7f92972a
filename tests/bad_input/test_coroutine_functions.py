"""A coroutine function that nobody would await is refused where it is given, in words that say what to use."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import kafkars
import pytest
from kafkars import ParallelConsumer
from kafkars.config.checks import is_coroutine_function
from kafkars.errors import HandlerError
from kafkars.testing import EmbeddedBroker

SERVERS = "127.0.0.1:1"


async def awaited(*_: Any) -> Any:
    return b"never made"


async def yielded(*_: Any) -> Any:
    yield b"never made"


class Awaited:
    """An object whose call and methods are coroutine functions."""

    async def __call__(self, *_: Any) -> Any:
        return b"never made"

    serialize = deserialize = on_send = on_acknowledgement = __call__


GIVEN: dict[str, Any] = {
    "function": awaited,
    "generator": yielded,
    "partial": functools.partial(functools.partial(awaited, 1), 2),
    "method": Awaited().__call__,
    "object": Awaited(),
}
NAMES = {"bootstrap_servers": SERVERS}
SETTINGS: dict[str, Callable[[Any], object]] = {
    "handle": lambda given: ParallelConsumer(given, "t", group_id="g", **NAMES),
    "on_error": lambda given: ParallelConsumer(print, "t", group_id="g", on_error=given, **NAMES),
    "key_serializer": lambda given: kafkars.Producer(key_serializer=given, **NAMES),
    "value_serializer": lambda given: kafkars.Producer(value_serializer=given, **NAMES),
    "partitioner": lambda given: kafkars.Producer(partitioner=given, **NAMES),
    "key_deserializer": lambda given: kafkars.Consumer(key_deserializer=given, **NAMES),
    "value_deserializer": lambda given: kafkars.Consumer(value_deserializer=given, **NAMES),
    "value_serializer of asyncio": lambda given: kafkars.ProducerConfig(value_serializer=given, **NAMES),
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_is_a_coroutine_function_is_refused(name: str, given: Any) -> None:
    with pytest.raises(TypeError, match=rf"{name.split(maxsplit=1)[0]}: .* is a coroutine function, .*(use|give) "):
        SETTINGS[name](given)


class Half:
    """An interceptor one of whose methods nobody would await."""

    def on_send(self, record: Any) -> Any:
        return record

    async def on_acknowledgement(self, *_: Any) -> None:
        pass


def test_an_interceptor_with_a_coroutine_function_is_refused() -> None:
    with pytest.raises(TypeError, match=r"interceptors: .*on_acknowledgement.* is a coroutine function"):
        kafkars.Producer(interceptors=[Half()], **NAMES)


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_a_callback_that_is_a_coroutine_function_is_refused(given: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            with pytest.raises(TypeError, match=r"on_delivery: .* is a coroutine function"):
                producer.send("t", b"v", on_delivery=given)
            with pytest.raises(TypeError, match=r"function: .* is a coroutine function"):
                producer.send("t", b"v").add_done_callback(given)
        with kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g") as consumer:
            consumer.subscribe("t")
            with pytest.raises(TypeError, match=r"callback: .* is a coroutine function"):
                consumer.commit_async({("t", 0): 1}, given)


def test_a_handler_that_returns_what_it_should_have_awaited_ends_the_consumer() -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        servers = {"bootstrap_servers": broker.bootstrap_servers}
        with kafkars.Producer(**servers) as producer:
            producer.send("t", b"v")
        consumer = ParallelConsumer(
            lambda record: awaited(record.value), "t", group_id="g", auto_offset_reset="earliest", **servers
        )
        with pytest.raises(HandlerError, match=r"nothing awaits: it has not run\. kafkars\.aio\.ParallelConsumer"):
            consumer.run()
        with kafkars.Admin(**servers) as admin:
            assert not admin.list_group_offsets(["g"])["g"]


def test_ordinary_functions_are_none() -> None:
    for each in (print, len, int, lambda: 1, functools.partial(print), {}.get, Half().on_send, Half(), 5, None):
        assert not is_coroutine_function(each)

"""Every public method that takes a time limit or a number of records: what is none is refused at once by its name, and
`timeout=None` means one thing. The methods are found by their signatures, so that a new one is tested too.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, NamedTuple

import kafkars
import kafkars.aio
import kafkars.config
import pyarrow as pa
import pytest
from kafkars import ConsumerGroupMetadata, KafkaError
from kafkars.admin import ConfigResource, NewTopic
from kafkars.errors import InvalidArgumentError
from kafkars.testing import EmbeddedBroker

from tests.client_api import awaited
from tests.support.waiting import SECONDS, Stopwatch

ROLES = {"Producer": kafkars.Producer, "Consumer": kafkars.Consumer, "Admin": kafkars.Admin}
FLAVOURS: dict[str, Any] = {"sync": kafkars, "asyncio": kafkars.aio}

PARTITION = ("topic", 0)
TABLE = pa.table({"value": [b"value"]})
GROUP = ConsumerGroupMetadata("group")
NAMED: dict[str, tuple[Any, ...]] = {
    "beginning_offsets": (PARTITION,),
    "committed": (PARTITION,),
    "end_offsets": (PARTITION,),
    "enqueue_arrow": ("topic", TABLE),
    "enqueue_many": ("topic", [b"value"]),
    "offsets_for_times": ({PARTITION: 0},),
    "partitions_for": ("unknown",),
    "position": (PARTITION,),
    "send_arrow": ("topic", TABLE),
    "send_many": ("unknown", [b"value"]),
    "send_offsets_to_transaction": ({PARTITION: 0}, GROUP),
}
"""What the calls of producers and consumers need besides."""

OF_ADMIN: dict[str, tuple[Any, ...]] = {
    "alter_configs": ({ConfigResource("topic", "topic"): {"retention.ms": "1"}},),
    "alter_group_offsets": ("group", {PARTITION: 0}),
    "alter_partition_reassignments": ({PARTITION: [1]},),
    "create_topics": ([NewTopic("new", partitions=1)],),
    "describe_configs": ([ConfigResource("topic", "topic")],),
    "elect_leaders": ("preferred",),
    "list_offsets": ({PARTITION: "earliest"},),
}
"""And those of administrators, where `BY_NAME` does not fit."""

SETTINGS = {"default_api_timeout_ms": 300, "max_block_ms": 300, "close_timeout_ms": 300}
"""What limits calls that have none of their own, each where a client has it."""

BY_SETTINGS = re.compile("`(default_api_timeout_ms|max_block_ms|close_timeout_ms)`")
WITHOUT_END = re.compile("None waits (without end|as long)")
OTHER_DEFAULTS = {"poll": (0.0, 1.0), "poll_batch": (1.0,), "poll_arrow": (1.0,), "read_until_end": (30.0,)}

WRONG_TIMES = {"-1": -1, "just below 0": -1e-9, "NaN": float("nan"), "-inf": float("-inf")}
NO_TIMES: dict[str, object] = {"text": "1", "bytes": b"1", "a list": [], "a thing": object()}
WRONG_COUNTS = {"0": 0, "-1": -1, "-2**63 - 1": -(2**63) - 1}
NO_COUNTS: dict[str, object] = {"half": 1.5, "text": "1", "a thing": object()}

AT_ONCE = 6.0  # far from the 60 s that calls have by default


class Method(NamedTuple):
    """A public method with an argument of a name."""

    flavour: str
    role: str
    name: str
    default: object
    text: str

    def __str__(self) -> str:
        return f"{self.flavour} {self.role}.{self.name}"


def methods(argument: str) -> Iterator[Method]:
    """Those of every client that have such an argument."""
    for flavour, module in FLAVOURS.items():
        for role in ROLES:
            owner = getattr(module, role)
            for name in dir(owner):
                if name.startswith("_") or not callable(getattr(owner, name)):
                    continue
                try:
                    parameters = inspect.signature(getattr(owner, name)).parameters
                except ValueError:  # what native classes inherit of object
                    continue
                if argument in parameters:
                    text = inspect.getdoc(getattr(owner, name)) or ""
                    yield Method(flavour, role, name, parameters[argument].default, text)


class Clients:
    """A client of each role and flavour on one broker, called as the test needs it."""

    def __init__(self, servers: str, **settings: float) -> None:
        self.loop = asyncio.new_event_loop()
        self.made: dict[tuple[str, str], Any] = {}
        for flavour, module in FLAVOURS.items():
            for role in ROLES:
                fields = inspect.signature(getattr(kafkars.config, f"{role}Config")).parameters
                given: dict[str, Any] = {key: value for key, value in settings.items() if key in fields}
                if role == "Consumer":
                    given["group_id"] = "group"
                if role == "Producer" and given:
                    # What is awaited of a send ends by this, whatever it has waited for before.
                    given |= {"delivery_timeout_ms": 500, "request_timeout_ms": 400}
                self.made[flavour, role] = self.on_loop(getattr(module, role), bootstrap_servers=servers, **given)
        for flavour in FLAVOURS:
            self.made[flavour, "Consumer"].assign([PARTITION])

    def on_loop(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Calls, and awaits what is to be awaited."""

        async def inside() -> Any:
            outcome = call(*arguments, **named)
            if inspect.isasyncgen(outcome):
                return await outcome.__anext__()
            return await outcome if inspect.isawaitable(outcome) else outcome

        return self.loop.run_until_complete(inside())

    def call(self, method: Method, **named: Any) -> Any:
        """Calls a method of the client that has it."""
        bound = getattr(self.made[method.flavour, method.role], method.name)
        arguments, more = arguments_of(method, bound)
        named |= more
        if method.flavour == "asyncio":
            return self.on_loop(bound, *arguments, **named)
        outcome = bound(*arguments, **named)
        return next(outcome) if inspect.isgenerator(outcome) else outcome

    def close(self) -> None:
        """Ends them all."""
        for (flavour, _), client in self.made.items():
            with suppress(KafkaError):
                client.close(0) if flavour == "sync" else self.on_loop(client.close, 0)
        self.loop.close()


def arguments_of(method: Method, bound: Callable[..., Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a call needs: from the tables, or else what the name of each argument asks for."""
    table = OF_ADMIN if method.role == "Admin" else NAMED
    if method.name in table:
        return table[method.name], {}
    parameters = inspect.signature(bound).parameters.values()
    return (), {each.name: BY_NAME[each.name] for each in parameters if each.default is each.empty}


BY_NAME: dict[str, Any] = {
    "acls": [],
    "alterations": [],
    "before": {PARTITION: 0},
    "filters": [],
    "group": "group",
    "groups": ["group"],
    "key": "group",
    "partition": PARTITION,
    "partitions": [PARTITION],
    "producer_epoch": 0,
    "producer_id": 1,
    "topics": ["topic"],
    "totals": {"topic": 2},
    "transactional_ids": ["id"],
}
"""What arguments of a name may be given. An argument that is missing here belongs to a new method: add it."""


@pytest.fixture(scope="module")
def clients() -> Iterator[Clients]:
    """Clients of a broker that answers."""
    with EmbeddedBroker(topics={"topic": 1}) as broker:
        made = Clients(broker.bootstrap_servers)
        yield made
        made.close()


# `send_batch` needs a batch that is filled, and `close` comes once: they have tests of their own below.
WITH_TIMES = [each for each in methods("timeout") if each.name not in {"close", "send_batch"}]
WITH_COUNTS = list(methods("max_records"))


def test_there_are_many() -> None:
    assert len(list(methods("timeout"))) > 100
    assert len(WITH_COUNTS) == 8


@pytest.mark.parametrize("method", WITH_TIMES, ids=str)
def test_a_time_that_is_none_is_refused_at_once(clients: Clients, method: Method) -> None:
    with Stopwatch() as watch:
        for value in WRONG_TIMES.values():
            with pytest.raises(ValueError, match="timeout is in seconds and not negative"):
                clients.call(method, timeout=value)
        for value in NO_TIMES.values():
            with pytest.raises(TypeError):
                clients.call(method, timeout=value)
    assert watch.seconds < AT_ONCE


@pytest.mark.parametrize("method", WITH_COUNTS, ids=str)
def test_a_number_of_records_that_is_none_is_refused_at_once(clients: Clients, method: Method) -> None:
    with Stopwatch() as watch:
        for value in WRONG_COUNTS.values():
            with pytest.raises(ValueError, match="max_records must be at least 1"):
                clients.call(method, max_records=value)
        for value in NO_COUNTS.values():
            with pytest.raises(TypeError, match="max_records"):
                clients.call(method, max_records=value)
    assert watch.seconds < AT_ONCE


@pytest.mark.parametrize("method", list(methods("timeout")), ids=str)
def test_the_text_says_what_none_means(method: Method) -> None:
    is_limited, is_endless = BY_SETTINGS.search(method.text), WITHOUT_END.search(method.text)
    assert is_limited or is_endless, method.text
    assert method.default in (None, *OTHER_DEFAULTS.get(method.name, ()))


def test_none_takes_the_limit_of_the_settings() -> None:
    """The broker is silent: whatever has a setting ends by it, and what has none goes on."""
    with EmbeddedBroker(topics={"topic": 1}) as broker:
        made = Clients(broker.bootstrap_servers, **SETTINGS)
        for (_, role), client in made.made.items():
            call, arguments = MEETS[role]
            made.on_loop(getattr(client, call), *arguments, timeout=SECONDS)
        broker.pause_node(1)
        limited = [each for each in WITH_TIMES if BY_SETTINGS.search(each.text)]
        assert len(limited) > 80

        def outcome(method: Method) -> object:
            try:
                return made.call(method, timeout=None)
            except KafkaError as error:
                return error

        async def all_of_the_loop() -> None:
            async def one(method: Method) -> None:
                bound = getattr(made.made["asyncio", method.role], method.name)
                with suppress(KafkaError):
                    arguments, more = arguments_of(method, bound)
                    await bound(*arguments, timeout=None, **more)

            await asyncio.gather(*[one(each) for each in limited if each.flavour == "asyncio"])

        with Stopwatch() as watch, ThreadPoolExecutor(64) as threads:
            sync = [threads.submit(outcome, each) for each in limited if each.flavour == "sync"]
            made.loop.run_until_complete(all_of_the_loop())
            _, late = wait(sync, SECONDS)
            assert not late
        assert watch.seconds < AT_ONCE
        made.close()


def test_what_no_setting_limits_goes_on() -> None:
    async def main(servers: str) -> None:
        consumer = kafkars.aio.Consumer(bootstrap_servers=servers, group_id="group", **SETTINGS_OF_CONSUMERS)
        producer = kafkars.aio.Producer(bootstrap_servers=servers, close_timeout_ms=100, max_block_ms=100)
        await producer.send("topic", b"value")
        consumer.assign([PARTITION])
        assert await consumer.poll(timeout=SECONDS) is not None
        broker.pause_node(1)
        sent = asyncio.create_task(awaited(producer.send("topic", b"value")))
        read, flushed = consumer.poll(timeout=None), producer.flush(timeout=None)
        tasks = [asyncio.create_task(awaited(read)), asyncio.create_task(awaited(flushed)), sent]
        done, _ = await asyncio.wait(tasks, timeout=1.0)
        assert not done
        broker.resume_node(1)
        assert (await sent).offset == 1
        assert await tasks[1] == 0
        assert (await tasks[0]).offset == 1
        await consumer.commit(timeout=SECONDS)
        await consumer.close(timeout=SECONDS)
        await producer.close(timeout=SECONDS)

    with EmbeddedBroker(topics={"topic": 1}) as broker:
        asyncio.run(main(broker.bootstrap_servers))


MEETS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "Producer": ("partitions_for", ("topic",)),
    "Consumer": ("partitions_for", ("topic",)),
    "Admin": ("list_topics", ()),
}
"""A call that meets the broker."""

SETTINGS_OF_CONSUMERS: dict[str, Any] = {
    "auto_offset_reset": "earliest",
    "default_api_timeout_ms": 100,
    "close_timeout_ms": 100,
}


def test_filled_batches_refuse_times_that_are_none(client_api: Any) -> None:
    with (
        EmbeddedBroker(topics={"topic": 1}) as broker,
        client_api.Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        batch = producer.create_batch()
        batch.append(value=b"value")
        for value in WRONG_TIMES.values():
            with pytest.raises(ValueError, match="timeout is in seconds and not negative"):
                producer.send_batch(batch, "topic", partition=0, timeout=value).result(SECONDS)


def test_deliveries_refuse_times_that_are_none() -> None:
    with (
        EmbeddedBroker(topics={"topic": 1}) as broker,
        kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        one, many = producer.send("topic", b"value"), producer.send_many("topic", [b"value"])
        for call in (one.result, one.exception, many.result, many.failures):
            for value in WRONG_TIMES.values():
                with pytest.raises(ValueError, match="timeout is in seconds and not negative"):
                    call(timeout=value)


def test_the_broker_refuses_times_and_numbers_that_are_none() -> None:
    with EmbeddedBroker() as broker:
        for value in WRONG_TIMES.values():
            for call in (
                lambda value=value: broker.wait_for_request(timeout=value),
                lambda value=value: broker.slow_down(latency=value),
                lambda value=value: broker.intercept("Fetch", "delay", seconds=value),
                lambda value=value: broker.clock.advance(value),
            ):
                with pytest.raises(ValueError, match="seconds"), Stopwatch() as watch:
                    call()
                assert watch.seconds < AT_ONCE
        for number in (0, -1):
            with pytest.raises(InvalidArgumentError, match="count"):
                broker.wait_for_request(count=number, timeout=0)
            with pytest.raises(InvalidArgumentError, match="times"):
                broker.intercept("Fetch", "drop", times=number)
            with pytest.raises(InvalidArgumentError, match="bytes_per_second"):
                broker.slow_down(bytes_per_second=number)


def test_the_end_refuses_times_that_are_none(client_api: Any) -> None:
    with EmbeddedBroker() as broker:
        for role in ROLES:
            client = getattr(client_api, role)(bootstrap_servers=broker.bootstrap_servers)
            for value in WRONG_TIMES.values():
                with pytest.raises(ValueError, match="timeout is in seconds and not negative"):
                    client.close(value)
            client.close(0)

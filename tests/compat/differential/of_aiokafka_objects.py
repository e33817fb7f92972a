"""What aiokafka has beside its clients: contexts of transactions, records, partitioners, providers and errors; and
clients that a program's subclass has never initialised.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from tests.compat.differential.library import Call, Kind, World
from tests.compat.differential.of_confluent_kafka_values import given
from tests.compat.surface.table import rows

UNINITIALISED = "uninitialised"


def uninitialised(path: str) -> Callable[[World], Any]:
    """A client of a subclass that forgot `super().__init__()`."""

    def made(world: World) -> Any:
        module, _, name = path.rpartition(".")
        found = importlib.import_module(f"{world.module.__name__}.{module}") if module else world.module
        base = getattr(found, name)

        class Forgetful(base):  # type: ignore[misc]
            def __init__(self) -> None:
                pass

            def __del__(self) -> None:
                pass

        return Forgetful()

    return made


LEAVING = [given("kind", None, error=KeyError), given("error", None, error=KeyError("x")), given("traceback", None)]


def contexts(
    in_state: Callable[..., Any], transactional: Callable[[World], Awaitable[Any]], stop: Callable[[Any], Any]
) -> Kind:
    """What `transaction()` gives."""

    async def fresh(world: World) -> Any:
        return (await transactional(world)).transaction()

    async def entered(world: World) -> Any:
        made = await fresh(world)
        return await made.__aenter__()

    async def left(world: World) -> Any:
        made = await entered(world)
        await made.__aexit__(None, None, None)
        return made

    return Kind(
        "TransactionContext",
        {"fresh": in_state(fresh), "in a transaction": in_state(entered), "closed": in_state(left)},
        [Call("__aenter__"), Call("__aexit__", LEAVING)],
        lambda made: stop(made._producer),
    )


def record(world: World) -> Any:
    """A record that no broker has seen."""
    return world.module.ConsumerRecord("topic", 0, 1, 2, 0, b"key", b"value", None, 3, 5, (("name", b"value"),))


def partitioner(world: World) -> Any:
    return importlib.import_module(f"{world.module.__name__}.partitioner").DefaultPartitioner()


def provider(world: World) -> Any:
    """A provider of tokens, as programs write it."""
    base = importlib.import_module(f"{world.module.__name__}.abc").AbstractTokenProvider

    class Provider(base):  # type: ignore[misc]
        async def token(self) -> str:
            return "token"

    return Provider()


def listener_without_methods(world: World) -> Any:
    """A listener that leaves out what it has to have cannot be made."""
    base = importlib.import_module(f"{world.module.__name__}.abc").ConsumerRebalanceListener
    return type("Listener", (base,), {})()


def nothing(_: Any) -> None:
    """There is no connection to end."""


def kinds() -> Iterator[Kind]:
    """Objects without a connection."""
    yield Kind(
        "ConsumerRecord",
        {"fresh": record},
        [
            Call("__eq__", [given("other", None, number=1, text="record")], keeps=True),
            Call("equals another", keeps=True, invoke=lambda made: made == type(made)(*vars_of(made))),
            Call("equals one of another offset", keeps=True, invoke=lambda made: made == changed(made)),
            Call("__hash__", keeps=True, invoke=lambda made: isinstance(hash(made), int)),
            Call("__repr__", keeps=True),
            Call("vars", keeps=True, invoke=vars),
            Call("annotations", keeps=True, invoke=lambda made: type(made).__annotations__),
            Call("sets a field", keeps=True, invoke=lambda made: setattr(made, "offset", 5)),
        ],
        nothing,
    )
    yield Kind(
        "DefaultPartitioner",
        {"fresh": partitioner},
        [
            Call(
                "__call__",
                [
                    given("key", b"key", empty=b"", text="key", number=1, array=bytearray(b"key")),
                    given("all_partitions", [0, 1, 2], empty=[], none=None, tuple=(0, 1), number=1),
                    given("available", [0, 1, 2], empty=[], none=None, one=[1]),
                ],
                keeps=True,
            ),
            Call("without a key", keeps=True, invoke=lambda made: made(None, [0, 1, 2], [1])),
            Call("without a key and a leader", keeps=True, invoke=lambda made: made(None, [4], [])),
        ],
        nothing,
    )
    yield Kind("AbstractTokenProvider", {"fresh": provider}, [Call("token"), Call("extensions")], nothing)
    yield Kind(
        "ConsumerRebalanceListener", {"fresh": listener_without_methods}, [Call("on_partitions_revoked")], nothing
    )


FIELDS = (
    "topic",
    "partition",
    "offset",
    "timestamp",
    "timestamp_type",
    "key",
    "value",
    "checksum",
    "serialized_key_size",
    "serialized_value_size",
    "headers",
)


def vars_of(made: Any) -> list[Any]:
    """What a record is made of."""
    return [getattr(made, name) for name in FIELDS]


def changed(made: Any) -> Any:
    """The same record at another place."""
    return type(made)(*("other" if name == "topic" else getattr(made, name) for name in FIELDS))


def errors() -> Iterator[Call]:
    """All exceptions, without and with what programs give them."""
    for row in rows("aiokafka"):
        # Aliases of releases before are not in this one.
        if row.kind == "exception" and "alias" not in row.remarks:
            yield Call(row.name, [given("text", "text", none=None, number=1)])

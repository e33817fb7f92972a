"""confluent_kafka: every property of librdkafka at, below and above its limits, all others at their defaults. No broker
is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import files
from pathlib import Path
from typing import Any

from kafkars.compat.confluent_kafka._properties import ALL, Property
from kafkars.compat.confluent_kafka._properties.property import CHOICE, FLAG, INTEGER, NUMBER

from tests.compat.differential.library import Argument, Call, Library, Value, World
from tests.compat.differential.of_confluent_kafka import fault

NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}
CLIENTS = {"Producer": {}, "Consumer": {"group.id": "group"}, "admin.AdminClient": {}}

POINTERS = {
    "background_event_cb",
    "closesocket_cb",
    "connect_cb",
    "default_topic_conf",
    "opaque",
    "open_cb",
    "resolve_cb",
    "socket_cb",
}
"""Addresses in memory: what is no address ends the process."""

CLUSTER = "test.mock.num.brokers"
"""Starts as many brokers, thousands at its limit: it has one value."""


DOTTED = re.compile(rb"(?<![\w.])[a-z]+(?:\.[a-z0-9]+)+(?=\0)")


@cache
def unlisted() -> list[str]:
    """What may be names of properties in the library's binary, and is none of the face's: a property that the face does
    not know is among them.
    """
    found: set[bytes] = set()
    for each in files("confluent-kafka") or ():
        if each.name.startswith("librdkafka"):
            found.update(DOTTED.findall(Path(each.locate()).read_bytes()))
    assert found, "the library's binary is elsewhere"
    return sorted({name.decode() for name in found} - {each.name for each in ALL})


def values(of: Property) -> Iterator[Any]:
    """What is set: what is allowed, and what is just not."""
    if of.kind in {INTEGER, NUMBER}:
        assert of.limits is not None
        for limit in of.limits:
            whole = int(limit)
            yield from (whole - 1, whole, whole + 1, str(whole))
        yield from (f" {int(of.limits[0])}", "1.5", 1.5, "0x10", "1e3", "many", True)
    elif of.kind == FLAG:
        yield from (True, False, "true", "FALSE", "t", "1", "0", 1, 0, "yes", 2, -1)
    elif of.kind == CHOICE:
        for option in of.options:
            yield from (option, option.upper())
        yield from ("unknown", 1, True)
    else:
        yield from ("text", 5)
    yield from ("", None, b"bytes", [], {})


def odd(base: dict[str, Any]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for each in ALL:
        if each.name in POINTERS or each.name in {"bootstrap.servers", CLUSTER}:
            continue
        for value in values(each):
            config = {**NOWHERE, **base, each.name: value}
            found[f"{each.name}={value!r}"] = lambda _, config=config: dict(config)  # type: ignore[misc]
    if not base:
        # One kind of client will do: all know the same names.
        for name in (CLUSTER, *unlisted()):
            found[f"{name}='1'"] = lambda _, config={**NOWHERE, name: "1"}: dict(config)  # type: ignore[misc]
    return found


def constructors() -> Iterator[Call]:
    """One for each kind of client."""
    for name, base in CLIENTS.items():
        yield Call(name, [Argument("conf", lambda _, base=base: {**NOWHERE, **base}, odd(base))])  # type: ignore[misc]


def describe(value: Any) -> Any:
    """A client, which is closed."""
    kind = type(value).__name__
    if kind in {"Producer", "Consumer"}:
        value.close()
        return f"a {kind}"
    return None


def prepare(_: World) -> None:
    """Nothing is asked."""


LIBRARY = Library(
    name="confluent_kafka",
    face="kafkars.compat.confluent_kafka",
    kinds=[],
    functions=list(constructors()),
    prepare=prepare,
    describe=describe,
    fault=fault,
)

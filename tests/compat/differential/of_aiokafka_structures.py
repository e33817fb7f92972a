"""What members of a group and their leader say, as aiokafka's programs decode and encode it."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterator
from typing import Any

from tests.compat.differential.library import Argument, Call, Kind, World
from tests.compat.differential.of_confluent_kafka_values import given


def said(name: str, *fields: Any) -> Callable[[World], Any]:
    """What members or their leader say, by fields."""
    return lambda world: getattr(importlib.import_module(f"{world.module.__name__}.coordinator.protocol"), name)(
        *fields
    )


BYTES = [
    Argument(
        "data",
        lambda _: b"\0\0\0\0\0\1\0\1a\0\0\0\1\0\0\0\5\0\0\0\0",
        {
            "none": lambda _: None,
            "text": lambda _: "text",
            "array": lambda _: bytearray(b"\0\0"),
            "empty": lambda _: b"",
            "cut": lambda _: b"\0\0\0\0\0\1\0\5a",
            "nulls": lambda _: b"\0\3\xff\xff\xff\xff\xff\xff\xff\xff",
            "longer": lambda _: b"\0\3\0\0\0\0\0\0\0\1umore",
            "stream": lambda _: io.BytesIO(b"\0\0\0\0\0\0\xff\xff\xff\xff"),
        },
    )
]
SAID_CALLS = [
    Call("decode", BYTES),
    Call("encode", keeps=True),
    Call("get_item", [given("name", "version", none=None, unknown="colour")], keeps=True),
    Call("repr", invoke=repr, keeps=True),
    Call("partitions", keeps=True),
    Call("is equal to its own bytes", invoke=lambda made: type(made).decode(made.encode()) == made, keeps=True),
    Call("is one of a set", invoke=lambda made: len({made}), keeps=True),
]


def kinds() -> Iterator[Kind]:
    """Both kinds."""
    metadata, assignment = "ConsumerProtocolMemberMetadata", "ConsumerProtocolMemberAssignment"
    yield Kind(
        metadata,
        {
            "fresh": said(metadata),
            "working": said(metadata, 0, ["a", "b"], b"data"),
            "of wrong fields": said(metadata, "0", [5], "data"),
        },
        SAID_CALLS,
        lambda _: None,
    )
    yield Kind(
        assignment,
        {
            "fresh": said(assignment),
            "working": said(assignment, 0, [("a", [0, 1]), ("b", [])], None),
            "of wrong fields": said(assignment, 2**20, [("a", 1)], b"x" * 200),
        },
        SAID_CALLS,
        lambda _: None,
    )

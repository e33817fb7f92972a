"""Type variables and aliases of the stub, for type checkers only: at run time nothing imports this module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol, TypeAlias

from typing_extensions import TypeVar

from kafkars.types import OffsetAndMetadata, TopicPartition


class ArrowStream(Protocol):
    """A table of any library with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...


class ArrowArray(Protocol):
    """A record batch of any library with the Arrow PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None, /) -> tuple[object, object]: ...


ArrowData: TypeAlias = ArrowStream | ArrowArray

ArrowLayout: TypeAlias = Literal["native", "spark"]
"""The Arrow types that columns of records have."""

Payload: TypeAlias = bytes | bytearray | memoryview | str
"""What is sent without a serializer."""

Headers: TypeAlias = Iterable[tuple[str, Payload | None]] | Mapping[str, Payload | None]
Partition: TypeAlias = TopicPartition | tuple[str, int]
Position: TypeAlias = int | OffsetAndMetadata
OffsetsIn: TypeAlias = Mapping[TopicPartition, Position] | Mapping[tuple[str, int], Position]
Partitions: TypeAlias = Partition | Iterable[Partition]


K = TypeVar("K", default=bytes)
"""Keys of records that are read."""
V = TypeVar("V", default=bytes)
"""Values of records that are read."""
KeyIn = TypeVar("KeyIn", default=Payload)
"""Keys of records that are sent."""
ValueIn = TypeVar("ValueIn", default=Payload)
"""Values of records that are sent."""
T_co = TypeVar("T_co", covariant=True)

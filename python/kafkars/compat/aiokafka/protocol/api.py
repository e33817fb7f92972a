"""Responses of brokers as objects (`aiokafka.protocol.api`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

__all__ = ["Response"]

Fields = tuple[Any, ...]
"""Names in order; a pair of a name and further names is an array of structures."""


class Response:
    """A response: an attribute for each field, with lists of tuples for Kafka's arrays.

    Follows the structures that aiokafka gives out: `response.topic_errors` is `[(topic, error_code, error_message),
    ...]`.
    """

    FIELDS: ClassVar[Fields] = ()

    def __init__(self, *values: Any) -> None:
        for field, value in zip(self.FIELDS, values, strict=True):
            setattr(self, name_of(field), value)

    def to_object(self) -> dict[str, Any]:
        """Returns the response as dictionaries and lists."""
        return as_object(self.FIELDS, [getattr(self, name_of(field)) for field in self.FIELDS])

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it has lists

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({told})"


def name_of(field: str | tuple[str, Fields]) -> str:
    """Returns a field's name."""
    return field if isinstance(field, str) else field[0]


def as_object(fields: Fields, values: Sequence[Any]) -> dict[str, Any]:
    """Returns values under their names, also within arrays."""
    named: dict[str, Any] = {}
    for field, value in zip(fields, values, strict=True):
        named[name_of(field)] = value if isinstance(field, str) else [as_object(field[1], each) for each in value]
    return named


def items(config: Mapping[str, Any] | Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Returns pairs, from pairs or a mapping."""
    return list(config.items()) if isinstance(config, Mapping) else list(config)

"""Responses of brokers as objects (`aiokafka.protocol.api`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from kafkars.compat._protocol.struct import as_object
from kafkars.compat.aiokafka.protocol.struct import Struct

__all__ = ["Response"]


class Response(Struct):
    """A response: an attribute for each field, with lists of tuples for Kafka's arrays.

    Follows the structures that aiokafka gives out: `response.topic_errors` is `[(topic, error_code, error_message),
    ...]`. Its version is the one that aiokafka gets from today's brokers, whatever version the engine has asked for.
    """

    API_KEY: ClassVar[int]
    API_VERSION: ClassVar[int]

    def to_object(self) -> dict[str, Any]:
        """Returns the response as dictionaries and lists."""
        return as_object(self)


def items(config: Mapping[str, Any] | Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Returns pairs, from pairs or a mapping."""
    return list(config.items()) if isinstance(config, Mapping) else list(config)

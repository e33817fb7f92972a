"""Functions as serializers (`kafka.serializer.wrapper`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkars.compat.kafka_3.serializer.abstract import Deserializer, Headers, Serializer

__all__ = ["DeserializeWrapper", "SerializeWrapper"]


class SerializeWrapper(Serializer):
    """Adapts a function of the data; with None it returns the data unchanged."""

    def __init__(self, fn: Callable[[Any], Any] | None) -> None:
        self.fn = fn

    def serialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """Returns the function's result."""
        del topic, headers
        return data if self.fn is None else self.fn(data)


class DeserializeWrapper(Deserializer):
    """Adapts a function of the bytes; with None it returns the bytes unchanged."""

    def __init__(self, fn: Callable[[Any], Any] | None) -> None:
        self.fn = fn

    def deserialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """Returns the function's result."""
        del topic, headers
        return data if self.fn is None else self.fn(data)

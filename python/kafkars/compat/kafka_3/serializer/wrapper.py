"""Functions as serializers (`kafka.serializer.wrapper`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkars.compat.kafka_3.serializer.abstract import Deserializer, Headers, Serializer

__all__ = ["DeserializeWrapper", "SerializeWrapper"]


class SerializeWrapper(Serializer):
    """A function of the data alone; None passes everything on."""

    def __init__(self, fn: Callable[[Any], Any] | None) -> None:
        self.fn = fn

    def serialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """What the function makes of it."""
        del topic, headers
        return data if self.fn is None else self.fn(data)


class DeserializeWrapper(Deserializer):
    """A function of the bytes alone; None passes everything on."""

    def __init__(self, fn: Callable[[Any], Any] | None) -> None:
        self.fn = fn

    def deserialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """What the function makes of it."""
        del topic, headers
        return data if self.fn is None else self.fn(data)

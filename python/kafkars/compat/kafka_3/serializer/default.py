"""Text (`kafka.serializer.default`)."""

from __future__ import annotations

from typing import Any

from kafkars.compat.kafka_3.serializer.abstract import Deserializer, Headers, Serializer

__all__ = ["DefaultSerializer"]


class DefaultSerializer(Serializer, Deserializer):
    """Encodes and decodes text; bytes and None pass unchanged."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.encoding = encoding

    def serialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """Returns the encoded text."""
        del topic, headers
        return data if isinstance(data, (bytes, bytearray, memoryview, type(None))) else data.encode(self.encoding)

    def deserialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """Returns the text."""
        del topic, headers
        return None if data is None else data.decode(self.encoding)

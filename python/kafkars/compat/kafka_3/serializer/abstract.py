"""Base classes of serializers and deserializers (`kafka.serializer.abstract`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["Deserializer", "Serializer"]

Headers = list[tuple[str, bytes]]


class Serializer(abc.ABC):
    """Serializes keys or values."""

    @abc.abstractmethod
    def serialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """Returns the serialized data."""

    def close(self) -> None:  # noqa: B027  may be left as it is
        """Called when the producer is closed."""


class Deserializer(abc.ABC):
    """Deserializes keys or values."""

    @abc.abstractmethod
    def deserialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """Returns the deserialized object."""

    def close(self) -> None:  # noqa: B027  likewise
        """Called when the consumer is closed."""

"""Base classes of serializers (`kafka.serializer.abstract`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["Deserializer", "Serializer"]

Headers = list[tuple[str, bytes]]


class Serializer(abc.ABC):
    """Makes bytes of a key or a value, knowing its topic and headers."""

    @abc.abstractmethod
    def serialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """The bytes."""

    def close(self) -> None:  # noqa: B027  may be left as it is
        """Called when the producer is closed."""


class Deserializer(abc.ABC):
    """Makes an object of a key's or a value's bytes, knowing its topic and headers."""

    @abc.abstractmethod
    def deserialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """The object."""

    def close(self) -> None:  # noqa: B027  likewise
        """Called when the consumer is closed."""

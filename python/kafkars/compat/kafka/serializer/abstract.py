"""Base classes of serializers and deserializers (`kafka.serializer.abstract`)."""

from __future__ import annotations

import abc
from typing import Any


class Serializer(abc.ABC):
    """Serializes keys or values."""

    def __init__(self, **config: Any) -> None:
        self.config = config

    @abc.abstractmethod
    def serialize(self, topic: str, value: Any) -> bytes | None:
        """Returns the serialized data."""

    def close(self) -> None:  # noqa: B027  may be left as it is
        """Called when the producer is closed."""


class Deserializer(abc.ABC):
    """Deserializes keys or values."""

    def __init__(self, **config: Any) -> None:
        self.config = config

    @abc.abstractmethod
    def deserialize(self, topic: str, bytes_: bytes | None) -> Any:
        """Returns the deserialized object."""

    def close(self) -> None:  # noqa: B027  likewise
        """Called when the consumer is closed."""

"""Base classes of serializers (`kafka.serializer.abstract`)."""

from __future__ import annotations

import abc
from typing import Any


class Serializer(abc.ABC):
    """Makes bytes of a key or a value, knowing its topic."""

    def __init__(self, **config: Any) -> None:
        self.config = config

    @abc.abstractmethod
    def serialize(self, topic: str, value: Any) -> bytes | None:
        """The bytes."""

    def close(self) -> None:  # noqa: B027  may be left as it is
        """Called when the producer is closed."""


class Deserializer(abc.ABC):
    """Makes an object of a key's or a value's bytes, knowing its topic."""

    def __init__(self, **config: Any) -> None:
        self.config = config

    @abc.abstractmethod
    def deserialize(self, topic: str, bytes_: bytes | None) -> Any:
        """The object."""

    def close(self) -> None:  # noqa: B027  likewise
        """Called when the consumer is closed."""

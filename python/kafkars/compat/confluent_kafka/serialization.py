"""`confluent_kafka.serialization`: serializers and deserializers."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import Enum
from typing import Any

from kafkars.compat.confluent_kafka.error import SerializationError

__all__ = [
    "Deserializer",
    "DeserializerBuilder",
    "DoubleDeserializer",
    "DoubleSerializer",
    "IntegerDeserializer",
    "IntegerSerializer",
    "MessageField",
    "SerializationContext",
    "SerializationError",
    "Serializer",
    "SerializerBuilder",
    "StringDeserializer",
    "StringSerializer",
]


class MessageField(str, Enum):
    """The part of a message that is serialized."""

    NONE = "none"
    KEY = "key"
    VALUE = "value"

    def __str__(self) -> str:
        return str(self.value)


class SerializationContext:
    """What a serializer is told besides the object.

    Args:
        topic: The topic of the message.
        field: Which part of the message it is.
        headers: The headers of the message.
    """

    def __init__(self, topic: str, field: MessageField, headers: Any = None) -> None:
        self.topic = topic
        self.field = field
        self.headers = headers


class Serializer:
    """The base of serializers, which turn objects into bytes."""

    def __call__(self, obj: Any, ctx: SerializationContext | None = None) -> bytes | None:
        """Returns an object as bytes.

        Raises:
            SerializationError: The object cannot be made bytes.
        """
        raise NotImplementedError

    def set_cluster_id_resolver(self, resolver: Callable[[], Any]) -> None:
        """Takes a function that gives the id of the cluster; most serializers have no use for it."""

    def close(self) -> None:
        """Releases its resources."""


class Deserializer:
    """The base of deserializers, which turn bytes into objects."""

    def __call__(self, value: bytes | None, ctx: SerializationContext | None = None) -> Any:
        """Returns the object that bytes stand for.

        Raises:
            SerializationError: The bytes do not stand for one.
        """
        raise NotImplementedError

    def set_cluster_id_resolver(self, resolver: Callable[[], Any]) -> None:
        """Takes a function that gives the id of the cluster; most deserializers have no use for it."""

    def close(self) -> None:
        """Releases its resources."""


class SerializerBuilder:
    """Makes a serializer from the configuration of the producer that will own it; to be derived from."""

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Serializer, dict[str, Any]]:
        """A serializer, and the configuration without what it has taken of it."""
        raise NotImplementedError


class DeserializerBuilder:
    """Makes a deserializer from the configuration of the consumer that will own it; to be derived from."""

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Deserializer, dict[str, Any]]:
        """A deserializer, and the configuration without what it has taken of it."""
        raise NotImplementedError


class StringSerializer(Serializer):
    """Encodes text.

    Args:
        codec: One of Python's encodings.
    """

    def __init__(self, codec: str = "utf_8") -> None:
        self.codec = codec

    def __call__(self, obj: str | None, ctx: SerializationContext | None = None) -> bytes | None:  # noqa: ARG002
        """Returns the text as bytes; None stays None.

        Raises:
            SerializationError: The encoding has no bytes for a character.
        """
        try:
            return None if obj is None else obj.encode(self.codec)
        except UnicodeError as error:
            raise SerializationError(str(error)) from error


class StringDeserializer(Deserializer):
    """Decodes text.

    Args:
        codec: One of Python's encodings.
    """

    def __init__(self, codec: str = "utf_8") -> None:
        self.codec = codec

    def __call__(self, value: bytes | None, ctx: SerializationContext | None = None) -> str | None:  # noqa: ARG002
        """Returns the text; None stays None.

        Raises:
            SerializationError: The bytes are no text in this encoding.
        """
        try:
            return None if value is None else value.decode(self.codec)
        except UnicodeError as error:
            raise SerializationError(str(error)) from error


class IntegerSerializer(Serializer):
    """Encodes a big-endian int32."""

    def __call__(self, obj: int | None, ctx: SerializationContext | None = None) -> bytes | None:  # noqa: ARG002
        """Returns the number as bytes; None stays None.

        Raises:
            SerializationError: It is no whole number of 32 bits.
        """
        return packed(">i", obj)


class IntegerDeserializer(Deserializer):
    """Decodes a big-endian int32."""

    def __call__(self, value: bytes | None, ctx: SerializationContext | None = None) -> int | None:  # noqa: ARG002
        """Returns the number; None stays None.

        Raises:
            SerializationError: There are not four bytes.
        """
        number: int | None = unpacked(">i", value)
        return number


class DoubleSerializer(Serializer):
    """Encodes a big-endian IEEE 754 double."""

    def __call__(self, obj: float | None, ctx: SerializationContext | None = None) -> bytes | None:  # noqa: ARG002
        """Returns the number as bytes; None stays None.

        Raises:
            SerializationError: It is no number.
        """
        return packed(">d", obj)


class DoubleDeserializer(Deserializer):
    """Decodes a big-endian IEEE 754 double."""

    def __call__(self, value: bytes | None, ctx: SerializationContext | None = None) -> float | None:  # noqa: ARG002
        """Returns the number; None stays None.

        Raises:
            SerializationError: There are not eight bytes.
        """
        number: float | None = unpacked(">d", value)
        return number


def packed(layout: str, number: float | None) -> bytes | None:
    try:
        return None if number is None else struct.pack(layout, number)
    except (struct.error, OverflowError) as error:
        raise SerializationError(str(error)) from error


def unpacked(layout: str, value: bytes | None) -> Any:
    try:
        return None if value is None else struct.unpack(layout, value)[0]
    except struct.error as error:
        raise SerializationError(str(error)) from error

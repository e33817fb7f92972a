"""`confluent_kafka.error`: error codes and exceptions."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from kafkars import errors
from kafkars._kafkars import Message
from kafkars.compat.confluent_kafka import _codes

__all__ = [
    "ConcurrentModificationException",
    "ConsumeError",
    "IllegalStateException",
    "KafkaError",
    "KafkaException",
    "KeyDeserializationError",
    "KeySerializationError",
    "Message",
    "ProduceError",
    "SerializationError",
    "ValueDeserializationError",
    "ValueSerializationError",
]

LOCAL = {name: code for name, (code, _) in _codes.LOCAL.items()}
NAMES = {code: name for name, code in (LOCAL | _codes.BROKER).items()}
TEXTS = dict(_codes.LOCAL.values()) | {
    0: "success",
    -1: "an error that the broker does not name",
}


class IllegalStateException(RuntimeError):  # noqa: N818  the library's name
    """A call that the client's state does not allow."""


class ConcurrentModificationException(RuntimeError):  # noqa: N818  the library's name
    """Two threads use a client that one thread may use at a time."""


class KafkaException(Exception):  # noqa: N818  # the library's name
    """The exception of the library; `args[0]` is a `KafkaError`."""


if TYPE_CHECKING:

    class _Constants(type):
        """Tells type checkers of the constants, which are set below, from the table of codes."""

        def __getattr__(cls, name: str) -> int: ...

else:
    _Constants = type


class KafkaError(KafkaException, metaclass=_Constants):
    """An error by its code: equal to it, ordered and hashed as it.

    The library's own class looks like an exception and cannot be raised; here it can, and `except KafkaException`
    catches it: then `args[0]` is the error itself.

    Args:
        error: A code, such as one of the constants of this class.
        reason: What happened; without one, what the code means.
        fatal: Whether the client is of no further use.
        retriable: Whether the operation may succeed when it is repeated.
        txn_requires_abort: Whether the transaction must be aborted.
    """

    def __init__(
        self,
        error: int,
        reason: str | None = None,
        fatal: bool = False,
        retriable: bool = False,
        txn_requires_abort: bool = False,
    ) -> None:
        """See the class."""
        super().__init__(self)
        if reason is not None and not isinstance(reason, str):
            raise TypeError(f"reason must be str or None, not {type(reason).__name__}")
        self._code = operator.index(error)
        self._reason = reason
        self._fatal = bool(operator.index(fatal))
        self._retriable = bool(operator.index(retriable))
        self._txn_requires_abort = bool(operator.index(txn_requires_abort))

    def code(self) -> int:
        """The code."""
        return self._code

    def name(self) -> str:
        """The name of the constant, such as `_TRANSPORT` or `UNKNOWN_TOPIC_OR_PART`."""
        return NAMES.get(self._code, f"ERR_{self._code}?")

    def str(self) -> str:
        """What happened, in words."""
        return self._reason if self._reason is not None else meaning(self._code)

    def fatal(self) -> bool:
        """True if the client is of no further use."""
        return self._fatal

    def retriable(self) -> bool:
        """True if the operation may succeed when it is repeated."""
        return self._retriable

    def txn_requires_abort(self) -> bool:
        """True if the transaction must be aborted."""
        return self._txn_requires_abort

    def __repr__(self) -> Any:
        fatal = "FATAL," if self._fatal else ""
        return f'KafkaError{{{fatal}code={self.name()},val={self._code},str="{self.str()}"}}'

    __str__ = __repr__

    def __hash__(self) -> int:
        return hash(self._code)

    def __eq__(self, other: object) -> bool:
        return self._code == code_of(other) if comparable(other) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return self._code != code_of(other) if comparable(other) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._code < code_of(other) if comparable(other) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._code <= code_of(other) if comparable(other) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self._code > code_of(other) if comparable(other) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self._code >= code_of(other) if comparable(other) else NotImplemented

    def __reduce__(self) -> Any:
        return KafkaError, (self._code, self._reason, self._fatal, self._retriable, self._txn_requires_abort)


for constant, number in (LOCAL | _codes.BROKER | _codes.OLD_NAMES).items():
    setattr(KafkaError, constant, number)


def comparable(other: object) -> bool:
    return isinstance(other, int | KafkaError)


def code_of(other: Any) -> int:
    return other.code() if isinstance(other, KafkaError) else int(other)


def meaning(code: int) -> Any:
    """A code in words."""
    known = TEXTS.get(code)
    if known is not None:
        return known
    broker_error = errors.BY_CODE.get(code)
    return (broker_error.__doc__ or "").strip().rstrip(".") if broker_error is not None else f"error {code}"


class _KafkaClientError(KafkaException):
    """An error of the serializing and deserializing clients.

    Args:
        kafka_error: The error.
        exception: What the serializer or deserializer raised.
        kafka_message: The message it is about.
    """

    def __init__(
        self, kafka_error: KafkaError, exception: Exception | None = None, kafka_message: Message | None = None
    ) -> None:
        super().__init__(kafka_error)
        self.kafka_error = kafka_error
        self.exception = exception
        self.kafka_message = kafka_message

    @property
    def code(self) -> int:
        """The error's code."""
        return self.kafka_error.code()

    @property
    def name(self) -> Any:
        """The error's name."""
        return self.kafka_error.name()


class SerializationError(KafkaException):
    """An object cannot be made bytes, or bytes an object."""


class ConsumeError(_KafkaClientError):
    """A message cannot be returned; `kafka_message` is the message as it came."""


class KeyDeserializationError(ConsumeError, SerializationError):
    """The key of a message cannot be deserialized."""

    def __init__(self, exception: Exception | None = None, kafka_message: Message | None = None) -> None:
        """See the class."""
        super().__init__(KafkaError(LOCAL["_KEY_DESERIALIZATION"], str(exception)), exception, kafka_message)


class ValueDeserializationError(ConsumeError, SerializationError):
    """The value of a message cannot be deserialized."""

    def __init__(self, exception: Exception | None = None, kafka_message: Message | None = None) -> None:
        """See the class."""
        super().__init__(KafkaError(LOCAL["_VALUE_DESERIALIZATION"], str(exception)), exception, kafka_message)


class ProduceError(_KafkaClientError):
    """A message cannot be sent."""

    def __init__(self, kafka_error: KafkaError, exception: Exception | None = None) -> None:
        """See the class."""
        super().__init__(kafka_error, exception)


class KeySerializationError(ProduceError, SerializationError):
    """The key of a message cannot be serialized."""

    def __init__(self, exception: Exception | None = None) -> None:
        """See the class."""
        super().__init__(KafkaError(LOCAL["_KEY_SERIALIZATION"], str(exception)), exception)


class ValueSerializationError(ProduceError, SerializationError):
    """The value of a message cannot be serialized."""

    def __init__(self, exception: Exception | None = None) -> None:
        """See the class."""
        super().__init__(KafkaError(LOCAL["_VALUE_SERIALIZATION"], str(exception)), exception)

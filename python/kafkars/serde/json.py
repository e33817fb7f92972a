"""JSON, by orjson where it is installed and by Python's own module elsewhere."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import uuid
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from kafkars.serde.typed import converter

T = TypeVar("T")


class JsonSerializer:
    """Makes JSON of dicts, lists, text, numbers, dataclasses, pydantic's models, datetimes, UUIDs and enums.

    Compact, in UTF-8, with the members in their order. Pass it as `value_serializer` or `key_serializer`.

    With orjson and without, a reader finds the same; the bytes differ in how some floats are written (1e16 and 1e+16),
    so floats are no good keys. Numbers that are not finite are null with orjson and an error without.

    Args:
        default: Called with each object of another kind; returns something that JSON has.
        sort_keys: Whether the members of objects are sorted by name, so that equal keys are equal bytes.

    Raises:
        TypeError: When called: JSON has nothing for the object.
        ValueError: When called: the object contains itself, or a number is not finite.
    """

    def __init__(self, default: Callable[[Any], Any] | None = None, *, sort_keys: bool = False) -> None:
        self._default = default
        self._dumps = _dumps(self._other, sort_keys=sort_keys)

    def __call__(self, value: Any) -> bytes:
        """The JSON of a value."""
        return self._dumps(value)

    def _other(self, value: Any) -> Any:
        known = _plain(value)
        if known is not value:
            return known
        if self._default is not None:
            return self._default(value)
        raise TypeError(f"JSON has nothing for an object of type {type(value).__qualname__}; give default=")


class JsonDeserializer(Generic[T]):
    """Makes objects of JSON. Pass it as `value_deserializer` or `key_deserializer`.

    Args:
        kind: What to make: a dataclass (with nested ones, lists, dicts, optional and union types, enums, datetimes,
            UUIDs), a model or any other type that pydantic takes, where it is installed. Members that a dataclass does
            not have are left out. Without it: dicts, lists, text, numbers, True, False and None.

    Raises:
        ValueError: When called: the bytes are no JSON, or not of that kind; the message names the member.
        TypeError: When made: nothing is known about `kind`.
    """

    @overload
    def __init__(self: JsonDeserializer[Any]) -> None: ...
    @overload
    def __init__(self, kind: type[T]) -> None: ...
    def __init__(self, kind: type[T] | None = None) -> None:
        self._loads = _loads()
        self._convert = None if kind is None else converter(kind)

    def __call__(self, data: bytes) -> T:
        """The object of some JSON."""
        value: Any = self._loads(data)
        made: T = value if self._convert is None else self._convert(value)
        return made


def _plain(value: Any) -> Any:
    """What stands for a value in JSON, one level deep; the value itself where nothing is known."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    dump = getattr(value, "model_dump", None)  # pydantic
    return dump(mode="json") if callable(dump) else value


def _dumps(default: Callable[[Any], Any], *, sort_keys: bool) -> Callable[[Any], bytes]:
    try:
        import orjson  # noqa: PLC0415  optional
    except ImportError:
        encode = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default, sort_keys=sort_keys
        ).encode
        return lambda value: encode(value).encode()
    options = orjson.OPT_PASSTHROUGH_DATETIME | (orjson.OPT_SORT_KEYS if sort_keys else 0)

    def dumps(value: Any) -> bytes:
        try:
            return orjson.dumps(value, default, options)
        except orjson.JSONEncodeError as error:
            raise error.__cause__ or error from None

    return dumps


def _loads() -> Callable[[bytes], Any]:
    try:
        import orjson  # noqa: PLC0415  optional
    except ImportError:
        return json.loads
    loads: Callable[[bytes], Any] = orjson.loads
    return loads

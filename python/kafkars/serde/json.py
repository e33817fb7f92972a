"""JSON exactly as Python's `json` reads and writes it, by orjson where that is installed and does the same.

The bytes of a record must not depend on whether orjson is installed. orjson writes numbers that are not finite as null
and some floats with other digits, leaves members of dataclasses out, refuses keys that are no text, and reads integers
of more than 64 bits as floats. So Python's module handles what orjson refuses, and whatever its result shows may be one
of these cases.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import math
import re
import reprlib
import uuid
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from kafkars.serde.typed import converter

T = TypeVar("T")


class JsonSerializer:
    """Makes JSON of dicts, lists, text, numbers, dataclasses, pydantic's models, datetimes, UUIDs and enums.

    Compact, in UTF-8, with the members in their order. Pass it as `value_serializer` or `key_serializer`.

    The bytes are those of Python's own `json`; orjson makes them where it is installed, several times as fast, and
    where it makes the same.

    Args:
        default: Called with each object of another kind; returns something that JSON has.
        sort_keys: Whether the members of objects are sorted by name, so that equal keys are equal bytes.

    Raises:
        TypeError: When called: the object cannot be written as JSON.
        ValueError: When called: the object contains itself, or a number is not finite.
    """

    _direction = "serialize"

    def __init__(self, default: Callable[[Any], Any] | None = None, *, sort_keys: bool = False) -> None:
        if default is not None and not callable(default):
            raise TypeError(f"default: expected a function, not {default!r}")
        self._default = default
        self._dumps = _dumps(self._other, sort_keys=sort_keys)

    def __call__(self, value: Any) -> bytes:
        """Returns a value as JSON."""
        return self._dumps(value)

    def _other(self, value: Any) -> Any:
        known = _plain(value)
        if known is not value:
            return known
        if self._default is not None:
            return self._default(value)
        raise TypeError(f"JSON has nothing for an object of type {type(value).__qualname__}; give default=")


class JsonDeserializer(Generic[T]):
    """Makes objects from JSON. Pass it as `value_deserializer` or `key_deserializer`.

    Args:
        kind: What to make: a dataclass (with nested ones, lists, dicts, optional and union types, enums, datetimes,
            UUIDs), a model or any other type that pydantic takes, where it is installed. Members that a dataclass does
            not have are left out. Without it: dicts, lists, text, numbers, True, False and None.

    Raises:
        ValueError: When called: the bytes are no JSON, or not of that kind; the message names the member.
        TypeError: When made: nothing is known about `kind`.
    """

    _direction = "deserialize"

    @overload
    def __init__(self: JsonDeserializer[Any]) -> None: ...
    @overload
    def __init__(self, kind: type[T]) -> None: ...
    def __init__(self, kind: type[T] | None = None) -> None:
        if isinstance(kind, str):
            raise TypeError(f"kind: expected a type, not its name {kind!r}")
        if dataclasses.is_dataclass(kind) and not isinstance(kind, type):
            raise TypeError(f"kind: expected a type, not an object of it: give {type(kind).__qualname__}")
        given: object = kind
        if given is not None and not isinstance(given, type) and type(given).__module__ == "builtins":
            raise TypeError(f"kind: expected a type, not {reprlib.repr(given)}")
        self._loads = _loads()
        self._convert = None if kind is None else converter(kind)

    def __call__(self, data: bytes) -> T:
        """Returns the object that some JSON stands for."""
        value: Any = self._loads(data)
        made: T = value if self._convert is None else self._convert(value)
        return made


def _plain(value: Any) -> Any:
    """Converts an object to one that JSON has, one level deep; returns the object itself if it knows no way."""
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
    encode = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default, sort_keys=sort_keys
    ).encode
    try:
        import orjson  # noqa: PLC0415  optional
    except ImportError:
        return lambda value: _utf8(encode(value))
    options = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_SUBCLASS
    options |= orjson.OPT_SORT_KEYS if sort_keys else 0
    fast = orjson.dumps

    def dumps(value: Any) -> bytes:
        try:
            data = fast(value, default, options)
        except orjson.JSONEncodeError:
            return _utf8(encode(value))
        # A null may stand for a number that is not finite, and orjson writes small floats with other digits.
        if b"null" in data or b"0.0000" in data:
            return _utf8(encode(value))
        if b"0e" in data.translate(_DIGITS_AS_0) and _EXPONENT.search(data):
            return _utf8(encode(value))
        return data

    return dumps


def _utf8(text: str) -> bytes:
    # Half of a surrogate pair, cut out of an emoji by somebody else, is in UTF-8 only as JSON's own escape; it stands
    # within a string, because it can stand nowhere else.
    return text.encode("utf-8", "backslashreplace")


def _loads() -> Callable[[bytes], Any]:
    decode = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite).decode

    def loads(data: bytes) -> Any:
        return decode(data.decode())

    try:
        import orjson  # noqa: PLC0415  optional
    except ImportError:
        return loads
    fast = orjson.loads

    def fast_loads(data: bytes) -> Any:
        # orjson would read an integer with more digits than an int64 as a float.
        if _MANY_DIGITS in data.translate(_DIGITS_AS_0):
            return loads(data)
        try:
            return fast(data)
        except orjson.JSONDecodeError:
            return loads(data)

    return fast_loads


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite(number: str) -> float:
    read = float(number)
    if math.isinf(read):
        raise ValueError(f"{number[:40]} is larger than a float can be")
    return read


_DIGITS_AS_0 = bytes.maketrans(b"123456789", b"000000000")
_MANY_DIGITS = b"0" * 19
_EXPONENT = re.compile(rb"(?:^|[:,\[])-?[0-9]+(?:\.[0-9]+)?e[-+]?[0-9]+(?:$|[],}])")
"""Matches floats with an exponent, which orjson and Python write differently, and seldom a part of some text."""

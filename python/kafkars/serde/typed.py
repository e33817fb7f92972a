"""Conversion of decoded JSON to dataclasses and the types of their fields; by pydantic to any other type."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import types
import typing
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, Union

Convert = Callable[[Any], Any]
"""Converts decoded JSON to a value, or raises ValueError. The message begins with the path of what is wrong."""


def converter(kind: Any) -> Convert:
    """Returns a function that makes values of a type. A model of pydantic follows pydantic's rules; everywhere else a
    value has the type that is declared: the text "5" is no number.

    Raises:
        TypeError: Nothing is known about the type, and pydantic is not installed or does not know it either.
    """
    if _is_model(kind):
        return _adapter(kind).validate_python  # type: ignore[no-any-return]
    return _converter(kind, {})


def _is_model(kind: Any) -> bool:
    return hasattr(kind, "__pydantic_validator__")


def _adapter(kind: Any) -> Any:
    unknown = f"nothing is known about making {kind!r} of JSON"
    try:
        import pydantic  # noqa: PLC0415  optional
    except ImportError:
        raise TypeError(f"{unknown}; pydantic, which may, is not installed") from None
    try:
        return pydantic.TypeAdapter(kind)
    except pydantic.errors.PydanticUserError as refused:
        raise TypeError(f"{unknown}, and neither does pydantic: {refused}") from refused


def _by_pydantic(kind: Any) -> Convert:
    """Leaves a member to pydantic: as strictly as others are converted, unless it is a model with rules of its own."""
    adapter = _adapter(kind)
    rules = {} if _is_model(kind) else {"strict": True}

    def convert(value: Any) -> Any:
        try:
            # Of JSON text strict rules make what JSON has nothing for, such as a Decimal or a tuple.
            return adapter.validate_json(json.dumps(value), **rules)
        except ValueError as problem:
            raise _first_of(problem) from problem

    return convert


def _first_of(problem: ValueError) -> ValueError:
    """The first error of pydantic's list, in the form of the others."""
    errors = getattr(problem, "errors", None)
    if errors is None:
        return problem
    first = errors(include_url=False)[0]
    path = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in first["loc"])
    text = f"{first['msg'][:1].lower()}{first['msg'][1:]}, not {_shown(first['input'])}"
    return _PathError(f"{path}: {text}") if path else ValueError(text)


class _PathError(ValueError):
    """An error whose message begins with the path of the value, such as `.items[3]`."""


def _converter(kind: Any, begun: dict[Any, Convert]) -> Convert:
    """As `converter`; `begun` has the enclosing dataclasses, which may contain themselves."""
    if _is_model(kind):
        return _by_pydantic(kind)
    known = begun.get(kind) or _scalar(kind)
    if known is not None:
        return known
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is not None:
        return _generic(kind, origin, arguments, begun)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, begun)
    return _by_pydantic(kind)


def _scalar(kind: Any) -> Convert | None:
    if kind is Any:
        return lambda value: value
    if kind in EXACT:
        return _exactly(kind, EXACT[kind])
    if kind is float:
        return _float
    if kind in WRITTEN_AS_TEXT:
        return _written(kind)
    return kind if isinstance(kind, type) and issubclass(kind, enum.Enum) else None


EXACT: dict[Any, str] = {
    None: "null",
    type(None): "null",
    bool: "true or false",
    int: "a whole number",
    str: "text",
    dict: "an object",
    list: "an array",
}
"""Types that JSON has itself, and JSON's names for them."""

WRITTEN_AS_TEXT: tuple[type, ...] = (dt.datetime, dt.date, dt.time, uuid.UUID)
"""Types that are written as text in JSON."""


def _exactly(kind: type | None, name: str) -> Convert:
    wanted = type(None) if kind is None else kind

    def convert(value: Any) -> Any:
        # A bool is an int to Python, and no number to JSON.
        if type(value) is not wanted:
            raise _unlike(f"{name}", value)
        return value

    return convert


def _float(value: Any) -> float:
    if type(value) not in {int, float}:
        raise _unlike("a number", value)
    return float(value)


def _written(kind: Any) -> Convert:
    parse: Convert = kind if kind is uuid.UUID else kind.fromisoformat

    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            raise _unlike(f"{kind.__name__} as text", value)
        # Python 3.10 does not read "Z" as UTC.
        return parse(value[:-1] + "+00:00" if value.endswith("Z") and kind is not uuid.UUID else value)

    return convert


def _generic(kind: Any, origin: Any, arguments: tuple[Any, ...], begun: dict[Any, Convert]) -> Convert:
    if origin is Literal:
        return _literal(arguments)
    if origin in {Union, types.UnionType}:
        return _union([_converter(each, begun) for each in arguments])
    if origin in {list, set, frozenset, Sequence} or (origin is tuple and arguments[1:] == (...,)):
        make: Callable[[list[Any]], Any] = list if origin is Sequence else origin
        return _many(make, _converter(arguments[0], begun))
    if origin in {dict, Mapping} and arguments[0] is str:
        return _members(_converter(arguments[1], begun))
    if origin is Annotated and all(isinstance(each, str) for each in arguments[1:]):
        return _converter(arguments[0], begun)
    return _by_pydantic(kind)


def _literal(choices: tuple[Any, ...]) -> Convert:
    def convert(value: Any) -> Any:
        if not any(type(value) is type(each) and value == each for each in choices):
            raise _unlike(f"one of {', '.join(map(repr, choices))}", value)
        return value

    return convert


def _union(converters: list[Convert]) -> Convert:
    def convert(value: Any) -> Any:
        problems: list[ValueError] = []
        for each in converters:
            try:
                return each(value)
            except ValueError as problem:  # noqa: PERF203  that is how one tries
                problems.append(problem)
        kind = _PathError if isinstance(problems[0], _PathError) else ValueError
        raise kind("; or ".join(map(str, problems)))

    return convert


def _many(make: Callable[[list[Any]], Any], item: Convert) -> Convert:
    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            raise _unlike("an array", value)
        return make([_at(f"[{index}]", item, each) for index, each in enumerate(value)])

    return convert


def _members(item: Convert) -> Convert:
    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _unlike("an object", value)
        return {name: _at(f".{name}", item, each) for name, each in value.items()}

    return convert


def _dataclass(kind: Any, begun: dict[Any, Convert]) -> Convert:
    fields: dict[str, Convert] = {}
    required: list[str] = []

    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _unlike(f"an object with the members of {kind.__name__}", value)
        for name in required:
            if name not in value:
                raise _PathError(f".{name} is missing")
        return kind(**{name: _at(f".{name}", each, value[name]) for name, each in fields.items() if name in value})

    begun[kind] = convert
    hints = typing.get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        if not field.init:
            continue
        fields[field.name] = _converter(hints[field.name], begun)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            required.append(field.name)
    return convert


def _at(place: str, convert: Convert, value: Any) -> Any:
    try:
        return convert(value)
    except ValueError as problem:
        between = "" if isinstance(problem, _PathError) else ": "
        raise _PathError(f"{place}{between}{problem}") from None


def _unlike(expected: str, value: Any) -> ValueError:
    return ValueError(f"expected {expected}, not {_shown(value)}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


LONGEST_SHOWN = 40

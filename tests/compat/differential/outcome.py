"""What is compared of a call: its value or its exception."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from enum import Enum
from typing import Any

from tests.compat.differential.library import Library

FUTURE_SECONDS = 8.0
PLAIN = (bool, int, type(None))
DEEPEST = 6

ERROR = "str 'error'"
"""The field of an error that is a value, by which it is known."""

HANGS = "hangs or dies"
"""The outcome of a call that did not end, or ended its process."""


def of_value(library: Library, value: Any, depth: int = 0) -> Any:
    """What a program can see of a value, without what differs from run to run."""
    special = library.describe(value)
    if special is not None:
        return special if isinstance(special, str) else of_value(library, special, depth + 1)
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, str | bytes):
        return f"{type(value).__name__} {value!r}"
    return of_container(library, value, depth) if depth <= DEEPEST else type(value).__name__


def of_container(library: Library, value: Any, depth: int) -> Any:
    """The same of what has other values in it."""
    if isinstance(value, Future):
        return {"future": of_future(library, value, depth)}
    if isinstance(value, Mapping):
        items = [
            [str(of_value(library, key, depth + 1)), of_value(library, each, depth + 1)] for key, each in value.items()
        ]
        return {"mapping": sorted(items, key=lambda item: item[0])}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(of_value(library, each, depth + 1) for each in value)]
    if isinstance(value, set | frozenset):
        return ["set", *sorted(str(of_value(library, each, depth + 1)) for each in value)]
    return f"a {type(value).__name__}"


def of_future(library: Library, future: Future[Any], depth: int) -> Any:
    """What a future says in the end."""
    try:
        result = future.result(FUTURE_SECONDS)
    except Exception as problem:  # noqa: BLE001 - told
        return of_exception(library, problem)
    return of_value(library, result, depth + 1)


def of_exception(library: Library, problem: BaseException) -> dict[str, Any]:
    """Its class, what else it is, and what the library says of it beyond its text."""
    kinds = [each.__name__ for each in type(problem).__mro__[1:-2]]
    return {"raised": type(problem).__name__, "is": kinds, "says": library.fault(problem)}


def in_short(outcome: Any) -> str:
    """An outcome without what may differ from run to run: classes, codes and flags of errors, shapes of values."""
    if isinstance(outcome, bool) or outcome is None:
        return str(outcome)
    if isinstance(outcome, int | float):
        return "number"
    if isinstance(outcome, str):
        kind, _, text = outcome.partition(" ")
        return kind if text and kind in {"str", "bytes"} else outcome
    if isinstance(outcome, list):
        return f"[{', '.join(dict.fromkeys(map(in_short, outcome)))}]"
    return mapping_in_short(outcome)


def mapping_in_short(outcome: dict[str, Any]) -> str:
    """The same of what has names: an error, a value, what became of a future."""
    if "raised" in outcome:
        says = outcome["says"]
        return outcome["raised"] if says is None else f"{outcome['raised']} {error_in_short(says)}"
    if "mapping" in outcome:
        items = dict(outcome["mapping"])
        if ERROR in items:
            return error_in_short({name.removeprefix("str ").strip("'"): each for name, each in items.items()})
        return f"{{{', '.join(sorted(set(map(in_short, items.values()))))}}}"
    ((name, inner),) = outcome.items()
    return in_short(inner) if name == "value" else f"{name} {in_short(inner)}"


def error_in_short(says: Any) -> str:
    """What a library says of an error: its code and its flags."""
    if not isinstance(says, dict):
        return str(says)
    code = str(says["error"]).removeprefix("str ").strip("'")
    return " ".join([code, *(name for name, is_set in says.items() if name != "error" and is_set)])


def same(original: Any, face: Any) -> bool:
    """Whether a program can see no difference: `except` also catches what is more than the class it names. Where both
    died nothing is known.
    """
    if HANGS in (original, face):
        return False
    if isinstance(original, dict) and isinstance(face, dict) and "raised" in original and "raised" in face:
        if original["raised"] != face["raised"]:
            return original["raised"] in face["is"] and (original["says"] is None or original["says"] == face["says"])
        return bool(original["says"] == face["says"])
    if isinstance(original, dict) and isinstance(face, dict):
        return original.keys() == face.keys() and all(same(each, face[name]) for name, each in original.items())
    return bool(original == face)

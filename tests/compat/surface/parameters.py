"""Parameters as the tables write them, and whether a callable takes them."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from typing import Any

UNKNOWN = "?"
# Written in the tables for values that have no literal, such as `<object object>` and classes.
NO_LITERAL = re.compile(r"<|\.\.\.|^\(?[a-z_]+\.")


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name with its stars, its default as text, or None without one."""

    name: str
    default: str | None
    keyword_only: bool
    positional_only: bool = False


def parse(text: str) -> list[Parameter]:
    """The parameters of a row."""
    found: list[Parameter] = []
    keyword_only = False
    for part in _split(text):
        name, equals, default = part.partition("=")
        if name == "*":
            keyword_only = True
        elif name == "/":
            found = [Parameter(it.name, it.default, keyword_only=False, positional_only=True) for it in found]
        else:
            found.append(Parameter(name, default if equals else None, keyword_only))
            keyword_only |= name.startswith("*") and not name.startswith("**")
    return found


def difference(wanted: str, function: Any) -> str | None:
    """What a caller who follows the table would find different, or None.

    Further optional parameters are no difference.

    Raises:
        ValueError: The callable tells nothing of its parameters.
    """
    has = Signature.of(function)
    parameters = parse(wanted)
    # Wrappers that hand everything on may be replaced by what takes the arguments by their names.
    open_ended = any(parameter.name.startswith("**") for parameter in parameters)
    position = 0
    for parameter in () if open_ended else parameters:
        problem = has.problem(parameter, position)
        if problem is not None:
            return f"{problem}: {has.text}"
        position += not (parameter.keyword_only or parameter.name.startswith("*"))
    if open_ended:
        return None
    required = has.required(known={parameter.name for parameter in parameters}.union(has.positional[:position]))
    return f"requires {', '.join(required)} beyond the table: {has.text}" if required else None


@dataclass(frozen=True)
class Signature:
    """What a callable says of its parameters, without the instance or class that it is bound to."""

    text: str
    named: dict[str, inspect.Parameter]
    positional: list[str]
    takes_positions: bool
    takes_keywords: bool

    @classmethod
    def of(cls, function: Any) -> Signature:
        signature = inspect.signature(function)
        has = {name: parameter for name, parameter in signature.parameters.items() if name not in ("self", "cls")}
        kinds = [parameter.kind for parameter in has.values()]
        return cls(
            text=str(signature),
            named={name: it for name, it in has.items() if it.kind not in (it.VAR_POSITIONAL, it.VAR_KEYWORD)},
            positional=[name for name, it in has.items() if it.kind in (it.POSITIONAL_ONLY, it.POSITIONAL_OR_KEYWORD)],
            takes_positions=inspect.Parameter.VAR_POSITIONAL in kinds,
            takes_keywords=inspect.Parameter.VAR_KEYWORD in kinds,
        )

    def problem(self, parameter: Parameter, position: int) -> str | None:
        """What keeps a caller from giving this parameter, at this position or by its name."""
        if parameter.name.startswith("*"):
            return None if self.takes_positions or self.takes_keywords else f"takes no {parameter.name}"
        other = self.named.get(parameter.name)
        if parameter.positional_only and other is None and position < len(self.positional):
            # Nobody can say its name.
            other = self.named[self.positional[position]]
        if other is None:
            anything = self.takes_keywords and (self.takes_positions or parameter.keyword_only)
            return None if anything else f"has no parameter {parameter.name!r}"
        if not parameter.keyword_only and not self._is_at(other.name, position):
            return f"parameter {parameter.name!r} is not number {position + 1}"
        return _other_default(parameter, other)

    def required(self, known: set[str]) -> list[str]:
        """What must be given beyond what is known."""
        return [name for name, it in self.named.items() if name not in known and it.default is it.empty]

    def _is_at(self, name: str, position: int) -> bool:
        return self.positional.index(name) == position if name in self.positional else self.takes_positions


def _other_default(parameter: Parameter, other: inspect.Parameter) -> str | None:
    if parameter.default is None:
        return None
    if other.default is other.empty:
        return f"parameter {parameter.name!r} has no default"
    if NO_LITERAL.search(parameter.default) or other.default is ...:
        return None
    # The name of the client contains the release of the library.
    wanted = parameter.default.removesuffix("VERSION'")
    has = repr(other.default)
    if has == wanted or (wanted != parameter.default and has.startswith(wanted)):
        return None
    return None if _same_value(other.default, wanted) else f"parameter {parameter.name!r} is {has} instead of {wanted}"


def _same_value(has: object, wanted: str) -> bool:
    try:
        return bool(has == ast.literal_eval(wanted))
    except (ValueError, SyntaxError):
        return False


def _split(text: str) -> list[str]:
    """Parts at the commas that are in no brackets and no quotes."""
    parts, depth, quote, part = [], 0, "", ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and not depth:
            parts.append(part.strip())
            part = ""
            continue
        part += character
    return [*parts, part.strip()] if part.strip() else parts

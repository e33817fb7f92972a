"""The cases of a library: each callable, in each state, with nothing, with what is right, and with one thing wrong at a
time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from tests.compat.differential.library import Call, Kind, Library, World

NOTHING, RIGHT, KEYWORD, POSITIONAL = "nothing", "right", "unknown keyword", "one argument too many"

NO_STATE = "no state"
"""That of constructors and functions."""


@dataclass(frozen=True)
class Case:
    """One call."""

    kind: Kind | None
    state: str
    call: Call
    label: str

    @property
    def name(self) -> str:
        """What reports call it."""
        owner = f"{self.kind.name}." if self.kind else ""
        state = f"[{self.state}] " if self.kind else ""
        return f"{state}{owner}{self.call.name}({self.label})"

    def arguments(self, world: World) -> tuple[list[Any], dict[str, Any]]:
        """What is given, made anew."""
        given = {name: make(world) for name, make in self.call.always.items()}
        if self.label == NOTHING:
            return [], given
        given.update({each.name: each.right(world) for each in self.call.arguments if each.required})
        if self.label == KEYWORD:
            return [], {**given, "no_such_argument": 1}
        if self.label == POSITIONAL:
            return [None] * (len(self.call.arguments) + len(given) + 3), {}
        if self.label != RIGHT:
            name, _, odd = self.label.partition("=")
            (argument,) = [each for each in self.call.arguments if each.name == name]
            given[name] = argument.right(world) if odd == RIGHT else argument.odd[odd](world)
        # What has to be given is given by its place, as programs do: many calls of libraries in C know no names.
        leading = list(takewhile(lambda each: each.required, self.call.arguments))
        return [given.pop(each.name) for each in leading], given


def labels(call: Call) -> Iterator[str]:
    """The ways in which something is called."""
    required = any(each.required for each in call.arguments)
    if not call.waits:
        yield NOTHING
    if call.always or required:
        yield RIGHT
    if call.invoke is None:
        yield KEYWORD
        yield POSITIONAL
    for argument in call.arguments:
        if not argument.required:
            yield f"{argument.name}={RIGHT}"
        for odd in argument.odd:
            yield f"{argument.name}={odd}"


def cases(library: Library, states: frozenset[str] | None = None) -> list[Case]:
    """All cases, those of one state of one kind together; with `states` only those, and `NO_STATE` for functions."""
    found = []
    for kind in library.kinds:
        for state in kind.states:
            if states is not None and state not in states:
                continue
            for call in kind.calls:
                if call.states is None or state in call.states:
                    found += [Case(kind, state, call, label) for label in labels(call)]
    if states is None or NO_STATE in states:
        for call in library.functions:
            found += [Case(None, "", call, label) for label in labels(call)]
    return found

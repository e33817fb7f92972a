"""What a library brings to be compared: its callables, its kinds of arguments, its states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

Value = Callable[["World"], Any]
"""Makes an argument; called anew for each case, because calls may keep or change what they are given."""


@dataclass
class World:
    """Where a case runs.

    Args:
        module: The library, or the face.
        servers: The broker's address.
        prefix: Begins the names of topics and groups, so that runs on one broker do not meet.
        count: Numbers groups and transactional ids.
    """

    module: ModuleType
    servers: str
    prefix: str
    count: int = 0
    extra: dict[str, Any] = field(default_factory=dict)

    def name(self, kind: str) -> str:
        """A name that all cases share, such as that of a topic."""
        return f"{self.prefix}{kind}"

    def unique(self, kind: str) -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{self.prefix}{kind}-{self.count}"


@dataclass(frozen=True)
class Argument:
    """A parameter, and what it is given.

    Args:
        name: Its name.
        right: What a program gives it.
        odd: Values by a label: of a wrong type, out of range, empty, None, duplicate, unknown, raising.
        required: Whether a call has to give it.
    """

    name: str
    right: Value
    odd: Mapping[str, Value] = field(default_factory=dict)
    required: bool = True


@dataclass(frozen=True)
class Call:
    """A callable of an object in a state, or of the library itself.

    Args:
        name: The method, or the function or class with its module below the library's.
        arguments: What it takes.
        always: Keywords given with every case, such as a time limit for a call that would wait for ever.
        states: The states it is called in; all of its kind without.
        waits: Whether a call without arguments waits for ever.
        keeps: Whether a call that succeeds leaves the object as it was, so that the next case may use it too.
        invoke: Makes the call where it is no method, such as `len`.
    """

    name: str
    arguments: Sequence[Argument] = ()
    always: Mapping[str, Value] = field(default_factory=dict)
    states: Sequence[str] | None = None
    waits: bool = False
    keeps: bool = False
    invoke: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Kind:
    """A class whose objects are called in states.

    Args:
        name: The class.
        states: Makes an object, by the state's name.
        calls: What is called.
        dispose: Ends an object.
        lasting: Whether an object is used for the next case where the call has failed, or leaves it as it was.
    """

    name: str
    states: Mapping[str, Callable[[World], Any]]
    calls: Sequence[Call]
    dispose: Callable[[Any], object]
    lasting: bool = True


def called(make: Callable[[], Any]) -> Any:
    """The value of a call that is made on the spot."""
    return make()


@dataclass(frozen=True)
class Library:
    """All of a library.

    Args:
        name: The package that is imported.
        face: What stands in for it.
        kinds: Its clients.
        functions: Constructors and functions, which need no state.
        prepare: Makes the cluster's topics and the like, once for each run.
        describe: What is compared of a value that is special to the library; None for the common way.
        fault: What is compared of an exception's arguments; None where there is nothing.
        folder: Where the original is, if it is not installed.
        run: How anything of the library is called: one of coroutines has a loop.
    """

    name: str
    face: str
    kinds: Sequence[Kind]
    functions: Sequence[Call]
    prepare: Callable[[World], None]
    describe: Callable[[Any], Any]
    fault: Callable[[BaseException], Any]
    folder: str | None = None
    run: Callable[[Callable[[], Any]], Any] = called

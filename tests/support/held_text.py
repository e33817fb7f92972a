"""What tools that report errors can find in one: all text that it holds, and the locals of frames it has come
through."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path

OWN = "/kafkars/"


def held(thing: object, seen: dict[int, object] | None = None) -> Iterator[str]:
    """All text that an error holds, in whatever attribute of it or of those before it. A traceback's frames are the
    program's own, and left out.
    """
    seen = {} if seen is None else seen
    if id(thing) in seen:
        return
    seen[id(thing)] = thing  # kept, so that no other object gets its id
    if isinstance(thing, str | Path):
        yield str(thing)
    elif isinstance(thing, bytes | bytearray | memoryview):
        yield bytes(thing).decode("latin-1")
    for each in parts(thing):
        yield from held(each, seen)


def parts(thing: object) -> Iterator[object]:
    """What a thing holds that is looked into."""
    if isinstance(thing, Mapping):
        yield from (*thing.keys(), *thing.values())
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    elif isinstance(thing, BaseException):
        yield from (thing.__cause__, thing.__context__)
        # What is written in C has its attributes in the class: filename, object, doc, key.
        for name in dir(thing):
            if not name.startswith("__") or name == "__notes__":
                value = getattr(thing, name, None)
                if not callable(value):
                    yield value


def locals_of(error: BaseException) -> Iterator[tuple[str, str]]:
    """Each local variable of kafkars' own frames that an error has come through, as `pytest --showlocals`, Rich and
    Sentry show it: where it is, and its `repr`.
    """
    whole = traceback.TracebackException.from_exception(error, capture_locals=True)
    waiting = [whole]
    while waiting:
        each = waiting.pop()
        waiting += [other for other in (each.__cause__, each.__context__) if other is not None]
        for frame in each.stack:
            if OWN in frame.filename and "/tests/" not in frame.filename:
                for name, shown in (frame.locals or {}).items():
                    yield f"{frame.filename}:{frame.lineno} {frame.name}: {name}", shown

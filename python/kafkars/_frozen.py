"""Classes of settings that behave as frozen dataclasses, made without `dataclasses`: to load that module and to let it
compile methods for four classes of up to ninety fields took half of the time that `import kafkars` may take.

`settings` gives a class what `@dataclass(frozen=True, kw_only=True)` would give it, by methods that all share. A type
checker sees the dataclass itself, and so does code that asks at run time: `dataclasses.fields()`, `replace()` and
`inspect.signature()` work, and load their modules when they are called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from kafkars._discreet import discreet

T = TypeVar("T")

REQUIRED = object()
"""Stands for the default of a field that has none."""


def settings(*, frozen: bool, kw_only: bool) -> Callable[[type[T]], type[T]]:
    """Decorates a class of settings. Both arguments are True: the call reads as what a type checker sees."""
    del frozen, kw_only

    def decorated(cls: type[T]) -> type[T]:
        found: dict[str, object] = dict(getattr(cls, "__settings__", {}))
        for name, kind in cls.__annotations__.items():
            if not str(kind).startswith("ClassVar"):
                found[name] = vars(cls).get(name, REQUIRED)
        members = {"__settings__": found, "__match_args__": (), **SHARED}
        for name, member in members.items():
            setattr(cls, name, member)
        return cls

    return decorated


@discreet
def _init(self: Any, /, *unnamed: object, **values: Any) -> None:
    known = type(self).__settings__
    if unnamed:
        raise TypeError(f"{type(self).__name__} takes settings by their names, as {next(iter(known))}=...")
    for name in values:
        if name not in known:
            hint = getattr(type(self), "_hint", None)
            advice = "" if hint is None else f"; {hint(name)}"
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}{advice}")
    held = {**known, **values}
    missing = [repr(name) for name, value in held.items() if value is REQUIRED]
    if missing:
        raise TypeError(f"{type(self).__name__}.__init__() misses required keyword arguments: {', '.join(missing)}")
    self.__dict__.update(held)
    finish = getattr(self, "__post_init__", None)
    if finish is not None:
        finish()


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in type(self).__settings__)


def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in type(self).__settings__)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _setattr(self: Any, name: str, value: object) -> NoReturn:
    del self, value
    from dataclasses import FrozenInstanceError  # noqa: PLC0415  only for the error

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> NoReturn:
    del self
    from dataclasses import FrozenInstanceError  # noqa: PLC0415  only for the error

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _replace(self: Any, /, **changes: Any) -> Any:
    """Implements `copy.replace()`."""
    return type(self)(**{**dict(zip(type(self).__settings__, _values(self), strict=True)), **changes})


class _OfDataclass:
    """A descriptor for an attribute that only dataclasses have: on access it makes the dataclass and asks that."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        return getattr(_dataclass_of(owner), self._name)


def _dataclass_of(owner: type[Any]) -> Any:
    made: Any = vars(owner).get("__dataclass_twin__")
    if made is None:
        import inspect  # noqa: PLC0415  both are what this module is there to avoid
        from dataclasses import MISSING, field, make_dataclass  # noqa: PLC0415

        kinds = {name: kind for base in reversed(owner.__mro__) for name, kind in _annotations(base).items()}
        defaults = getattr(owner, "__settings__").items()  # noqa: B009  made by the decorator
        fields = [
            (name, kinds[name], field(default=MISSING if default is REQUIRED else default, hash=None))
            for name, default in defaults
        ]
        made = make_dataclass(owner.__name__, fields, kw_only=True, frozen=True)
        made.__signature__ = inspect.signature(made)
        owner.__dataclass_twin__ = made
    return made


def _annotations(base: type[Any]) -> dict[str, Any]:
    return base.__annotations__ if "__settings__" in vars(base) else {}


SHARED: dict[str, Any] = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__replace__": _replace,
    "__dataclass_fields__": _OfDataclass("__dataclass_fields__"),
    "__dataclass_params__": _OfDataclass("__dataclass_params__"),
    "__signature__": _OfDataclass("__signature__"),
}
"""The attributes that every class of settings gets, besides its own fields."""

"""Advice for a setting that does not exist: its name here, which client has it, or which name is similar."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from kafkars.errors import ConfigError

LONGEST_NAME = 80


def unknown(key: str, name: str, names: frozenset[str]) -> ConfigError:
    """Returns the error for a setting, written as `key`, that a client with the settings `names` does not have."""
    if not is_like_a_name(key):
        return ConfigError(
            "what is given as the name of a setting is none; it is not shown, because it may be a secret"
        )
    return ConfigError.of(key, f"unknown setting; {hint(name, names)}")


def hint(name: str, names: frozenset[str]) -> str:
    """Returns advice on what to use in place of a setting of that name."""
    owner = owner_of(name)
    if owner is not None:
        return f"it is a {owner}'s setting"
    from kafkars.config.elsewhere import ELSEWHERE  # noqa: PLC0415  only needed on the way to an error

    if name in ELSEWHERE:
        return ELSEWHERE[name]
    near = nearest(name, names)
    return f"did you mean {near!r}?" if near is not None else "see kafkars.config for the settings there are"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Returns the one of `names` that was probably meant, or None if none is similar enough."""
    import difflib  # noqa: PLC0415  only needed on the way to an error; keeps `import kafkars` quick

    known = list(names)
    begun = [each for each in known if len(name) >= SHORTEST_BEGINNING and each.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=ALIKE)), None)


SHORTEST_BEGINNING = 5
"""A beginning of at least so many letters stands for a name, if no other name begins so."""

ALIKE = 0.75
"""The least similarity of names: "linger_msec" and "linger_ms" have it, "api_version" and "bootstrap_servers" not."""


def owner_of(name: str) -> str | None:
    """Returns the kind of client that has a setting of that name."""
    return next((owner for owner, settings in OWNERS.items() if name in settings()), None)


OWNERS: dict[str, Callable[[], Collection[str]]] = {}
"""The settings of each kind of client. The package fills it, because its modules import this one."""


def is_like_a_name(key: str) -> bool:
    """True if an unknown name may be quoted: a secret or a whole file in the place of a name must not be."""
    return (
        len(key) <= LONGEST_NAME and key.replace(".", "").replace("_", "").replace("-", "").replace(" ", "").isalnum()
    )

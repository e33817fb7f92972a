"""What to tell about a setting that does not exist: what it is called here, whose it is, or which name is near."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

LONGEST_NAME = 80


def unknown(key: str, name: str, names: frozenset[str]) -> str:
    """What to tell about a setting, written as `key`, that a client with the settings `names` does not have."""
    if not is_like_a_name(key):
        return "what is given as the name of a setting is none; it is not shown, because it may be a secret"
    return f"{key}: unknown setting; {hint(name, names)}"


def hint(name: str, names: frozenset[str]) -> str:
    """Tells where the user gets what a setting of that name is for."""
    owner = owner_of(name)
    if owner is not None:
        return f"it is a {owner}'s setting"
    from kafkars.config.elsewhere import ELSEWHERE  # noqa: PLC0415  only needed on the way to an error

    if name in ELSEWHERE:
        return ELSEWHERE[name]
    near = nearest(name, names)
    return f"did you mean {near!r}?" if near is not None else "see kafkars.config for the settings there are"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of `names` that was probably meant, or None where none is near enough."""
    import difflib  # noqa: PLC0415  only needed on the way to an error; keeps `import kafkars` quick

    known = list(names)
    begun = [each for each in known if len(name) >= SHORTEST_BEGINNING and each.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=ALIKE)), None)


SHORTEST_BEGINNING = 5
"""So much of a name counts as its beginning, where only one name begins so."""

ALIKE = 0.75
"""From here on, names are near: "linger_msec" and "linger_ms", but not "api_version" and "bootstrap_servers"."""


def owner_of(name: str) -> str | None:
    """Tells which kind of client has a setting of that name."""
    return next((owner for owner, settings in OWNERS.items() if name in settings()), None)


OWNERS: dict[str, Callable[[], Collection[str]]] = {}
"""The settings of each kind of client. The package fills it, whose modules all import this one."""


def is_like_a_name(key: str) -> bool:
    """True if something unknown may be shown as a name: a key or a whole file that stands where a name is expected may
    not.
    """
    return (
        len(key) <= LONGEST_NAME and key.replace(".", "").replace("_", "").replace("-", "").replace(" ", "").isalnum()
    )

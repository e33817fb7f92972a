"""From what a user wrote to a setting of the right type, or a `ConfigError` that says which setting and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from kafkars.config.names import LONGEST_NAME, unknown
from kafkars.config.secret import NOT_UTF8, Secret, is_utf8
from kafkars.errors import ConfigError

T = TypeVar("T")


def merge(known: Iterable[str], config: Mapping[str, object] | None, settings: Mapping[str, object]) -> dict[str, Any]:
    """One dict of snake_case settings from a mapping, which may use Kafka's dotted names, and keyword arguments."""
    names = frozenset(known)
    merged: dict[str, Any] = {}
    written: dict[str, str] = {}
    for key, value in [*(config or {}).items(), *settings.items()]:
        if not isinstance(key, str):
            raise ConfigError(f"a value of type {type(key).__name__} is not the name of a setting: names are text")
        dotted = "." in key
        name = key.replace(".", "_")
        if name not in names:
            raise ConfigError(unknown(key, name, names))
        if name in merged:
            raise ConfigError(f"{name}: given twice, as {written[name]!r} and as {key!r}")
        # Kafka's property files hold text only: "linger.ms": "5".
        merged[name] = Text(value) if dotted and isinstance(value, str) else value
        written[name] = key
    return merged


class Text(str):
    """Text from a setting with a dotted name, where numbers and booleans are written as text."""

    __slots__ = ()


def parsed(convert: Callable[[str], T], text: Any) -> T | None:
    """What a text stands for, or None where the conversion raises a ValueError: that quotes the text, which may be a
    secret in the wrong place, and it would be the context of whatever is raised while it is handled.
    """
    try:
        return convert(text)
    except ValueError:
        return None


def whole(name: str, value: object) -> int:
    """A whole number."""
    if isinstance(value, Text):
        number = parsed(int, value)
        value = value if number is None else number
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(name, value, "a whole number")
    if not -(2**63) <= value < 2**63:
        raise ConfigError(f"{name}: {value} is out of range")
    return value


def milliseconds(name: str, value: object) -> float:
    """A duration in milliseconds, not negative; fractions are kept."""
    if isinstance(value, Text):
        number = parsed(float, value)
        value = value if number is None else number
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(name, value, "a number of milliseconds")
    if not 0 <= value <= LONGEST_MS:
        raise ConfigError(f"{name}: {value!r} is not between 0 and {LONGEST_MS} ms")
    return value


LONGEST_MS = 2**53
"""Above this a float no longer holds every millisecond; it is 285,000 years."""


def flag(name: str, value: object) -> bool:
    """True or False."""
    if isinstance(value, Text) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise wrong(name, value, "True or False", FLAG_WORDS)
    return value


def text(name: str, value: object) -> str:
    """Text."""
    if not isinstance(value, str):
        raise wrong(name, value, "text")
    return str(value)


def choice(*options: str) -> Callable[[str, object], str]:
    """One of a few words, in any case."""

    def check(name: str, value: object) -> str:
        if isinstance(value, str) and value.lower() in options:
            return value.lower()
        raise wrong(name, value, "one of " + ", ".join(repr(option) for option in options), options)

    return check


def optional(check: Callable[[str, object], Any]) -> Callable[[str, object], Any]:
    """The same, or None."""
    return lambda name, value: None if value is None else check(name, value)


def servers(name: str, value: object) -> tuple[str, ...]:
    """Addresses: one text with commas, or several texts."""
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise wrong(name, value, '"host:port", or several of them')
    parts = list(value)
    if not all(isinstance(part, str) for part in parts):
        raise wrong(name, value, '"host:port", or several of them')
    return tuple(part.strip() for part in parts if part.strip())


def function(name: str, value: object) -> Callable[..., Any]:
    """Something that can be called."""
    if not callable(value):
        raise wrong(name, value, "a function")
    return value


def serializer(name: str, value: object) -> object:
    """A function, or an object with a method `serialize`."""
    if not callable(value) and not callable(getattr(value, "serialize", None)):
        raise wrong(name, value, "a function, or an object with serialize(topic, value, headers)")
    return value


def deserializer(name: str, value: object) -> object:
    """A function, or an object with a method `deserialize`."""
    if not callable(value) and not callable(getattr(value, "deserialize", None)):
        raise wrong(name, value, "a function, or an object with deserialize(topic, data, headers)")
    return value


def interceptors(name: str, value: object) -> tuple[object, ...]:
    """Objects with a method that interceptors have."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise wrong(name, value, "a sequence of interceptors")
    parts = tuple(value)
    for part in parts:
        if not any(callable(getattr(part, method, None)) for method in ("on_send", "on_acknowledgement")):
            raise wrong(name, part, "objects with on_send(record) or on_acknowledgement(metadata, error)")
    return parts


def wrong(name: str, value: object, expected: str, options: Iterable[str] = ()) -> ConfigError:
    """The error for a value of the wrong type, or for a word that is none of the options."""
    return ConfigError(f"{name}: expected {expected}, not {shown(value, options)}")


def shown(value: object, options: Iterable[str] = ()) -> str:
    """How messages speak of a wrong value: text may be a password that stands in the wrong place.

    Only numbers are quoted, and words that are one of the options but for a slip of the pen.
    """
    kind = "str" if isinstance(value, Text) else type(value).__name__
    is_harmless = type(value) in {bool, int, float, type(None)} or is_mistyped(value, options)
    if not is_harmless:
        return f"the value given ({kind})"
    return f"{str(value)!r} ({kind})" if isinstance(value, str) else f"{value!r} ({kind})"


FLAG_WORDS = ("true", "false", "yes", "no", "on", "off")
"""What people write for True and False."""


def is_mistyped(value: object, options: Iterable[str]) -> bool:
    """Whether a text is one of the options, but for two letters (one in a short word), its case and its punctuation."""
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        return False
    word = letters(value)
    return any(distance(word, known) <= (2 if len(known) >= FEW_LETTERS else 1) for known in map(letters, options))


FEW_LETTERS = 5


def letters(word: str) -> str:
    """Letters and digits of a word."""
    return "".join(letter for letter in word.lower() if letter.isalnum())


def distance(one: str, other: str) -> int:
    """How many letters have to be put in, left out, changed or swapped to make one word of the other."""
    rows = [list(range(len(other) + 1))]
    for i, mine in enumerate(one, 1):
        row = [i]
        for j, theirs in enumerate(other, 1):
            row.append(min(rows[-1][j] + 1, row[j - 1] + 1, rows[-1][j - 1] + (mine != theirs)))
            if i > 1 and j > 1 and mine == other[j - 2] and theirs == one[i - 2]:
                row[j] = min(row[j], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def without_key(name: str, value: object) -> None:
    """Refuses a private key in a setting that shows itself, be it the value or a part of it. It is not quoted.

    Raises:
        ConfigError: There is one.
    """
    if isinstance(value, str):
        if PRIVATE_KEY in value:
            raise ConfigError(f"{name}: holds a private key, which nothing but ssl_key_pem takes")
    elif isinstance(value, tuple | list):
        for part in value:
            without_key(name, part)


def sendable(name: str, value: object) -> None:
    """Refuses text that is no UTF-8, be it the value or a part of it. Python's own error about it would hold it whole.

    Raises:
        ConfigError: There is one.
    """
    if isinstance(value, Secret):
        value = value.source
    if isinstance(value, str):
        if not is_utf8(value):
            raise ConfigError(f"{name}: {NOT_UTF8}")
    elif isinstance(value, tuple | list):
        for part in value:
            sendable(name, part)


PRIVATE_KEY = "PRIVATE KEY-----"
"""How the first line of every PEM key ends: PKCS#8, encrypted or not, RSA and EC."""

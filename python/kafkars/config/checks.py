"""Conversion of what a user wrote to a setting of the right type, or a `ConfigError` that names setting and reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

from kafkars.config.names import LONGEST_NAME, unknown
from kafkars.config.secret import NOT_UTF8, Secret, is_utf8
from kafkars.errors import ConfigError

T = TypeVar("T")

AWAITED = 0x80 | 0x100 | 0x200
"""Flags of code objects: of coroutines, of generators that serve as coroutines, and of asynchronous generators."""


def merge(known: Iterable[str], config: Mapping[str, object] | None, settings: Mapping[str, object]) -> dict[str, Any]:
    """Makes one dict of snake_case settings from a mapping, which may use Kafka's dotted names, and keyword
    arguments.
    """
    names = frozenset(known)
    merged: dict[str, Any] = {}
    written: dict[str, str] = {}
    for key, value in [*(config or {}).items(), *settings.items()]:
        if not isinstance(key, str):
            raise ConfigError(f"a value of type {type(key).__name__} is not the name of a setting: names are text")
        dotted = "." in key
        name = key.replace(".", "_")
        if name not in names:
            raise unknown(key, name, names)
        if name in merged:
            where = "in config and as an argument" if written[name] == key else f"as {written[name]!r} and as {key!r}"
            raise ConfigError.of(name, f"given twice, {where}")
        # Kafka's property files hold text only: "linger.ms": "5".
        merged[name] = Text(value) if dotted and isinstance(value, str) else value
        written[name] = key
    return merged


class Text(str):
    """Text from a setting with a dotted name, where numbers and booleans are written as text."""

    __slots__ = ()


def parsed(convert: Callable[[str], T], text: Any) -> T | None:
    """Converts a text; returns None if the conversion raises a ValueError. That error quotes the text, which may be a
    secret in the wrong place, so it must not become the context of another error.
    """
    try:
        return convert(text)
    except ValueError:
        return None


def whole(least: int, most: int | None = None, unit: str = "") -> Callable[[str, object], int]:
    """Returns a check for whole numbers of a range, which the reference shows beside the setting."""

    def check(name: str, value: object) -> int:
        if isinstance(value, Text):
            number = parsed(int, value)
            value = value if number is None else number
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong(name, value, "a whole number", advice=without_quotes(value))
        if not least <= value <= (LARGEST if most is None else most):
            end = LARGEST if value > LARGEST else None
            raise ConfigError.of(name, f"must be {span(least, most or end, unit)}, not {value}")
        return value

    return check


def milliseconds(least: float = 0, most: float | None = None, *, above: bool = False) -> Callable[[str, object], float]:
    """Returns a check for durations in milliseconds of a range, with or (`above`) without its lower end."""

    def check(name: str, value: object) -> float:
        if isinstance(value, Text):
            number = parsed(float, value)
            value = value if number is None else number
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(name, value, "a number of milliseconds", advice=without_quotes(value))
        is_enough = value > least if above else value >= least
        if not (is_enough and value <= (LONGEST_MS if most is None else most)):
            end = LONGEST_MS if value > LONGEST_MS else None
            raise ConfigError.of(name, f"must be {span(least, most or end, 'ms', above=above)}, not {value!r}")
        return value

    return check


SHORTEST_WAIT_MS = 100
"""Time limits below this are seconds, by mistake, more often than they are meant."""


_are_derived: ContextVar[bool] = ContextVar("_are_derived", default=False)


class Derived:
    """In its block configs are made with names and numbers that the user has never written: a face has made them of
    others, and says itself what it thinks of those.
    """

    def __enter__(self) -> None:
        self._before = _are_derived.set(True)

    def __exit__(self, *_: object) -> None:
        _are_derived.reset(self._before)


def likely_seconds(name: str, value: object) -> None:
    """Logs a warning of a time limit that was probably given in seconds. 0, which means not to wait, is none."""
    if isinstance(value, int | float) and 0 < value < SHORTEST_WAIT_MS and not _are_derived.get():
        import logging  # noqa: PLC0415  keeps `import kafkars` quick

        logging.getLogger("kafkars.config").warning(
            "%s=%s is %s milliseconds, in which few brokers answer; times in settings are in milliseconds",
            name,
            value,
            value,
        )


def span(least: float, most: float | None, unit: str, *, above: bool = False) -> str:
    """Returns a range in words."""
    of = f" {unit}" if unit else ""
    if most is None and least == 1:
        of = of.removesuffix("s")
    if above:
        return f"above {least}{of}" + ("" if most is None else f" and at most {most}{of}")
    return f"at least {least}{of}" if most is None else f"from {least} to {most}{of}"


LARGEST = 2**63 - 1
"""The largest number that the native module takes, for settings without another limit."""


def without_quotes(value: object) -> str:
    """Returns what messages say of a wrong number given as text. It is not quoted: digits may be a secret, too."""
    is_number = isinstance(value, str) and parsed(float, value) is not None
    return "; write the number without quotes" if is_number else ""


LONGEST_MS = 2**53
"""The largest duration in milliseconds, 285,000 years: above it a float does not hold every millisecond."""

INT32 = 2**31 - 1
"""The largest number of most fields of Kafka's protocol."""


def flag(name: str, value: object) -> bool:
    """Checks for True or False."""
    if isinstance(value, Text) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise wrong(name, value, "True or False", FLAG_WORDS)
    return value


def text(name: str, value: object) -> str:
    """Checks for text."""
    if not isinstance(value, str):
        raise wrong(name, value, "text")
    return str(value)


def choice(*options: str) -> Callable[[str, object], str]:
    """Returns a check for one of a few words, in upper or lower case."""

    def check(name: str, value: object) -> str:
        if isinstance(value, str) and value.lower() in options:
            return value.lower()
        raise wrong(name, value, "one of " + ", ".join(repr(option) for option in options), options)

    return check


def optional(check: Callable[[str, object], Any]) -> Callable[[str, object], Any]:
    """Returns a check that also accepts None."""
    return lambda name, value: None if value is None else check(name, value)


def servers(name: str, value: object) -> tuple[str, ...]:
    """Checks for addresses: one text with commas, or several texts."""
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise wrong(name, value, '"host:port", or several of them')
    parts = list(value)
    if not all(isinstance(part, str) for part in parts):
        raise wrong(name, value, '"host:port", or several of them')
    found = tuple(part.strip() for part in parts if part.strip())
    # A client of librdkafka may have no servers; then it connects to nothing.
    if not found and not _are_derived.get():
        raise ConfigError.of(name, "is empty; give at least one host:port")
    return found


def function(name: str, value: object) -> Callable[..., Any]:
    """Checks for something that can be called."""
    if not callable(value):
        raise wrong(name, value, "a function")
    return value


def serializer(name: str, value: object) -> object:
    """Checks for a function, or an object with a method `serialize`."""
    return codec(name, value, "serialize", "deserialize", "topic, value, headers")


def deserializer(name: str, value: object) -> object:
    """Checks for a function, or an object with a method `deserialize`."""
    return codec(name, value, "deserialize", "serialize", "topic, data, headers")


def codec(name: str, value: object, wanted: str, other: str, arguments: str) -> object:
    """Checks for a function, or an object with the method `wanted`; `other` is the method of the other direction."""
    if isinstance(value, type) and any(needs_instance(value, method) for method in ("__call__", wanted, other)):
        raise ConfigError.of(name, f"{value.__qualname__} is a class; give an instance: {value.__qualname__}()")
    method = getattr(value, wanted, None)
    # The serializers of `kafkars.serde` are functions, and say of themselves which way they go.
    is_function = callable(value) and getattr(value, "_direction", wanted) == wanted
    if not is_function and not callable(method):
        is_other = callable(value) or callable(getattr(value, other, None))
        advice = f"; {type(value).__qualname__} is a {other}r" if is_other else ""
        raise wrong(name, value, f"a function, or an object with {wanted}({arguments})", advice=advice)
    return ordinary(name, value, method)


def needs_instance(value: type, method: str) -> bool:
    """True if a class has a method that is called on its instances only."""
    found = next((vars(base)[method] for base in value.__mro__ if method in vars(base)), None)
    return callable(found) and not isinstance(found, staticmethod)


def interceptors(name: str, value: object) -> tuple[object, ...]:
    """Checks for objects with a method that interceptors have."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise wrong(name, value, "a sequence of interceptors")
    parts = tuple(value)
    for part in parts:
        methods = [getattr(part, method, None) for method in ("on_send", "on_acknowledgement")]
        if not any(map(callable, methods)):
            raise wrong(name, part, "objects with on_send(record) or on_acknowledgement(metadata, error)")
        ordinary(name, part, *methods)
    return parts


def ordinary(name: str, value: object, *methods: object) -> object:
    """Checks that neither the value nor one of its methods is a coroutine function: nothing awaits it, not even in an
    asyncio client.
    """
    for each in (value, *methods):
        if each is not None and is_coroutine_function(each):
            raise TypeError(
                f"{name}: {each!r} is a coroutine function, and nobody awaits what it returns; give an ordinary function"
            )
    return value


def is_coroutine_function(given: object) -> bool:
    """True if a call returns something that must be awaited: for functions, methods, partial ones and objects with such
    a `__call__`. The native module calls this function, too (`argument.rs`).
    """
    code = getattr(given, "__code__", None)
    if code is None and isinstance(given, partial):
        return is_coroutine_function(given.func)
    if code is None:
        code = getattr(getattr(type(given), "__call__", None), "__code__", None)  # noqa: B004  it is looked into
    flags = getattr(code, "co_flags", 0)
    return isinstance(flags, int) and flags & AWAITED != 0


def wrong(name: str, value: object, expected: str, options: Iterable[str] = (), *, advice: str = "") -> ConfigError:
    """Returns the error for a value of the wrong type, or for a word that is none of the options."""
    return ConfigError.of(name, f"expected {expected}, not {shown(value, options)}{advice}")


def shown(value: object, options: Iterable[str] = ()) -> str:
    """Returns what messages say of a wrong value: text may be a password in the wrong place.

    Only numbers are quoted, and words that are one of the options with a spelling mistake.
    """
    kind = "str" if isinstance(value, Text) else type(value).__name__
    is_harmless = type(value) in {bool, int, float, type(None)} or is_mistyped(value, options)
    if not is_harmless:
        return f"the value given ({kind})"
    return f"{str(value)!r} ({kind})" if isinstance(value, str) else f"{value!r} ({kind})"


FLAG_WORDS = ("true", "false", "yes", "no", "on", "off")
"""What people write for True and False."""


def is_mistyped(value: object, options: Iterable[str]) -> bool:
    """True if a text is one of the options with two wrong letters at most (one in a short word), ignoring case, or a
    part of one. A text of two letters is no secret either, where words are expected.
    """
    options = tuple(options)
    if not isinstance(value, str) or not options or len(value) > LONGEST_NAME:
        return False
    word = letters(value)
    if len(word) < SHORT or any(len(word) >= FEW_LETTERS and word in known for known in map(letters, options)):
        return True
    return any(distance(word, known) <= (2 if len(known) >= FEW_LETTERS else 1) for known in map(letters, options))


FEW_LETTERS = 5
SHORT = 3


def letters(word: str) -> str:
    """Returns the letters and digits of a word."""
    return "".join(letter for letter in word.lower() if letter.isalnum())


def distance(one: str, other: str) -> int:
    """Returns the edit distance of two words: letters to insert, leave out, change or swap."""
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
    """Checks that a setting that `repr()` shows contains no private key, which the error does not quote.

    Raises:
        ConfigError: There is one.
    """
    if isinstance(value, str):
        if PRIVATE_KEY in value:
            raise ConfigError.of(name, "holds a private key, which nothing but ssl_key_pem takes")
    elif isinstance(value, tuple | list):
        for part in value:
            without_key(name, part)


def sendable(name: str, value: object) -> None:
    """Checks that text in a setting can be encoded in UTF-8: Python's own error would contain the whole text.

    Raises:
        ConfigError: There is one.
    """
    if isinstance(value, Secret):
        value = value.source
    if isinstance(value, str):
        if not is_utf8(value):
            raise ConfigError.of(name, NOT_UTF8)
    elif isinstance(value, tuple | list):
        for part in value:
            sendable(name, part)


PRIVATE_KEY = "PRIVATE KEY-----"
"""How the first line of every PEM key ends: PKCS#8, encrypted or not, RSA and EC."""

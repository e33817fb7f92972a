"""Values of librdkafka's properties: conversion to the right type, and checks of their range."""

from __future__ import annotations

import math
import os
import re
from typing import Any

from kafkars.compat.confluent_kafka._codes import LOCAL
from kafkars.compat.confluent_kafka._properties import KNOWN, Property
from kafkars.compat.confluent_kafka._properties.property import CHOICE, FLAG, INTEGER, NUMBER, WORDS
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException
from kafkars.config.checks import FLAG_WORDS, is_mistyped, parsed
from kafkars.config.secret import NOT_UTF8, is_utf8, text_or_bytes

PATHS = ("location", "keytab")
"""Ends of the names of properties that are paths, which need not be UTF-8."""
TRUE, FALSE = {"true", "t", "1"}, {"false", "f", "0"}
WHOLE = re.compile(r"\s*(?P<sign>[+-]?)(?P<digits>0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")
NEVER_EMPTY = {"debug", "builtin.features", "broker.version.fallback", "sasl.mechanisms", "sasl.mechanism"}
NEVER_NONE = {"plugin.library.paths"}
INVALID_ARG, _ = LOCAL["_INVALID_ARG"]


class Values:
    """The values that were set, and the defaults of others."""

    def __init__(self, client: str) -> None:
        self.client = client
        self._set: dict[str, Any] = {}

    def set(self, name: str, value: Any) -> None:
        """Sets a property; the last one wins, under whichever of its names."""
        self._set[name] = value

    def has(self, name: str) -> bool:
        """True if the program has set it."""
        return name in self._set

    def __getitem__(self, name: str) -> Any:
        if name in self._set:
            return self._set[name]
        known = KNOWN[name]
        return value_of(known, known.default or None, name, default=True)

    def contradiction(self, problem: str) -> KafkaException:
        """Returns the error for settings that contradict each other."""
        return invalid(f"failed to create {self.client}: {problem}")


def value_of(known: Property, value: object, name: str, *, default: bool = False) -> Any:
    """Converts a value to the property's type; returns None for a text that is not set.

    Raises:
        KafkaException: It is of another type, out of range, or none of the options; the code is `_INVALID_ARG`.
    """
    text: Any = text_in(known, value, name)
    if not default and not text and (known.name in NEVER_EMPTY or (text is None and known.name in NEVER_NONE)):
        raise invalid(f'"{name}" cannot be empty; leave it out')
    if known.kind in {"text", WORDS} and (not text or default):
        return text or None
    if not text:
        raise invalid(f'"{name}" cannot be empty: it needs {expected(known)}')
    if known.kind == FLAG:
        return flag(known, text, name)
    if known.kind in {INTEGER, NUMBER}:
        return number(known, text, name)
    if known.kind == CHOICE:
        return choice(known, text, name)
    if known.kind == WORDS:
        return words(known, text, name)
    return text


def text_in(known: Property, value: object, name: str) -> str | bytes | None:
    """Returns a value as text, or as the bytes that the password of a key may be.

    Raises:
        KafkaException: It is no text of UTF-8. It is not quoted.
    """
    if value is None:
        return None
    if isinstance(value, bytes) and known.name == "ssl.key.password":
        return text_or_bytes(value)
    text = os.fsdecode(value) if isinstance(value, bytes) else str(value)
    if not known.name.endswith(PATHS) and not is_utf8(text):
        raise invalid(f'"{name}" {NOT_UTF8}')
    return text


def flag(known: Property, text: str, name: str) -> bool:
    if text.lower() in TRUE | FALSE:
        return text.lower() in TRUE
    raise wrong(known, name, text)


def choice(known: Property, text: str, name: str) -> str:
    fold = str if known.name == "partitioner" else str.lower
    for option in known.options:
        if fold(option) == fold(text):
            return option
    raise wrong(known, name, text)


def number(known: Property, text: str, name: str) -> int | float:
    """A number in its range. Whole numbers may be hexadecimal or octal, and what stands after their digits does not
    count.
    """
    if known.name == "request.required.acks" or known.alias_of == "request.required.acks":
        text = "-1" if text.lower() == "all" else text
    found: int | float | None
    if known.kind == INTEGER:
        digits = WHOLE.match(text)
        if digits is None:
            raise wrong(known, name)
        found = int(digits["sign"] + digits["digits"], base(digits["digits"]))
    else:
        found = parsed(lambda text: float(int(text, 16)) if "0x" in text.lower() else float(text), text)
        if found is None or not math.isfinite(found):
            raise wrong(known, name)
    low, high = known.limits or (-math.inf, math.inf)
    if not low <= found <= high:
        raise invalid(f'"{name}" is {found}, outside of its range {low} to {high}')
    return found


def base(digits: str) -> int:
    """Returns the base of digits, by C's rules."""
    return 16 if digits[:2].lower() == "0x" else 8 if digits[0] == "0" else 10


def words(known: Property, text: str, name: str) -> str:
    several = [each.strip().lower() for each in text.split(",")]
    for each in several:
        if each not in known.options:
            raise wrong(known, name, each)
    return ",".join(several)


def expected(known: Property) -> str:
    """Returns in words which values a property accepts."""
    if known.kind == FLAG:
        return "true or false"
    if known.options:
        return "one of " + ", ".join(known.options)
    return {INTEGER: "a whole number", NUMBER: "a number"}.get(known.kind, "a text")


def wrong(known: Property, name: str, text: str = "") -> KafkaException:
    """Returns the error for a wrong value. It may be a secret in the wrong place, and is quoted only if it is a word
    mistyped.
    """
    options = FLAG_WORDS if known.kind == FLAG else known.options
    given = text if is_mistyped(text, options) else "what was given"
    return invalid(f'Invalid value for configuration property "{name}": {given}; it needs {expected(known)}')


def invalid(problem: str) -> KafkaException:
    """Returns the error for a setting."""
    return KafkaException(KafkaError(INVALID_ARG, problem))

"""Translation of a program's dict of librdkafka's properties to settings of kafkars and of the face."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from kafkars.compat.confluent_kafka import _engine
from kafkars.compat.confluent_kafka._face import Face, face_settings
from kafkars.compat.confluent_kafka._properties import KNOWN, TOPIC
from kafkars.compat.confluent_kafka._properties.property import CALLBACK, REFUSED, Property
from kafkars.compat.confluent_kafka._properties.security import SECURITY
from kafkars.compat.confluent_kafka._security import Credentials, security
from kafkars.compat.confluent_kafka._values import Values, invalid, value_of
from kafkars.config.checks import likely_seconds
from kafkars.config.names import is_like_a_name, nearest

__all__ = ["Face", "Settings", "admin_settings", "consumer_settings", "producer_settings"]

TOPIC_CONFIG = "default.topic.config"
CALLBACKS = ("error_cb", "stats_cb", "throttle_cb", "oauth_cb", "logger")
"""The settings of every client that are not properties of librdkafka."""


class Settings:
    """All settings of a client. Its `repr` shows none of them, because there may be passwords among them.

    Args:
        engine: Keyword arguments of `kafkars.Producer`, `Consumer` or `Admin`.
        face: What the face serves itself: callbacks, queue limits, when offsets are stored.
        values: Each property's value, under its first name, where it is not known as an alias.
        credentials: What `set_sasl_credentials()` changes.
    """

    __slots__ = ("credentials", "engine", "face", "values")

    def __init__(self, engine: dict[str, Any], face: Face, values: Values, credentials: Credentials) -> None:
        self.engine = engine
        self.face = face
        self.values = values
        self.credentials = credentials


def producer_settings(arguments: tuple[object, ...], keywords: Mapping[str, object]) -> Settings:
    """Returns the settings for the arguments of a `Producer`.

    Args:
        arguments: Its positional arguments: one dict, or nothing where there are keywords. It is not changed.
        keywords: Its keyword arguments: properties, which win over those of the dict, and `logger`.

    Raises:
        KafkaException: A property is unknown, out of range, contradictory or not offered; its code is `_INVALID_ARG`.
        TypeError: The configuration is no dict, or a callback cannot be called.
        ValueError: `throttle_cb` cannot be called, as the library has it.
    """
    return settings("producer", (*CALLBACKS, "on_delivery"), _engine.producer, arguments, keywords)


def consumer_settings(arguments: tuple[object, ...], keywords: Mapping[str, object]) -> Settings:
    """Returns the settings for the arguments of a `Consumer`.

    Raises:
        ValueError: There is no `group.id`.
    """
    return settings("consumer", (*CALLBACKS, "on_commit"), _engine.consumer, arguments, keywords)


def admin_settings(arguments: tuple[object, ...], keywords: Mapping[str, object]) -> Settings:
    """Returns the settings for the arguments of an `AdminClient`."""
    return settings("producer", CALLBACKS, _engine.admin, arguments, keywords)


def settings(
    client: str,
    extra: tuple[str, ...],
    engine: Callable[[Values], dict[str, Any]],
    arguments: tuple[object, ...],
    keywords: Mapping[str, object],
) -> Settings:
    written = merged(arguments, keywords)
    others = {name: written.pop(name) for name in extra if name in written}
    only_errors = "delivery.report.only.error"
    if "on_delivery" in extra and not isinstance(written.get(only_errors, False), bool):
        raise TypeError(f"{only_errors}: expected True or False")
    values = Values(client)
    for name, value in written.items():
        known = property_of(name, extra)
        own = checked(known, value, name)
        values.set(known.alias_of or known.name, own)
        if known.name.endswith("timeout.ms"):
            likely_seconds(name, own)
    face = face_settings(others, values)
    protection, credentials = security(values, face.oauth_cb)
    return Settings({**engine(values), **protection}, face, values, credentials)


def merged(arguments: tuple[object, ...], keywords: Mapping[str, object]) -> dict[str, object]:
    """Returns one dict: keyword arguments win over the dict, and `default.topic.config` over both, as in the
    library.
    """
    if not arguments and not keywords:
        raise TypeError("expected configuration dict")
    if len(arguments) > 1:
        raise TypeError(f"expected one configuration dict, not {len(arguments)} positional arguments")
    if arguments and not isinstance(arguments[0], Mapping):
        raise TypeError(f"expected configuration dict, not one of type {type(arguments[0]).__name__}")
    written: dict[str, object] = dict(arguments[0]) if arguments else {}  # type: ignore[call-overload]
    written.update(keywords)
    topic_config = written.pop(TOPIC_CONFIG, None)
    if topic_config is not None:
        if not isinstance(topic_config, Mapping):
            raise TypeError(f"{TOPIC_CONFIG}: expected a dict, not a value of type {type(topic_config).__name__}")
        written.update(topic_config)
    return written


def property_of(name: object, extra: tuple[str, ...]) -> Property:
    """Returns the property of a name; those of topics may have the prefix `topic.`."""
    if isinstance(name, str):
        known = KNOWN.get(name) or TOPIC.get(name.removeprefix("topic."))
        if known is not None and known.kind != CALLBACK:
            return known
    shown = f' "{name}"{hint(str(name), extra)}' if is_like_a_name(str(name)) else ""
    raise invalid(f"unknown configuration property{shown}")


def hint(name: str, extra: tuple[str, ...]) -> str:
    """Returns the most similar name, for the error about an unknown one."""
    dotted = name.lower().replace("_", ".")
    near = dotted if dotted in KNOWN else nearest(name.lower(), [*KNOWN, *extra, TOPIC_CONFIG])
    return f'; did you mean "{near}"?' if near is not None else ""


def checked(known: Property, value: object, name: str) -> Any:
    """Checks a property's value: its type, its range, and whether it is supported."""
    if known.kind == "native":
        raise invalid(f'"{name}" cannot be set: {known.note}')
    if known.name == "ssl.ca.certificate.stores" and sys.platform != "win32":
        raise invalid(f'"{name}" cannot be set: {known.note}')
    checked_value = value_of(known, value, name)
    meant = KNOWN[known.alias_of] if known.alias_of else known
    if meant in SECURITY:
        return checked_value  # refused where protocol and mechanism give it a meaning
    if meant.treatment == REFUSED and checked_value not in (
        None,
        value_of(meant, meant.default or None, name, default=True),
    ):
        # A text is not quoted: it may be a secret in the wrong place. Other values are numbers or one of a few words
        # here.
        shown = "the value given" if meant.kind == "text" else repr(checked_value)
        raise invalid(f'"{name}" cannot be {shown}: {meant.note}')
    return checked_value

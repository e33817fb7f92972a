"""Checks rows that are settings: keys of a dictionary for confluent_kafka, keywords of a constructor for aiokafka."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from tests.compat.surface import parameters

if TYPE_CHECKING:
    from tests.compat.surface.library import Library
    from tests.compat.surface.table import Row

NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}
RANGE = re.compile(r"^(-?\d+) \.\. (-?\d+)$")
# The names under which librdkafka speaks of them.
ALIASES = {
    "delivery.timeout.ms": "message.timeout.ms",
    "linger.ms": "queue.buffering.max.ms",
    "max.partition.fetch.bytes": "fetch.message.max.bytes",
}
TEXTS = {
    "ssl.providers": "default",
    "metadata.broker.list": "127.0.0.1:1",
    "bootstrap.servers": "127.0.0.1:1",
    "client.id": "surface",
}


def problem(row: Row, library: Library) -> str | None:
    """What keeps a setting from being taken as the row says, or None."""
    owner, separator, setting = row.name.partition(".config.")
    if separator:
        found = library.find(owner)
        defaults = found.DEFAULT_CONFIG if row.library.startswith("kafka_python") else None
        return _keyword(row, found, setting) if defaults is None else _default(row, defaults, setting)
    return _librdkafka(row, library)


def _keyword(row: Row, function: Any, setting: str) -> str | None:
    has = _parameter(function, setting)
    if has is None:
        return "is no parameter"
    wanted = repr(row.default)
    if parameters.NO_LITERAL.search(str(row.default)) or setting == "client_id":
        return None
    if "removed" in row.remarks or row.default is None or repr(has.default) == wanted:
        return None
    return None if str(has.default) == str(row.default) else f"is {has.default!r} instead of {wanted}"


def _parameter(function: Any, setting: str) -> inspect.Parameter | None:
    """A parameter of a function, or of a class or of those that it hands the rest on to, or an entry of its
    dictionary."""
    settings = getattr(function, "DEFAULT_CONFIG", None)
    if isinstance(settings, dict) and setting in settings:
        return inspect.Parameter(setting, inspect.Parameter.KEYWORD_ONLY, default=settings[setting])
    for each in inspect.getmro(function) if inspect.isclass(function) else (function,):
        has = inspect.signature(each).parameters.get(setting)
        if has is not None:
            return has
    return None


def _default(row: Row, defaults: dict[str, Any], setting: str) -> str | None:
    """A setting of kafka-python, which is a key of a dict."""
    if setting not in defaults:
        return "is no setting"
    has, wanted = defaults[setting], row.default
    if wanted is None or "removed" in row.remarks or (isinstance(wanted, str) and parameters.NO_LITERAL.search(wanted)):
        return None
    same = has == wanted or str(has) == str(wanted) or (isinstance(has, tuple) and isinstance(wanted, str))
    return None if same else f"is {has!r} instead of {wanted!r}"


def _librdkafka(row: Row, library: Library) -> str | None:
    key = row.name.removeprefix("config.")
    if row.remarks.get("applies") not in ("*", "C", "P") or key in PYTHON_KEYS:
        return None
    key = key.removesuffix("@topic")
    value = row.default if row.default is not None else TEXTS.get(key)
    # Without a default there is nothing that every machine could be given: files, mechanisms, passwords.
    answer = _refusal(row, library, key, value) if value is not None else None
    if answer is not None:
        return f"its default {value!r} is refused: {answer}"
    return _outside(row, library, key)


def _outside(row: Row, library: Library, key: str) -> str | None:
    limits = RANGE.match(row.remarks.get("range", ""))
    if limits is None:
        return None
    for value in (int(limits[1]) - 1, int(limits[2]) + 1):
        refusal = _refusal(row, library, key, value)
        if refusal is None:
            return f"takes {value}, which is not in {limits[0]}"
        if key not in refusal and ALIASES.get(key, key) not in refusal:
            return f"refuses {value} without naming the setting: {refusal}"
    return None


def _refusal(row: Row, library: Library, key: str, value: Any) -> str | None:
    """What a client says of a setting, or None where it takes it."""
    root = library.module("")
    settings = {**NOWHERE, key: value}
    client = None
    try:
        if row.remarks["applies"] == "P":
            client = root.Producer(settings)
        else:
            client = root.Consumer({"group.id": "surface", **settings})
    except root.KafkaException as error:
        invalid = root.KafkaError._INVALID_ARG
        return str(error) if error.args[0].code() == invalid else f"with another code: {error}"
    finally:
        if client is not None and hasattr(client, "close"):
            client.close()
    return None


# Taken by Python and not by librdkafka; tests/compat/confluent is about what they do.
PYTHON_KEYS = ("error_cb", "stats_cb", "throttle_cb", "oauth_cb", "logger", "on_delivery", "on_commit")

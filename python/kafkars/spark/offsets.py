"""Offsets of partitions, and the JSON form that Spark's Kafka source has for them: `{"topic":{"0":23,"1":-1}}`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from kafkars.config import checks
from kafkars.errors import ConfigError
from kafkars.types import TopicPartition

LATEST = -1
"""Stands for the end of a partition in JSON."""

EARLIEST = -2
"""Stands for the first record of a partition in JSON."""

Offsets = dict[TopicPartition, int]


def to_json(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    """Returns offsets in the form for the checkpoint, in the order in which Spark's own source writes them."""
    shape: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in sorted(offsets.items()):
        shape.setdefault(topic, {})[str(partition)] = offset
    return shape


def from_json(shape: Mapping[str, Mapping[str, int]]) -> Offsets:
    """Returns the offsets of a checkpoint, which `to_json` or Spark's own source has written."""
    return {
        TopicPartition(topic, int(partition)): int(offset)
        for topic, partitions in shape.items()
        for partition, offset in partitions.items()
    }


def parse_offsets(option: str, text: str, *, what: str = "offset") -> Offsets:
    """Reads offsets, or timestamps, from an option.

    Raises:
        ConfigError: It is something else; the message names the option.
    """
    expected = 'JSON such as {"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}'
    offsets: Offsets = {}
    for number, (topic, partitions) in enumerate(_object(option, text, expected).items(), 1):
        if not isinstance(partitions, dict):
            raise _wrong(
                option, text, expected, f"topic number {number} has no object of partitions, but {_kind(partitions)}"
            )
        for partition, offset in partitions.items():
            if isinstance(offset, bool) or not isinstance(offset, int) or not -(2**63) <= offset < 2**63:
                raise _wrong(
                    option,
                    text,
                    expected,
                    f"the {what} of a partition is no whole number of 64 bits, but {_kind(offset)}",
                )
            offsets[TopicPartition(topic, _partition(option, text, expected, partition))] = offset
    return offsets


def parse_partitions(option: str, text: str) -> list[TopicPartition]:
    """Reads partitions from an option.

    Raises:
        ConfigError: It is something else; the message names the option.
    """
    expected = 'JSON such as {"topicA":[0,1],"topicB":[2,4]}'
    found: set[TopicPartition] = set()
    for number, (topic, partitions) in enumerate(_object(option, text, expected).items(), 1):
        if not isinstance(partitions, list):
            raise _wrong(
                option, text, expected, f"topic number {number} has no list of partitions, but {_kind(partitions)}"
            )
        found.update(TopicPartition(topic, _partition(option, text, expected, each)) for each in partitions)
    if not found:
        raise ConfigError(f"{option}: names no partition")
    return sorted(found)


def names(partitions: Iterable[TopicPartition]) -> str:
    """Returns partitions as text for a message: `orders-0, orders-1`."""
    return ", ".join(f"{topic}-{partition}" for topic, partition in sorted(partitions)) or "none"


def _object(option: str, text: str, expected: str) -> dict[str, Any]:
    reason = None
    value: Any = None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        reason = f"no valid JSON from character {error.pos + 1} on"
    except (ValueError, RecursionError):
        reason = "no valid JSON"
    # Raised out here, because those errors hold the text, which may be a secret in the wrong place.
    if reason is not None:
        raise _wrong(option, text, expected, reason)
    if not isinstance(value, dict):
        raise _wrong(option, text, expected, f"it is no object of topics, but {_kind(value)}")
    return value


def _partition(option: str, text: str, expected: str, value: object) -> int:
    # No partition has a longer number, and Python refuses to read some thousand digits.
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise _wrong(
            option, text, expected, f"a partition is no whole number from 0 to {2**31 - 1}, but {_kind(value)}"
        )
    return value


MOST_DIGITS = 20
"""The most digits of a number that a message shows."""


def _kind(value: object) -> str:
    """Returns what messages say of a value in JSON: only numbers and words of JSON are shown."""
    if isinstance(value, (bool, int, float, type(None))):
        shown: str = json.dumps(value)
        return shown if len(shown) <= MOST_DIGITS else "a longer number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _wrong(option: str, text: str, expected: str, reason: str) -> ConfigError:
    return ConfigError(f"{option}: expected {expected}, not {checks.shown(text)}: {reason}")

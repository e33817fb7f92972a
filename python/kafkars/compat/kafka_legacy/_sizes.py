"""Checks whether messages are too large for their topic: a call with such a one stores nothing, as in 0.9.5, which sent
its messages as one set.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from kafkars import Admin, errors
from kafkars.compat.kafka_legacy._messages import CODEC_GZIP, CODEC_NONE, CODEC_SNAPPY
from kafkars.compat.kafka_legacy.codec import gzip_encode, has_snappy, snappy_encode
from kafkars.compat.kafka_legacy.common import KafkaError, Message

BATCH_BYTES = 61
"""The size of a batch without its records."""
RECORD_BYTES = 4
"""The size of a record without lengths, key and value: attributes, two deltas of 0, no headers."""
LARGEST_OVERHEAD = 100
"""More than the size of a batch with one record, without key and value."""
KNOWN_FOR = 300.0
UNKNOWN_FOR = 30.0
SECONDS = 1.0
"""Time limit in seconds for the look-up, for which a send waits."""


class MessageLimits:
    """The `max.message.bytes` of topics, looked up when a call has several messages.

    Args:
        admin: Returns an `Admin`.
    """

    def __init__(self, admin: Callable[[], Admin]) -> None:
        self._admin = admin
        self._known: dict[str, tuple[int | None, float]] = {}

    def are_exceeded(self, topic: str, messages: Sequence[Message], codec: int, level: int | None) -> bool:
        """True if one of several messages is larger than the topic accepts, so that the broker refuses it, whatever is
        sent with it; False if that is unknown.
        """
        largest = max(len(each.value or b"") + len(each.key or b"") for each in messages)
        limit = self._limit(topic)
        if limit is None or largest + LARGEST_OVERHEAD <= limit:
            return False
        sizes = [
            batch_size(each, codec, level)
            for each in messages
            if len(each.value or b"") + len(each.key or b"") + LARGEST_OVERHEAD > limit
        ]
        if all(each is None or each <= limit for each in sizes):
            return False
        # The setting may have been raised meanwhile.
        self._known.pop(topic, None)
        limit = self._limit(topic)
        return limit is not None and any(each is not None and each > limit for each in sizes)

    def _limit(self, topic: str) -> int | None:
        limit, until = self._known.get(topic, (None, 0.0))
        if time.monotonic() > until:
            limit = self._asked(topic)
            self._known[topic] = limit, time.monotonic() + (UNKNOWN_FOR if limit is None else KNOWN_FOR)
        return limit

    def _asked(self, topic: str) -> int | None:
        try:
            (settings,) = self._admin().describe_configs([("topic", topic)], timeout=SECONDS).values()
            return int(settings["max.message.bytes"].value or 0) or None
        except (errors.KafkaError, KafkaError, KeyError, ValueError):
            # A client that is not authorized to describe settings sends without this check.
            return None


def batch_size(message: Message, codec: int, level: int | None) -> int | None:
    """Returns the size of a batch with this message alone; None if its codec is not installed."""
    parts = [b"" if each is None else each for each in (message.key, message.value)]
    lengths = [1 if each is None else _varint(len(each)) for each in (message.key, message.value)]
    body = RECORD_BYTES + sum(map(len, parts)) + sum(lengths)
    size = body + _varint(body)
    if codec == CODEC_NONE:
        return BATCH_BYTES + size
    # The position of the lengths makes hardly a difference to the compressed size.
    filled = b"".join(parts) + bytes(size - sum(map(len, parts)))
    if codec == CODEC_GZIP:
        return BATCH_BYTES + len(gzip_encode(filled, level))
    if codec == CODEC_SNAPPY and has_snappy():
        return BATCH_BYTES + len(snappy_encode(filled, xerial_compatible=True))
    return None


def _varint(number: int) -> int:
    """Returns the size of a zigzag-encoded length."""
    return max(1, -(-(number * 2).bit_length() // 7))

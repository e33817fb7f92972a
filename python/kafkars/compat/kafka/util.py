"""Small helpers of kafka-python (`kafka.util`)."""

from __future__ import annotations

import binascii
import re

__all__ = ["TOPIC_LEGAL_CHARS", "TOPIC_MAX_LENGTH", "crc32", "ensure_valid_topic_name"]

TOPIC_MAX_LENGTH = 249
TOPIC_LEGAL_CHARS = re.compile("^[a-zA-Z0-9._-]+$")


def ensure_valid_topic_name(topic: object) -> None:
    """Refuses what Kafka takes for no topic's name.

    Raises:
        TypeError: It is no text.
        ValueError: It is empty, "." or "..", too long, or has a character other than letters, digits, ".", "_", "-".
    """
    if topic is None:
        raise TypeError("a topic's name is needed, not None")
    if not isinstance(topic, str):
        raise TypeError(f"a topic's name is text, not {topic!r}")
    if not topic:
        raise ValueError("a topic's name cannot be empty")
    if topic in {".", ".."}:
        raise ValueError('a topic\'s name cannot be "." or ".."')
    if len(topic) > TOPIC_MAX_LENGTH:
        raise ValueError(
            f"a topic's name has at most {TOPIC_MAX_LENGTH} characters: {topic[:40]!r}... has {len(topic)}"
        )
    if not TOPIC_LEGAL_CHARS.match(topic):
        raise ValueError(f'{topic!r}: a topic\'s name has letters, digits, ".", "_" and "-" only')


def crc32(data: bytes) -> int:
    """CRC-32 as a signed int32, as old message formats have it."""
    crc = binascii.crc32(data)
    return crc - (1 << 32) if crc >= 1 << 31 else crc

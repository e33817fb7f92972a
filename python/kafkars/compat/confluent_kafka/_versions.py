"""The releases whose behaviour this face has, in the form programs compare them in."""

from __future__ import annotations


def version() -> str:
    """The release of confluent-kafka."""
    return "2.16.1"


def libversion() -> tuple[str, int]:
    """The release of librdkafka as text, and as a number of one byte each: major, minor, revision, 0xff for a
    release.
    """
    return ("2.16.0", 0x021000FF)

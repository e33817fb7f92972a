"""Errors that a program makes itself, for tests of its own, say what the original's say."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from kafkars.compat.kafka import errors

original: Any = importlib.import_module("kafka.errors")


SAME_IN_BOTH_VERSIONS = ("KafkaProtocolError", "InvalidReceiveError", "TransactionAbortedError")
"""2 says that the first two may be tried again, and 3 that they may not; of the third only 3 has a message. The face
has one class for both, which is 2's."""


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.KafkaError) and name in vars(original)
    ],
)
def test_every_class_says_the_same(name: str) -> None:
    attributes = ["errno", "invalid_metadata", *([] if name in SAME_IN_BOTH_VERSIONS else ["message", "retriable"])]

    def said(kind: Any) -> list[object]:
        made, twice = kind("m"), kind("m", 2)
        return [str(made), str(twice), twice.args, *(getattr(made, what, "absent") for what in attributes)]

    assert said(getattr(errors, name)) == said(getattr(original, name))


def test_what_a_truncated_log_is_told_with() -> None:
    for kind in (errors.LogTruncationError, original.LogTruncationError):
        made = kind({("topic", 0): None})
        assert made.divergent_offsets == {("topic", 0): None}
        assert str(made) == "LogTruncationError: Detected truncated partitions: {('topic', 0): None}"
        with pytest.raises(TypeError):
            kind()

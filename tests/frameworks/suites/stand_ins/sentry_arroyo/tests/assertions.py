"""Blocks that must change a value, or must not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def assert_changes(look: Callable[[], Any], before: Any, after: Any) -> Iterator[None]:
    """A value is one thing when the block begins, and another when it has ended."""
    assert look() == before
    yield
    assert look() == after


@contextmanager
def assert_does_not_change(look: Callable[[], Any], value: Any) -> Iterator[None]:
    """A value is the same before and after the block."""
    with assert_changes(look, value, value):
        yield

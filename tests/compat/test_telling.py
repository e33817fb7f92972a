"""Callbacks whose arguments are made by Python code that a signal interrupts."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.compat._telling import tell


def test_a_callback_is_called_with_what_is_made() -> None:
    heard: list[Any] = []
    tell(lambda: (1, 2), lambda *told: heard.append(told))
    assert heard == [(1, 2)]


def test_an_interrupt_while_it_is_made_is_raised_after_the_callback() -> None:
    heard: list[Any] = []
    tries: list[int] = []

    def made() -> tuple[int, ...]:
        tries.append(1)
        if len(tries) == 1:
            raise KeyboardInterrupt
        return 1, 2

    with pytest.raises(KeyboardInterrupt):
        tell(made, lambda *told: heard.append(told))
    assert heard == [(1, 2)]


def test_a_callback_that_raises_is_not_called_again() -> None:
    calls: list[int] = []

    def callback(*_: Any) -> None:
        calls.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tell(lambda: (), callback)
    assert calls == [1]

"""Callbacks whose arguments are made by Python code that a signal interrupts."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.compat._telling import teller


def test_a_callback_is_called_with_what_is_made_once() -> None:
    heard: list[Any] = []
    told = teller(lambda *outcome: (*outcome, 2), lambda *told: heard.append(told))
    told(1)
    told(1)
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
        teller(made, lambda *told: heard.append(told))()
    assert heard == [(1, 2)]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, LookupError])
def test_a_callback_that_raises_is_not_called_again(raised: type[BaseException]) -> None:
    calls: list[int] = []

    def callback(*_: Any) -> None:
        calls.append(1)
        raise raised

    with pytest.raises(raised):
        teller(tuple, callback)()
    assert calls == [1]


def test_what_a_callback_raises_may_be_kept_but_no_interrupt() -> None:
    kept: list[BaseException] = []
    interrupts = iter([LookupError(), None])

    def made() -> tuple[()]:
        interrupt = next(interrupts)
        if interrupt is not None:
            raise interrupt
        return ()

    def callback() -> None:
        raise ValueError

    with pytest.raises(LookupError):
        teller(made, callback, kept)()
    assert [type(each) for each in kept] == [ValueError]

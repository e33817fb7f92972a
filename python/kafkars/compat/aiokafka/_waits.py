"""Waits that can be given up without giving up what they wait for."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from kafkars.aio import Future

T = TypeVar("T")


def outcome_of(call: Future[T] | asyncio.Future[T]) -> asyncio.Future[T]:
    """Returns a future of what a call under way comes to. As `asyncio.shield()`, but without a task around the call,
    which would be cancelled when the loop ends.
    """
    outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def pass_on(done: Future[T] | asyncio.Future[T]) -> None:
        if done.cancelled():
            outcome.cancel()
        elif (problem := done.exception()) is not None and not outcome.cancelled():
            outcome.set_exception(problem)
        elif not outcome.cancelled():
            outcome.set_result(done.result())

    call.add_done_callback(pass_on)
    return outcome

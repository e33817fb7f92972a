"""Turns of the event loop before and behind calls that are coroutines."""

from __future__ import annotations

import asyncio

from kafkars._kafkars import call_begins, turn_is_due


async def turn() -> None:
    """Lets the loop run, where `turn_is_due()`. The call behind it is the task's first one in the next turn; who is
    cancelled before that has made none.
    """
    await asyncio.sleep(0)
    call_begins()


async def let_others_run() -> None:
    """Lets the loop run where it is due, behind a call that the library makes on a thread: who is cancelled here has
    made it, as there.
    """
    if turn_is_due():
        await asyncio.sleep(0)

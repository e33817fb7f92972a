"""Turns of the event loop before calls that are coroutines."""

from __future__ import annotations

import asyncio

from kafkars._kafkars import call_begins


async def turn() -> None:
    """Lets the loop run, where `turn_is_due()`. The call behind it is the task's first one in the next turn; who is
    cancelled before that has made none.
    """
    await asyncio.sleep(0)
    call_begins()

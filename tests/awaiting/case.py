"""One awaitable: what makes it, and what must be true when it has been waited for."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from kafkars.aio import Admin
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

NUMBERS = itertools.count()


@dataclass
class World:
    """Clusters, and a group of one case's own. The topic `p` of the second has a partition on each of two nodes."""

    broker: EmbeddedBroker
    two_leaders: EmbeddedCluster
    number: int = field(default_factory=NUMBERS.__next__)

    @property
    def group(self) -> str:
        return f"g{self.number}"

    async def committed(self) -> int | None:
        """What the group has committed of the one partition."""
        async with Admin(bootstrap_servers=self.broker.bootstrap_servers) as admin:
            found = (await admin.list_group_offsets([self.group]))[self.group]
        return next((each.offset for each in found.values()), None)


def same(answer: Any) -> Any:
    return answer


async def nothing(*_: Any) -> None:
    pass


@dataclass
class Subject:
    """What is waited for.

    Attributes:
        make: Makes the awaitable.
        tell: What two answers have to have in common.
        check: Sees that the effect is there, by what was told: None where an exception was.
        check_given_up: Sees what has become of a call that nobody has awaited.
    """

    make: Callable[[], Any]
    tell: Callable[[Any], Any] = same
    check: Callable[[Any], Awaitable[None]] = nothing
    check_given_up: Callable[[], Awaitable[None]] = nothing


@dataclass(frozen=True)
class Case:
    """One awaitable in one state; `name` is class and method, `other_ways` those that end otherwise, with a reason.

    What `needs_loop` raises where no loop runs, before anything has happened: nobody could await it.

    Of what is a coroutine of Python or one question to the cluster, `is_plain`, four ways are tried, and all of them
    with KAFKARS_EVERY_WAY=1. What `is_lazy` does nothing before it is awaited, and says so where it never is.
    """

    name: str
    scene: Callable[[World], AbstractAsyncContextManager[Subject]]
    detail: str = ""
    other_ways: tuple[str, ...] = ()
    is_plain: bool = False
    is_lazy: bool = False
    needs_loop: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.detail}".strip()


async def outcome(subject: Subject, waited: Awaitable[Any]) -> tuple[Any, Any]:
    """How waiting ended, as it can be compared; and what was told, none where an exception was raised."""
    try:
        answer = await waited
        is_future = hasattr(answer, "add_done_callback")
        if is_future:
            # No coroutine, which this refuses.
            await asyncio.wait([answer])
        told = subject.tell(answer.result() if is_future else answer)
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001  it is what is compared
        return type(error), None
    return ("a future of", told) if is_future else told, told

"""How an awaitable is given up: by everything asyncio has for it, before its first step and in every turn after
that."""

from __future__ import annotations

import asyncio
import inspect
import os
import random
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

CANCELS = int(os.environ.get("KAFKARS_CANCELS", "300"))
"""How many calls each history gives up; 10,000 in the long form."""

SEED = int(os.environ.get("KAFKARS_SEED", "1"))

MOST_TURNS = 6


@dataclass
class Subject:
    """One call to be given up.

    Attributes:
        make: Makes the awaitable.
        complete: Makes the cluster answer it, for the ways that give up while the answer arrives.
        watch: A future that completes in the same turn of the loop and takes nothing.
    """

    make: Callable[[], Any]
    complete: Callable[[], Awaitable[Any]] | None = None
    watch: Callable[[], Any] | None = None


Way = Callable[[Subject, random.Random], Awaitable[list[Any]]]
"""Gives one call up, or comes too late. Returns what the application got."""


async def dropped(subject: Subject, _: random.Random) -> list[Any]:
    """Nobody ever awaits it."""
    forget(subject.make())
    return []


async def before_the_first_step(subject: Subject, _: random.Random) -> list[Any]:
    task = spawned(subject.make())
    task.cancel()
    return await outcome(task)


async def gathered_before_the_first_step(subject: Subject, _: random.Random) -> list[Any]:
    gathered = asyncio.gather(subject.make(), return_exceptions=True)
    gathered.cancel()
    try:
        return [each for each in await gathered if not isinstance(each, BaseException)]
    except asyncio.CancelledError:
        return []


async def wait_for_no_time(subject: Subject, _: random.Random) -> list[Any]:
    return await limited(subject.make(), 0)


async def wait_for_a_short_time(subject: Subject, source: random.Random) -> list[Any]:
    return await limited(subject.make(), source.choice([1e-9, 0.0002, 0.001]))


async def in_a_task(subject: Subject, source: random.Random) -> list[Any]:
    """A task that awaits it is cancelled some turns later."""
    got: list[Any] = []

    async def work() -> None:
        got.append(await subject.make())

    task = asyncio.create_task(work())
    await turns(source)
    task.cancel()
    await asyncio.wait([task])
    raised(task)
    return got


async def as_a_task(subject: Subject, source: random.Random) -> list[Any]:
    """The call is the task."""
    task = spawned(subject.make())
    await turns(source)
    task.cancel()
    return await outcome(task)


async def in_a_wait_for(subject: Subject, source: random.Random) -> list[Any]:
    """The one who waits with a time limit is cancelled."""

    async def work() -> list[Any]:
        return await limited(subject.make(), 10)

    task = asyncio.create_task(work())
    await turns(source)
    task.cancel()
    await asyncio.wait([task])
    # Python 3.11 and older return what has arrived, although cancelled.
    return [] if task.cancelled() else task.result()


async def shielded(subject: Subject, source: random.Random) -> list[Any]:
    inner = spawned(subject.make())
    task = asyncio.create_task(waited(asyncio.shield(inner)))
    await turns(source)
    task.cancel()
    await asyncio.wait([task])
    raised(task)
    await turns(source)
    inner.cancel()
    return await outcome(inner)


async def in_a_failing_group(subject: Subject, source: random.Random) -> list[Any]:
    """Another task of its `TaskGroup` fails."""
    got: list[Any] = []

    async def work() -> None:
        got.append(await subject.make())

    async def fail() -> None:
        await turns(source)
        raise ZeroDivisionError

    try:
        async with asyncio.TaskGroup() as group:  # type: ignore[attr-defined,unused-ignore]
            group.create_task(fail())
            group.create_task(work())
    except BaseException as problem:
        if not all(isinstance(each, ZeroDivisionError) for each in getattr(problem, "exceptions", [problem])):
            raise
    return got


async def in_a_timeout_block(subject: Subject, source: random.Random) -> list[Any]:
    got: list[Any] = []
    try:
        async with asyncio.timeout(source.choice([0, 1e-9, 0.0005])):  # type: ignore[attr-defined,unused-ignore]
            got.append(await subject.make())
    except TimeoutError:
        pass
    return got


async def while_it_completes(subject: Subject, source: random.Random) -> list[Any]:
    """The task is cancelled in the turn in which its answer arrives, before it or after it."""
    if subject.watch is None or subject.complete is None:
        return await in_a_task(subject, source)
    got: list[Any] = []

    async def work() -> None:
        got.append(await subject.make())

    tasks: list[asyncio.Task[None]] = []
    watch = subject.watch()

    def give_up(_: object) -> None:
        for task in tasks:
            task.cancel()

    is_first = source.random() < 0.5
    if is_first:
        watch.add_done_callback(give_up)
    tasks.append(asyncio.create_task(work()))
    # The task begins to wait.
    await asyncio.sleep(0)
    if not is_first:
        watch.add_done_callback(give_up)
    await subject.complete()
    await asyncio.wait(tasks, timeout=10)
    watch.cancel()
    assert tasks[0].done()
    raised(tasks[0])
    return got


async def when_it_is_done(subject: Subject, source: random.Random) -> list[Any]:
    """The answer has arrived and its task has not run yet."""
    call = subject.make()
    if inspect.iscoroutine(call):
        forget(call)
        return await as_a_task(subject, source)
    task = asyncio.create_task(waited(call))
    for _ in range(source.randrange(1, 200)):
        if call.done() or task.done():
            break
        await asyncio.sleep(0)
    task.cancel()
    return await outcome(task)


WAYS: list[Way] = [
    dropped,
    before_the_first_step,
    gathered_before_the_first_step,
    wait_for_no_time,
    wait_for_a_short_time,
    in_a_task,
    as_a_task,
    in_a_wait_for,
    shielded,
    while_it_completes,
    when_it_is_done,
]
if sys.version_info >= (3, 11):
    WAYS += [in_a_failing_group, in_a_timeout_block]


async def waited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


async def turns(source: random.Random) -> None:
    for _ in range(source.randrange(MOST_TURNS)):
        await asyncio.sleep(0)


async def limited(awaitable: Any, seconds: float) -> list[Any]:
    try:
        return [await asyncio.wait_for(awaitable, seconds)]
    except asyncio.TimeoutError:
        return []


def spawned(awaitable: Any) -> asyncio.Future[Any]:
    """A task where there can be one."""
    if asyncio.iscoroutine(awaitable):
        return asyncio.create_task(awaitable)
    return asyncio.ensure_future(awaitable)


async def outcome(future: asyncio.Future[Any]) -> list[Any]:
    """What became of it, as a list of what the application got."""
    try:
        return [await future]
    except asyncio.CancelledError:
        return []


def raised(task: asyncio.Future[Any]) -> None:
    """Raises what a task failed with, unless it was cancelled."""
    if not task.cancelled():
        task.result()


def forget(awaitable: Any) -> None:
    """Drops it; a coroutine of Python's own complains unless it is closed."""
    if inspect.iscoroutine(awaitable):
        awaitable.close()

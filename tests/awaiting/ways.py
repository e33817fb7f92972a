"""How an awaitable is waited for: each way gives what a plain `await` gives, or raises what that raises."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

SECONDS = 20.0

Make = Callable[[], Any]
"""Makes the awaitable."""

Way = Callable[[Make], Awaitable[Any]]


async def plainly(make: Make) -> Any:
    return await make()


async def in_a_gather(make: Make) -> Any:
    (answer,) = await asyncio.gather(make())
    return answer


async def in_a_gather_of_exceptions(make: Make) -> Any:
    """Beside others, with exceptions as answers."""
    _, answer, _ = await asyncio.gather(asyncio.sleep(0), make(), asyncio.sleep(0.001), return_exceptions=True)
    if isinstance(answer, BaseException):
        raise answer
    return answer


async def shielded(make: Make) -> Any:
    return await asyncio.shield(make())


async def in_a_wait_for(make: Make) -> Any:
    return await asyncio.wait_for(make(), SECONDS)


async def in_a_wait_for_of_old(make: Make) -> Any:
    """What `wait_for` was before Python 3.12: a future, a callback and a timer."""
    waiter = asyncio.get_running_loop().create_future()

    def release(*_: object) -> None:
        if not waiter.done():
            waiter.set_result(None)

    timer = asyncio.get_running_loop().call_later(SECONDS, release)
    future = asyncio.ensure_future(make())
    future.add_done_callback(release)
    await waiter
    timer.cancel()
    assert future.done(), "in time"
    return future.result()


async def by_a_callback_of_the_future(make: Make) -> Any:
    return await called_back(asyncio.ensure_future(make()))


async def by_a_callback_of_the_call(make: Make) -> Any:
    """Without a task of the application, where the call takes callbacks itself."""
    call = make()
    return await called_back(call if hasattr(call, "add_done_callback") else asyncio.ensure_future(call))


async def awaited_with_a_callback(make: Make) -> Any:
    """A callback waits beside the task; both hear the same."""
    call = make()
    if not hasattr(call, "add_done_callback"):
        return await call
    told = asyncio.ensure_future(called_back(call))
    try:
        return await call
    finally:
        await asyncio.wait([told])
        told.exception()
        assert call.done()


async def by_two_tasks(make: Make) -> Any:
    call = make()
    if not hasattr(call, "add_done_callback"):
        return await call
    both: list[Any] = list(await asyncio.gather(waited(call), waited(call), return_exceptions=True))
    assert type(both[0]) is type(both[1])
    if isinstance(both[0], BaseException):
        raise both[0]
    return both[0]


async def as_a_task(make: Make) -> Any:
    return await spawned(make())


async def in_a_wait(make: Make) -> Any:
    done, _ = await asyncio.wait([spawned(make())], timeout=SECONDS)
    return done.pop().result()


async def as_completed(make: Make) -> Any:
    for each in asyncio.as_completed([make()], timeout=SECONDS):
        return await each
    return None


async def in_a_task_group(make: Make) -> Any:
    try:
        async with asyncio.TaskGroup() as group:  # type: ignore[attr-defined,unused-ignore]
            task = group.create_task(waited(make()))
    except BaseException as several:  # noqa: BLE001  groups are no exceptions of Python 3.10
        (problem,) = getattr(several, "exceptions", [several])
        raise problem from None
    return task.result()


async def in_a_timeout_block(make: Make) -> Any:
    async with asyncio.timeout(SECONDS):  # type: ignore[attr-defined,unused-ignore]
        return await make()


async def from_another_thread(make: Make) -> Any:
    """The call is made where no loop runs, and waited for on this one."""
    loop = asyncio.get_running_loop()

    def call() -> Any:
        awaitable = make()
        is_coroutine = asyncio.iscoroutine(awaitable)
        return asyncio.run_coroutine_threadsafe(awaitable if is_coroutine else waited(awaitable), loop).result(SECONDS)

    return await asyncio.to_thread(call)


WAYS: list[Way] = [
    in_a_gather,
    in_a_gather_of_exceptions,
    shielded,
    in_a_wait_for,
    in_a_wait_for_of_old,
    by_a_callback_of_the_future,
    by_a_callback_of_the_call,
    awaited_with_a_callback,
    by_two_tasks,
    as_a_task,
    in_a_wait,
    as_completed,
    from_another_thread,
]
if sys.version_info >= (3, 11):
    WAYS += [in_a_task_group, in_a_timeout_block]


def spawned(awaitable: Any) -> asyncio.Future[Any]:
    """A task where there can be one: `asyncio.wait` takes no coroutines, not even those that are futures as well."""
    future: asyncio.Future[Any] = asyncio.ensure_future(awaitable)
    return asyncio.create_task(awaitable) if future is awaitable and asyncio.iscoroutine(awaitable) else future


async def waited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


async def called_back(future: Any) -> Any:
    """The result as a callback finds it, which is called once, with the future, when that is done."""
    calls: list[Any] = []
    told = asyncio.Event()

    def call(done: Any) -> None:
        calls.append((done, done.done()))
        told.set()

    future.add_done_callback(call)
    await asyncio.wait_for(told.wait(), SECONDS)
    await asyncio.sleep(0)
    assert calls == [(future, True)]
    return future.result()

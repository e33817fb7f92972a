"""Every awaitable waited for in every way: the answer, the effect, and what is left are those of a plain `await`."""

from __future__ import annotations

import ast
import asyncio
import gc
import inspect
import logging
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars import aio
from kafkars.compat import aiokafka
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.awaiting import consumers, producers
from tests.awaiting.case import Case, Subject, World, outcome
from tests.awaiting.ways import WAYS, Make, Way, from_another_thread, plainly
from tests.support.nested_loops import EnteredAgain, run_within

CASES = consumers.CASES + producers.CASES
SECONDS = 30.0
EVERY_WAY = bool(os.environ.get("KAFKARS_EVERY_WAY"))


async def limited(work: Awaitable[Any]) -> Any:
    return await asyncio.wait_for(work, SECONDS)


class Stage:
    """Cases on clusters that they share, each with a loop, clients and a group of its own."""

    def __init__(self, cluster: EmbeddedBroker, two_leaders: EmbeddedCluster) -> None:
        self.cluster = cluster
        self.two_leaders = two_leaders
        self.reports: list[Any] = []
        self.new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop

    @contextmanager
    def scene(self, case: Case) -> Iterator[tuple[asyncio.AbstractEventLoop, Subject]]:
        """A case on a loop on which it leaves no task."""
        loop = self.new_loop()
        loop.set_exception_handler(lambda _, report: self.reports.append(report))
        try:
            scene = case.scene(World(self.cluster, self.two_leaders))
            subject = loop.run_until_complete(limited(scene.__aenter__()))
            yield loop, subject
            loop.run_until_complete(limited(scene.__aexit__(None, None, None)))
            # What was cancelled at the end has a turn to end in.
            loop.run_until_complete(asyncio.sleep(0))
            assert not asyncio.all_tasks(loop)
        finally:
            loop.close()

    def told(self, case: Case, way: Way) -> Any:
        """How a case ends that is waited for in one way; its effect is checked."""
        with self.scene(case) as (loop, subject):

            async def wait() -> Any:
                told, answer = await outcome(subject, way(subject.make))
                await subject.check(answer)
                return told

            return loop.run_until_complete(limited(wait()))

    def told_without_a_loop(self, case: Case) -> Any:
        """The same where the call is made while no loop runs, and given to `run_until_complete()`."""
        with self.scene(case) as (loop, subject):
            call = subject.make()
            done = loop.create_future()
            try:
                done.set_result(loop.run_until_complete(call))
            except Exception as error:  # noqa: BLE001  it is the outcome
                done.set_exception(error)

            async def look() -> Any:
                told, answer = await outcome(subject, done)
                await subject.check(answer)
                return told

            return loop.run_until_complete(limited(look()))


@pytest.fixture
def stage(
    cluster: EmbeddedBroker,
    two_leaders: EmbeddedCluster,
    caplog: pytest.LogCaptureFixture,
    request: pytest.FixtureRequest,
) -> Iterator[Stage]:
    """Nothing is reported to a loop, or logged as a failure, also of what nobody looks at. A refusal that has come
    before its call is dropped is told of as such.
    """
    stage = Stage(cluster, two_leaders)
    yield stage
    gc.collect()
    failures = [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    # Where a loop runs it is told to that, and elsewhere logged.
    failures += [report["message"] for report in stage.reports]
    if "refused" in request.node.name:
        failures = [message for message in failures if "never retrieved" not in message]
    assert not failures


def ways(case: Case) -> list[Way]:
    """The ways that are tried of a case. Those of which four are tried share all of them."""
    ways = [way for way in WAYS if way.__name__ not in case.other_ways]
    if case.needs_loop:
        ways.remove(from_another_thread)
    if not case.is_plain or EVERY_WAY:
        return ways
    first = CASES.index(case)
    return [ways[(first + step) % len(ways)] for step in range(0, len(ways), 4)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_way_to_wait_ends_as_a_plain_await(stage: Stage, case: Case) -> None:
    plain = stage.told(case, plainly)
    for way in ways(case):
        assert stage.told(case, way) == plain, way.__name__


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_task_that_was_woken_may_wait_in_a_loop_within_the_loop(stage: Stage, case: Case) -> None:
    """It runs in a callback of the loop, which cannot be called again before the task yields."""

    async def within(make: Make) -> Any:
        async with aio.Producer(bootstrap_servers=stage.cluster.bootstrap_servers) as producer:
            await producer.send("elsewhere", b"")
            return run_within(plainly(make))

    stage.new_loop = EnteredAgain
    assert stage.told(case, within) == stage.told(case, plainly)


@pytest.mark.parametrize("case", [case for case in CASES if case.needs_loop], ids=str)
def test_a_call_that_needs_a_loop_says_so(stage: Stage, case: Case) -> None:
    with stage.scene(case) as (_, subject), pytest.raises(RuntimeError, match="needs a running event loop"):
        subject.make()


@pytest.mark.parametrize("case", [case for case in CASES if not case.needs_loop], ids=str)
def test_a_call_made_while_no_loop_runs_ends_as_a_plain_await(stage: Stage, case: Case) -> None:
    assert stage.told_without_a_loop(case) == stage.told(case, plainly)


@pytest.mark.parametrize("end", ["closed", "dropped", "cancelled"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_call_that_nobody_awaits_leaves_nothing(stage: Stage, case: Case, end: str) -> None:
    with stage.scene(case) as (loop, subject):

        async def give_up() -> None:
            call = subject.make()
            if inspect.iscoroutine(call) or end == "closed":
                if hasattr(call, "close"):
                    call.close()
            elif end == "cancelled" and hasattr(call, "cancel"):
                call.cancel()
            # What stands for a coroutine says so as a coroutine does.
            is_lazy = end == "dropped" and case.is_lazy
            with pytest.warns(RuntimeWarning, match="was never awaited") if is_lazy else nullcontext():
                del call
            await subject.check_given_up()

        loop.run_until_complete(limited(give_up()))


@pytest.mark.parametrize("case", [case for case in CASES if case.is_lazy], ids=str)
def test_a_call_that_was_closed_does_not_cancel_who_awaits_it(stage: Stage, case: Case) -> None:
    with stage.scene(case) as (loop, subject):

        async def close() -> None:
            call = subject.make()
            call.close()

            async def wait() -> None:
                await call

            with pytest.raises(RuntimeError, match="cannot"):
                await asyncio.create_task(wait())
            await subject.check_given_up()

        loop.run_until_complete(limited(close()))


PACKAGE = Path(kafkars.__file__).parent
NATIVE = {
    "Consumer": "AsyncConsumer",
    "Producer": "AsyncProducer",
    "Deliveries": "AsyncDeliveries",
    "AIOKafkaConsumer": "AiokafkaReader",
    "AIOKafkaProducer": "AiokafkaSender",
}
COVERED_BY_OTHERS = {
    "AIOKafkaConsumer._reach": "start()",
    "AIOKafkaProducer._reach": "start()",
    "AIOKafkaProducer._send_batch": "send_batch()",
    "AIOKafkaProducer._send_bytes": "send() to a topic that is not known yet",
    "AIOKafkaConsumer._serve": "the task of every member",
}


def native_awaitables(class_name: str) -> set[str]:
    """Methods of a native class that answer with an awaitable."""
    module = ast.parse((PACKAGE / "_kafkars.pyi").read_text())
    (found,) = [each for each in module.body if isinstance(each, ast.ClassDef) and each.name == class_name]
    methods = [each for each in found.body if isinstance(each, ast.FunctionDef) and each.returns is not None]
    return {each.name for each in methods if ast.unparse(each.returns or each).startswith(("Call[", "Future["))}


def coroutine_methods(kind: type) -> set[str]:
    """Methods of a Python class that are coroutine functions, which asyncio always makes tasks of."""
    names = {name for name in dir(kind) if not name.startswith("_")}
    return {name for name in names if inspect.iscoroutinefunction(inspect.getattr_static(kind, name))}


def test_every_awaitable_there_is_has_its_case() -> None:
    covered = {case.name for case in CASES} | set(COVERED_BY_OTHERS)
    there = {f"{name}.{each}" for name, native in NATIVE.items() for each in native_awaitables(native)}
    for kind in (aio.Consumer, aio.Producer, aiokafka.AIOKafkaConsumer, aiokafka.AIOKafkaProducer):
        there |= {f"{kind.__name__}.{each}" for each in coroutine_methods(kind)}
    assert there <= covered, sorted(there - covered)
    assert len(there) > 50


def test_what_administrators_await_are_coroutines() -> None:
    for kind in (aio.Admin, getattr(aiokafka, "AIOKafkaAdminClient", aio.Admin)):
        assert len(coroutine_methods(kind)) > 10

"""Plays one program on the original and on the face, and tells the first step that they see differently."""

from __future__ import annotations

import asyncio
import importlib
import logging
import warnings
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.of_aiokafka import LIBRARY
from tests.compat.differential.outcome import of_exception, same

SIDES = (LIBRARY.name, LIBRARY.face)
NODES = 3
TESTED = "tested"
"""The client id of what is compared: faults meet nobody else."""
ASKER = {"client_id": "asker", "request_timeout_ms": 20_000}
"""How the client is set that asks in the end: it has all the time that it needs."""
KEPT = frozenset({"assign"})
"""Calls that are not left out of a program."""
WHOLE_SECONDS = 40.0
"""No side of a program takes longer."""

Step = tuple[str, Any]


@dataclass(frozen=True)
class Program:
    """What is done.

    Args:
        kind: Which player runs it.
        seed: What it was made from.
        settings: How its clients are set, and whatever else holds for all of it.
        steps: A call each, with what it is given.
    """

    kind: str
    seed: int
    settings: Mapping[str, Any]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        steps = "".join(f"\n    {call} {given}" for call, given in self.steps)
        return f"{self.kind} {self.seed} {dict(self.settings)}{steps}"


class Player:
    """One side of a program: a library, its clients and its broker.

    Args:
        library: The package that is played on.
        program: What is played.
        patience: How much longer than usual it waits for what does not come.
    """

    def __init__(self, library: str, broker: EmbeddedBroker, program: Program, patience: float) -> None:
        self.module = importlib.import_module(library)
        self.is_face = library == LIBRARY.face
        self.broker = broker
        self.program = program
        self.patience = patience
        self.common = {
            "bootstrap_servers": broker.bootstrap_servers,
            "client_id": TESTED,
            "request_timeout_ms": 2_000,
            "retry_backoff_ms": 20,
            "metadata_max_age_ms": 60_000,
        }

    async def prepare(self) -> None:
        """Makes what the steps need."""
        raise NotImplementedError

    async def call(self, name: str, given: Any) -> Any:
        """One step."""
        raise NotImplementedError

    async def end(self) -> Any:
        """What is left when all clients have stopped."""
        raise NotImplementedError

    async def play(self) -> list[Any]:
        """What each step gives."""
        seen: list[Any] = []
        try:
            async with asyncio.timeout(WHOLE_SECONDS * self.patience):
                await self.prepare()
                for name, given in self.program.steps:
                    seen.append(await self.outcome(self.call(name, given)))
                seen.append(await self.outcome(self.end()))
        except TimeoutError:
            seen.append("hangs")
        return seen

    async def outcome(self, work: Awaitable[Any]) -> Any:
        """What can be seen of a call."""
        try:
            return await work
        except TimeoutError as problem:
            # The program's own time limit is not told from one of the library.
            return of_exception(LIBRARY, problem) if type(problem) is not TimeoutError else "no end"
        except Exception as problem:  # noqa: BLE001 - told
            return of_exception(LIBRARY, problem)

    def partition(self, topic: str, number: int) -> Any:
        """A partition as the library names it."""
        return self.module.TopicPartition(topic, number)

    def fault(self, api: str, action: str, times: int = 1) -> None:
        """The broker does this instead of what it should, to what is compared."""
        self.broker.intercept(api, action, times=times, seconds=0.1, when=lambda seen: seen.client_id == TESTED)

    def restart(self, node: int) -> None:
        """A node goes and comes: what it leads and coordinates moves to others."""
        self.broker.restart_node(node)

    def write(self, records: list[tuple[str, int, bytes]]) -> None:
        """Somebody else writes."""
        with Producer(bootstrap_servers=self.broker.bootstrap_servers) as producer:
            for topic, partition, value in records:
                producer.send(topic, value, partition=partition)


Make = Callable[[str, EmbeddedBroker, Program, float], Player]


def played(make: Make, library: str, program: Program, patience: float) -> list[Any]:
    """What one side sees."""
    with EmbeddedBroker(nodes=NODES) as broker, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return asyncio.run(make(library, broker, program, patience).play())


def difference(make: Make, program: Program) -> str | None:
    """Where the two sides part. What is only now and then different is a matter of time: it must be so again, with more
    patience.
    """
    found = None
    for patience in (1.0, 3.0):
        with ThreadPoolExecutor(len(SIDES)) as sides:
            runs = [sides.submit(played, make, library, program, patience) for library in SIDES]
            original, face = (each.result() for each in runs)
        found = parted(program, original, face)
        if found is None:
            return None
    return found


def parted(program: Program, original: list[Any], face: list[Any]) -> str | None:
    """The first step that is not the same."""
    names = [*(f"{call} {given}" for call, given in program.steps), "the end"]
    for number, (name, one, other) in enumerate(zip(names, original, face, strict=False)):
        if not alike(one, other):
            return f"step {number} of {program}\n  {name}\n  original {one}\n  face     {other}"
    return None


def alike(one: Any, other: Any) -> bool:
    """`same`, also within lists."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict) and "raised" not in one:
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    return same(one, other)


def reduced(make: Make, program: Program) -> Program:
    """The program without the steps that the difference does not need. Who reads goes on to have something to read:
    without, other steps differ, or the original waits for ever.
    """
    for number in reversed(range(len(program.steps))):
        if program.steps[number][0] in KEPT:
            continue
        shorter = replace(program, steps=program.steps[:number] + program.steps[number + 1 :])
        if difference(make, shorter) is not None:
            program = shorter
    return program


def quiet() -> None:
    """The original logs what the faults do."""
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    logging.getLogger("kafkars").setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)


async def stopped(clients: list[Any]) -> None:
    """Stops what is left."""
    for client in clients:
        with suppress(Exception):
            await asyncio.wait_for(client.stop(), 10)

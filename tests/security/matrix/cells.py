"""Cells of the matrix: each is run, and judged by what its fault must be."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tests.client_api import AsyncApi, SyncApi
from tests.security.conftest import PASSWORDS
from tests.security.matrix import ways
from tests.security.matrix.faults import FAULTS, Expected, Fault
from tests.security.matrix.site import Site
from tests.security.matrix.ways import WAYS, Way

FLAVOURS = ("sync", "asyncio")


@dataclass(frozen=True)
class Cell:
    """One call by one flavour of client."""

    way: Way
    fault: Fault
    call: str
    flavour: str

    def __str__(self) -> str:
        return f"{self.way} / {self.fault.name} / {self.call} / {self.flavour}"


@dataclass(frozen=True)
class Outcome:
    """What became of a cell."""

    site: str
    cell: Cell
    error: str
    seconds: float
    problem: str
    searched: int
    """Bytes in which a secret was looked for."""


def cells(*, is_long: bool) -> list[Cell]:
    """All of them, or one call for each way, fault and flavour: each call comes in its turn."""
    found: list[Cell] = []
    turn = 0
    for fault in FAULTS:
        for way in WAYS:
            if isinstance(fault.expects(way), str):
                continue
            for flavour in FLAVOURS:
                names = [name for name in fault.calls if fits(way, fault, name)]
                chosen = names if is_long else [names[turn % len(names)]]
                turn += 1
                found += [Cell(way, fault, name, flavour) for name in chosen]
    return found


def fits(way: Way, fault: Fault, call: str) -> bool:
    """Nobody may use what is guarded who does not say who it is."""
    return way.login != ways.NOBODY or fault.name != "none" or call == "what is open"


def run_all(site: Site, wanted: Iterable[Cell], jobs: int) -> Iterator[Outcome]:
    """Runs them on a site, so many at once, and gives the outcomes in their order."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda cell: run(site, cell), [cell for cell in wanted if site.offers(cell.way)])


def run(site: Site, cell: Cell) -> Outcome:
    """Runs one."""
    expected = cell.fault.expects(cell.way)
    assert isinstance(expected, Expected)
    api = SyncApi() if cell.flavour == "sync" else AsyncApi()
    raised: BaseException | None = None
    try:
        with cell.fault.opened(site, cell.way) as settings:
            since = time.monotonic()
            try:
                cell.fault.calls[cell.call](api, settings)
            except Exception as error:  # noqa: BLE001  # whatever it is, it is judged
                raised = error
            seconds = time.monotonic() - since
    except AssertionError as error:
        return Outcome(site.name, cell, "AssertionError", 0.0, str(error), 0)
    finally:
        if isinstance(api, AsyncApi):
            api.close()
    said = "".join(traceback.format_exception(raised)) if raised is not None else ""
    problem = judge(expected, raised, said, seconds)
    name = "" if raised is None else type(raised).__name__
    return Outcome(site.name, cell, name, seconds, problem, len(said.encode()))


def judge(expected: Expected, raised: BaseException | None, said: str, seconds: float) -> str:
    """What is wrong with an outcome; nothing is."""
    problems = []
    if type(raised) is not (expected.error or type(None)):
        wanted = expected.error.__name__ if expected.error else "no error"
        problems.append(f"{wanted} was expected, and it was {type(raised).__name__}: {str(raised)[:300]}")
    elif not re.search(expected.words, str(raised)):
        problems.append(f"{expected.words!r} is not in {str(raised)[:300]!r}")
    if seconds > expected.within:
        problems.append(f"took {seconds:.1f} s, more than {expected.within:.0f} s")
    if any(secret in said for secret in (*PASSWORDS.values(), "Xq7", "eyJ")):
        problems.append("a secret is in what it says")
    return "; ".join(problems)

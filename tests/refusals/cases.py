"""The cases: which there are, how one runs, and what is said of it."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kafkars.errors import ClosedError
from kafkars.testing import EmbeddedBroker

from tests.client_api import AsyncApi, SyncApi
from tests.refusals import known
from tests.refusals.documented import ANY, CODES, SENT_BY
from tests.refusals.workloads import PARTITIONS, REQUEST_SECONDS, SUBJECT, TOPIC, WORKLOADS, Reading, Workload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkars.testing import Fault

FLAVOURS = ("sync", "asyncio")
SECONDS_TO_BE_HIT = 6.0
SECONDS_TO_RECOVER = 25.0
PAUSE_OF_THE_PROGRAM = 0.1
MOST_A_SECOND = 30.0
"""Requests of one kind while they are refused: `retry_backoff_ms` of 100 allows 12 to each of the two partitions."""

# Sent again and again, so that they are also refused in the middle of the work.
STEADY = frozenset(
    ("Produce", "Fetch", "Metadata", "Heartbeat", "ConsumerGroupHeartbeat", "OffsetCommit", "EndTxn", "TxnOffsetCommit")
)
AT_THE_END = frozenset(("LeaveGroup",))

# How, and the fault it is: what `intercept` is told.
CUTS = {
    "cut before": ("disconnect", 0.0),
    "cut after": ("disconnect_after", 0.0),
    "late": ("delay", 0.5 * REQUEST_SECONDS),
    "too late": ("delay", 1.5 * REQUEST_SECONDS),
    "silent": ("drop", 0.0),
}


class Case(NamedTuple):
    """What is done to which request of which client."""

    workload: str
    flavour: str
    api: str
    fault: str
    """An error code, or one of `CUTS`."""
    lasting: bool
    steady: bool

    def __str__(self) -> str:
        when = "steady" if self.steady else "start"
        span = "lasting" if self.lasting else "once"
        return f"{self.workload}/{self.flavour}/{self.api}/{self.fault}/{span}/{when}"

    @classmethod
    def parse(cls, text: str) -> Case:
        workload, flavour, api, fault, span, when = text.split("/")
        return cls(workload, flavour, api, fault, span == "lasting", when == "steady")


@dataclass
class Outcome:
    """What came of a case."""

    case: Case
    hits: int = 0
    a_second: float = 0.0
    seconds: float = 0.0
    lives: int = 0
    problems: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Interference:
    """The fault of a case. It ends by itself: after the first hit, or some seconds later."""

    def __init__(self, broker: EmbeddedBroker, case: Case, seconds: float) -> None:
        self._seconds = seconds if case.lasting else 0.0
        action, delay = CUTS.get(case.fault, (case.fault, 0.0))
        self._fault: Fault = broker.intercept(
            case.api,
            action,
            seconds=delay,
            times=None if case.lasting else 1,
            when=lambda request: request.client_id == SUBJECT,
        )
        self.hits = 0
        self.span = 0.0
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        try:
            deadline = time.monotonic() + SECONDS_TO_BE_HIT
            while self._fault.hits == 0 and time.monotonic() < deadline:
                time.sleep(0.01)
            begun = time.monotonic()
            if self._fault.hits:
                time.sleep(self._seconds)
            self.hits = self._fault.hits
            self.span = time.monotonic() - begun
            self._fault.remove()
        except ClosedError:
            pass  # the case was over first
        finally:
            self.ended.set()

    def join(self) -> None:
        """Waits until it has ended."""
        self._thread.join()


def all_cases() -> list[Case]:
    """Every workload x its requests x what can become of them x once and for long x at the start and later, both
    flavours."""
    cases = []
    for workload, apis in SENT_BY.items():
        for api in apis:
            faults = [*CODES[api], *(code for code in ANY if code not in CODES[api]), *CUTS]
            for flavour in FLAVOURS:
                for fault in faults:
                    for lasting in (False, True):
                        cases.append(Case(workload, flavour, api, fault, lasting, steady=False))
                        if api in STEADY:
                            cases.append(Case(workload, flavour, api, fault, lasting, steady=True))
    return cases


def sample(workload: str, count: int, seed: int) -> list[Case]:
    """Some of the cases of one workload that are not known to fail; each of its requests is among them."""
    chance = random.Random(f"{seed} {workload}")
    cases = [case for case in all_cases() if case.workload == workload and known.reason(case) is None]
    chance.shuffle(cases)
    firsts = {case.api: case for case in reversed(cases)}
    rest = [case for case in cases if case not in firsts.values()]
    return [*firsts.values(), *rest][: max(count, len(firsts))]


def run_case(case: Case, seconds: float) -> Outcome:
    """Runs one case on a cluster of its own."""
    outcome = Outcome(case)
    started = time.monotonic()
    api = AsyncApi() if case.flavour == "asyncio" else SyncApi()
    topics = {TOPIC: PARTITIONS, "feed": 1}
    try:
        kind = WORKLOADS[case.workload]
        with EmbeddedBroker(topics=topics, requests_recorded=1_000, version=kind.release, **kind.protection) as broker:
            workload = kind(api, broker)
            if isinstance(workload, Reading):
                workload.is_sent_back = case.fault == "OFFSET_OUT_OF_RANGE"
            try:
                interfere(case, seconds, broker, workload, outcome)
                workload.verify()
            finally:
                workload.close()
                if isinstance(workload, Reading):
                    workload.end()
            outcome.problems += workload.problems
            outcome.errors = workload.errors
            outcome.lives = workload.lives
        if isinstance(api, AsyncApi):
            api.close()
    except BaseException as error:  # noqa: BLE001  every end is a result
        outcome.problems.append(f"{type(error).__name__}: {error}")
    outcome.seconds = time.monotonic() - started
    return outcome


def interfere(case: Case, seconds: float, broker: EmbeddedBroker, workload: Workload, outcome: Outcome) -> None:
    """Works, interferes, and works until a round succeeds."""
    if case.api in AT_THE_END:
        until_done(workload, None, outcome)
        interference = Interference(broker, case, seconds)
        workload.close()
        interference.join()
    else:
        if case.steady:
            until_done(workload, None, outcome)
        interference = Interference(broker, case, seconds)
        until_done(workload, interference, outcome)
        interference.join()
    outcome.hits = interference.hits
    if case.lasting and interference.hits > 1:
        outcome.a_second = interference.hits / max(interference.span, 0.001)
        # Each call of an administrator is a request of its own.
        if outcome.a_second > MOST_A_SECOND and case.workload not in {"admin", "guard"}:
            outcome.problems.append(f"{outcome.a_second:.0f} requests a second while they were refused")


def until_done(workload: Workload, interference: Interference | None, outcome: Outcome) -> None:
    """Rounds until the fault has ended and one has succeeded."""
    deadline = None
    while True:
        has_ended = interference is None or interference.ended.is_set()
        if has_ended and deadline is None:
            deadline = time.monotonic() + SECONDS_TO_RECOVER
        succeeded = workload.attempt()
        if succeeded and has_ended:
            return
        if deadline is not None and time.monotonic() > deadline:
            last = workload.errors[-1] if workload.errors else "no error was raised"
            outcome.problems.append(f"no round succeeded within {SECONDS_TO_RECOVER:.0f} s after the fault; {last}")
            return
        time.sleep(PAUSE_OF_THE_PROGRAM)


def run_all(cases: Iterable[Case], seconds: float, at_once: int) -> Iterable[Outcome]:
    """Runs cases side by side; most of their time they wait."""
    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(lambda case: run_case(case, seconds), cases)

"""A group of members under load, and what must hold of it in the end."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tests.chaos.journal import COMMITTED, READ, Journal, Told
from tests.chaos.ledger import Ledger
from tests.chaos.load import load
from tests.chaos.member import Member, MemberThread
from tests.chaos.offsets import Offsets
from tests.client_api import AsyncApi, SyncApi
from tests.support.waiting import eventually

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType

    from tests.chaos.cluster import ChaosCluster

log = logging.getLogger(__name__)

KEYS = 40
RECORDS_PER_SECOND = 1_000
LONGEST_LOAD = 600.0
SECONDS_BETWEEN_LOOKS = 0.25
SECONDS_TO_CATCH_UP = 120.0


class Group:
    """A topic that is being written to, and a group that reads it; as a context manager."""

    def __init__(self, cluster: ChaosCluster, protocol: str, folder: Path, partitions: int) -> None:
        self.cluster = cluster
        self.protocol = protocol
        self.partitions = partitions
        self.topic = cluster.new_topic("group", partitions)
        self.group_id = f"group of {self.topic}"
        self.members: list[MemberThread] = []
        self.joined = 0
        self._folder = folder
        self._journals: list[Journal] = []
        self._open = ExitStack()
        self._load_ends = threading.Event()
        self._load: Future[dict[tuple[int, int], bytes]] | None = None

    def join(self, *, automatic: bool = False) -> MemberThread:
        """One more member, sync and asyncio in turns. One that commits automatically does not know when."""
        journal = Journal(self.new_journal())
        self._journals.append(journal)
        settings = {"enable_auto_commit": True, "auto_commit_interval_ms": 500} if automatic else {}
        member = Member(
            self.cluster.direct,
            self.topic,
            self.group_id,
            self.protocol,
            journal,
            client_id=journal.path.name,
            **settings,
        )
        started = MemberThread(member, AsyncApi() if self.joined % 2 else SyncApi())
        started.start()
        self.members.append(started)
        return started

    def leave(self, member: MemberThread) -> None:
        self.members.remove(member)
        member.stop()

    def new_journal(self) -> Path:
        """Where the next member writes."""
        self.joined += 1
        return self._folder / f"member-{self.joined}.journal"

    def told(self) -> Told:
        """What all members, present and past, have written so far."""
        return Told(sorted(self._folder.glob("member-*.journal")))

    def wait_for_progress(self, since: float, seconds: float) -> float:
        """Waits until each partition has been read and committed after that moment; answers how long after it that was.

        For members that commit by themselves.
        """
        firsts: dict[tuple[str, int], float] = {}
        deadline = time.monotonic() + seconds
        while len(firsts) < 2 * self.partitions:
            assert time.monotonic() < deadline, f"only {sorted(firsts)} went on within {seconds:.0f} s"
            # Seldom: looking takes time from the members, and the journals have the time.
            self._load_ends.wait(SECONDS_BETWEEN_LOOKS)
            self.check()
            told = self.told()
            later = (each for what in (READ, COMMITTED) for each in told.all(what) if each.time > since)
            for entry in later:
                place = entry.what, entry.partition
                firsts[place] = min(firsts.get(place, entry.time), entry.time)
        return max(firsts.values()) - since

    def check(self) -> None:
        """Raises what has ended a member."""
        for member in self.members:
            member.check()

    def finish(self) -> None:
        """Ends the load, waits until everything is committed, and judges."""
        self._load_ends.set()
        assert self._load is not None
        stored = self._load.result(SECONDS_TO_CATCH_UP)
        with Offsets(self.cluster.direct, self.topic, self.partitions, self.group_id) as offsets:
            ends = offsets.ends()

            def is_done() -> bool:
                self.check()
                return offsets.committed() == ends

            eventually(is_done, f"{ends} is committed", SECONDS_TO_CATCH_UP)
        told = self.told()
        log.info("%d records, %d read again, %d members", len(stored), told.duplicates(), len(told.members))
        assert told.differences(stored) == []

    def __enter__(self) -> Group:
        pool = self._open.enter_context(ThreadPoolExecutor(1))
        self._open.callback(self._load_ends.set)
        where = (self.cluster.direct, self.topic, Ledger(KEYS))
        self._load = pool.submit(load, *where, seconds=LONGEST_LOAD, rate=RECORDS_PER_SECOND, ended=self._load_ends)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._open:
            while self.members:
                self.leave(self.members[-1])
        for journal in self._journals:
            journal.close()

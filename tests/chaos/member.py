"""A member of a group that reads, then commits, and writes down what it did.

    python -m tests.chaos.member BOOTSTRAP TOPIC GROUP PROTOCOL JOURNAL [INSTANCE]

is one that tests kill. It never ends by itself. INSTANCE is its group.instance.id: one that comes back in time has its
place.
"""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkars.errors import KafkaError

from tests.chaos.journal import ASSIGNED, COMMITTED, READ, Journal
from tests.client_api import AsyncApi, SyncApi

if TYPE_CHECKING:
    from kafkars import TopicPartition

log = logging.getLogger(__name__)

PROTOCOLS = ("classic", "consumer")
# A dead member is missed after this time; the new protocol has it from the broker.
SESSION = {"classic": {"session_timeout_ms": 3_000, "heartbeat_interval_ms": 500}, "consumer": {}}
# What is read in between is read again when the member is killed.
BATCHES_PER_COMMIT = 3
SECONDS_PER_POLL = 0.2
SECONDS_TO_LEAVE = 60.0


class Member:
    """What it does, with the sync or the asyncio consumer."""

    def __init__(
        self, bootstrap: str, topic: str, group: str, protocol: str, journal: Journal, **settings: Any
    ) -> None:
        self.topic = topic
        self.journal = journal
        self._uncommitted = 0
        self.settings: dict[str, Any] = {
            "bootstrap_servers": bootstrap,
            "group_id": group,
            "group_protocol": protocol,
            "auto_offset_reset": "earliest",
            "enable_auto_commit": False,
            **SESSION[protocol],
            **settings,
        }

    def run(self, ended: threading.Event, api: SyncApi | AsyncApi) -> None:
        """Until `ended` is set. Then it leaves the group."""
        with api.Consumer(**self.settings) as consumer:
            consumer.subscribe([self.topic], on_partitions_assigned=self.given)
            while not ended.is_set():
                self.step(consumer)

    def step(self, consumer: Any) -> None:
        """Reads some records, and now and then commits what it has read. A commit that fails leaves them to whoever has
        the partition next."""
        records = consumer.poll_batch(timeout=SECONDS_PER_POLL)
        if records:
            self.journal.write(READ, ((record.partition, record.offset) for record in records))
            self._uncommitted += 1
        # Everything, when there is nothing more to read.
        due = BATCHES_PER_COMMIT if records else 1
        if self._uncommitted < due or self.settings["enable_auto_commit"]:
            return
        self._uncommitted = 0
        try:
            committed = consumer.commit()
        except KafkaError as error:
            log.warning("not committed: %r", error)
        else:
            self.journal.write(COMMITTED, ((place.partition, each.offset) for place, each in committed.items()))

    def given(self, partitions: list[TopicPartition]) -> None:
        """Called before the first record of these partitions."""
        self.journal.write(ASSIGNED, ((place.partition, 0) for place in partitions))


class MemberThread:
    """A member on a thread of this process, as a context manager."""

    def __init__(self, member: Member, api: SyncApi | AsyncApi) -> None:
        self._member = member
        self._api = api
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Lets it leave; raises what ended it before."""
        self._ended.set()
        self._thread.join(SECONDS_TO_LEAVE)
        assert not self._thread.is_alive(), f"a member has not left within {SECONDS_TO_LEAVE} s"
        self.check()

    def check(self) -> None:
        """Raises what has ended it."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._member.run(self._ended, self._api)
        except BaseException as error:  # noqa: BLE001  handed to whoever asks
            self._failure = error
        finally:
            if isinstance(self._api, AsyncApi):
                self._api.close()


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s")
    bootstrap, topic, group, protocol, path, *instance = sys.argv[1:]
    settings = {"group_instance_id": instance[0]} if instance else {}
    Member(bootstrap, topic, group, protocol, Journal(Path(path)), **settings).run(threading.Event(), SyncApi())

"""Our members beside those of other libraries in one group: whoever leads shares all partitions, each once."""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType

import confluent_kafka
import pytest
from aiokafka.coordinator.assignors.range import RangePartitionAssignor as AiokafkaRange
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor as AiokafkaRoundRobin
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor as AiokafkaSticky
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor as KafkaPythonCooperative
from kafka.coordinator.assignors.range import RangePartitionAssignor as KafkaPythonRange
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor as KafkaPythonRoundRobin
from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor as KafkaPythonSticky

from tests.brokers import Broker
from tests.interop.members import (
    SECONDS,
    AiokafkaMember,
    ConfluentMember,
    JavaMember,
    KafkaPythonMember,
    Kind,
    Member,
    OurAsyncioMember,
    OurMember,
)
from tests.kafka.cluster import wait_until

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(240)]

PARTITIONS = 12
RECORDS = 240
STRATEGY = "partition_assignment_strategy"
DOTTED_STRATEGY = "partition.assignment.strategy"


def classic(ours: str, java: str, confluent: str | None, kafka_python: type, aiokafka: type | None) -> list[Kind]:
    """Everyone who has an assignor, under the name that each has for it; ours first."""
    settings = ((STRATEGY, [ours]),)
    kinds = [Kind("kafkars", OurMember, settings), Kind("kafkars.aio", OurAsyncioMember, settings)]
    kinds.append(Kind("java", JavaMember, ((DOTTED_STRATEGY, f"org.apache.kafka.clients.consumer.{java}"),)))
    kinds.append(Kind("kafka-python", KafkaPythonMember, ((STRATEGY, [kafka_python]),)))
    if confluent is not None:
        kinds.append(Kind("confluent", ConfluentMember, ((DOTTED_STRATEGY, confluent),)))
    if aiokafka is not None:
        kinds.append(Kind("aiokafka", AiokafkaMember, ((STRATEGY, [aiokafka]),)))
    return kinds


BROKERS_OWN = "the broker's"
NEW = ("group_protocol", "consumer")
GROUPS = {
    "range": classic("range", "RangeAssignor", "range", KafkaPythonRange, AiokafkaRange),
    "roundrobin": classic("roundrobin", "RoundRobinAssignor", "roundrobin", KafkaPythonRoundRobin, AiokafkaRoundRobin),
    "sticky": classic("sticky", "StickyAssignor", None, KafkaPythonSticky, AiokafkaSticky),
    "cooperative-sticky": classic(
        "cooperative-sticky", "CooperativeStickyAssignor", "cooperative-sticky", KafkaPythonCooperative, None
    ),
    BROKERS_OWN: [
        Kind("kafkars", OurMember, (NEW,)),
        Kind("kafkars.aio", OurAsyncioMember, (NEW,)),
        Kind("java", JavaMember, (("group.protocol", "consumer"),)),
        Kind("confluent", ConfluentMember, (("group.protocol", "consumer"),)),
    ],
}


class Driven:
    """A member on a thread of its own: joining, some wait until everyone has joined, and others join only while they
    poll."""

    def __init__(self, join: Callable[[], Member]) -> None:
        self.owned: set[int] = set()
        self.values: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._join = join
        self._commits: queue.SimpleQueue[threading.Event] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def commit(self) -> None:
        """Commits between two polls."""
        done = threading.Event()
        self._commits.put(done)
        assert done.wait(SECONDS)
        self.check()

    def close(self) -> None:
        """Leaves the group."""
        self._ended.set()
        self._thread.join(SECONDS)
        assert not self._thread.is_alive(), "closed in time"
        self.check()

    def check(self) -> None:
        """Raises what has ended it."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            member = self._join()
            try:
                while not self._ended.is_set():
                    self._step(member)
            finally:
                member.close()
        except BaseException as error:  # noqa: BLE001  handed to whoever asks
            self._failure = error

    def _step(self, member: Member) -> None:
        for value in member.poll():
            self.values.put(value)
        self.owned = member.assignment()
        while not self._commits.empty():
            member.commit()
            self._commits.get().set()


class Mixed:
    """A group and its topic, as a context manager."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._topic = broker.new_topic(PARTITIONS)
        self._group = f"mixed-{uuid.uuid4()}"
        self._members: dict[str, Driven] = {}

    def join(self, kind: Kind) -> None:
        self._members[kind.name] = Driven(lambda: kind.join(self._broker.bootstrap_servers, self._group, self._topic))

    def leave_first(self) -> None:
        """The member that has been there longest leaves; all have committed."""
        for member in self._members.values():
            member.commit()
        self._members.pop(next(iter(self._members))).close()

    def wait_until_shared(self) -> None:
        """Every partition has one owner, and each member as many as any other, give or take one."""

        def owned() -> dict[str, set[int]]:
            for member in self._members.values():
                member.check()
            return {name: member.owned for name, member in self._members.items()}

        def shared() -> bool:
            sizes = [len(partitions) for partitions in owned().values()]
            everything = sorted(partition for partitions in owned().values() for partition in partitions)
            return everything == list(range(PARTITIONS)) and max(sizes) - min(sizes) <= 1

        try:
            wait_until(shared, SECONDS, "the partitions are shared")
        except TimeoutError as error:
            raise AssertionError(f"{error}: {owned()}") from error

    def exchange(self, word: bytes) -> None:
        """Each of some records is read by one member."""
        values = [b"%s %d" % (word, number) for number in range(RECORDS)]
        producer = confluent_kafka.Producer({"bootstrap.servers": self._broker.bootstrap_servers})
        for number, value in enumerate(values):
            producer.produce(self._topic, value, partition=number % PARTITIONS)
        assert producer.flush(SECONDS) == 0
        found: list[bytes] = []

        def all_read() -> bool:
            for member in self._members.values():
                found.extend(member.values.get() for _ in range(member.values.qsize()))
            return len(found) >= RECORDS

        wait_until(all_read, SECONDS, f"{list(self._members)} read everything")
        assert sorted(found) == sorted(values), "every record once"

    def __enter__(self) -> Mixed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ExitStack() as left:
            for member in self._members.values():
                left.callback(member.close)


@pytest.mark.parametrize("leader", ["ours", "theirs"])
@pytest.mark.parametrize("assignor", GROUPS)
def test_members_of_all_libraries_share_every_partition_once(
    kafka_cluster: Broker, assignor: str, leader: str, pytestconfig: pytest.Config
) -> None:
    if assignor == BROKERS_OWN and int(pytestconfig.getoption("--kafka-version").split(".")[0]) < 4:
        pytest.skip("KIP-848 came with Kafka 4.0")
    kinds = GROUPS[assignor] if leader == "ours" else GROUPS[assignor][::-1]
    with Mixed(kafka_cluster) as group:
        group.join(kinds[0])
        group.wait_until_shared()
        for kind in kinds[1:]:
            group.join(kind)
        group.wait_until_shared()
        group.exchange(b"with the first leader")
        # Another leads now, of another library half of the time.
        group.leave_first()
        group.wait_until_shared()
        group.exchange(b"with the next leader")

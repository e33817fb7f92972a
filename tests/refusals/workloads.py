"""What programs do with a client, round by round, and what must have come out of it in the end."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import kafkars
from kafkars.admin import (
    AclBinding,
    AclBindingFilter,
    ConfigResource,
    NewTopic,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from kafkars.errors import KafkaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkars.testing import EmbeddedBroker

TOPIC = "orders"
PARTITIONS = 2
A_ROUND = 4
SUBJECT = "subject"
"""Name of the client whose requests are interfered with; the others of a case are not."""

REQUEST_SECONDS = 1.5
CALL_SECONDS = 4.0
DELIVERY_SECONDS = 12.0
CLOSE_SECONDS = 5.0
SLACK = 3.0
"""How much later than its time-out a call may end on a machine that does much else."""

CONNECTION = {"client_id": SUBJECT, "request_timeout_ms": REQUEST_SECONDS * 1_000}


class Workload:
    """One client and its program. Problems are what a user would complain about."""

    release: str | None = None
    """Which release of Kafka the broker passes for; None is the newest."""

    protection: dict[str, Any] = {}  # noqa: RUF012  set by subclasses
    """What else the broker is made with."""

    def __init__(self, api: Any, broker: EmbeddedBroker) -> None:
        self.api = api
        self.broker = broker
        self.problems: list[str] = []
        self.errors: list[str] = []
        self.lives = 0
        self._client: Any = None

    def make(self) -> Any:
        """A new client."""
        raise NotImplementedError

    def work(self) -> bool:
        """A round; true when nothing of this one or of those before is left to do."""
        raise NotImplementedError

    def verify(self) -> None:
        """Compares what the cluster has with what was done."""

    @property
    def client(self) -> Any:
        """The client, made anew after an error that says it is lost."""
        if self._client is None:
            self.lives += 1
            self._client = self.make()
        return self._client

    def attempt(self) -> bool:
        """A round, in which errors of ours are heard and not passed on."""
        try:
            return self.work()
        except KafkaError as error:
            self.errors.append(f"{type(error).__name__}: {error}")
            if error.fatal:
                self.close()
            return False

    def timed(self, what: str, limit: float, call: Callable[[], Any]) -> Any:
        """Makes a call that has a time-out, and looks at the clock."""
        started = time.monotonic()
        try:
            return call()
        finally:
            took = time.monotonic() - started
            if took > limit + SLACK:
                self.problems.append(f"{what} took {took:.1f} s of {limit:.1f}")

    def close(self) -> None:
        """Ends the client. What its end reports is a report, as long as it comes in time."""
        client, self._client = self._client, None
        if client is None:
            return
        try:
            self.timed("close()", CLOSE_SECONDS, lambda: self._close(client))
        except KafkaError as error:
            self.errors.append(f"close: {type(error).__name__}: {error}")

    def _close(self, client: Any) -> None:
        client.close(timeout=CLOSE_SECONDS)

    def stored(self, **settings: Any) -> list[bytes]:
        """All values in the topic, read by a client that nothing is done to."""
        found = []
        with kafkars.Consumer(
            bootstrap_servers=self.broker.bootstrap_servers,
            client_id="checker",
            auto_offset_reset="earliest",
            **settings,
        ) as reader:
            partitions = [(TOPIC, number) for number in range(PARTITIONS)]
            reader.assign(partitions)
            ends = reader.end_offsets(partitions)
            deadline = time.monotonic() + 10
            while any(reader.position(each) < end for each, end in ends.items()):
                if time.monotonic() > deadline:
                    self.problems.append("the checker could not read what was stored")
                    break
                found += [record.value for record in reader.poll_batch(timeout=0.2)]
        return found


class Producing(Workload):
    """Sends and waits for the outcomes."""

    def __init__(self, api: Any, broker: EmbeddedBroker) -> None:
        super().__init__(api, broker)
        self.sent = 0
        self.acknowledged: list[bytes] = []

    def make(self) -> Any:
        return self.api.Producer(
            bootstrap_servers=self.broker.bootstrap_servers,
            delivery_timeout_ms=DELIVERY_SECONDS * 1_000,
            max_block_ms=CALL_SECONDS * 1_000,
            **CONNECTION,
        )

    def work(self) -> bool:
        pending = []
        for _ in range(A_ROUND):
            value = str(self.sent).encode()
            self.sent += 1
            partition = self.sent % PARTITIONS
            future = self.timed(
                "send()", CALL_SECONDS, lambda v=value, p=partition: self.client.send(TOPIC, v, partition=p)
            )
            pending.append((value, future))
        failure: KafkaError | None = None
        limit = CALL_SECONDS + DELIVERY_SECONDS
        for value, future in pending:
            try:
                self.timed("a delivery", limit, lambda f=future: f.result(limit + 2 * SLACK))
                self.acknowledged.append(value)
            except KafkaError as error:
                failure = error
            except (TimeoutError, asyncio.TimeoutError):  # not yet one class in 3.10
                self.problems.append(f"no outcome of record {value!r}")
        if failure is not None:
            raise failure
        return True

    def verify(self) -> None:
        stored = self.stored()
        doubled = sorted({value for value in stored if stored.count(value) > 1})
        if doubled:
            self.problems.append(f"stored twice: {doubled}")
        lost = [value for value in self.acknowledged if value not in stored]
        if lost:
            self.problems.append(f"acknowledged and not stored: {lost}")


class Transactions(Workload):
    """Consumes, produces and commits both in one transaction."""

    def __init__(self, api: Any, broker: EmbeddedBroker) -> None:
        super().__init__(api, broker)
        self.sent = 0
        self.initialised = False
        self.committed: list[list[bytes]] = []
        self.aborted: list[list[bytes]] = []
        self.unknown: list[list[bytes]] = []

    def make(self) -> Any:
        self.initialised = False
        return self.api.Producer(
            bootstrap_servers=self.broker.bootstrap_servers,
            transactional_id="payments",
            delivery_timeout_ms=DELIVERY_SECONDS * 1_000,
            max_block_ms=CALL_SECONDS * 1_000,
            **CONNECTION,
        )

    def work(self) -> bool:
        producer = self.client
        if not self.initialised:
            self.timed("init_transactions()", CALL_SECONDS, lambda: producer.init_transactions(CALL_SECONDS))
            self.initialised = True
        if producer.in_transaction:
            self._abort(producer)
        producer.begin_transaction()
        values = [str(self.sent + number).encode() for number in range(A_ROUND)]
        self.sent += A_ROUND
        try:
            for value in values:
                producer.send(TOPIC, value, partition=int(value) % PARTITIONS)
            offsets = {("feed", 0): self.sent}
            self.timed(
                "send_offsets_to_transaction()",
                CALL_SECONDS,
                lambda: producer.send_offsets_to_transaction(
                    offsets, kafkars.ConsumerGroupMetadata("shop"), timeout=CALL_SECONDS
                ),
            )
        except KafkaError:
            self.unknown.append(values)
            raise
        try:
            limit = DELIVERY_SECONDS + CALL_SECONDS
            self.timed("commit_transaction()", limit, lambda: producer.commit_transaction(limit))
            self.committed.append(values)
        except KafkaError:
            self.unknown.append(values)
            raise
        return True

    def _abort(self, producer: Any) -> None:
        limit = DELIVERY_SECONDS + CALL_SECONDS
        self.timed("abort_transaction()", limit, lambda: producer.abort_transaction(limit))

    def verify(self) -> None:
        stored = self.stored(isolation_level="read_committed")
        for values in self.committed:
            if [stored.count(value) for value in values] != [1] * len(values):
                self.problems.append(f"a committed transaction is not there once: {values}")
        for values in self.unknown:
            if {stored.count(value) for value in values} not in ({0}, {1}):
                self.problems.append(f"a transaction is there in part: {values}")


class OlderTransactions(Transactions):
    """The same with a broker that wants to hear of every partition first (before KIP-890's second part)."""

    release = "3.9"


class Reading(Workload):
    """Reads what another client writes meanwhile, in order."""

    settings: dict[str, Any] = {}  # noqa: RUF012  set by subclasses
    commits = False
    is_sent_back = False
    """Whether it is told that its position is not in the log: then it reads on at `auto_offset_reset`."""

    def __init__(self, api: Any, broker: EmbeddedBroker) -> None:
        super().__init__(api, broker)
        self.sent = 0
        self.seen: list[bytes] = []
        self._feeder = kafkars.Producer(bootstrap_servers=broker.bootstrap_servers, client_id="feeder")

    def make(self) -> Any:
        consumer = self.api.Consumer(
            bootstrap_servers=self.broker.bootstrap_servers,
            auto_offset_reset="earliest",
            default_api_timeout_ms=CALL_SECONDS * 1_000,
            **CONNECTION,
            **self.settings,
        )
        self.start(consumer)
        return consumer

    def start(self, consumer: Any) -> None:
        """Says what to read; a client that replaces a lost one goes on where that was."""
        consumer.assign({(TOPIC, number): len(self._of(number)) for number in range(PARTITIONS)})

    def work(self) -> bool:
        for _ in range(A_ROUND):
            self._feeder.send(TOPIC, str(self.sent).encode(), partition=self.sent % PARTITIONS)
            self.sent += 1
        self._feeder.flush(10)
        deadline = time.monotonic() + CALL_SECONDS
        while len(set(self.seen)) < self.sent:
            if time.monotonic() > deadline:
                return False
            batch = self.timed("poll_batch()", 0.5, lambda: self.client.poll_batch(timeout=0.5))
            self.seen += [record.value for record in batch]
        if self.commits:
            self.timed("commit()", CALL_SECONDS, lambda: self.client.commit(timeout=CALL_SECONDS))
        return True

    def _of(self, partition: int) -> list[bytes]:
        return [value for value in self.seen if int(value) % PARTITIONS == partition]

    def verify(self) -> None:
        for number in range(PARTITIONS):
            numbers = [int(value) for value in self._of(number)]
            if not self.commits and not self.is_sent_back and numbers != sorted(set(numbers)):
                self.problems.append(f"partition {number} was not read once and in order: {numbers}")
            if sorted(set(numbers)) != list(range(number, self.sent, PARTITIONS)):
                self.problems.append(f"partition {number} was read with gaps: {numbers} of {self.sent}")
        if self.commits:
            self._verify_commits()

    def _verify_commits(self) -> None:
        with kafkars.Admin(bootstrap_servers=self.broker.bootstrap_servers, client_id="checker") as admin:
            committed = admin.list_group_offsets(["readers"])["readers"]
        found = {partition.partition: each.offset for partition, each in committed.items()}
        wanted = {number: len(range(number, self.sent, PARTITIONS)) for number in range(PARTITIONS)}
        if found != wanted:
            self.problems.append(f"committed {found}, read up to {wanted}")

    def end(self) -> None:
        """The other client ends too."""
        self._feeder.close(timeout=CLOSE_SECONDS)


class Member(Reading):
    """The same as a member of a classic group, which commits."""

    # A member that joins anew waits for the session of what it was before.
    settings = {  # noqa: RUF012
        "group_id": "readers",
        "enable_auto_commit": False,
        "heartbeat_interval_ms": 500,
        "session_timeout_ms": 6_000,
        # JoinGroup may be held back for that long, so a lost one is noticed only then.
        "max_poll_interval_ms": 6_000,
    }
    commits = True

    def start(self, consumer: Any) -> None:
        consumer.subscribe([TOPIC])


class NewMember(Member):
    """The same in a group of KIP-848."""

    settings = {"group_id": "readers", "enable_auto_commit": False, "group_protocol": "consumer"}  # noqa: RUF012


class PatternMember(NewMember):
    """The same, by a pattern."""

    def start(self, consumer: Any) -> None:
        consumer.subscribe(pattern="^ord.*")


class Administering(Workload):
    """Asks about everything and changes some of it."""

    def __init__(self, api: Any, broker: EmbeddedBroker) -> None:
        super().__init__(api, broker)
        self.made = 0

    def make(self) -> Any:
        return self.api.Admin(
            bootstrap_servers=self.broker.bootstrap_servers,
            default_api_timeout_ms=CALL_SECONDS * 1_000,
            **CONNECTION,
        )

    def calls(self, admin: Any) -> list[tuple[str, Callable[[], Any]]]:
        """A round, by name."""
        topic = f"made-{self.made}"
        config = ConfigResource("topic", TOPIC)
        return [
            ("create_topics()", lambda: admin.create_topics([NewTopic(topic, partitions=1)])),
            ("describe_topics()", lambda: admin.describe_topics([TOPIC])),
            ("list_topics()", admin.list_topics),
            ("list_offsets()", lambda: admin.list_offsets({(TOPIC, 0): "latest"})),
            ("describe_configs()", lambda: admin.describe_configs([config])),
            ("alter_configs()", lambda: admin.alter_configs({config: {"retention.ms": "600000"}})),
            ("list_groups()", admin.list_groups),
            ("describe_groups()", lambda: admin.describe_groups(["readers"], return_exceptions=True)),
            ("find_coordinator()", lambda: admin.find_coordinator("readers")),
            ("delete_topics()", lambda: admin.delete_topics([topic])),
        ]

    def work(self) -> bool:
        self.made += 1
        failure: KafkaError | None = None
        for name, call in self.calls(self.client):
            try:
                self.timed(name, CALL_SECONDS, call)
            except KafkaError as error:
                failure = error
        if failure is not None:
            raise failure
        return True

    def _close(self, client: Any) -> None:
        client.close()


class Guarding(Administering):
    """The same of access, credentials, replicas and transactions."""

    protection = {"acls": (), "super_users": ("User:ANONYMOUS",)}  # noqa: RUF012

    def calls(self, admin: Any) -> list[tuple[str, Callable[[], Any]]]:
        user, partition = f"user-{self.made}", (TOPIC, 0)
        rule, rules = AclBinding(f"User:{user}", "read", "topic", TOPIC), AclBindingFilter(f"User:{user}")
        made = UserScramCredentialUpsertion(user, "SCRAM-SHA-256", "secret")
        gone = UserScramCredentialDeletion(user, "SCRAM-SHA-256")
        return [
            ("create_acls()", lambda: admin.create_acls([rule])),
            ("describe_acls()", lambda: admin.describe_acls(rules)),
            ("delete_acls()", lambda: admin.delete_acls([rules])),
            ("alter_user_scram_credentials()", lambda: admin.alter_user_scram_credentials([made])),
            ("describe_user_scram_credentials()", admin.describe_user_scram_credentials),
            ("the same to delete", lambda: admin.alter_user_scram_credentials([gone])),
            ("elect_leaders()", lambda: admin.elect_leaders("preferred")),
            ("alter_partition_reassignments()", lambda: admin.alter_partition_reassignments({partition: [1]})),
            ("list_partition_reassignments()", admin.list_partition_reassignments),
            ("describe_log_dirs()", admin.describe_log_dirs),
            ("list_transactions()", admin.list_transactions),
            ("describe_producers()", lambda: admin.describe_producers([partition])),
            ("describe_transactions()", lambda: admin.describe_transactions(["payments"], return_exceptions=True)),
        ]


WORKLOADS: dict[str, type[Workload]] = {
    "producer": Producing,
    "transactions": Transactions,
    "transactions-v1": OlderTransactions,
    "assigned": Reading,
    "classic": Member,
    "consumer": NewMember,
    "pattern": PatternMember,
    "admin": Administering,
    "guard": Guarding,
}

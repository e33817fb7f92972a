"""Whichever call needs the cluster tells why it is not let in: every call of every client, in every way to be refused.

A call is given far more time than it may take: what ends it is the handshake that fails, never its own time-out.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import kafkars.aio
import pytest
from kafkars import TopicPartition
from kafkars.admin import AclBinding, AclBindingFilter, NewTopic, UserScramCredentialDeletion
from kafkars.errors import CertificateError, HandshakeTimeoutError, KafkaError, SaslAuthenticationFailedError
from kafkars.testing import Certificates, EmbeddedBroker

from tests.client_api import AsyncApi, SyncApi
from tests.security.conftest import ALICE, PASSWORDS, SecureKafka
from tests.security.test_hostile_peers import FakeBroker
from tests.support.peers import silent_server
from tests.support.sasl_gate import guarded_broker

pytestmark = pytest.mark.timeout(120)

CONNECT = 2.0
"""Seconds for which a handshake may last that is not answered."""
CONNECT_ANSWERED = 30.0
"""The same where it is answered: forty at once on a busy machine may take long."""
MARGIN = 8.0
"""What is allowed beside that, on a busy machine."""
GIVEN = 45.0
"""The time of each call."""
TOPIC, PLACE = "refused", TopicPartition("refused", 0)
TOPICS = {TOPIC: 2}

Call = Callable[[Any], Any]


def position_of_the_end(consumer: Any) -> int:
    other = TopicPartition(TOPIC, 1)
    consumer.seek_to_end([other])
    position: int = consumer.position(other, timeout=GIVEN)
    return position


CONSUMER: dict[str, Call] = {
    "beginning_offsets": lambda consumer: consumer.beginning_offsets([PLACE], timeout=GIVEN),
    "end_offsets": lambda consumer: consumer.end_offsets([PLACE], timeout=GIVEN),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({PLACE: 1}, timeout=GIVEN),
    "partitions_for": lambda consumer: consumer.partitions_for("another-topic", timeout=GIVEN),
    "topics": lambda consumer: consumer.topics(timeout=GIVEN),
    "committed": lambda consumer: consumer.committed([PLACE], timeout=GIVEN),
    "commit": lambda consumer: consumer.commit({PLACE: 1}, timeout=GIVEN),
    "position": position_of_the_end,
}

PRODUCER: dict[str, Call] = {
    "partitions_for": lambda producer: producer.partitions_for("another-topic"),
    "init_transactions": lambda producer: producer.init_transactions(GIVEN),
}
ADMIN: dict[str, Call] = {
    "create_topics": lambda admin: admin.create_topics([NewTopic("new")], timeout=GIVEN),
    "delete_topics": lambda admin: admin.delete_topics(["old"], timeout=GIVEN),
    "create_partitions": lambda admin: admin.create_partitions({TOPIC: 3}, timeout=GIVEN),
    "list_topics": lambda admin: admin.list_topics(timeout=GIVEN),
    "describe_topics": lambda admin: admin.describe_topics([TOPIC], timeout=GIVEN),
    "describe_configs": lambda admin: admin.describe_configs([("topic", TOPIC)], timeout=GIVEN),
    "list_groups": lambda admin: admin.list_groups(timeout=GIVEN),
    "describe_groups": lambda admin: admin.describe_groups(["group"], timeout=GIVEN),
    "delete_groups": lambda admin: admin.delete_groups(["group"], timeout=GIVEN),
    "list_group_offsets": lambda admin: admin.list_group_offsets(["group"], timeout=GIVEN),
    "alter_group_offsets": lambda admin: admin.alter_group_offsets("group", {PLACE: 1}, timeout=GIVEN),
    "delete_group_offsets": lambda admin: admin.delete_group_offsets("group", [PLACE], timeout=GIVEN),
    "delete_records": lambda admin: admin.delete_records({PLACE: 0}, timeout=GIVEN),
    "list_offsets": lambda admin: admin.list_offsets({PLACE: "latest"}, timeout=GIVEN),
    "describe_cluster": lambda admin: admin.describe_cluster(timeout=GIVEN),
    "find_coordinator": lambda admin: admin.find_coordinator("group", timeout=GIVEN),
    "alter_configs": lambda admin: admin.alter_configs({("topic", TOPIC): {"retention.ms": "1"}}, timeout=GIVEN),
    "elect_leaders": lambda admin: admin.elect_leaders("preferred", timeout=GIVEN),
    "alter_partition_reassignments": lambda admin: admin.alter_partition_reassignments({PLACE: [1]}, timeout=GIVEN),
    "list_partition_reassignments": lambda admin: admin.list_partition_reassignments(timeout=GIVEN),
    "describe_log_dirs": lambda admin: admin.describe_log_dirs(timeout=GIVEN),
    "list_transactions": lambda admin: admin.list_transactions(timeout=GIVEN),
    "describe_transactions": lambda admin: admin.describe_transactions(["payments"], timeout=GIVEN),
    "describe_producers": lambda admin: admin.describe_producers([PLACE], timeout=GIVEN),
    "abort_transaction": lambda admin: admin.abort_transaction(PLACE, producer_id=1, producer_epoch=0, timeout=GIVEN),
    "describe_acls": lambda admin: admin.describe_acls(timeout=GIVEN),
    "create_acls": lambda admin: admin.create_acls([AclBinding("User:a", "read", "topic", TOPIC)], timeout=GIVEN),
    "delete_acls": lambda admin: admin.delete_acls([AclBindingFilter("User:a")], timeout=GIVEN),
    "describe_user_scram_credentials": lambda admin: admin.describe_user_scram_credentials(timeout=GIVEN),
    "alter_user_scram_credentials": lambda admin: admin.alter_user_scram_credentials(
        [UserScramCredentialDeletion("alice", "SCRAM-SHA-256")], timeout=GIVEN
    ),
}
CALLS = {("consumer", name): call for name, call in CONSUMER.items()}
CALLS |= {("producer", name): call for name, call in PRODUCER.items()}
CALLS |= {("admin", name): call for name, call in ADMIN.items()}
RUNNING = {name: call for name, call in CALLS.items() if name != ("producer", "init_transactions")}


@contextmanager
def wrong_password() -> Iterator[tuple[dict[str, Any], type[KafkaError]]]:
    with EmbeddedBroker(security="SASL_PLAINTEXT", topics=TOPICS, users={"alice": "Xq7-alice"}) as broker:
        settings = broker.client_settings(mechanism="PLAIN", user="alice")
        yield settings | {"sasl_password": "Xq7-another"}, SaslAuthenticationFailedError


@contextmanager
def unknown_authority() -> Iterator[tuple[dict[str, Any], type[KafkaError]]]:
    with EmbeddedBroker(security="SSL", topics=TOPICS) as broker:
        yield broker.client_settings() | {"ssl_ca_pem": Certificates().ca_pem}, CertificateError


@contextmanager
def silent_in_tls() -> Iterator[tuple[dict[str, Any], type[KafkaError]]]:
    with silent_server() as address:
        yield {"bootstrap_servers": address, "security_protocol": "ssl"}, HandshakeTimeoutError


@contextmanager
def silent_in_sasl() -> Iterator[tuple[dict[str, Any], type[KafkaError]]]:
    fake = FakeBroker([])
    settings = {
        "bootstrap_servers": fake.address,
        "security_protocol": "sasl_plaintext",
        "sasl_mechanism": "PLAIN",
        "sasl_username": "alice",
        "sasl_password": "Xq7-alice",
    }
    try:
        yield settings, HandshakeTimeoutError
    finally:
        fake.close()


class Running:
    """A client on a thread of its own, with the outcome of its one call."""

    def __init__(
        self, api: type[Any], of: str, call: Call, settings: dict[str, Any], *, warm: bool, connect: float = CONNECT
    ) -> None:
        self.connect = connect
        self.outcome: object = "nothing yet"
        self.seconds = 0.0
        self.ready = threading.Event()
        self.go = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(api, of, call, settings, warm), daemon=True)
        self.thread.start()

    def run(self, api: type[Any], of: str, call: Call, settings: dict[str, Any], warm: bool) -> None:
        made = api()
        try:
            with ExitStack() as stack:
                client = self.client(made, of, settings)
                try:
                    stack.callback(close, client)
                    if of == "consumer":
                        client.assign([PLACE, TopicPartition(TOPIC, 1)])
                    if warm:
                        self.warm(client, of)
                    self.ready.set()
                    self.go.wait(GIVEN)
                    since = time.monotonic()
                    try:
                        self.outcome = call(client)
                    except KafkaError as error:
                        self.outcome = error
                    self.seconds = time.monotonic() - since
                except BaseException as error:
                    self.outcome = error
                    raise
        finally:
            self.ready.set()
            if api is AsyncApi:
                made.close()

    def client(self, api: Any, of: str, settings: dict[str, Any]) -> Any:
        settings = settings | {"socket_connection_setup_timeout_ms": int(self.connect * 1000)}
        match of:
            case "consumer":
                return api.Consumer(**settings, group_id="group", auto_offset_reset="latest")
            case "producer":
                return api.Producer(**settings, transactional_id="fresh", max_block_ms=int(GIVEN * 1000))
            case _:
                return api.Admin(**settings)

    @staticmethod
    def warm(client: Any, of: str) -> None:
        match of:
            case "consumer":
                client.end_offsets([PLACE])
                client.committed([PLACE])
                client.position(PLACE)
            case "producer":
                client.partitions_for(TOPIC)
            case _:
                client.list_topics()


def close(client: Any) -> None:
    try:
        client.close(timeout=1)
    except TypeError:
        client.close()  # of Admin
    except KafkaError:
        pass  # what is tested here is another call


def check(running: dict[tuple[str, str], Running], expected: type[KafkaError]) -> None:
    """Every call must have ended with the error, and in time."""
    wrong: list[str] = []
    for name, each in running.items():
        each.thread.join(GIVEN + MARGIN)
        is_right = isinstance(each.outcome, expected) and each.seconds < each.connect + MARGIN
        if each.thread.is_alive() or not is_right:
            wrong.append(f"{'.'.join(name)}: {each.seconds:.1f} s: {each.outcome!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("api", [SyncApi, AsyncApi])
@pytest.mark.parametrize("refused", [wrong_password, unknown_authority, silent_in_tls, silent_in_sasl])
def test_every_call_of_a_new_client_tells_why_it_is_not_let_in(refused: Any, api: type[Any]) -> None:
    with refused() as (settings, expected):
        connect = CONNECT if expected is HandshakeTimeoutError else CONNECT_ANSWERED
        running = {
            name: Running(api, name[0], call, settings, warm=False, connect=connect) for name, call in CALLS.items()
        }
        for each in running.values():
            each.go.set()
        check(running, expected)


@pytest.mark.parametrize("api", [SyncApi, AsyncApi])
def test_every_call_of_a_running_client_tells_that_its_login_is_refused_by_now(api: type[Any]) -> None:
    with guarded_broker(**TOPICS) as gate:
        running = {
            name: Running(api, name[0], call, gate.settings, warm=True, connect=CONNECT_ANSWERED)
            for name, call in RUNNING.items()
        }
        for each in running.values():
            assert each.ready.wait(GIVEN)
        gate.refuses = True
        gate.cut()
        for each in running.values():
            each.go.set()
        check(running, SaslAuthenticationFailedError)


def test_the_list_of_calls_is_whole() -> None:
    """What takes a `timeout` of a consumer or producer is in the tables above, or here with the reason."""
    elsewhere = {
        # Records, their outcomes and transactions: tests/security/test_refused_logins.py.
        *(
            "commit_transaction",
            "abort_transaction",
            "poll",
            "poll_batch",
            "poll_arrow",
            "flush",
            "send",
            "close",
            "unsubscribe",
        ),
        *("send_many", "send_arrow", "send_batch", "enqueue", "enqueue_many", "enqueue_arrow"),
        *("send_offsets_to_transaction", "read_until_end"),
    }
    named = {name for _, name in CALLS}
    for client in (kafkars.aio.Consumer, kafkars.aio.Producer, kafkars.aio.Admin):
        for name in dir(client):
            if name.startswith("_"):
                continue
            try:
                parameters = inspect.signature(getattr(client, name)).parameters
            except (TypeError, ValueError):
                continue
            assert "timeout" not in parameters or name in named | elsewhere, f"{client.__name__}.{name}"


@pytest.mark.parametrize("api", [SyncApi, AsyncApi])
@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_member_hears_from_its_commits_and_its_close_that_its_login_is_refused(protocol: str, api: type[Any]) -> None:
    made = api()
    with guarded_broker(**TOPICS) as gate:
        with kafkars.Producer(**gate.settings) as producer:
            producer.send(TOPIC, b"value").result(GIVEN)
        consumer = made.Consumer(
            **gate.settings,
            group_id="group",
            group_protocol=protocol,
            auto_offset_reset="earliest",
            enable_auto_commit=True,
        )
        consumer.subscribe([TOPIC])
        assert consumer.poll(GIVEN) is not None
        gate.refuses = True
        gate.cut()
        for call in (consumer.commit, consumer.close):
            since = time.monotonic()
            with pytest.raises(SaslAuthenticationFailedError):
                call(timeout=GIVEN)
            assert time.monotonic() - since < CONNECT + MARGIN
    if api is AsyncApi:
        made.close()


@pytest.mark.parametrize("api", [SyncApi, AsyncApi])
def test_a_member_without_commits_is_closed_soon_though_its_login_is_refused(api: type[Any]) -> None:
    made = api()
    with guarded_broker(**TOPICS) as gate:
        consumer = made.Consumer(**gate.settings, group_id="group", enable_auto_commit=False)
        consumer.subscribe([TOPIC])
        while not consumer.assignment():
            consumer.poll(0.1)
        gate.refuses = True
        gate.cut()
        since = time.monotonic()
        consumer.close(timeout=GIVEN)
        assert time.monotonic() - since < CONNECT + MARGIN
    if api is AsyncApi:
        made.close()


@pytest.mark.parametrize("api", [SyncApi, AsyncApi])
def test_calls_after_a_refusal_try_again(api: type[Any]) -> None:
    made = api()
    with guarded_broker(**TOPICS) as gate, made.Consumer(**gate.settings, group_id="group") as consumer:
        consumer.assign([PLACE])
        consumer.commit({PLACE: 1})
        gate.refuses = True
        gate.cut()
        with pytest.raises(SaslAuthenticationFailedError):
            consumer.commit({PLACE: 2}, timeout=GIVEN)
        gate.refuses = False
        ends = time.monotonic() + GIVEN
        calls: list[Call] = [
            lambda consumer: consumer.commit({PLACE: 3}, timeout=GIVEN),
            lambda consumer: consumer.end_offsets([PLACE], timeout=GIVEN),
            lambda consumer: consumer.partitions_for(TOPIC, timeout=GIVEN),
        ]
        for again in calls:
            while True:
                try:
                    again(consumer)
                    break
                except SaslAuthenticationFailedError:
                    # Logins that were refused are tried at growing intervals, of at most 10 s.
                    assert time.monotonic() < ends
        assert consumer.committed([PLACE])[PLACE].offset == 3
    if api is AsyncApi:
        made.close()


@pytest.mark.parametrize("api", [SyncApi, AsyncApi])
@pytest.mark.parametrize("fault", ["a wrong password", "an unknown authority"])
def test_every_call_tells_it_on_every_broker(secure_kafka: SecureKafka, fault: str, api: type[Any]) -> None:
    settings, expected = {
        "a wrong password": (
            secure_kafka.sasl("SCRAM-SHA-256", sasl_password="Xq7-former"),
            SaslAuthenticationFailedError,
        ),
        "an unknown authority": (secure_kafka.tls("STRANGER"), CertificateError),
    }[fault]
    running = {
        name: Running(api, name[0], call, settings, warm=False, connect=CONNECT_ANSWERED)
        for name, call in CALLS.items()
    }
    for each in running.values():
        each.go.set()
    check(running, expected)


@pytest.mark.parametrize("api", [SyncApi, AsyncApi])
def test_calls_of_a_running_client_tell_that_its_password_is_another_one(
    secure_kafka: SecureKafka, api: type[Any], tmp_path: Path
) -> None:
    """The listener BRIEF wants every login again after two seconds; what is called until then succeeds."""
    topic, path = secure_kafka.new_topic(), tmp_path / "password"
    path.write_text(PASSWORDS[ALICE])
    settings = secure_kafka.sasl("SCRAM-SHA-256", listener="BRIEF", sasl_password=path)
    place = TopicPartition(topic, 0)

    def again(call: Call) -> Call:
        def until_refused(client: Any) -> None:
            ends = time.monotonic() + GIVEN
            while time.monotonic() < ends:
                call(client)

        return until_refused

    calls: dict[tuple[str, str], Call] = {
        ("consumer", "end_offsets"): lambda consumer: consumer.end_offsets([place], timeout=GIVEN),
        ("consumer", "commit"): lambda consumer: consumer.commit({place: 1}, timeout=GIVEN),
        ("consumer", "committed"): lambda consumer: consumer.committed([place], timeout=GIVEN),
        ("consumer", "topics"): lambda consumer: consumer.topics(timeout=GIVEN),
        ("admin", "describe_topics"): lambda admin: admin.describe_topics([topic], timeout=GIVEN),
    }
    running = {
        name: Running(api, name[0], again(call), settings, warm=False, connect=CONNECT_ANSWERED)
        for name, call in calls.items()
    }
    for each in running.values():
        assert each.ready.wait(GIVEN)
        each.go.set()
    path.write_text("Xq7-another")
    check(running, SaslAuthenticationFailedError)

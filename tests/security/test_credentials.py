"""Functions that give credentials and hang, fail or come back: no Kafka is needed."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars.compat.confluent_kafka.aio import AIOProducer
from kafkars.config.secret import Secret
from kafkars.errors import ConfigError, CredentialsError, SaslAuthenticationFailedError
from kafkars.testing import Certificates, EmbeddedBroker

from tests.support.sasl_gate import SaslGate, guarded_broker, sasl_gate
from tests.support.waiting import SECONDS, eventually

pytestmark = pytest.mark.timeout(120)
CLIENTS = 24
"""More than there are threads that look up names."""


class Source:
    """A function that hangs, fails or answers, as a test says."""

    def __init__(self) -> None:
        self.calls = 0
        self.running = 0
        self.most = 0
        self.failures = 0
        self.gate = threading.Event()
        self.gate.set()
        self.lock = threading.Lock()

    def __call__(self) -> str:
        with self.lock:
            self.calls += 1
            self.running += 1
            self.most = max(self.most, self.running)
        self.gate.wait()
        with self.lock:
            self.running -= 1
            failing = self.failures > 0
            self.failures -= failing
        if failing:
            raise RuntimeError("the vault is closed")
        return "token"


@pytest.fixture
def source() -> Iterator[Source]:
    made = Source()
    yield made
    made.gate.set()


def test_functions_that_hang_leave_names_to_others(source: Source) -> None:
    source.gate.clear()
    with sasl_gate() as gate, EmbeddedBroker() as broker:
        port = broker.bootstrap_servers.rsplit(":", 1)[1]
        for _ in range(CLIENTS):
            settings = gate.token_settings | {"socket_connection_setup_timeout_ms": 50}
            provider = Source()
            provider.gate = source.gate
            with kafkars.Admin(**settings, sasl_oauthbearer_token_provider=provider) as admin:
                # On a busy machine the time may be over before a thread comes to it.
                while not provider.most:
                    with pytest.raises(CredentialsError):
                        admin.list_topics(timeout=SECONDS)
            assert provider.most == 1
        with kafkars.Admin(bootstrap_servers=f"localhost:{port}") as admin:
            admin.list_topics(timeout=SECONDS)


def test_an_asynchronous_function_runs_on_the_loop_that_makes_the_client() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def token() -> str:
        loops.append(asyncio.get_running_loop())
        return "token"

    async def main(config: kafkars.ProducerConfig) -> None:
        loops.clear()
        async with kafkars.aio.Producer(config) as producer:
            await producer.send("records", b"value")
        assert set(loops) == {asyncio.get_running_loop()}

    with guarded_broker(records=1) as gate:
        early = kafkars.ProducerConfig(**gate.token_settings, sasl_oauthbearer_token_provider=token)
        # Older than every loop, then of a loop that has ended, then made of another one inside.
        asyncio.run(main(early))
        asyncio.run(main(early))

        async def inside() -> kafkars.ProducerConfig:
            made = dataclasses.replace(early, client_id="inside")
            await main(made)
            return made

        asyncio.run(main(asyncio.run(inside())))


class Tokens:
    async def __call__(self, _config: object) -> tuple[str, float]:
        await asyncio.sleep(0)
        return "token", time.time() + 600


@pytest.mark.parametrize("made", ["a lambda", "an object", "a task"])
def test_what_a_callback_returns_is_awaited_whatever_the_callback_is(made: str) -> None:
    tokens = Tokens()
    oauth_cb = {
        "a lambda": lambda config: tokens(config),  # noqa: PLW0108  its kind is what is tested
        "an object": tokens,
        "a task": lambda config: asyncio.ensure_future(tokens(config)),
    }[made]

    async def main(address: str) -> None:
        producer = AIOProducer(
            {
                "bootstrap.servers": address,
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanisms": "OAUTHBEARER",
                "oauth_cb": oauth_cb,
            }
        )
        delivery = await producer.produce("records", b"value")
        await producer.flush()
        assert (await asyncio.wait_for(delivery, SECONDS)).offset() == 0
        await producer.close()

    with guarded_broker(records=1) as gate:
        asyncio.run(main(gate.address))


def test_a_function_that_hangs_is_named_and_called_once_at_a_time(source: Source) -> None:
    source.gate.clear()
    with sasl_gate() as gate:
        settings = gate.token_settings | {"socket_connection_setup_timeout_ms": 100}

        def vault() -> str:
            return source()

        with kafkars.Admin(**settings, sasl_oauthbearer_token_provider=vault) as admin:
            for _ in range(3):
                with pytest.raises(CredentialsError, match=r"vault has not answered within 100 ms"):
                    admin.list_topics(timeout=SECONDS)
            assert eventually(lambda: source.calls, "it is called") == 1


def test_an_impatient_caller_hears_who_is_waited_for(source: Source) -> None:
    source.gate.clear()
    with (
        sasl_gate() as gate,
        kafkars.Admin(**gate.token_settings, sasl_oauthbearer_token_provider=source) as admin,
        pytest.raises(CredentialsError, match="Source has not answered"),
    ):
        admin.list_topics(timeout=3)


def test_requests_go_on_while_a_token_is_waited_for(source: Source) -> None:
    with (
        guarded_broker(lifetime=15, records=1) as gate,
        kafkars.Producer(**gate.token_settings, sasl_oauthbearer_token_provider=source) as producer,
    ):
        producer.send("records", b"first").result(SECONDS)
        made, before, believed = gate.connections, source.calls, gate.believed
        source.failures = 2
        source.gate.clear()
        eventually(lambda: source.calls > before, "a token is asked for anew")
        # No token comes before the gate is open, so this does not wait for one.
        producer.send("records", b"second").result(SECONDS)
        # It fails once or twice, and is asked again while the old login holds.
        source.gate.set()
        eventually(lambda: gate.believed >= believed + made, "every connection has logged in anew")
        assert source.failures == 0
        producer.send("records", b"third").result(SECONDS)
        assert gate.connections == made


def test_a_token_that_does_not_come_ends_the_connection_with_its_login(source: Source) -> None:
    with (
        guarded_broker(lifetime=2, records=1) as gate,
        kafkars.Producer(**gate.token_settings, sasl_oauthbearer_token_provider=source) as producer,
    ):
        producer.send("records", b"first").result(SECONDS)
        made = gate.connections
        source.failures = 1_000_000
        eventually(lambda: producer.metrics()["client"]["connections_open"] == 0, "the old logins have ended")
        source.failures = 0
        producer.send("records", b"second").result(SECONDS)
        assert gate.connections > made


def test_a_process_ends_while_a_function_hangs() -> None:
    program = """
import threading, kafkars
from tests.support.sasl_gate import sasl_gate

called = threading.Event()


def hang():
    called.set()
    threading.Event().wait()


with sasl_gate() as gate:
    kept = kafkars.Admin(**gate.token_settings, sasl_oauthbearer_token_provider=hang)
    try:
        kept.list_topics(timeout=0.1)
    except kafkars.errors.CredentialsError:
        print("named")
    assert called.wait(20)
    kept.close()
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, "named", "")


def test_a_user_may_come_from_a_file_or_a_function(tmp_path: Path) -> None:
    path = tmp_path / "user"
    path.write_text("bob\n")
    with guarded_broker(records=1) as gate:
        for source, name in ((path, b"bob"), (lambda: "carol", b"carol"), ("alice", b"alice")):
            with kafkars.Admin(**gate.settings | {"sasl_username": source}) as admin:
                admin.list_topics(timeout=SECONDS)
            assert gate.message == b"\0" + name + b"\0secret"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    "name",
    ["ssl_ca_location", "ssl_crl_location", "ssl_certificate_location", "ssl_keystore_location", "sasl_password"],
)
def test_a_pipe_is_refused_and_not_waited_for(name: str, tmp_path: Path) -> None:
    """It can be read once only, and files are read for each connection; one that nobody writes to never answers."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    if name == "sasl_password":
        with (
            sasl_gate() as gate,
            kafkars.Admin(**gate.settings | {name: pipe}) as admin,
            pytest.raises(CredentialsError, match="no regular file"),
        ):
            admin.list_topics(timeout=SECONDS)
        return
    with pytest.raises(ConfigError, match=f"{name}: .*no regular file.*as text"):
        kafkars.Admin(bootstrap_servers="127.0.0.1:1", security_protocol="ssl", **{name: pipe})


def test_a_directory_of_authorities_with_a_pipe_in_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "ca.pem").write_text(Certificates().ca_pem)
    kafkars.Admin(bootstrap_servers="127.0.0.1:1", security_protocol="ssl", ssl_ca_location=tmp_path).close()


@pytest.mark.parametrize("source", ["an empty file", "a file with a line end", "a function"])
def test_nothing_is_no_credential(client_api: Any, source: str, tmp_path: Path) -> None:
    """A file is empty for a moment while it is written anew. What is empty would count towards a lock-out."""
    path = tmp_path / "password"
    path.write_text("\n" if source == "a file with a line end" else "")
    given: Any = (lambda: "") if source == "a function" else path
    with sasl_gate() as gate:
        with (
            client_api.Admin(**gate.settings | {"sasl_password": given}) as admin,
            pytest.raises(CredentialsError, match="gave nothing"),
        ):
            admin.list_topics(timeout=SECONDS)
        assert gate.message == b""


@pytest.mark.parametrize(
    "name",
    [
        "sasl_password",
        "sasl_oauthbearer_client_secret",
        "sasl_aws_msk_iam_secret_access_key",
        "sasl_aws_msk_iam_session_token",
    ],
)
def test_text_that_is_empty_is_refused_at_once(client_api: Any, name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}: is empty"):
        client_api.Admin(bootstrap_servers="127.0.0.1:1", **{name: ""})


def test_nothing_is_sent_of_a_secret_that_a_face_may_give() -> None:
    """The originals of the faces take an empty password, so it meets the engine at the login."""
    with sasl_gate() as gate:
        with (
            kafkars.Admin(**gate.settings | {"sasl_password": Secret("")}) as admin,
            pytest.raises(CredentialsError, match="sasl_password is empty"),
        ):
            admin.list_topics(timeout=SECONDS)
        assert gate.message == b""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_keytab_that_is_a_pipe_stops_nobody(tmp_path: Path) -> None:
    """In a process of its own: it used to hold the interpreter for ever."""
    program = """
import os, sys
import kafkars

os.mkfifo(sys.argv[1])
kerberos = {"sasl_mechanism": "GSSAPI", "sasl_kerberos_keytab": sys.argv[1]}
try:
    kafkars.Admin(bootstrap_servers="127.0.0.1:1", security_protocol="sasl_plaintext", **kerberos)
except kafkars.errors.ConfigError as error:
    print("sasl_kerberos_keytab" in str(error), "no regular file" in str(error))
"""
    command = [sys.executable, "-c", program, str(tmp_path / "keytab")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ran.stdout.strip(), ran.stderr) == ("True True", "")


class Rotating:
    """A name and its password, which change together between the two questions."""

    def __init__(self, rotates: int = 1) -> None:
        self.rotations = 0
        self.rotates = rotates
        self.asked = 0

    def name(self) -> str:
        """The name; then everything changes."""
        self.asked += 1
        name = f"user-{self.rotations}"
        self.rotations += self.rotations < self.rotates
        return name

    def password(self) -> str:
        return f"Xq7-{self.rotations}"


USERS = {f"user-{number}": f"Xq7-{number}" for number in range(4)}


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize("kind", ["two functions", "two asynchronous functions", "a file and a function"])
def test_a_rotation_between_name_and_password_is_no_refused_login(
    client_api: Any, kind: str, mechanism: Any, tmp_path: Path
) -> None:
    pair = Rotating()
    path = tmp_path / "name"
    path.write_text("user-0")

    async def name() -> str:
        return pair.name()

    async def password() -> str:
        return pair.password()

    def password_that_writes_the_name() -> str:
        path.write_text("user-1")
        return "Xq7-1"

    sources: dict[str, tuple[Any, Any]] = {
        "two functions": (pair.name, pair.password),
        "two asynchronous functions": (name, password),
        "a file and a function": (path, password_that_writes_the_name),
    }
    with EmbeddedBroker(security="SASL_PLAINTEXT", users=USERS) as broker:
        settings = broker.client_settings(mechanism=mechanism, user="user-0")
        username, secret = sources[kind]
        with client_api.Admin(**settings | {"sasl_username": username, "sasl_password": secret}) as admin:
            admin.list_topics(timeout=SECONDS)


def test_parts_of_keys_of_aws_that_change_in_between_are_got_anew() -> None:
    pair = Rotating()

    def judge() -> bool:
        SaslGate.judge(gate)
        return "user-0" in repr(gate.message)

    with sasl_gate() as gate:
        gate.reply, gate.judge = b"{}", judge  # type: ignore[method-assign]
        settings = gate.token_settings | {"sasl_mechanism": "AWS_MSK_IAM", "sasl_aws_msk_iam_region": "eu-west-1"}
        keys = lambda: (pair.name(), pair.password())  # noqa: E731
        with (
            kafkars.Admin(**settings, sasl_aws_msk_iam_credentials_provider=keys) as admin,
            pytest.raises(kafkars.KafkaError),
        ):
            admin.list_topics(timeout=5)
        assert gate.believed >= 2


def test_a_login_is_tried_once_more_only_if_something_has_changed() -> None:
    """Brokers lock accounts."""
    with sasl_gate(refuses=True) as gate:
        settings = gate.settings | {"sasl_username": lambda: "alice", "sasl_password": lambda: "wrong"}
        with kafkars.Admin(**settings) as admin, pytest.raises(SaslAuthenticationFailedError):
            admin.list_topics(timeout=SECONDS)
        assert gate.refused == 1
    numbers = itertools.count()
    with sasl_gate(refuses=True) as gate:
        settings = gate.settings | {"sasl_username": "alice", "sasl_password": lambda: f"wrong-{next(numbers)}"}
        with kafkars.Admin(**settings) as admin, pytest.raises(SaslAuthenticationFailedError):
            admin.list_topics(timeout=SECONDS)
        assert gate.refused == 2

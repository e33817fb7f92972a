"""Security of the embedded broker: clients that we have not written get in, and are kept out, as by a Kafka."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import socket
import ssl
import time
from pathlib import Path
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars.errors import (
    CertificateError,
    ClientStateError,
    ConfigError,
    InvalidArgumentError,
    SaslAuthenticationFailedError,
    TopicAuthorizationFailedError,
)
from kafkars.testing import Acl, Certificates, EmbeddedBroker, EmbeddedCluster, Listener, unsecured_token

pytestmark = pytest.mark.timeout(120)

SECONDS = 30
PASSWORDS = {"alice": "Xq7-wonderland", "bob": "Xq7-builder"}
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]
LISTENERS = {
    "TLS": Listener("SSL"),
    "MUTUAL": Listener("SSL", client_auth="required"),
    "SASL": Listener("SASL_PLAINTEXT"),
    "SASLTLS": Listener("SASL_SSL"),
}
RULES = [
    Acl("User:alice", "ALL", "TOPIC", "open"),
    Acl("User:CN=client", "ALL", "TOPIC", "open"),
    Acl("User:ANONYMOUS", "ALL", "TOPIC", "open"),
    Acl("User:*", "ALL", "GROUP", "*"),
]


@pytest.fixture(scope="module")
def broker() -> Any:
    with EmbeddedBroker(
        listeners=LISTENERS, users=PASSWORDS, acls=RULES, topics={"open": 1, "closed": 1}, auto_create_topics=False
    ) as broker:
        yield broker


class Peer:
    """One library: a record out and in, or the name of the error that it raises."""

    def __init__(self, broker: EmbeddedBroker, folder: Path) -> None:
        self.broker = broker
        self.folder = folder
        self.ca = str(broker.certificates.write_ca(folder))

    def settings(self, listener: str, mechanism: str | None, password: str) -> dict[str, Any]:
        raise NotImplementedError

    def round_trip(self, settings: dict[str, Any], topic: str) -> bytes:
        raise NotImplementedError

    def identity(self) -> tuple[str, str]:
        """Files of a certificate that the broker believes, and of its key."""
        certificate, key = self.broker.certificates.issue("client").write(self.folder)
        return str(certificate), str(key)


class Confluent(Peer):
    def settings(self, listener: str, mechanism: str | None, password: str) -> dict[str, Any]:
        security = LISTENERS[listener].security
        settings: dict[str, Any] = {
            "bootstrap.servers": self.broker.bootstrap_servers_of(listener),
            "security.protocol": security,
            "ssl.ca.location": self.ca,
            "log_level": 0,
        }
        if listener == "MUTUAL":
            settings["ssl.certificate.location"], settings["ssl.key.location"] = self.identity()
        if mechanism == "OAUTHBEARER":
            # Its own tokens.
            settings |= {
                "sasl.mechanism": mechanism,
                "enable.sasl.oauthbearer.unsecure.jwt": True,
                "sasl.oauthbearer.config": "principal=alice" if password == PASSWORDS["alice"] else "principal=mallory",
            }
        elif mechanism is not None:
            settings |= {"sasl.mechanism": mechanism, "sasl.username": "alice", "sasl.password": password}
        return settings

    def round_trip(self, settings: dict[str, Any], topic: str) -> bytes:
        from confluent_kafka import Consumer, Producer

        outcome: list[Any] = []
        said: list[Any] = []
        producer = Producer(settings | {"message.timeout.ms": 5000, "error_cb": said.append})
        producer.produce(topic, b"v", on_delivery=lambda error, _: outcome.append(error))
        producer.flush(SECONDS)
        # Errors of the library cannot be compared with None.
        if len(outcome) != 1 or outcome[0] is not None:
            raise RuntimeError(", ".join(str(each) for each in outcome + said))
        consumer = Consumer(settings | {"group.id": "confluent", "auto.offset.reset": "earliest"})
        try:
            consumer.subscribe([topic])
            message = consumer.poll(SECONDS)
            assert message is not None
            if message.error():
                raise RuntimeError(str(message.error()))
            value = message.value()
            assert isinstance(value, bytes)
            return value
        finally:
            consumer.close()


class KafkaPython(Peer):
    def settings(self, listener: str, mechanism: str | None, password: str) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "bootstrap_servers": self.broker.bootstrap_servers_of(listener),
            "security_protocol": LISTENERS[listener].security,
            "ssl_cafile": self.ca,
        }
        if listener == "MUTUAL":
            settings["ssl_certfile"], settings["ssl_keyfile"] = self.identity()
        if mechanism == "OAUTHBEARER":
            from kafka.net.sasl.oauth import AbstractTokenProvider

            class Provider(AbstractTokenProvider):  # type: ignore[misc]
                def token(self) -> str:
                    return unsecured_token("alice" if password == PASSWORDS["alice"] else "mallory")

            settings |= {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": Provider()}
        elif mechanism is not None:
            settings |= {
                "sasl_mechanism": mechanism,
                "sasl_plain_username": "alice",
                "sasl_plain_password": password,
            }
        return settings

    def round_trip(self, settings: dict[str, Any], topic: str) -> bytes:
        from kafka import KafkaConsumer, KafkaProducer, TopicPartition  # pyright: ignore[reportAttributeAccessIssue]  its bundled stubs are older

        producer = KafkaProducer(**settings, max_block_ms=5000, retries=0)
        try:
            producer.send(topic, b"v").get(SECONDS)
        finally:
            producer.close(timeout=5)
        consumer = KafkaConsumer(**settings, auto_offset_reset="earliest", enable_auto_commit=False)
        try:
            consumer.assign([TopicPartition(topic, 0)])
            deadline = time.monotonic() + SECONDS
            while time.monotonic() < deadline:
                for records in consumer.poll(1000).values():
                    value = records[0].value
                    assert isinstance(value, bytes)
                    return value
            raise TimeoutError
        finally:
            consumer.close()


class Aiokafka(Peer):
    def settings(self, listener: str, mechanism: str | None, password: str) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "bootstrap_servers": self.broker.bootstrap_servers_of(listener),
            "security_protocol": LISTENERS[listener].security,
            "request_timeout_ms": 5000,
        }
        if LISTENERS[listener].has_tls:
            context = ssl.create_default_context(cafile=self.ca)
            if listener == "MUTUAL":
                context.load_cert_chain(*self.identity())
            settings["ssl_context"] = context
        if mechanism == "OAUTHBEARER":
            from aiokafka.abc import AbstractTokenProvider

            class Provider(AbstractTokenProvider):  # type: ignore[misc]
                async def token(self) -> str:
                    return unsecured_token("alice" if password == PASSWORDS["alice"] else "mallory")

            settings |= {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": Provider()}
        elif mechanism is not None:
            settings |= {
                "sasl_mechanism": mechanism,
                "sasl_plain_username": "alice",
                "sasl_plain_password": password,
            }
        return settings

    def round_trip(self, settings: dict[str, Any], topic: str) -> bytes:
        from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

        async def run() -> bytes:
            producer = AIOKafkaProducer(**settings)
            try:
                await producer.start()
                await producer.send_and_wait(topic, b"v")
            finally:
                await producer.stop()
            consumer = AIOKafkaConsumer(**settings, auto_offset_reset="earliest", enable_auto_commit=False)
            try:
                await consumer.start()
                consumer.assign([TopicPartition(topic, 0)])
                record = await asyncio.wait_for(consumer.getone(), SECONDS)
                value = record.value
                assert isinstance(value, bytes)
                return value
            finally:
                await consumer.stop()

        return asyncio.run(run())


class Ours(Peer):
    def settings(self, listener: str, mechanism: str | None, password: str) -> dict[str, Any]:
        wanted: Any = mechanism
        settings = self.broker.client_settings(listener, mechanism=wanted, user="alice" if mechanism else None)
        if mechanism == "OAUTHBEARER" and password != PASSWORDS["alice"]:
            settings["sasl_oauthbearer_token_provider"] = lambda: unsecured_token("mallory")
        elif "sasl_password" in settings:
            settings["sasl_password"] = password
        return settings

    def round_trip(self, settings: dict[str, Any], topic: str) -> bytes:
        with kafkars.Producer(**settings) as producer:
            producer.send(topic, b"v").result(SECONDS)
        with kafkars.Consumer(**settings, auto_offset_reset="earliest") as consumer:
            consumer.assign([(topic, 0)])
            record = consumer.poll(SECONDS)
            assert record is not None
            assert isinstance(record.value, bytes)
            return record.value


@pytest.fixture(params=[Confluent, KafkaPython, Aiokafka, Ours], ids=lambda kind: kind.__name__)
def peer(request: pytest.FixtureRequest, broker: EmbeddedBroker, tmp_path: Path) -> Any:
    yield request.param(broker, tmp_path)
    # aiokafka warns of clients that could not connect only when they are collected.
    gc.collect()


WAYS = [("TLS", None), ("MUTUAL", None)] + [(name, each) for name in ("SASL", "SASLTLS") for each in MECHANISMS]


@pytest.mark.parametrize(("listener", "mechanism"), WAYS)
def test_every_client_gets_in_every_way(peer: Peer, listener: str, mechanism: str | None) -> None:
    settings = peer.settings(listener, mechanism, PASSWORDS["alice"])
    assert peer.round_trip(settings, "open") == b"v"


@pytest.mark.parametrize(("listener", "mechanism"), WAYS)
def test_no_client_writes_where_it_may_not(
    peer: Peer, broker: EmbeddedBroker, listener: str, mechanism: str | None
) -> None:
    settings = peer.settings(listener, mechanism, PASSWORDS["alice"])
    with pytest.raises(Exception, match=r"(?i)authoriz|not found|unknown") as raised:
        peer.round_trip(settings, "closed")
    assert "Xq7" not in str(raised.value)
    assert broker.offsets("closed", 0) == (0, 0)


# The libraries leave sockets behind where their constructors fail.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("mechanism", MECHANISMS[:3])
def test_no_client_gets_in_with_a_wrong_password(peer: Peer, broker: EmbeddedBroker, mechanism: str) -> None:
    before = broker.offsets("open", 0)
    settings = peer.settings("SASLTLS", mechanism, "Xq7-wrong")
    with pytest.raises(Exception, match=r"(?i)auth|broker|bootstrap|timed|timeout") as raised:
        peer.round_trip(settings, "open")
    assert "Xq7" not in str(raised.value)
    assert broker.offsets("open", 0) == before


def test_one_line_secures_a_broker_and_its_clients(client_api: Any) -> None:
    with EmbeddedBroker(security="SASL_SSL", users={"alice": "wonderland"}) as broker:
        with client_api.Producer(**broker.client_settings()) as producer:
            producer.send("orders", b"a kettle").result(SECONDS)
        with client_api.Consumer(**broker.client_settings(), auto_offset_reset="earliest") as consumer:
            consumer.assign([("orders", 0)])
            record = consumer.poll(SECONDS)
            assert record is not None
            assert record.value == b"a kettle"


def test_nodes_of_a_secured_cluster_are_reached_at_the_listener_that_was_asked() -> None:
    listeners = {"IN": Listener("SASL_SSL"), "OUT": Listener("SSL")}
    with EmbeddedCluster(listeners=listeners, users=PASSWORDS, topics={"orders": 6}) as cluster:
        assert cluster.bootstrap_servers == cluster.bootstrap_servers_of("IN")
        for name in listeners:
            with kafkars.Producer(**cluster.client_settings(name)) as producer:
                for partition in range(6):
                    producer.send("orders", b"v", partition=partition).result(SECONDS)
                cluster.restart_node(cluster.leader("orders", 0))
                producer.send("orders", b"v", partition=0).result(SECONDS)


def test_a_certificate_that_has_expired_or_names_another_host_is_refused() -> None:
    certificates = Certificates(key="rsa")
    faults = {
        "EXPIRED": certificates.issue("kafka", expired=True),
        "ELSEWHERE": certificates.issue("kafka", hosts=["kafka.elsewhere.test"]),
        "STRANGER": Certificates("another").issue("kafka"),
    }
    listeners = {name: Listener("SSL", certificate=each) for name, each in faults.items()}
    listeners["GOOD"] = Listener("SSL", certificate=certificates.issue("kafka", lifetime=dt.timedelta(minutes=1)))
    with EmbeddedBroker(listeners=listeners, certificates=certificates) as broker:
        for name in faults:
            with kafkars.Admin(**broker.client_settings(name)) as admin, pytest.raises(CertificateError):
                admin.list_topics()
        with kafkars.Admin(**broker.client_settings("GOOD")) as admin:
            admin.list_topics()


def test_a_client_is_who_its_certificate_says() -> None:
    rules = [Acl("User:CN=shop,O=example", "ALL", "TOPIC", "*")]
    listeners = {"TLS": Listener("SSL", client_auth="requested")}
    with EmbeddedBroker(listeners=listeners, acls=rules, topics={"orders": 1}) as broker:
        shop = broker.certificates.issue("shop", organization="example")
        with kafkars.Producer(**broker.client_settings(certificate=shop)) as producer:
            producer.send("orders", b"v").result(SECONDS)
        denied = pytest.raises(TopicAuthorizationFailedError)
        with kafkars.Producer(**broker.client_settings()) as producer, denied:
            producer.send("orders", b"v").result(SECONDS)
        stranger = Certificates("another").issue("shop", organization="example")
        refused = pytest.raises(CertificateError)
        with kafkars.Admin(**broker.client_settings(certificate=stranger)) as admin, refused:
            admin.list_topics()


def test_users_rules_and_passwords_change_while_it_runs() -> None:
    with EmbeddedBroker(security="SASL_PLAINTEXT", users=PASSWORDS, acls=[], topics={"orders": 1}) as broker:
        broker.add_user("carol", "first")
        rule = Acl("User:carol", "write", "topic", "ord", "prefixed")
        denied = pytest.raises(TopicAuthorizationFailedError)
        with kafkars.Producer(**broker.client_settings(user="carol")) as producer, denied:
            producer.send("orders", b"v").result(SECONDS)
        broker.add_acl(rule)
        with kafkars.Producer(**broker.client_settings(user="carol")) as producer:
            producer.send("orders", b"v").result(SECONDS)
        assert broker.acls() == [Acl("User:carol", "WRITE", "TOPIC", "ord", "PREFIXED")]
        assert broker.remove_acl(rule)
        assert not broker.remove_acl(rule)
        old = broker.client_settings(user="carol")
        broker.add_user("carol", "second")
        with kafkars.Admin(**old) as admin, pytest.raises(SaslAuthenticationFailedError):
            admin.list_topics()
        assert broker.remove_user("carol")
        with pytest.raises(InvalidArgumentError, match="carol"):
            broker.client_settings(user="carol")


def test_a_token_that_has_ended_is_refused_by_the_brokers_clock() -> None:
    with EmbeddedBroker(security="SASL_PLAINTEXT", clock="manual") as broker:
        token = unsecured_token("alice", lifetime=60, now=broker.clock.now_ms() / 1000)
        settings = broker.client_settings(mechanism="OAUTHBEARER")
        settings["sasl_oauthbearer_token_provider"] = lambda: token
        with kafkars.Admin(**settings) as admin:
            admin.list_topics()
        broker.clock.advance(61)
        with kafkars.Admin(**settings) as admin, pytest.raises(SaslAuthenticationFailedError, match="invalid_token"):
            admin.list_topics()
        with kafkars.Admin(**broker.client_settings(mechanism="OAUTHBEARER")) as admin:
            admin.list_topics()


def test_who_stalls_in_the_handshake_is_cut() -> None:
    with EmbeddedBroker(security="SSL", login_timeout=0.2) as broker:
        host, port = broker.bootstrap_servers.split(":")
        for beginning in (b"", b"\x16\x03\x01"):
            with socket.create_connection((host, int(port)), SECONDS) as stalled:
                stalled.sendall(beginning)
                # An alert may go before the end.
                while stalled.recv(100):
                    pass
        with kafkars.Admin(**broker.client_settings()) as admin:
            admin.list_topics()


def test_bytes_that_are_no_tls_end_only_their_connection() -> None:
    with EmbeddedBroker(security="SSL") as broker:
        host, port = broker.bootstrap_servers.split(":")
        for noise in (b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\x10" + b"\0" * 16, b"\x16\x03\x01\xff\xff" + b"x" * 70_000):
            with socket.create_connection((host, int(port)), SECONDS) as wrong:
                try:
                    wrong.sendall(noise)
                    while wrong.recv(4096):
                        pass
                except ConnectionError:
                    pass
        with kafkars.Admin(**broker.client_settings()) as admin:
            admin.list_topics()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"security": "TLS"}, 'security protocol "TLS" is none of'),
        ({"security": "SSL", "listeners": {"A": Listener()}}, "security: cannot be used together with listeners"),
        ({"listeners": {}}, "listeners: is empty"),
        ({"listeners": {"A": Listener(port=70_000)}}, "70000 is not a port"),
        ({"listeners": {"A": Listener("SSL", client_auth="maybe")}}, 'client_auth "maybe" is none of'),
        ({"listeners": {"A": Listener("SASL_SSL", mechanisms=["GSSAPI"])}}, 'SASL mechanism "GSSAPI" is none of'),
        ({"super_users": ["User:a"]}, "super_users: means nothing without access control"),
        ({"acls": [], "super_users": "User:a"}, "super_users: is text"),
        ({"acls": [Acl("User:a", "FLY", "TOPIC", "t")]}, '"FLY" is not Kafka\'s name of an operation'),
        ({"acls": [Acl("a", "READ", "TOPIC", "t")]}, "no colon is present"),
        ({"login_timeout": 0}, "login_timeout: 0 is not a positive number of seconds"),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_is_named_with_the_reason(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError) as refused:
        EmbeddedBroker(**settings)
    assert why in str(refused.value)


def test_calls_that_mean_nothing_say_so() -> None:
    with EmbeddedBroker() as broker:
        with pytest.raises(ClientStateError, match="no listener with TLS"):
            _ = broker.certificates
        with pytest.raises(ClientStateError, match="acls"):
            broker.add_acl(Acl("User:a", "READ", "TOPIC", "t"))
        with pytest.raises(InvalidArgumentError, match="there is no listener"):
            broker.client_settings("OTHER")
        with pytest.raises(InvalidArgumentError, match="OTHER"):
            broker.bootstrap_servers_of("OTHER")
        with pytest.raises(InvalidArgumentError, match="Username must not be empty"):
            broker.add_user("", "x")
    certificates = Certificates()
    with pytest.raises(InvalidArgumentError, match="cannot end"):
        certificates.issue("broker", lifetime=dt.timedelta(days=400_000 * 365))


def test_secrets_are_shown_nowhere() -> None:
    certificates = Certificates()
    certificate = certificates.issue("broker")
    listeners = {"A": Listener("SASL_SSL", certificate=certificate)}
    with EmbeddedBroker(listeners=listeners, users=PASSWORDS, certificates=certificates) as broker:
        with kafkars.Admin(**broker.client_settings(mechanism="PLAIN")) as admin:
            admin.list_topics()
        requests = broker.requests()
        assert [each.body for each in requests if each.api == "SaslAuthenticate"] == [None]
        shown = repr([broker, listeners, certificate, certificates, requests, [each.body for each in requests]])
    assert "Xq7" not in shown
    assert "PRIVATE" not in shown


def test_everything_is_kept_with_the_data(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    rule = Acl("User:alice", "ALL", "TOPIC", "*")
    with EmbeddedBroker(security="SASL_PLAINTEXT", acls=[rule], data_dir=folder) as broker:
        broker.add_user("alice", "Xq7-wonderland")
    assert folder.stat().st_mode & 0o777 == 0o700
    for path in folder.rglob("*"):
        if path.is_file():
            assert b"Xq7" not in path.read_bytes()
    with EmbeddedBroker(security="SASL_PLAINTEXT", acls=[], data_dir=folder) as broker:
        assert broker.acls() == [rule]
        # SCRAM's credentials are kept; the passwords that PLAIN compares are those of the settings.
        settings = {
            "bootstrap_servers": broker.bootstrap_servers,
            "security_protocol": "sasl_plaintext",
            "sasl_username": "alice",
            "sasl_password": "Xq7-wonderland",
        }
        with kafkars.Admin(**settings, sasl_mechanism="SCRAM-SHA-256") as admin:
            admin.list_topics()

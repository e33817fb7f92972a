"""GSSAPI against real Kafka and a key distribution centre of MIT Kerberos: the system's library, loaded at run time."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars.compat import aiokafka, confluent_kafka, kafka
from kafkars.errors import ConfigError, CredentialsError, SaslAuthenticationFailedError

from tests.brokers import leave_out, why_no_kafka
from tests.kafka import TEST_JVM, KafkaCluster, KafkaOptions
from tests.security.conftest import NAMES
from tests.security.test_tls import failure, round_trip
from tests.support.kerberos import REALM, Kdc, KdcUnavailableError
from tests.support.waiting import SECONDS, eventually

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(180)]
BROKER, NAMED_BROKER, ALICE, STRANGER = "kafka/127.0.0.1", "kafka/named.test", "alice", "stranger/127.0.0.1"
HOLDS = 15
"""Seconds for which the listener RENEWED believes a login. Clients renew it after four fifths of that."""


class KerberosKafka:
    """A broker, the centre that both sides believe, and the keytabs."""

    def __init__(self, cluster: KafkaCluster, kdc: Kdc, keytabs: dict[str, Path]) -> None:
        self.cluster = cluster
        self.kdc = kdc
        self.keytabs = keytabs

    def settings(self, listener: str = "KERBEROS", **settings: Any) -> dict[str, Any]:
        """Settings with alice's keytab, unless another source of tickets is given."""
        base: dict[str, Any] = {
            "bootstrap_servers": f"127.0.0.1:{self.cluster.nodes[0].address.listener_ports[listener]}",
            "security_protocol": "sasl_plaintext",
            "sasl_mechanism": "GSSAPI",
        }
        if not {"sasl_kerberos_ccache", "sasl_kerberos_keytab"} & settings.keys():
            base |= {"sasl_kerberos_keytab": self.keytabs[ALICE], "sasl_kerberos_principal": f"{ALICE}@{REALM}"}
        return base | {name: value for name, value in settings.items() if value is not None}

    def new_topic(self) -> str:
        topic = f"kerberos-{os.getpid()}-{next(NAMES)}"
        self.cluster.create_topic(topic)
        return topic


@pytest.fixture(scope="module")
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KerberosKafka]:
    folder = tmp_path_factory.mktemp("kerberos")
    try:
        kdc = Kdc(folder)
        reason = why_no_kafka()
    except KdcUnavailableError as unavailable:
        reason = str(unavailable)
    if reason is not None:
        leave_out(reason)
    kdc.start()
    keytabs = {name: kdc.add(name) for name in (BROKER, NAMED_BROKER, ALICE, STRANGER)}
    # The broker has one principal; the other is for a service that it is not.
    module = "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true"
    named = {"kerberos": BROKER, "renewed": BROKER, "named": NAMED_BROKER}
    properties = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:ANONYMOUS;User:{ALICE}",
        "listener.name.renewed.connections.max.reauth.ms": str(HOLDS * 1000),
    }
    for name, principal in named.items():
        prefix = f"listener.name.{name}"
        properties |= {
            f"{prefix}.sasl.enabled.mechanisms": "GSSAPI",
            f"{prefix}.sasl.kerberos.service.name": "kafka",
            f"{prefix}.gssapi.sasl.jaas.config": (
                f'{module} keyTab="{keytabs[principal]}" principal="{principal}@{REALM}";'
            ),
        }
    options = KafkaOptions(
        version=request.config.getoption("--kafka-version"),
        listeners={"KERBEROS": "SASL_PLAINTEXT", "RENEWED": "SASL_PLAINTEXT", "NAMED": "SASL_PLAINTEXT"},
        jvm=(*TEST_JVM, f"-Djava.security.krb5.conf={kdc.config}"),
        properties=properties,
    )
    try:
        with KafkaCluster(options) as cluster:
            yield KerberosKafka(cluster, kdc, keytabs)
    finally:
        kdc.stop()


@pytest.fixture
def kerberos(started: KerberosKafka, monkeypatch: pytest.MonkeyPatch) -> KerberosKafka:
    monkeypatch.setenv("KRB5_CONFIG", str(started.kdc.config))
    monkeypatch.setenv("KRB5CCNAME", str(started.kdc.folder / "nothing"))
    return started


def test_records_travel_after_a_login_with_a_keytab(client_api: Any, kerberos: KerberosKafka) -> None:
    round_trip(client_api, kerberos.settings(), kerberos.new_topic())
    # The first principal of a keytab is meant where none is named.
    only_keytab = kerberos.settings(sasl_kerberos_keytab=kerberos.keytabs[ALICE])
    with kafkars.Admin(**only_keytab) as admin:
        admin.list_topics()


def test_tickets_of_kinit_are_used(kerberos: KerberosKafka, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = kerberos.kdc.tickets(ALICE, kerberos.keytabs[ALICE], "tickets")
    with kafkars.Admin(**kerberos.settings(sasl_kerberos_ccache=cache)) as admin:
        admin.list_topics()
    monkeypatch.setenv("KRB5CCNAME", str(cache))
    with kafkars.Admin(**kerberos.settings(sasl_kerberos_ccache=None)) as admin:
        admin.list_topics()


def test_without_a_ticket_it_is_said_where_one_was_looked_for(kerberos: KerberosKafka, tmp_path: Path) -> None:
    said = failure(kerberos.settings(sasl_kerberos_ccache=None), CredentialsError)
    assert "nothing" in said
    assert "run kinit" in said
    missing = tmp_path / "missing"
    assert f"kinit -c {missing}" in failure(kerberos.settings(sasl_kerberos_ccache=missing), CredentialsError)
    another = kerberos.settings(sasl_kerberos_keytab=kerberos.keytabs[STRANGER], sasl_kerberos_principal=f"bob@{REALM}")
    assert str(kerberos.keytabs[STRANGER]) in failure(another, CredentialsError)


def test_an_expired_ticket_is_an_error_of_its_own(kerberos: KerberosKafka) -> None:
    cache = kerberos.kdc.tickets(ALICE, kerberos.keytabs[ALICE], "expiring", lives="1s")
    eventually(lambda: not kerberos.kdc.holds(cache), "the ticket has expired")

    def refusal() -> str:
        with kafkars.Admin(**kerberos.settings(sasl_kerberos_ccache=cache)) as admin:
            try:
                admin.list_topics()
            except CredentialsError as error:
                return str(error)
        return ""  # clocks may differ a little

    said = eventually(refusal, "it is refused")
    assert "expired" in said.lower()
    assert "kinit -c" in said


def test_a_service_that_nobody_knows_is_named(kerberos: KerberosKafka) -> None:
    said = failure(kerberos.settings(sasl_kerberos_service_name="kafkaesque"), CredentialsError)
    assert "kafkaesque@127.0.0.1" in said
    assert "not found in Kerberos database" in said
    assert "kinit" not in said


def test_a_ticket_for_another_service_is_refused_by_the_broker(kerberos: KerberosKafka) -> None:
    said = failure(kerberos.settings(sasl_kerberos_service_name="stranger"), SaslAuthenticationFailedError)
    assert "GSSAPI" in said


def test_the_broker_may_have_another_name_than_its_address(kerberos: KerberosKafka) -> None:
    settings = kerberos.settings("NAMED", sasl_kerberos_domain_name="named.test")
    with kafkars.Admin(**settings) as admin:
        admin.list_topics()


def test_a_broken_keytab_is_named(kerberos: KerberosKafka, tmp_path: Path) -> None:
    broken = tmp_path / "broken.keytab"
    broken.write_bytes(b"not a keytab")
    assert str(broken) in failure(kerberos.settings(sasl_kerberos_keytab=broken), CredentialsError)
    with pytest.raises(ConfigError, match=r"sasl_kerberos_keytab: .*missing"):
        kafkars.Admin(**kerberos.settings(sasl_kerberos_keytab=tmp_path / "missing"))


def test_a_login_that_ends_is_renewed_on_the_same_connection(kerberos: KerberosKafka) -> None:
    """KIP-368."""
    topic = kerberos.new_topic()
    with kafkars.Producer(**kerberos.settings("RENEWED")) as producer:
        producer.send(topic, b"v").result(SECONDS)
        made = producer.metrics()["client"]["connections_made"]
        ends = time.monotonic() + HOLDS + 1
        while time.monotonic() < ends:
            producer.send(topic, b"v").result(SECONDS)
        assert producer.metrics()["client"]["connections_made"] == made


def test_a_centre_that_is_away_is_not_the_brokers_fault(kerberos: KerberosKafka) -> None:
    cache = kerberos.kdc.tickets(ALICE, kerberos.keytabs[ALICE], "granting")
    kerberos.kdc.stop()
    try:
        settings = kerberos.settings(sasl_kerberos_ccache=cache, sasl_kerberos_service_name="kafka")
        assert "kafka@127.0.0.1" in failure(settings, CredentialsError)
    finally:
        kerberos.kdc.start()
    with kafkars.Admin(**settings) as admin:
        admin.list_topics()


def test_a_centre_that_says_nothing_is_named_in_time(kerberos: KerberosKafka) -> None:
    cache = kerberos.kdc.tickets(ALICE, kerberos.keytabs[ALICE], "unanswered")
    kerberos.kdc.process.pause()
    try:
        settings = kerberos.settings(sasl_kerberos_ccache=cache, socket_connection_setup_timeout_ms=5_000)
        said = failure(settings, CredentialsError)
        assert "key distribution centre" in said
        assert "has not answered within 5000 ms" in said
    finally:
        kerberos.kdc.process.resume()


@pytest.mark.parametrize("wrong", ["-2h", "+2h"])
def test_a_clock_that_is_wrong_is_a_typed_error_or_made_up_for(kerberos: KerberosKafka, wrong: str) -> None:
    """Kerberos may go by the centre's clock; then the login succeeds."""
    program = f"""
import kafkars
try:
    with kafkars.Admin(**{ {name: str(value) for name, value in kerberos.settings().items()}!r}) as admin:
        admin.list_topics(timeout=20)
    print("believed")
except (kafkars.errors.CredentialsError, kafkars.errors.SaslAuthenticationFailedError) as error:
    print(error)
"""
    environment = os.environ | {
        "LD_PRELOAD": kerberos.kdc.faketime(),
        "FAKETIME": wrong,
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=90, check=True
    )
    said = ran.stdout.strip()
    words = ("clock skew", "not yet valid", "expired")
    assert said == "believed" or any(each in said.lower() for each in words), (said, ran.stderr)


def test_a_library_that_is_not_there_names_the_package() -> None:
    program = """
import kafkars
try:
    kafkars.Admin(bootstrap_servers="127.0.0.1:1", security_protocol="sasl_ssl", sasl_mechanism="GSSAPI")
except kafkars.errors.ConfigError as error:
    print(error)
"""
    environment = os.environ | {"KAFKARS_GSSAPI_LIBRARY": "libnothing.so.2"}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert "libnothing.so.2" in ran.stdout
    assert "libgssapi-krb5-2" in ran.stdout
    assert "krb5-libs" in ran.stdout


def by_confluent(kerberos: KerberosKafka, topic: str) -> bytes | None:
    config = {
        "bootstrap.servers": kerberos.settings()["bootstrap_servers"],
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "GSSAPI",
        "sasl.kerberos.keytab": str(kerberos.keytabs[ALICE]),
        "sasl.kerberos.principal": f"{ALICE}@{REALM}",
    }
    producer = confluent_kafka.Producer(config)
    producer.produce(topic, b"v")
    assert producer.flush(30) == 0
    consumer = confluent_kafka.Consumer({**config, "group.id": "g", "enable.auto.commit": False})
    consumer.assign([confluent_kafka.TopicPartition(topic, 0, confluent_kafka.OFFSET_BEGINNING)])
    message = consumer.poll(30)
    consumer.close()
    return None if message is None else message.value()


def by_aiokafka(kerberos: KerberosKafka, topic: str) -> bytes | None:
    settings: dict[str, Any] = {
        "bootstrap_servers": kerberos.settings()["bootstrap_servers"],
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "GSSAPI",
    }

    async def main() -> bytes | None:
        async with aiokafka.AIOKafkaProducer(**settings) as producer:
            await producer.send_and_wait(topic, b"v")
        consumer: Any = aiokafka.AIOKafkaConsumer(**settings, auto_offset_reset="earliest")
        async with consumer:
            consumer.assign([aiokafka.TopicPartition(topic, 0)])
            return (await consumer.getone()).value  # type: ignore[no-any-return]

    return asyncio.run(main())


def by_kafka_python(kerberos: KerberosKafka, topic: str) -> bytes | None:
    settings: dict[str, Any] = {
        "bootstrap_servers": kerberos.settings()["bootstrap_servers"],
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "GSSAPI",
        "api_version_auto_timeout_ms": 30_000,
    }
    with kafka.KafkaProducer(**settings) as producer:
        producer.send(topic, b"v").get(30)
    with kafka.KafkaConsumer(**settings, auto_offset_reset="earliest") as consumer:
        consumer.assign([kafka.TopicPartition(topic, 0)])
        return next(iter(consumer)).value  # type: ignore[no-any-return]


@pytest.mark.parametrize("face", [by_confluent, by_aiokafka, by_kafka_python])
def test_faces_log_in_with_tickets(face: Any, kerberos: KerberosKafka, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = kerberos.kdc.tickets(ALICE, kerberos.keytabs[ALICE], "tickets of a face")
    monkeypatch.setenv("KRB5CCNAME", str(cache))
    assert face(kerberos, kerberos.new_topic()) == b"v"

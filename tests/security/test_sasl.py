"""SASL against real Kafka and the embedded broker: every mechanism with good and bad credentials, and what an
authenticated user may do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars.errors import (
    CredentialsError,
    GroupAuthorizationFailedError,
    KafkaError,
    SaslAuthenticationFailedError,
    TopicAuthorizationFailedError,
    TransactionalIdAuthorizationFailedError,
    UnsupportedSaslMechanismError,
)

from tests.security.conftest import ALICE, BOB, CLIENT_ID, CLIENT_SECRET, PASSWORDS, RENEWED_MS, SecureKafka
from tests.security.test_tls import failure, round_trip, until_trusted
from tests.support.old_handshake import old_handshake
from tests.support.waiting import SECONDS

pytestmark = pytest.mark.timeout(180)
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]


@pytest.mark.parametrize("listener", ["SASL", "SASLTLS"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_records_travel_after_a_login(
    client_api: Any, secure_kafka: SecureKafka, mechanism: str, listener: str
) -> None:
    round_trip(client_api, secure_kafka.sasl(mechanism, listener=listener), secure_kafka.new_topic())


@pytest.mark.parametrize("mechanism", MECHANISMS[:3])
def test_a_wrong_password_is_the_brokers_own_words(secure_kafka: SecureKafka, mechanism: str) -> None:
    said = failure(secure_kafka.sasl(mechanism, sasl_password="Xq7-wrong"), SaslAuthenticationFailedError)
    assert mechanism in said
    assert "invalid credentials" in said.lower() or "invalid username or password" in said.lower()
    assert "Xq7" not in said


@pytest.mark.parametrize("mechanism", MECHANISMS[:3])
def test_every_call_hears_of_a_wrong_password(client_api: Any, secure_kafka: SecureKafka, mechanism: str) -> None:
    settings = secure_kafka.sasl(mechanism, sasl_password="Xq7-wrong")
    refused = pytest.raises(SaslAuthenticationFailedError)
    with client_api.Admin(**settings) as admin, refused:
        admin.list_topics()
    with client_api.Producer(**settings) as producer, refused:
        producer.send("topic", b"v").result(30)
    with client_api.Producer(**settings, transactional_id="t") as producer, refused:
        producer.init_transactions(timeout=SECONDS)
    with client_api.Consumer(**settings) as consumer:
        consumer.assign([("topic", 0)])
        with refused:
            consumer.poll(SECONDS)
    with client_api.Consumer(**settings, group_id="g") as consumer:
        consumer.subscribe(["topic"])
        with refused:
            consumer.poll(SECONDS)


def test_a_refused_login_is_not_repeated_without_pause(secure_kafka: SecureKafka) -> None:
    settings = secure_kafka.sasl("PLAIN", listener="SASL", sasl_password="Xq7-wrong")
    with kafkars.Consumer(**settings) as consumer:
        consumer.assign([("topic", 0)])
        started = time.monotonic()
        while time.monotonic() < started + 5:
            with pytest.raises(SaslAuthenticationFailedError):
                consumer.poll(SECONDS)
        # Pauses double, up to ten seconds.
        assert consumer.metrics()["client"]["connections_failed"] < 2 * (time.monotonic() - started) + 8


def test_a_password_may_come_from_a_file_or_a_function(secure_kafka: SecureKafka, tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("Xq7-wrong\n")
    settings = secure_kafka.sasl("SCRAM-SHA-256", sasl_password=path)
    with kafkars.Admin(**settings) as admin:
        with pytest.raises(SaslAuthenticationFailedError):
            admin.list_topics()
        # A new one is used without a restart.
        path.write_text(PASSWORDS[ALICE] + "\n")
        until_trusted(admin)
    with kafkars.Admin(**settings | {"sasl_password": lambda: PASSWORDS[ALICE]}) as admin:
        admin.list_topics()


def test_no_password_is_an_error_that_names_the_reason(secure_kafka: SecureKafka, tmp_path: Path) -> None:
    def broken() -> str:
        raise RuntimeError("the vault is closed")

    for source, reason in (
        (tmp_path / "missing", "missing"),
        (broken, "the vault is closed"),
        (lambda: 7, "TypeError"),
    ):
        assert reason in failure(secure_kafka.sasl("PLAIN", sasl_password=source), CredentialsError)


def test_an_asynchronous_function_runs_on_the_loop_of_the_client(secure_kafka: SecureKafka) -> None:
    import asyncio

    loops = []

    async def provide() -> tuple[str, float, dict[str, str]]:
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return secure_kafka.tokens.token(), time.time() + 60, {"tenant": "one"}

    async def main() -> None:
        settings = secure_kafka.sasl("OAUTHBEARER", sasl_oauthbearer_token_provider=provide)
        async with kafkars.aio.Admin(**settings) as admin:
            await admin.list_topics()
        assert set(loops) == {asyncio.get_running_loop()}

    asyncio.run(main())
    # Without a loop it has one of its own.
    with kafkars.Admin(**secure_kafka.sasl("OAUTHBEARER", sasl_oauthbearer_token_provider=provide)) as admin:
        admin.list_topics()


def test_tokens_that_are_not_believed(secure_kafka: SecureKafka) -> None:
    good = secure_kafka.tokens.token()
    bad = {
        "expired": secure_kafka.tokens.token(lives=-300),
        "for another": secure_kafka.tokens.token(audience="another"),
        "forged": good[:-8] + ("AAAAAAAA" if not good.endswith("AAAAAAAA") else "BBBBBBBB"),
        "no JWT": "abc",
    }
    if not secure_kafka.checks_audience:
        # Whom a token is for is a matter of signed ones.
        del bad["for another"]
    for token in bad.values():
        settings = secure_kafka.sasl("OAUTHBEARER", sasl_oauthbearer_token_provider=lambda token=token: token)
        said = failure(settings, SaslAuthenticationFailedError)
        assert token not in said
    for provider in (lambda: "", lambda: "a b", lambda: 7, lambda: 1 / 0):
        settings = secure_kafka.sasl("OAUTHBEARER", sasl_oauthbearer_token_provider=provider)
        failure(settings, CredentialsError)


def test_a_mechanism_that_is_not_offered_names_those_that_are(secure_kafka: SecureKafka) -> None:
    said = failure(secure_kafka.sasl("SCRAM-SHA-512", listener="BRIEF"), UnsupportedSaslMechanismError)
    for offered in ("PLAIN", "SCRAM-SHA-256", "OAUTHBEARER"):
        assert offered in said


def test_a_port_without_authentication_says_so(secure_kafka: SecureKafka) -> None:
    settings = secure_kafka.sasl("PLAIN", listener="SASL")
    settings["bootstrap_servers"] = secure_kafka.cluster.bootstrap_servers
    assert "does not authenticate" in failure(settings, UnsupportedSaslMechanismError)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_messages_travel_without_headers_after_the_first_version_of_the_handshake(
    secure_kafka: SecureKafka, mechanism: str
) -> None:
    """SaslHandshake v0, which real brokers still take; they refuse by hanging up."""
    settings = secure_kafka.sasl(mechanism, listener="SASL")
    with old_handshake(settings["bootstrap_servers"]) as proxy:
        settings["bootstrap_servers"] = proxy.address
        with kafkars.Admin(**settings) as admin:
            assert admin.list_topics() is not None
        assert set(proxy.handshakes) == {0}
        if mechanism != "OAUTHBEARER":
            failure(settings | {"sasl_password": "Xq7-wrong"}, SaslAuthenticationFailedError)


def test_what_a_user_may_not_do_is_an_error_of_its_own(secure_kafka: SecureKafka) -> None:
    topic = secure_kafka.new_topic()
    bob = secure_kafka.sasl("SCRAM-SHA-256", BOB)
    with kafkars.Producer(**bob) as producer, pytest.raises(TopicAuthorizationFailedError):
        producer.send(topic, b"v").result(30)
    with kafkars.Consumer(**bob) as consumer:
        consumer.assign([(topic, 0)])
        with pytest.raises(TopicAuthorizationFailedError):
            consumer.poll(30)
    with kafkars.Consumer(**bob, group_id="not-yours") as consumer:
        consumer.subscribe([topic])
        with pytest.raises((GroupAuthorizationFailedError, TopicAuthorizationFailedError)):
            consumer.poll(30)
    refused = pytest.raises(TransactionalIdAuthorizationFailedError)
    with kafkars.Producer(**bob, transactional_id="not-yours") as producer, refused:
        producer.init_transactions()


def test_the_user_sees_a_changed_password_in_a_running_client(secure_kafka: SecureKafka) -> None:
    """Connections are made for new needs all the time: one that is refused reaches whoever waits."""
    topic = secure_kafka.new_topic()
    given = [PASSWORDS[ALICE]]
    settings = secure_kafka.sasl("SCRAM-SHA-256", sasl_password=lambda: given[0])
    with kafkars.Consumer(**settings) as consumer:
        assert consumer.partitions_for(topic)  # over the one connection so far
        given[0] = "Xq7-wrong"
        consumer.assign([(topic, 0)])
        with pytest.raises(KafkaError) as raised:
            for _ in range(20):
                consumer.poll(1)
        assert isinstance(raised.value, SaslAuthenticationFailedError)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "OAUTHBEARER"])
def test_a_login_that_ends_is_renewed_on_the_same_connection(secure_kafka: SecureKafka, mechanism: str) -> None:
    """KIP-368: the listener ends connections that are used after their login."""
    topic = secure_kafka.new_topic()
    settings = secure_kafka.sasl(mechanism, listener="RENEWED")
    with (
        kafkars.Producer(**settings) as producer,
        kafkars.Consumer(**settings, auto_offset_reset="earliest") as consumer,
    ):
        consumer.assign([(topic, 0)])
        sent, read = 0, 0
        producer.send(topic, b"v").result(30)
        ends = time.monotonic() + RENEWED_MS / 1_000 + 1
        made = producer.metrics()["client"]["connections_made"]
        while time.monotonic() < ends:
            producer.send(topic, b"v")
            sent += 1
            read += len(consumer.poll_batch(timeout=0.01))
        assert producer.flush(30) == 0
        while read < sent + 1:
            batch = consumer.poll_batch(timeout=30)
            assert batch
            read += len(batch)
        assert producer.metrics()["client"]["connections_made"] == made


def test_tokens_come_from_an_endpoint(client_api: Any, secure_kafka: SecureKafka) -> None:
    settings = endpoint(secure_kafka)
    before = len(secure_kafka.tokens.asked)
    round_trip(client_api, settings, secure_kafka.new_topic())
    asked = secure_kafka.tokens.asked[before:]
    # One for each client, however many connections it makes.
    assert asked == ["grant_type=client_credentials&scope=kafka+all"] * 2


def test_an_endpoint_that_gives_no_token_is_named(secure_kafka: SecureKafka) -> None:
    said = failure(endpoint(secure_kafka, sasl_oauthbearer_client_secret="Xq7-wrong"), CredentialsError)
    assert secure_kafka.tokens.endpoint in said
    assert "401" in said
    assert "Xq7" not in said
    unreachable = endpoint(secure_kafka, sasl_oauthbearer_token_endpoint_url="http://127.0.0.1:1/token")
    assert "127.0.0.1:1/token cannot be asked" in failure(unreachable, CredentialsError)


def endpoint(secure_kafka: SecureKafka, **settings: Any) -> dict[str, Any]:
    base = secure_kafka.sasl("OAUTHBEARER")
    del base["sasl_oauthbearer_token_provider"]
    return (
        base
        | {
            "sasl_oauthbearer_token_endpoint_url": secure_kafka.tokens.endpoint,
            "sasl_oauthbearer_client_id": CLIENT_ID,
            "sasl_oauthbearer_client_secret": CLIENT_SECRET,
            "sasl_oauthbearer_scope": "kafka all",
        }
        | settings
    )

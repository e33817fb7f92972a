"""Logins that are refused for a while, or by an address that is not part of the cluster: no Kafka is needed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import kafkars
import pytest
from kafkars.errors import CertificateError, SaslAuthenticationFailedError
from kafkars.testing import Certificates, EmbeddedBroker

from tests.support.peers import closed_port, silent_server
from tests.support.sasl_gate import guarded_broker, sasl_gate
from tests.support.waiting import SECONDS, Stopwatch, eventually

pytestmark = pytest.mark.timeout(120)
PATIENCE_MS = 1_500
HANDSHAKE_MS = 3_000
"""For a handshake that is answered, beside one that is not and takes all of this."""


def test_a_transactional_producer_outlives_refused_logins() -> None:
    with (
        guarded_broker(records=1) as gate,
        kafkars.Producer(**gate.settings, transactional_id="orders") as producer,
    ):
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        producer.send("records", b"first").result(SECONDS)
        # So that the coordinator is who is to be connected to.
        gate.refuses = True
        gate.cut()

        def believe_again() -> None:
            gate.wait_for_refusals(3, SECONDS)
            gate.refuses = False

        thread = threading.Thread(target=believe_again)
        thread.start()
        producer.commit_transaction(SECONDS)
        thread.join()
        producer.begin_transaction()
        producer.send("records", b"second")
        producer.commit_transaction(SECONDS)


def test_an_address_outside_of_the_cluster_is_not_held_against_it() -> None:
    with guarded_broker(records=1) as gate, sasl_gate(refuses=True) as stranger:
        servers = f"{stranger.address},{gate.address}"
        # Which address is asked first is left to chance.
        for _ in range(100):
            with kafkars.Consumer(**gate.settings | {"bootstrap_servers": servers}) as consumer:
                consumer.assign([("records", 0)])
                for _ in range(4):
                    assert consumer.poll(0.1) is None
            if stranger.refused:
                return
        pytest.fail("the stranger was never asked")


def test_a_host_that_is_away_does_not_hold_a_refusal_up() -> None:
    with sasl_gate(refuses=True) as gate, closed_port() as gone:
        settings = gate.settings | {"bootstrap_servers": f"{gone},{gate.address}"}
        started = time.monotonic()
        with (
            kafkars.Producer(**settings, max_block_ms=SECONDS * 1_000) as producer,
            pytest.raises(SaslAuthenticationFailedError, match="wrong password"),
        ):
            producer.send("records", b"v").result(SECONDS)
        assert time.monotonic() - started < SECONDS / 2


@pytest.mark.parametrize("first", ["silent", "refusing"])
@pytest.mark.parametrize("protocol", ["sasl_plaintext", "sasl_ssl"])
def test_a_host_that_is_silent_does_not_hold_a_refusal_up(client_api: Any, first: str, protocol: str) -> None:
    """Which of several addresses is asked first is left to chance, too."""
    certificates = {"sasl_ssl": {"ssl_ca_pem": Certificates().ca_pem}, "sasl_plaintext": {}}[protocol]
    expected = {"sasl_ssl": CertificateError, "sasl_plaintext": SaslAuthenticationFailedError}[protocol]
    with EmbeddedBroker(security=protocol.upper(), users={"alice": "Xq7"}) as broker, silent_server() as silent:
        settings = broker.client_settings(mechanism="PLAIN", user="alice") | {"sasl_password": "wrong"} | certificates
        addresses = [silent, broker.bootstrap_servers]
        settings["bootstrap_servers"] = ",".join(addresses if first == "silent" else addresses[::-1])
        times = {"socket_connection_setup_timeout_ms": HANDSHAKE_MS}
        for _ in range(2):
            with client_api.Admin(**settings, **times) as admin, Stopwatch() as watch, pytest.raises(expected):
                admin.list_topics(timeout=SECONDS)
            assert watch.seconds < SECONDS / 2


def test_a_host_that_is_silent_does_not_hold_a_cluster_up(client_api: Any) -> None:
    with silent_server() as silent, EmbeddedBroker() as broker:
        servers = ",".join([silent] * 2 + [broker.bootstrap_servers] + [silent] * 2)
        for _ in range(5):
            with client_api.Admin(bootstrap_servers=servers) as admin, Stopwatch() as watch:
                admin.list_topics(timeout=SECONDS)
            # Less than the time to connect, of which one silent address would need all.
            assert watch.seconds < 5


def test_a_transactional_call_that_runs_out_of_time_says_that_the_login_is_refused() -> None:
    with (
        guarded_broker(records=1) as gate,
        kafkars.Producer(**gate.settings, transactional_id="orders") as producer,
    ):
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        producer.send("records", b"first").result(SECONDS)
        gate.refuses = True
        gate.cut()
        with pytest.raises(SaslAuthenticationFailedError, match="wrong password"):
            producer.commit_transaction(2)
        gate.refuses = False
        producer.commit_transaction(SECONDS)


LONG = 60
WAITS: dict[str, Callable[[Any, dict[str, Any]], object]] = {
    "poll": lambda consumer, _: consumer.poll(LONG),
    "poll_batch": lambda consumer, _: consumer.poll_batch(timeout=LONG),
    "iteration": lambda consumer, _: next(iter(consumer)),
    "position": lambda consumer, _: consumer.position(("records", 0), timeout=LONG),
}


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("is_let_in", [False, True], ids=["never let in", "let in before"])
def test_a_long_wait_hears_of_a_refusal_soon(client_api: Any, wait: str, *, is_let_in: bool) -> None:
    """And not at its end, which may be never."""
    with guarded_broker(records=1) as gate, client_api.Consumer(**gate.settings) as consumer:
        gate.refuses = not is_let_in
        consumer.assign([("records", 0)])
        if is_let_in:
            assert consumer.poll(1) is None
            gate.refuses = True
            gate.cut()
            consumer.seek_to_end([("records", 0)])
        started = time.monotonic()
        with pytest.raises(SaslAuthenticationFailedError, match="wrong password"):
            WAITS[wait](consumer, gate.settings)
        assert time.monotonic() - started < SECONDS
        gate.refuses = False
        eventually(lambda: is_quiet(consumer), "it is let in again")


def is_quiet(consumer: Any) -> bool:
    try:
        return consumer.poll(0.2) is None
    except SaslAuthenticationFailedError:
        return False


def test_a_transactional_producer_that_is_never_let_in_hears_so_soon(client_api: Any) -> None:
    with (
        sasl_gate(refuses=True) as gate,
        client_api.Producer(**gate.settings, transactional_id="orders") as producer,
    ):
        started = time.monotonic()
        with pytest.raises(SaslAuthenticationFailedError, match="wrong password"):
            producer.init_transactions(LONG)
        assert time.monotonic() - started < SECONDS


def test_brokers_that_hang_up_on_logins_are_heard_of_at_the_second_time(client_api: Any) -> None:
    with sasl_gate() as gate, client_api.Admin(**gate.settings) as admin:
        gate.fault = "hangs up"
        started = time.monotonic()
        with pytest.raises(SaslAuthenticationFailedError, match=r"closed the connection.*twice in a row"):
            admin.list_topics(timeout=LONG)
        assert time.monotonic() - started < SECONDS
        assert gate.connections <= 3


def test_records_wait_as_long_as_a_connection_may_take(client_api: Any) -> None:
    with guarded_broker(records=1) as gate:
        settings = gate.settings | {"socket_connection_setup_timeout_ms": PATIENCE_MS}
        with client_api.Producer(**settings) as producer:
            producer.send("records", b"first").result(SECONDS)
            gate.refuses = True
            gate.cut()
            # Twice: what failed once fails again.
            for value in (b"second", b"third"):
                with (
                    Stopwatch() as watch,
                    pytest.raises(SaslAuthenticationFailedError, match="wrong password") as raised,
                ):
                    producer.send("records", value).result(SECONDS)
                assert "records-0" in str(raised.value)
                assert PATIENCE_MS / 1_000 - 0.1 < watch.seconds < SECONDS / 2
            heard = gate.refused
            # New sends try again, with the credentials of then.
            gate.refuses = False
            assert producer.send("records", b"fourth").result(SECONDS).offset == 1
            assert heard >= 4


def test_credentials_that_are_put_right_in_time_cost_no_record(client_api: Any) -> None:
    with guarded_broker(records=1) as gate, client_api.Producer(**gate.settings) as producer:
        producer.send("records", b"first").result(SECONDS)
        gate.refuses = True
        gate.cut()
        sent = [producer.send("records", b"%d" % number) for number in range(10)]
        gate.wait_for_refusals(3, SECONDS)
        gate.refuses = False
        assert [each.result(SECONDS).offset for each in sent] == list(range(1, 11))


def test_logins_are_not_repeated_while_nobody_asks() -> None:
    with sasl_gate(refuses=True) as gate, kafkars.Consumer(**gate.settings) as consumer:
        consumer.assign([("records", 0)])
        with pytest.raises(SaslAuthenticationFailedError):
            consumer.poll(SECONDS)
        heard = gate.refused
        with gate.change:
            # Whoever hears of it is worth one more try.
            assert not gate.change.wait_for(lambda: gate.refused > heard + 2, 4), "nobody asked"


def test_pauses_between_refused_logins_grow() -> None:
    with sasl_gate(refuses=True) as gate, kafkars.Consumer(**gate.settings) as consumer:
        consumer.assign([("records", 0)])
        ends = time.monotonic() + 8
        while time.monotonic() < ends:
            with pytest.raises(SaslAuthenticationFailedError):
                consumer.poll(SECONDS)
        # 50 ms, doubled each time: the eighth would come after 6.4 s.
        assert gate.refused <= 9


@pytest.mark.parametrize("mechanism", ["PLAIN", "OAUTHBEARER"])
def test_brokers_before_1_0_get_messages_without_headers(mechanism: str) -> None:
    """SaslHandshake v0."""
    with guarded_broker(is_old=True, records=1) as gate:
        settings = gate.settings
        if mechanism == "OAUTHBEARER":
            settings = gate.token_settings | {"sasl_oauthbearer_token_provider": lambda: "token"}
        with kafkars.Producer(**settings) as producer:
            producer.send("records", b"v").result(SECONDS)
        expected = {"PLAIN": b"\0alice\0secret", "OAUTHBEARER": b"n,,\x01auth=Bearer token\x01\x01"}
        assert gate.message == expected[mechanism]


def test_an_old_broker_refuses_by_hanging_up() -> None:
    with (
        sasl_gate(refuses=True, is_old=True) as gate,
        kafkars.Admin(**gate.settings) as admin,
        pytest.raises(SaslAuthenticationFailedError, match=r"brokers before 1\.0"),
    ):
        admin.list_topics(timeout=SECONDS)

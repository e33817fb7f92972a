"""Addresses that lead nowhere: each is a `BootstrapError` that names the address and the cause, in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import kafkars
import pytest
from kafkars.errors import BootstrapError, ConfigError
from kafkars.testing import EmbeddedBroker

from tests.support import peers
from tests.support.waiting import SECONDS, Stopwatch, eventually

pytestmark = pytest.mark.usefixtures("nothing_left")

PATIENCE = 0.4
SETTINGS = {"socket_connection_setup_timeout_ms": 100, "max_block_ms": PATIENCE * 1_000}


@contextmanager
def unreachable_advertised_listeners() -> Iterator[str]:
    """A broker that answers, and tells clients to go where nobody listens."""
    with peers.closed_port() as advertised, EmbeddedBroker(advertised_port=int(advertised.split(":")[1])) as broker:
        yield broker.bootstrap_servers


PLACES: dict[str, tuple[Callable[[], AbstractContextManager[str]], str]] = {
    "unknown host": (lambda: nullcontext(peers.UNRESOLVABLE), r"host name cannot be resolved"),
    "refused port": (peers.closed_port, r"connection refused"),
    "web server": (peers.http_server, r"HTTP"),
    "TLS port": (peers.tls_server, r"TLS|security_protocol"),
    "silent port": (peers.silent_server, r"no answer"),
    "port that hangs up": (peers.hanging_up_server, r"closed"),
    "unreachable advertised.listeners": (unreachable_advertised_listeners, r"advertised\.listeners"),
}

CONSUMER_CALLS: dict[str, Callable[[Any], object]] = {
    "position": lambda consumer: consumer.position(("topic", 0), timeout=PATIENCE),
    "topics": lambda consumer: consumer.topics(timeout=PATIENCE),
    "partitions_for": lambda consumer: consumer.partitions_for("topic", timeout=PATIENCE),
    "beginning_offsets": lambda consumer: consumer.beginning_offsets([("topic", 0)], timeout=PATIENCE),
    "end_offsets": lambda consumer: consumer.end_offsets([("topic", 0)], timeout=PATIENCE),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({("topic", 0): 0}, timeout=PATIENCE),
}

PRODUCER_CALLS: dict[str, Callable[[Any], object]] = {
    "send": lambda producer: producer.send("topic", b"value").result(SECONDS),
    "partitions_for": lambda producer: producer.partitions_for("topic"),
}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """An address, and what an error must say about it."""
    start, cause = PLACES[request.param]
    with start() as address:
        yield address, cause


@pytest.mark.parametrize("call", PRODUCER_CALLS)
def test_a_producer_says_what_is_wrong_with_the_address(client_api: Any, place: tuple[str, str], call: str) -> None:
    address, cause = place
    with client_api.Producer(bootstrap_servers=address, **SETTINGS) as producer:
        assert_says_why(lambda: PRODUCER_CALLS[call](producer), address, cause)


@pytest.mark.parametrize("call", CONSUMER_CALLS)
def test_a_consumer_says_what_is_wrong_with_the_address(client_api: Any, place: tuple[str, str], call: str) -> None:
    address, cause = place
    settings = {name: value for name, value in SETTINGS.items() if name != "max_block_ms"}
    with client_api.Consumer(bootstrap_servers=address, **settings) as consumer:
        consumer.assign([("topic", 0)])
        assert_says_why(lambda: CONSUMER_CALLS[call](consumer), address, cause)


READS: dict[str, Callable[[Any], object]] = {
    "poll": lambda consumer: consumer.poll(timeout=PATIENCE),
    "poll_batch": lambda consumer: len(consumer.poll_batch(timeout=PATIENCE)) or None,
}
"""Each gives None where nothing has come."""

ENDING_BY_ITSELF = ("unknown host", "refused port", "silent port", "port that hangs up")


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("name", ENDING_BY_ITSELF)
def test_an_outage_before_the_first_contact_is_one_like_later_ones(
    client_api: Any, name: str, read: str, caplog: pytest.LogCaptureFixture
) -> None:
    start, _ = PLACES[name]
    with (
        caplog.at_level("WARNING", "kafkars"),
        start() as address,
        client_api.Consumer(bootstrap_servers=address, socket_connection_setup_timeout_ms=100) as consumer,
    ):
        consumer.assign([("topic", 0)])
        assert READS[read](consumer) is None

        def told() -> bool:
            assert READS[read](consumer) is None
            return any("goes on trying" in record.getMessage() for record in caplog.records)

        eventually(told, "the log tells of it")


@pytest.mark.parametrize("read", READS)
def test_what_waiting_does_not_mend_ends_a_read(client_api: Any, read: str) -> None:
    with peers.http_server() as address, client_api.Consumer(bootstrap_servers=address) as consumer:
        consumer.assign([("topic", 0)])

        def raises() -> bool:
            try:
                READS[read](consumer)
            except BootstrapError as error:
                return "HTTP" in str(error)
            return False

        eventually(raises, "the read fails and says why")


def test_a_consumer_reads_once_the_cluster_comes_up(client_api: Any) -> None:
    with peers.closed_port() as refused:
        port = int(refused.split(":")[1])
    with client_api.Consumer(bootstrap_servers=refused, auto_offset_reset="earliest") as consumer:
        consumer.assign([("topic", 0)])
        assert consumer.poll(timeout=PATIENCE) is None
        with EmbeddedBroker(port=port, topics={"topic": 1}) as broker:
            with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                producer.send("topic", b"late")
            record = eventually(lambda: consumer.poll(timeout=PATIENCE), "the record comes")
            assert record.value == b"late"
            consumer.close()


def assert_says_why(call: Callable[[], object], address: str, cause: str) -> None:
    def says_why() -> bool:
        with Stopwatch() as watch, pytest.raises(BootstrapError) as caught:
            call()
        # Far below the 30 s and more that it would take without a time-out, and above what a busy machine adds.
        assert watch.seconds < PATIENCE + 10
        assert isinstance(caught.value, ConnectionError)
        assert address in str(caught.value)
        said = dict(caught.value.causes)[address]
        # A machine that works on other things may take longer than the engine waits; then that is the cause it gives.
        assert re.search(rf"{cause}|no answer", said)
        return re.search(cause, said) is not None and re.search(cause, str(caught.value)) is not None

    eventually(says_why, f"the error says {cause}")


def test_every_address_is_named_with_its_own_cause(client_api: Any) -> None:
    with (
        peers.closed_port() as refused,
        peers.http_server() as web,
        client_api.Consumer(bootstrap_servers=[peers.UNRESOLVABLE, refused, web]) as consumer,
    ):
        with pytest.raises(BootstrapError) as caught:
            consumer.topics(timeout=PATIENCE)
        causes = dict(caught.value.causes)
        assert "resolved" in causes[peers.UNRESOLVABLE]
        assert "refused" in causes[refused]
        assert "HTTP" in causes[web]


def test_one_good_address_among_bad_ones_is_enough(client_api: Any) -> None:
    with (
        EmbeddedBroker(topics={"topic": 1}) as broker,
        peers.closed_port() as refused,
        peers.http_server() as web,
        peers.silent_server() as silent,
        client_api.Consumer(
            bootstrap_servers=[peers.UNRESOLVABLE, refused, web, silent, broker.bootstrap_servers]
        ) as consumer,
    ):
        assert consumer.topics(timeout=SECONDS) == ["topic"]


def test_a_cluster_that_comes_up_later_is_found(client_api: Any) -> None:
    with peers.closed_port() as refused:
        port = int(refused.split(":")[1])
    with client_api.Producer(bootstrap_servers=refused, max_block_ms=100) as producer:
        with pytest.raises(BootstrapError):
            producer.send("topic", b"early").result(SECONDS)
        with EmbeddedBroker(port=port):
            assert producer.partitions_for("topic", timeout=SECONDS)
            assert producer.send("topic", b"late").result(SECONDS).offset == 0
            producer.close()


@pytest.mark.parametrize(
    ("servers", "problem"),
    [
        ("", "empty"),
        ([], "empty"),
        ("localhost", "no port"),
        (":9092", "no host"),
        ("localhost:port", "port"),
        ("localhost:0", "port"),
        ("localhost:65536", "port"),
        ("::1:9092", "brackets"),
        ("http://localhost:9092", 'without \\\\?"http://'),
        ("a:9092;b:9092", "separated by commas"),
        ("a:9092 b:9092", "separated by commas"),
        ("localhost: 9092", "without spaces"),
        ("localhost:9092/", "nothing behind it"),
        (["localhost:9092", 9092], "host:port"),
        (9092, "host:port"),
    ],
)
@pytest.mark.parametrize("kind", ["Producer", "Consumer"])
def test_what_is_no_address_is_refused_before_anything_is_tried(
    client_api: Any, kind: str, servers: object, problem: str
) -> None:
    with pytest.raises(ConfigError, match=f"bootstrap_servers.*{problem}"):
        getattr(client_api, kind)(bootstrap_servers=servers)


def test_a_port_that_accepts_connections_and_says_nothing_is_no_broker(client_api: Any) -> None:
    with peers.silent_server() as address, client_api.Consumer(bootstrap_servers=address) as consumer:
        consumer.assign([("topic", 0)])
        eventually(
            lambda: consumer.poll(0) is None and consumer.metrics()["client"]["connections_open"], "a connection"
        )
        assert not consumer.health().connected

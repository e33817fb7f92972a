"""The time-out of a call holds whatever the broker does: it answers nothing, accepts nothing, or asks for a pause
(KIP-219)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from kafkars import Consumer
from kafkars.admin import UserScramCredentialUpsertion
from kafkars.errors import ClosedError, KafkaError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS, Stopwatch

pytestmark = pytest.mark.timeout(120)
TIMEOUT = 0.5
# What a call may take beyond its time-out on a machine that does much else. What it must not wait for takes 30 s, or is
# a pause of up to 10 s.
SLACK = 8.0
SLACK_IN_PAUSE = 4.0

CONSUMER_CALLS: dict[str, Callable[[Any], object]] = {
    "poll": lambda consumer: consumer.poll(timeout=TIMEOUT),
    "poll_batch": lambda consumer: consumer.poll_batch(timeout=TIMEOUT),
    "topics": lambda consumer: consumer.topics(timeout=TIMEOUT),
    "partitions_for": lambda consumer: consumer.partitions_for("other", timeout=TIMEOUT),
    "end_offsets": lambda consumer: consumer.end_offsets([("orders", 0)], timeout=TIMEOUT),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({("orders", 0): 0}, timeout=TIMEOUT),
    "commit": lambda consumer: consumer.commit({("orders", 0): 1}, timeout=TIMEOUT),
    "committed": lambda consumer: consumer.committed([("orders", 0)], timeout=TIMEOUT),
    "close": lambda consumer: consumer.close(timeout=TIMEOUT),
}

ADMIN_CALLS: dict[str, Callable[[Any], object]] = {
    "list_topics": lambda admin: admin.list_topics(timeout=TIMEOUT),
    "describe_topics": lambda admin: admin.describe_topics(["orders"], timeout=TIMEOUT),
    "list_groups": lambda admin: admin.list_groups(timeout=TIMEOUT),
    "list_offsets": lambda admin: admin.list_offsets({("orders", 0): "latest"}, timeout=TIMEOUT),
    "delete_topics": lambda admin: admin.delete_topics(["orders"], timeout=TIMEOUT),
    "find_coordinator": lambda admin: admin.find_coordinator("readers", timeout=TIMEOUT),
    "describe_acls": lambda admin: admin.describe_acls(timeout=TIMEOUT),
    "alter_user_scram_credentials": lambda admin: admin.alter_user_scram_credentials(
        [UserScramCredentialUpsertion("alice", "SCRAM-SHA-512", "a password of nobody")], timeout=TIMEOUT
    ),
    "describe_log_dirs": lambda admin: admin.describe_log_dirs([1], timeout=TIMEOUT),
    "describe_producers": lambda admin: admin.describe_producers([("orders", 0)], timeout=TIMEOUT),
}

PRODUCER_CALLS: dict[str, Callable[[Any], object]] = {
    "flush": lambda producer: producer.flush(TIMEOUT),
    "result": lambda producer: producer.send("orders", b"late").result(TIMEOUT),
    "close": lambda producer: producer.close(timeout=TIMEOUT),
}


@pytest.fixture(params=["longer", "as long"])
def request_timeout_ms(request: pytest.FixtureRequest) -> int:
    """The connection has a time-out of its own; where that of the call is the same, only one of them is kept by a
    timer."""
    return 30_000 if request.param == "longer" else int(TIMEOUT * 1_000)


@pytest.fixture
def embedded() -> Iterator[EmbeddedBroker]:
    """A broker of this test alone."""
    with EmbeddedBroker(topics={"orders": 1}) as started:
        yield started


@pytest.fixture
def clients(embedded: EmbeddedBroker, client_api: Any) -> Iterator[Clients]:
    """Clients of one flavour. Their broker answers again when they end."""
    made = Clients(Broker("embedded", embedded), client_api)
    yield made
    made.close()


def in_time(call: Callable[[], object], slack: float = SLACK) -> None:
    """It ends in time, with an error or without."""
    with Stopwatch() as watch, suppress(KafkaError, TimeoutError):
        call()
    assert watch.seconds < TIMEOUT + slack


@pytest.mark.parametrize("call", CONSUMER_CALLS)
def test_a_consumer_keeps_time_when_nothing_is_answered(
    embedded: EmbeddedBroker, clients: Clients, request_timeout_ms: int, call: str
) -> None:
    clients.fill("orders", range(1))
    consumer = clients.consumer([("orders", 0)], group_id="readers", request_timeout_ms=request_timeout_ms)
    read(consumer, 1)
    with embedded.intercept(None, "drop"):
        in_time(lambda: CONSUMER_CALLS[call](consumer))
    # What the broker has not answered it never will: the last commit may wait for a coordinator that was asked
    # meanwhile.
    in_time(lambda: consumer.close(timeout=TIMEOUT))


@pytest.mark.parametrize("call", ADMIN_CALLS)
def test_an_administrator_keeps_time_when_nothing_is_answered(
    embedded: EmbeddedBroker, clients: Clients, request_timeout_ms: int, call: str
) -> None:
    with clients.api.Admin(
        bootstrap_servers=embedded.bootstrap_servers, request_timeout_ms=request_timeout_ms
    ) as admin:
        admin.list_topics()
        with embedded.intercept(None, "drop"):
            in_time(lambda: ADMIN_CALLS[call](admin))


@pytest.mark.parametrize("call", PRODUCER_CALLS)
def test_a_producer_keeps_time_during_a_pause(embedded: EmbeddedBroker, clients: Clients, call: str) -> None:
    producer = clients.producer(linger_ms=0)
    producer.send("orders", b"known").result(SECONDS)
    # A quota is for ten seconds: what is beyond it by far is a pause of about that.
    embedded.set_quota("producer_byte_rate", 10_000)
    producer.send("orders", b"x" * 800_000).result(SECONDS)
    waiting = producer.send("orders", b"during the pause")
    assert not waiting.done()
    in_time(lambda: PRODUCER_CALLS[call](producer), SLACK_IN_PAUSE)
    embedded.set_quota("producer_byte_rate", None)
    in_time(lambda: producer.close(timeout=TIMEOUT))


def test_a_consumer_keeps_time_during_a_pause(embedded: EmbeddedBroker, clients: Clients) -> None:
    for _ in range(2):
        clients.fill("orders", ["x" * 90_000])
    embedded.set_quota("consumer_byte_rate", 10_000)
    # The first record is nearly all that a quota allows in ten seconds, the second is too much.
    small = {"fetch_max_bytes": 1_000, "max_partition_fetch_bytes": 1_000}
    consumer = clients.consumer([("orders", 0)], group_id="readers", **small)
    read(consumer, 1)
    for call in CONSUMER_CALLS.values():
        in_time(lambda call=call: call(consumer), SLACK_IN_PAUSE)


def test_offsets_of_a_topic_that_never_comes_are_out_of_time(clients: Clients) -> None:
    consumer = clients.consumer()
    with pytest.raises(KafkaTimeoutError, match="UNKNOWN_TOPIC_OR_PARTITION"):
        consumer.end_offsets([("nowhere", 0)], timeout=TIMEOUT)


@pytest.mark.parametrize("call", ["end_offsets", "beginning_offsets", "committed"])
def test_a_consumer_that_is_closed_answers_who_asked_for_offsets(embedded: EmbeddedBroker, call: str) -> None:
    consumer = Consumer(bootstrap_servers=embedded.bootstrap_servers, group_id="readers")
    api, code = ("OffsetFetch", "NOT_COORDINATOR") if call == "committed" else ("ListOffsets", "NOT_LEADER_OR_FOLLOWER")
    with embedded.intercept(api, code), ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(getattr(consumer, call), [("orders", 0)], timeout=SECONDS)
        embedded.wait_for_request(api, count=2)
        consumer.close(timeout=TIMEOUT)
        with pytest.raises(ClosedError):
            outcome.result(SECONDS)

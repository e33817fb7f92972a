"""Refusals that keep nobody from anything: of another broker, of another connection, or of nobody at all."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import kafkars
import pytest
from kafkars import TopicPartition
from kafkars.errors import AuthenticationError, KafkaError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.support.waiting import SECONDS, eventually

pytestmark = pytest.mark.timeout(120)
TOPIC, PLACE = "passing", TopicPartition("passing", 0)
USERS = {"alice": "Xq7-alice"}


def test_a_node_that_leads_nothing_any_more_is_not_held_against_reads(client_api: Any) -> None:
    with EmbeddedCluster(nodes=3, topics={TOPIC: 3}, security="SASL_PLAINTEXT", users=USERS) as cluster:
        stays, moves = cluster.leader(TOPIC, 0), cluster.leader(TOPIC, 1)
        addresses = cluster.bootstrap_servers.split(",")
        settings = cluster.client_settings(mechanism="PLAIN", user="alice")
        settings["bootstrap_servers"] = addresses[cluster.nodes.index(stays)]
        refused = cluster.intercept("SaslAuthenticate", "SASL_AUTHENTICATION_FAILED", times=1, node=moves)
        with client_api.Consumer(**settings, metadata_max_age_ms=1_000) as consumer:
            consumer.assign([PLACE, TopicPartition(TOPIC, 1)])
            eventually(lambda: refused.hits > 0, "its login is refused")
            cluster.move_leader(TOPIC, 1, stays)
            eventually(lambda: consumer.position(TopicPartition(TOPIC, 1)) == 0, "it is read elsewhere")
            for _ in range(3):
                assert consumer.poll(timeout=1.2) is None


class Tokens:
    """Gives tokens, except for as often as is said."""

    def __init__(self, cluster: EmbeddedBroker | EmbeddedCluster) -> None:
        self.settings = cluster.client_settings(mechanism="OAUTHBEARER", user="alice")
        self.inner = self.settings["sasl_oauthbearer_token_provider"]
        self.settings["sasl_oauthbearer_token_provider"] = self.give
        self.fails = 0

    def give(self) -> Any:
        if self.fails > 0:
            self.fails -= 1
            raise RuntimeError("503")
        return self.inner()


@contextmanager
def with_tokens() -> Iterator[tuple[EmbeddedBroker, Tokens]]:
    with EmbeddedBroker(topics={TOPIC: 1}, security="SASL_PLAINTEXT", users=USERS) as broker:
        yield broker, Tokens(broker)


def end_of(consumer: Any) -> int:
    consumer.seek_to_end([PLACE])
    position: int = consumer.position(PLACE, timeout=SECONDS)
    return position


CALLS: dict[str, Callable[[Any], object]] = {
    "commit": lambda consumer: consumer.commit({PLACE: 1}, timeout=SECONDS),
    "committed": lambda consumer: consumer.committed([PLACE], timeout=SECONDS),
    "end_offsets": lambda consumer: consumer.end_offsets([PLACE], timeout=SECONDS),
    "topics": lambda consumer: consumer.topics(timeout=SECONDS),
    "position": end_of,
}


@pytest.mark.parametrize("call", CALLS)
def test_a_token_that_is_missing_once_ends_no_call(client_api: Any, call: str) -> None:
    with with_tokens() as (broker, tokens), client_api.Consumer(**tokens.settings, group_id="group") as consumer:
        consumer.assign([PLACE])
        consumer.commit({PLACE: 0}, timeout=SECONDS)
        assert consumer.position(PLACE) == 0
        tokens.fails = 1
        broker.cut_connections()
        CALLS[call](consumer)
        eventually(lambda: tokens.fails == 0, "a token is missing")


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.parametrize("fault", ["no token", "a refusal"])
def test_a_member_that_is_not_let_in_once_still_commits_and_leaves(client_api: Any, protocol: str, fault: str) -> None:
    with with_tokens() as (broker, tokens):
        with kafkars.Producer(**tokens.settings) as producer:
            producer.send(TOPIC, b"value").result(SECONDS)
        consumer = client_api.Consumer(
            **tokens.settings,
            group_id="group",
            group_protocol=protocol,
            auto_offset_reset="earliest",
            auto_commit_interval_ms=60_000,
        )
        consumer.subscribe([TOPIC])
        assert consumer.poll(SECONDS) is not None
        assert consumer.poll(0.2) is None
        if fault == "no token":
            tokens.fails = 1
        else:
            broker.intercept("SaslAuthenticate", "SASL_AUTHENTICATION_FAILED", times=1)
        broker.cut_connections()
        consumer.close(timeout=SECONDS)
        with kafkars.Admin(**tokens.settings) as admin:
            assert admin.list_group_offsets(["group"])["group"][PLACE].offset == 1
        bodies = [request.body or {} for request in broker.requests("ConsumerGroupHeartbeat")]
        assert broker.requests("LeaveGroup") or bodies[-1]["member_epoch"] == -1


def test_a_commit_on_a_connection_that_lives_hears_of_no_other(client_api: Any) -> None:
    with EmbeddedBroker(topics={TOPIC: 1}, security="SASL_PLAINTEXT", users=USERS) as broker:
        settings = broker.client_settings(mechanism="PLAIN", user="alice")
        with client_api.Consumer(**settings, group_id="group", enable_auto_commit=False) as consumer:
            consumer.assign([PLACE])
            consumer.commit({PLACE: 0}, timeout=SECONDS)
            assert consumer.position(PLACE) == 0
            refused = broker.intercept("SaslAuthenticate", "SASL_AUTHENTICATION_FAILED")
            broker.intercept("Fetch", "disconnect")
            eventually(lambda: refused.hits > 0, "fetches are refused")
            broker.intercept("OffsetCommit", "delay", seconds=1.5)
            since = time.monotonic()
            consumer.commit({PLACE: 1}, timeout=SECONDS)
            assert time.monotonic() - since > 1
            assert consumer.committed([PLACE], timeout=SECONDS)[PLACE].offset == 1
            refused.remove()


ANY_BROKER: dict[str, tuple[str, Callable[[Any], object]]] = {
    "list_topics": ("Admin", lambda admin: admin.list_topics(timeout=SECONDS)),
    "find_coordinator": ("Admin", lambda admin: admin.find_coordinator("group", timeout=SECONDS)),
    "topics": ("Consumer", lambda consumer: consumer.topics(timeout=SECONDS)),
}


@pytest.mark.parametrize("name", ANY_BROKER)
def test_a_broker_that_refuses_does_not_speak_for_the_others(client_api: Any, name: str) -> None:
    kind, call = ANY_BROKER[name]
    with EmbeddedCluster(nodes=3, topics={TOPIC: 1}, security="SASL_PLAINTEXT", users=USERS) as cluster:
        lets_in, *refuse = cluster.nodes
        settings = cluster.client_settings(mechanism="PLAIN", user="alice")
        settings["bootstrap_servers"] = cluster.bootstrap_servers.split(",")[0]
        with getattr(client_api, kind)(**settings) as client:
            call(client)
            faults = [cluster.intercept("SaslAuthenticate", "SASL_AUTHENTICATION_FAILED", node=node) for node in refuse]
            # Which broker is asked first is left to chance.
            for tries in range(100):
                cluster.cut_connections()
                call(client)
                if tries >= 10 and any(fault.hits > 0 for fault in faults):
                    break
            assert any(fault.hits > 0 for fault in faults), lets_in


def test_a_call_in_the_pause_after_a_refusal_says_how_old_that_is(client_api: Any) -> None:
    with EmbeddedBroker(topics={TOPIC: 1}, security="SASL_PLAINTEXT", users=USERS) as broker:
        settings = broker.client_settings(mechanism="PLAIN", user="alice")
        with client_api.Admin(**settings, socket_connection_setup_timeout_ms=6_000) as admin:
            admin.list_topics(timeout=SECONDS)
            refused = broker.intercept("SaslAuthenticate", "SASL_AUTHENTICATION_FAILED")
            broker.cut_connections()
            seen = set()
            # Pauses grow until a call that begins in one hears of a refusal from before.
            since = time.monotonic()
            while not any(ago > 500 for ago in seen):
                assert time.monotonic() - since < SECONDS, seen
                try:
                    admin.list_topics(timeout=SECONDS)
                except AuthenticationError as error:
                    found = re.search(r"that was (\d+) ms ago.*the next in (\d+) ms", str(error))
                    seen |= {int(found[1])} if found else set()
            # A password that is right again counts no later than the pause ends, which is half of the set-up time-out.
            refused.remove()
            since = time.monotonic()
            while True:
                # Without regard to that time-out it could be 10 s.
                assert time.monotonic() - since < 3 + 5, "the pause is over"
                with suppress(AuthenticationError):
                    admin.list_topics(timeout=SECONDS)
                    break


def test_a_time_out_of_a_transaction_hears_of_its_coordinator_only(client_api: Any) -> None:
    with EmbeddedCluster(nodes=3, topics={TOPIC: 3}, security="SASL_PLAINTEXT", users=USERS) as cluster:
        settings = cluster.client_settings(mechanism="PLAIN", user="alice")
        producer = client_api.Producer(**settings, transactional_id="orders")
        producer.init_transactions(timeout=SECONDS)
        coordinator = cluster.requests("InitProducerId")[-1].node
        partition = next(each for each in range(3) if cluster.leader(TOPIC, each) != coordinator)
        producer.begin_transaction()
        producer.send(TOPIC, b"first", partition=partition).result(SECONDS)
        leader = cluster.leader(TOPIC, partition)
        refused = cluster.intercept("SaslAuthenticate", "SASL_AUTHENTICATION_FAILED", node=leader)
        # So that the leader is connected to anew.
        cluster.intercept("Produce", "disconnect", times=1)
        producer.send(TOPIC, b"second", partition=partition)
        eventually(lambda: refused.hits > 0, "the leader refuses")
        silent = cluster.intercept(None, "drop", node=coordinator)
        producer.purge()
        with pytest.raises(KafkaTimeoutError, match=rf"broker {coordinator} .* has not answered EndTxn"):
            producer.abort_transaction(timeout=1.5)
        silent.remove()
        refused.remove()
        with suppress(KafkaError):
            producer.close(timeout=0)

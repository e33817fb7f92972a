"""Statistics, log lines and pauses reach the program's callbacks where it polls, and nowhere else."""

from __future__ import annotations

import gc
import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import kafkars
import pytest
from kafkars import _logging
from kafkars.compat.confluent_kafka import _events
from kafkars.compat.confluent_kafka._config import producer_settings
from kafkars.compat.confluent_kafka._events import Events, events_of
from kafkars.compat.confluent_kafka._face import Face
from kafkars.compat.confluent_kafka._statistics import Statistics
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS

# What librdkafka 2.16 writes, in STATISTICS.md and as observed.
TOP = set(
    "name client_id type ts time age replyq msg_cnt msg_size msg_max msg_size_max simple_cnt metadata_cache_cnt brokers "
    "topics tx tx_bytes rx rx_bytes txmsgs txmsg_bytes rxmsgs rxmsg_bytes".split()
)
GROUP = set("state stateage join_state rebalance_age rebalance_cnt rebalance_reason assignment_size".split())
PARTITION = set(
    "partition broker leader desired unknown msgq_cnt msgq_bytes xmit_msgq_cnt xmit_msgq_bytes fetchq_cnt fetchq_size "
    "fetch_state query_offset next_offset app_offset stored_offset stored_leader_epoch commited_offset committed_offset "
    "committed_leader_epoch eof_offset lo_offset hi_offset ls_offset consumer_lag consumer_lag_stored leader_epoch txmsgs "
    "txbytes rxmsgs rxbytes msgs rx_ver_drops msgs_inflight next_ack_seq next_err_seq acked_msgid".split()
)
BROKER = set(
    "name nodeid nodename source state stateage outbuf_cnt outbuf_msg_cnt waitresp_cnt waitresp_msg_cnt tx txbytes txerrs "
    "txretries txidle req_timeouts rx rxbytes rxerrs rxcorriderrs rxpartial rxidle zbuf_grow buf_grow wakeups connects "
    "disconnects int_latency outbuf_latency rtt throttle req toppars".split()
)


class Flag:
    """Counts."""

    def __init__(self) -> None:
        self.times = 0
        self.period: float | None = None

    def set(self) -> None:
        self.times += 1

    def set_every(self, seconds: float) -> None:
        self.period = seconds


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as broker:
        broker.create_topic("t", 1)
        yield broker


def test_calls_wait_for_the_poll_and_keep_their_order() -> None:
    pending, seen = Flag(), []
    events = Events(Face(), pending)
    events.push(lambda: seen.append(1))
    events.push(lambda: seen.append(2))
    assert (pending.times, seen) == (2, [])
    assert events.serve() == 2
    assert (seen, events.serve()) == ([1, 2], 0)


def test_what_a_callback_raises_comes_through_and_the_rest_keeps_its_turn() -> None:
    pending, seen = Flag(), []
    events = Events(Face(), pending)
    events.push(lambda: 1 / 0)
    events.push(lambda: seen.append(2))
    times = pending.times
    with pytest.raises(ZeroDivisionError):
        events.serve()
    assert pending.times == times + 1
    assert (events.serve(), seen) == (1, [2])


def test_calls_that_nobody_serves_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_events, "MOST_WAITING", 3)
    events, seen = Events(Face(), Flag()), []
    for number in range(5):
        events.push(lambda number=number: seen.append(number))  # type: ignore[misc]
    assert (events.serve(), seen) == (3, [2, 3, 4])


def test_statistics_are_told_at_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now, seen = [0.0], []
    monkeypatch.setattr(_events.time, "monotonic", lambda: now[0])
    pending = Flag()
    events = Events(Face(stats_cb=seen.append, statistics_interval=5.0), pending, statistics=lambda: "{}")
    assert (pending.period, events.serve()) == (5.0, 0)
    now[0] = 5.0
    assert (events.serve(), events.serve(), seen) == (1, 0, ["{}"])
    now[0] = 30.0
    assert (events.serve(), events.serve()) == (1, 0)
    assert Events(Face(stats_cb=seen.append), Flag(), statistics=lambda: "{}").serve() == 0


def test_pauses_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now, total, seen = [0.0], [0.0], []
    monkeypatch.setattr(_events.time, "monotonic", lambda: now[0])
    events = Events(Face(throttle_cb=seen.append), Flag(), throttled=lambda: total[0], address="b:1")
    now[0] = 1.0
    assert events.serve() == 0
    now[0], total[0] = 2.0, 0.25
    assert events.serve() == 1
    now[0] = 3.0
    assert events.serve() == 0
    assert [(each.broker_name, each.broker_id, each.throttle_time) for each in seen] == [("b:1", -1, 0.25)]


def lines(caught: list[logging.LogRecord]) -> list[tuple[int, str]]:
    return [(each.levelno, each.getMessage()) for each in caught]


def test_log_lines_reach_the_programs_logger_from_the_poll(broker: EmbeddedBroker) -> None:
    caught: list[logging.LogRecord] = []
    logger = logging.Logger("app")  # noqa: LOG001  not one that pytest listens to
    handler = logging.Handler()
    handler.emit = caught.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    heard = threading.Event()
    pending = Flag()
    pending.set = heard.set  # type: ignore[method-assign]
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        client = producer._client_name()
        events = Events(Face(logger=logger, log_level=logging.DEBUG), pending, client=client)
        producer.send("t", b"v").result(SECONDS)
    assert heard.wait(SECONDS)
    assert caught == []
    assert events.serve() > 0
    assert caught
    assert all(text.startswith("kafkars.") for _, text in lines(caught))
    events.close()
    assert client not in _logging._listeners


def test_a_client_that_was_forgotten_listens_no_more() -> None:
    events = Events(Face(logger=logging.getLogger("app")), Flag(), client="app#1")
    assert "app#1" in _logging._listeners
    del events
    gc.collect()
    assert "app#1" not in _logging._listeners


def test_statistics_of_a_producer_have_librdkafkas_layout(broker: EmbeddedBroker) -> None:
    seen: list[str] = []
    settings = producer_settings(({"bootstrap.servers": broker.bootstrap_servers, "client.id": "x"},), {})
    with kafkars.Producer(**settings.engine) as producer:
        producer.send("t", b"value", b"key").result(SECONDS)
        events = events_of(Face(stats_cb=seen.append, statistics_interval=1e-6), settings.values, producer, Flag())
        assert events.serve() == 1
    found: dict[str, Any] = json.loads(seen[0])
    assert set(found) == TOP
    assert (found["type"], found["client_id"], found["txmsgs"], found["msg_cnt"]) == ("producer", "x", 1, 0)
    assert (found["msg_max"], found["msg_size_max"]) == (100_000, 2**30)
    partitions = found["topics"]["t"]["partitions"]
    assert set(partitions) == {"-1", "0"}
    assert set(partitions["-1"]) == set(partitions["0"]) == PARTITION
    partition = partitions["0"]
    assert (partition["partition"], partition["txmsgs"]) == (0, 1)
    assert partition["txbytes"] > 0
    assert found["tx"] > 0
    assert found["rx_bytes"] > 0
    ((name, one),) = found["brokers"].items()
    assert set(one) == BROKER
    assert (one["name"], one["state"]) == (name, "UP")


def test_statistics_of_a_consumer_have_librdkafkas_layout(broker: EmbeddedBroker) -> None:
    bootstrap = broker.bootstrap_servers
    with kafkars.Producer(bootstrap_servers=bootstrap) as producer:
        for _ in range(3):
            producer.send("t", b"v")
    with kafkars.Consumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest", group_id="g") as consumer:
        consumer.subscribe("t")
        assert consumer.poll(SECONDS) is not None
        statistics = Statistics(consumer, kind="consumer", client_id="rdkafka")
        found: dict[str, Any] = json.loads(statistics.text())
    assert set(found) == TOP | {"cgrp"}
    assert set(found["cgrp"]) == GROUP
    assert (found["cgrp"]["join_state"], found["cgrp"]["assignment_size"]) == ("steady", 1)
    partition = found["topics"]["t"]["partitions"]["0"]
    assert set(partition) == PARTITION
    assert (partition["hi_offset"], partition["lo_offset"], partition["app_offset"], partition["consumer_lag"]) == (
        3,
        0,
        1,
        2,
    )
    assert found["rxmsgs"] == 1

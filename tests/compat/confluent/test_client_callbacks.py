"""Callbacks of a client as a whole run where the program polls: the same on the library and its face."""

from __future__ import annotations

import importlib
import json
import logging
import threading
import time
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.compat.confluent.conftest import FACE, LIBRARY
from tests.support.waiting import SECONDS


def client(ck: ModuleType, kind: str, broker: Broker, topic: str, **properties: Any) -> Any:
    settings = {"bootstrap.servers": broker.bootstrap_servers, **properties}
    if kind == "Producer":
        return ck.Producer(settings)
    consumer = ck.Consumer({**settings, "group.id": topic, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    return consumer


def poll_until(made: Any, told: list[Any]) -> None:
    until = time.monotonic() + SECONDS
    while not told:
        assert time.monotonic() < until, "the callback was not called"
        made.poll(0.1)


@pytest.mark.parametrize("kind", ["Producer", "Consumer"])
def test_statistics_are_told_to_whoever_polls(ck: ModuleType, broker: Broker, topic: str, kind: str) -> None:
    told: list[tuple[int, str]] = []
    properties = {
        "stats_cb": lambda text: told.append((threading.get_ident(), text)),
        "statistics.interval.ms": 50,
        "client.id": "counted",
        "log_level": 0,
    }
    with client(ck, kind, broker, topic, **properties) as made:
        poll_until(made, told)
    thread, text = told[0]
    assert thread == threading.get_ident()
    found = json.loads(text)
    assert (found["type"], found["client_id"]) == (kind.lower(), "counted")
    assert {"ts", "time", "age", "brokers", "topics", "tx", "rx_bytes", "txmsgs", "msg_cnt"} <= set(found)
    assert ("cgrp" in found) == (kind == "Consumer")


def is_known(brokers: Iterable[dict[str, Any]]) -> bool:
    """True if all brokers have answered, and six partitions have leaders."""
    every = list(brokers)
    return sum(len(each["toppars"]) for each in every) == 6 and all(
        each["tx"] > 0 and each["rxbytes"] > 0 and each["state"] == "UP" for each in every
    )


@pytest.mark.parametrize("kind", ["Producer", "Consumer"])
def test_statistics_have_every_broker_and_what_it_leads(kind: str) -> None:
    with EmbeddedBroker(nodes=3, topics={"led": 6}) as cluster:
        told = {}
        for name in (LIBRARY, FACE):
            texts: list[str] = []
            settings = {"bootstrap.servers": cluster.bootstrap_servers, "statistics.interval.ms": 50, "log_level": 0}
            settings["stats_cb"] = texts.append
            module = importlib.import_module(name)
            if kind == "Producer":
                made = module.Producer(settings)
                for partition in range(6):
                    made.produce("led", "value", partition=partition)
                assert made.flush(SECONDS) == 0
            else:
                made = module.Consumer({**settings, "group.id": f"group of {name}"})
                made.assign([module.TopicPartition("led", partition, 0) for partition in range(6)])
            deadline = time.monotonic() + SECONDS
            while not (texts and is_known(learned(texts[-1]).values())):
                assert time.monotonic() < deadline, texts[-1:]
                made.poll(0.05)
            found = json.loads(texts[-1])
            leaders = {number: row["leader"] for number, row in found["topics"]["led"]["partitions"].items()}
            told[name] = [
                {number: leader for number, leader in leaders.items() if number != "-1"},
                {
                    node: (each["name"], each["nodename"], each["source"], each["state"], each["toppars"])
                    for node, each in learned(texts[-1]).items()
                },
            ]
            if kind == "Consumer":
                made.close()
        assert told[FACE] == told[LIBRARY]


def counted(ck: ModuleType, broker: Broker, topic: str, committed: int) -> dict[str, Any]:
    """The partitions in the statistics of a consumer that has read three messages and committed this offset."""
    writer = ck.Producer({"bootstrap.servers": broker.bootstrap_servers})
    for _ in range(3):
        writer.produce(topic, "value", partition=0)
    assert writer.flush(SECONDS) == 0
    texts: list[str] = []
    settings: dict[str, Any] = {"stats_cb": texts.append, "statistics.interval.ms": 50, "auto.offset.reset": "earliest"}
    settings |= {"bootstrap.servers": broker.bootstrap_servers, "group.id": topic, "enable.auto.commit": False}
    with ck.Consumer(settings) as made:
        made.assign([ck.TopicPartition(topic, 0)])
        read: list[Any] = []
        deadline = time.monotonic() + SECONDS
        while len(read) < 3:
            assert time.monotonic() < deadline
            read += made.consume(3 - len(read), 0.1)
        made.commit(offsets=[ck.TopicPartition(topic, 0, committed)], asynchronous=False)
        # What is told at first may be from before the commit.
        while not is_counted(found := partitions_of(texts, topic), committed):
            assert time.monotonic() < deadline, texts[-1:]
            made.poll(0.1)
    return found


def partitions_of(texts: list[str], topic: str) -> dict[str, Any]:
    """The partitions of a topic in the latest statistics."""
    every = json.loads(texts[-1])["topics"] if texts else {}
    found: dict[str, Any] = every[topic]["partitions"] if topic in every else {}
    return found


def is_counted(partitions: dict[str, Any], committed: int) -> bool:
    """True if the first partition has this offset committed, and everything that was read is stored."""
    row = partitions.get("0")
    return row is not None and (row["committed_offset"], row["consumer_lag_stored"]) == (committed, 0)


def test_the_lag_in_statistics_is_that_of_what_is_committed(ck: ModuleType, broker: Broker, topic: str) -> None:
    row = counted(ck, broker, topic, 1)["0"]
    assert (row["committed_offset"], row["commited_offset"]) == (1, 1)
    assert (row["consumer_lag"], row["consumer_lag_stored"], row["hi_offset"]) == (2, 0, 3)


def test_statistics_have_the_partition_of_messages_without_one(ck: ModuleType, broker: Broker, topic: str) -> None:
    row = counted(ck, broker, topic, 1)["-1"]
    assert (row["partition"], row["leader"], row["desired"], row["fetch_state"]) == (-1, -1, False, "none")


def learned(text: str) -> dict[int, dict[str, Any]]:
    """The brokers of statistics that have a number."""
    found = json.loads(text)["brokers"].values() if text else ()
    return {each["nodeid"]: each for each in found if each["nodeid"] >= 0 and each["source"] == "learned"}


@pytest.mark.parametrize("kind", ["Producer", "Consumer"])
def test_log_lines_go_to_the_programs_logger_where_it_polls(
    ck: ModuleType, broker: Broker, topic: str, kind: str
) -> None:
    lines: list[Any] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append((threading.get_ident(), record.getMessage()))

    logger = logging.Logger("app")  # noqa: LOG001  not one that pytest listens to
    logger.addHandler(Keep())
    with client(ck, kind, broker, topic, logger=logger, debug="all") as made:
        if kind == "Producer":
            made.produce(topic, b"v")
        poll_until(made, lines)
    assert {thread for thread, _ in lines} == {threading.get_ident()}
    assert all(isinstance(text, str) and text for _, text in lines)


@pytest.mark.parametrize("kind", ["Producer", "Consumer"])
def test_what_such_a_callback_raises_comes_out_of_the_poll(
    ck: ModuleType, broker: Broker, topic: str, kind: str
) -> None:
    def refuse(_text: str) -> None:
        raise OSError("no statistics today")

    properties = {"stats_cb": refuse, "statistics.interval.ms": 50, "log_level": 0}
    made = client(ck, kind, broker, topic, **properties)
    with pytest.raises(OSError, match="no statistics today"):
        poll_until(made, [])
    try:
        made.close()
    except OSError:
        made.close()


def test_statistics_tell_of_requests_and_how_long_their_answers_took(
    ck: ModuleType, broker: Broker, topic: str
) -> None:
    texts: list[str] = []
    settings: dict[str, Any] = {
        "stats_cb": texts.append,
        "statistics.interval.ms": 100,
        "auto.offset.reset": "earliest",
    }
    settings |= {"bootstrap.servers": broker.bootstrap_servers, "group.id": topic, "fetch.wait.max.ms": 20}
    with ck.Consumer(settings) as made:
        made.assign([ck.TopicPartition(topic, 0)])
        deadline = time.monotonic() + SECONDS
        while not (rows := [each for each in learned(texts[-1] if texts else "").values() if is_timed(each)]):
            assert time.monotonic() < deadline, texts[-1:]
            made.poll(0.05)
        for row in rows:
            assert row["req"]["ListOffsets"] >= 1
            assert row["req"]["ApiVersion"] >= 1
            assert row["req"]["LeaveGroup"] == 0
            assert row["tx"] >= sum(row["req"].values())
            times = row["rtt"]
            # Numbers of a histogram are a little off.
            assert 0 < times["min"] <= 1.1 * times["p50"]
            assert times["p50"] <= times["p99"] <= 1.1 * times["max"]
            assert times["min"] <= times["avg"] <= times["max"]
            assert times["sum"] >= times["cnt"] * times["min"]
            assert 0 <= row["rxidle"] < SECONDS * 1_000_000
            assert 0 <= row["txidle"] < SECONDS * 1_000_000
        # Of what has come since: there is not always less than before.
        counts = []
        while len(counts) < 6:
            assert time.monotonic() < deadline
            made.poll(0.05)
            counts = [each["rtt"]["cnt"] for text in texts for each in learned(text).values()]
        assert sum(counts) <= max(sum(each["rx"] for each in learned(text).values()) for text in texts)


def is_timed(broker: dict[str, Any]) -> bool:
    """True if it has answered fetches, and it is told how fast."""
    return broker["req"].get("Fetch", 0) > 3 and broker["rtt"]["cnt"] > 0


def test_statistics_have_the_epochs_of_what_is_committed(ck: ModuleType, broker: Broker, topic: str) -> None:
    texts: list[str] = []
    settings: dict[str, Any] = {"stats_cb": texts.append, "statistics.interval.ms": 50, "auto.offset.reset": "earliest"}
    settings |= {"bootstrap.servers": broker.bootstrap_servers, "group.id": topic, "enable.auto.commit": False}
    writer = ck.Producer({"bootstrap.servers": broker.bootstrap_servers})
    writer.produce(topic, "value", partition=0)
    assert writer.flush(SECONDS) == 0
    with ck.Consumer(settings) as made:
        made.assign([ck.TopicPartition(topic, 0)])
        assert len(made.consume(1, SECONDS)) == 1
        made.commit(asynchronous=False)
        deadline = time.monotonic() + SECONDS
        while not is_counted(found := partitions_of(texts, topic), 1):
            assert time.monotonic() < deadline, texts[-1:]
            made.poll(0.1)
    assert (found["0"]["committed_leader_epoch"], found["0"]["stored_leader_epoch"]) == (0, 0)
    assert json.loads(texts[-1])["metadata_cache_cnt"] == 1


@pytest.mark.parametrize("is_idempotent", [False, True])
def test_statistics_have_what_is_acknowledged(ck: ModuleType, broker: Broker, topic: str, is_idempotent: bool) -> None:
    texts: list[str] = []
    settings: dict[str, Any] = {"stats_cb": texts.append, "statistics.interval.ms": 50}
    settings |= {"bootstrap.servers": broker.bootstrap_servers, "enable.idempotence": is_idempotent}
    made = ck.Producer(settings)
    for _ in range(3):
        made.produce(topic, "value", partition=0)
    assert made.flush(SECONDS) == 0
    deadline = time.monotonic() + SECONDS
    while (row := partitions_of(texts, topic).get("0", {"txmsgs": 0}))["txmsgs"] < 3:
        assert time.monotonic() < deadline, texts[-1:]
        made.poll(0.05)
    assert row["next_offset"] == 0
    told = [row[name] for name in ("acked_msgid", "next_ack_seq", "next_err_seq")]
    assert told == ([3, 3, 3] if is_idempotent else [0, 0, 0])

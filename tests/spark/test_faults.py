"""Answers that are late, missing for a moment or older than those before cost a query time, and no record."""

from __future__ import annotations

import collections
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Producer
from kafkars.admin import Admin, NewTopic
from kafkars.errors import KafkaTimeoutError
from kafkars.testing import EmbeddedBroker
from kafkars.types import TopicPartition

from tests.support.waiting import SECONDS, eventually

pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")

from kafkars.spark import reading, schema
from kafkars.spark.columns import Columns
from kafkars.spark.errors import DataLossError
from kafkars.spark.options import SourceOptions, source_options
from kafkars.spark.ranges import OffsetRange
from kafkars.spark.stream import StreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

pytestmark = [pytest.mark.spark, pytest.mark.timeout(120)]

TOPIC = "events"


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={TOPIC: 2}) as started:
        yield started
        # What a worker keeps for its next task is of no use to the next test.
        while reading._idle:
            reading._idle.popitem()[1].close()


def produce(broker: EmbeddedBroker, count: int, partition: int = 0) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send_many(TOPIC, [b"%d" % number for number in range(count)], partitions=[partition] * count).result(
            SECONDS
        )


def options(broker: EmbeddedBroker, *, streaming: bool = False, **given: str) -> SourceOptions:
    address = {"kafka.bootstrap.servers": broker.bootstrap_servers, "subscribe": TOPIC}
    return source_options({**address, "startingOffsets": "earliest", **given}, streaming=streaming)


def offsets(chosen: SourceOptions, start: int, end: int) -> list[int]:
    """The offsets that a task reads."""
    columns = Columns(schema.full(chosen), chosen)
    wanted = OffsetRange(TopicPartition(TOPIC, 0), start, end)
    return [row["offset"] for batch in reading.read(wanted, columns, chosen) for row in batch.to_pylist()]


@pytest.mark.parametrize("fail", ["true", "false"])
def test_what_a_kept_consumer_heard_last_is_not_where_the_log_ends(broker: EmbeddedBroker, fail: str) -> None:
    chosen = options(broker, failOnDataLoss=fail)
    produce(broker, 10)
    assert offsets(chosen, 0, 10) == list(range(10))
    with broker.intercept("Fetch", "delay", seconds=2.5):
        produce(broker, 10)
        assert offsets(chosen, 10, 20) == list(range(10, 20))


@pytest.mark.parametrize("fail", ["true", "false"])
def test_what_a_kept_consumer_knows_of_a_topic_is_not_what_counts(broker: EmbeddedBroker, fail: str) -> None:
    """As where a topic was made again between two tasks: its offsets are refused, and the log has the whole range."""
    chosen = options(broker, failOnDataLoss=fail)
    produce(broker, 10)
    assert offsets(chosen, 0, 5) == list(range(5))
    with broker.intercept("Fetch", "OFFSET_OUT_OF_RANGE", times=1) as refused:
        assert offsets(chosen, 2, 10) == list(range(2, 10))
    assert refused.hits == 1
    (kept,) = reading._idle.values()
    assert kept.position == (TopicPartition(TOPIC, 0), 10)


def test_consumers_are_kept_for_the_next_task_a_while_and_a_few(
    broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"kept-{number}" for number in range(reading.KEPT + 2)]
    produce(broker, 4)
    for name in names:
        assert offsets(options(broker, **{"kafka.client.id": name}), 0, 2) == [0, 1]
    assert [dict(settings)["client_id"] for settings, _ in reading._idle] == names[-reading.KEPT :]
    # The same one reads on.
    (kept,) = (reader for (settings, _), reader in reading._idle.items() if dict(settings)["client_id"] == names[-1])
    assert offsets(options(broker, **{"kafka.client.id": names[-1]}), 2, 4) == [2, 3]
    assert kept in reading._idle.values()
    monkeypatch.setattr(reading, "KEPT_SECONDS", -1.0)
    assert offsets(options(broker), 0, 2) == [0, 1]
    assert len(reading._idle) == 1


def test_waiting_for_more_bytes_loses_none(broker: EmbeddedBroker) -> None:
    more = {"kafka.fetch.min.bytes": "100000", "kafka.fetch.max.wait.ms": "1500", "failOnDataLoss": "false"}
    chosen = options(broker, streaming=False, **more)
    for start in range(0, 20, 5):
        produce(broker, 5)
        assert offsets(chosen, start, start + 5) == list(range(start, start + 5))


@pytest.mark.parametrize("fail", ["true", "false"])
def test_a_log_that_stays_shorter_than_planned_is_a_loss(
    broker: EmbeddedBroker, fail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(reading, "BEHIND_SECONDS", 0.5)
    produce(broker, 5)
    chosen = options(broker, failOnDataLoss=fail)
    if fail == "false":
        assert offsets(chosen, 0, 9) == list(range(5))
        return
    with pytest.raises(DataLossError, match="its log ends at 5"):
        offsets(chosen, 0, 9)


@pytest.mark.parametrize("fail", ["true", "false"])
@pytest.mark.parametrize("behind", [2, 5], ids=["range ends in the log", "range ends behind it"])
def test_an_open_transaction_is_late_and_not_lost(
    broker: EmbeddedBroker, fail: str, behind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(reading, "BEHIND_SECONDS", 0.5)
    produce(broker, 5)
    given = {"kafka.isolation.level": "read_committed", "failOnDataLoss": fail}
    with Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="open") as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send_many(TOPIC, [b"late"] * 3, partitions=[0] * 3).result(SECONDS)
        with pytest.raises(KafkaTimeoutError, match="a transaction is open at offset 5"):
            offsets(options(broker, **given, **{"kafkaConsumer.pollTimeoutMs": "2000"}), 0, 5 + behind)
        producer.commit_transaction()
    assert offsets(options(broker, **given), 0, 5 + 2) == list(range(7))


def test_a_head_that_is_removed_up_to_behind_an_open_transaction_takes_nothing_else_with_it(
    broker: EmbeddedBroker,
) -> None:
    given = {"kafka.isolation.level": "read_committed", "failOnDataLoss": "false"}
    produce(broker, 5)
    with Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="open") as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send_many(TOPIC, [b"late"] * 3, partitions=[0] * 3).result(SECONDS)
        produce(broker, 5)
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.delete_records({(TOPIC, 0): 10})
        with pytest.raises(KafkaTimeoutError, match="a transaction is open"):
            offsets(options(broker, **given, **{"kafkaConsumer.pollTimeoutMs": "2000"}), 0, 13)
        producer.commit_transaction()
    assert offsets(options(broker, **given), 0, 13) == [10, 11, 12]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    ("api", "error"),
    [
        ("Metadata", "UNKNOWN_TOPIC_OR_PARTITION"),
        ("Metadata", "LEADER_NOT_AVAILABLE"),
        ("DescribeTopicPartitions", "UNKNOWN_TOPIC_OR_PARTITION"),
        ("ListOffsets", "UNKNOWN_TOPIC_OR_PARTITION"),
        ("ListOffsets", "NOT_LEADER_OR_FOLLOWER"),
        ("ListOffsets", "KAFKA_STORAGE_ERROR"),
    ],
)
@pytest.mark.parametrize("trigger", ["time", "available now"])
def test_an_answer_that_knows_no_partition_leaves_none_out(
    broker: EmbeddedBroker, api: str, error: str, times: int, trigger: str
) -> None:
    produce(broker, 6)
    reader = StreamReader(options(broker, streaming=True), schema.full(options(broker, streaming=True)))
    try:
        begin = reader.initialOffset()
        limit: Any = ReadAllAvailable() if trigger == "time" else ReadMaxRows(3)
        reached = reader.latestOffset(begin, limit)
        with broker.intercept(api, error, times=times):
            if trigger == "available now":
                reader.prepareForTriggerAvailableNow()
            assert reader.latestOffset(reached, ReadAllAvailable()) == {TOPIC: {"0": 6, "1": 0}}
    finally:
        reader.stop()


@pytest.mark.parametrize("trigger", ["time", "available now"])
def test_a_topic_that_is_deleted_is_gone_after_a_while(
    broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch, trigger: str
) -> None:
    monkeypatch.setattr("kafkars.spark.stream.MISSING_SECONDS", 0.5)
    produce(broker, 6)
    reader = StreamReader(options(broker, streaming=True), schema.full(options(broker, streaming=True)))
    try:
        begin = reader.initialOffset()
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.delete_topics([TOPIC])
        if trigger == "time":
            assert reader.latestOffset(begin, ReadAllAvailable()) == begin
            eventually(lambda: reader.latestOffset(begin, ReadAllAvailable()) == {}, "the topic is gone")
        else:
            # Each run of such a query plans only once.
            reader.prepareForTriggerAvailableNow()
            assert reader.latestOffset(begin, ReadAllAvailable()) == {}
        with pytest.raises(DataLossError, match="vanished"):
            reader.partitions(begin, {})
    finally:
        reader.stop()


def test_a_topic_of_a_pattern_that_is_deleted_does_not_stop_the_others(
    broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("kafkars.spark.stream.MISSING_SECONDS", 3_600.0)
    address = {"kafka.bootstrap.servers": broker.bootstrap_servers, "startingOffsets": "earliest"}
    chosen = source_options(
        {**address, "subscribePattern": "events|others", "failOnDataLoss": "false", "kafkars.commit.group": "lag"},
        streaming=True,
    )
    reader = StreamReader(chosen, schema.full(chosen))
    try:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("others", 1)])
            produce(broker, 3)
            reached = reader.latestOffset(reader.initialOffset(), ReadAllAvailable())
            assert reached == {TOPIC: {"0": 3, "1": 0}, "others": {"0": 0}}
            admin.delete_topics([TOPIC])
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("others", b"more").result(SECONDS)
        began = time.monotonic()
        end = reader.latestOffset(reached, ReadAllAvailable())
        assert end == {TOPIC: {"0": 3, "1": 0}, "others": {"0": 1}}
        (task,) = reader.partitions(reached, end)
        assert task.range == OffsetRange(TopicPartition("others", 0), 0, 1)
        for _ in range(3):
            assert reader.latestOffset(end, ReadAllAvailable()) == end
        assert time.monotonic() - began < 8
        # Of the first trigger, which did not know it yet.
        assert len([each for each in caplog.messages if "could not be committed" in each]) <= 1
        monkeypatch.setattr("kafkars.spark.stream.MISSING_SECONDS", 0.0)
        assert reader.latestOffset(end, ReadAllAvailable()) == {"others": {"0": 1}}
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            assert admin.list_group_offsets(["lag"])["lag"][TopicPartition("others", 0)].offset == 1
    finally:
        reader.stop()


@pytest.mark.parametrize("trigger", ["time", "available now"])
@pytest.mark.parametrize("chosen", ["subscribe", "subscribePattern"])
def test_what_a_micro_batch_asks_the_cluster(broker: EmbeddedBroker, trigger: str, chosen: str) -> None:
    given = {"kafka.bootstrap.servers": broker.bootstrap_servers, chosen: TOPIC, "startingOffsets": "earliest"}
    read = source_options({**given, "kafkars.commit.group": "lag"}, streaming=True)
    reader = StreamReader(read, schema.full(read))
    columns = Columns(schema.full(read), read)
    try:
        at, rows = reader.initialOffset(), 0
        assert reader.reportLatestOffset() is None
        produce(broker, 30)
        if trigger == "available now":
            reader.prepareForTriggerAvailableNow()
        for _ in range(3):
            if trigger == "time":
                produce(broker, 10)
            broker.forget_requests()
            end = reader.latestOffset(at, ReadMaxRows(10))
            tasks = reader.partitions(at, end)
            for task in tasks:
                rows += sum(batch.num_rows for batch in reading.read(task.range, columns, read))
            reported = reader.reportLatestOffset()
            reader.commit(end)
            asked = collections.Counter(each.api for each in broker.requests())
            assert reported is not None
            assert reported[TOPIC]["0"] >= end[TOPIC]["0"]
            at = end
        assert rows == 30
        # Those of the last: by then the consumer is there, whose fetches do not stop between batches.
        asked.pop("Fetch", None)
        planning = {} if trigger == "available now" else {"Metadata": 2 + (chosen != "subscribe"), "ListOffsets": 1}
        assert asked == {**planning, "FindCoordinator": 1, "OffsetCommit": 1}
    finally:
        reader.stop()


def test_group_offsets_that_could_not_be_committed_are_committed_by_the_next_trigger(broker: EmbeddedBroker) -> None:
    produce(broker, 5)
    chosen = options(broker, streaming=True, **{"kafkars.commit.group": "lag"})
    reader = StreamReader(chosen, schema.full(chosen))
    try:
        end = reader.latestOffset(reader.initialOffset(), ReadAllAvailable())
        with broker.intercept("OffsetCommit", "UNKNOWN_SERVER_ERROR", times=1):
            reader.latestOffset(end, ReadAllAvailable())
            reader.latestOffset(end, ReadAllAvailable())
    finally:
        reader.stop()
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        assert admin.list_group_offsets(["lag"])["lag"][TopicPartition(TOPIC, 0)].offset == 5

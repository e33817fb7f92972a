"""Batch queries give what Spark's own connector gives, row for row, for every option that decides on rows."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import Producer
from kafkars.admin import Admin

from tests.brokers import Broker
from tests.spark.queries import OURS, Queries, offsets, rows
from tests.support.waiting import SECONDS, eventually

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(300)]

MIDDLE = 1_700_000_000_000


class Topics:
    """Two topics: with and without keys, values and headers; committed, aborted; times of producers and of the
    broker."""

    def __init__(self, broker: Broker) -> None:
        # Its times are years ago.
        self.plain = broker.new_topic(3, {"retention.ms": "-1"}, name="spark-plain")
        self.logged = broker.new_topic(1, {"message.timestamp.type": "LogAppendTime"}, name="spark-logged")
        address = broker.bootstrap_servers
        with Producer(bootstrap_servers=address, batch_size=2_000, compression_type="zstd") as producer:
            for number in range(900):
                producer.send(
                    self.plain,
                    None if number % 11 == 0 else b"value %d" % number,
                    None if number % 7 == 0 else b"key %d" % number,
                    partition=number % 3,
                    timestamp=MIDDLE - 450_000 + 1_000 * number,
                    headers=[("a", b"%d" % number), ("b", None), ("a", b"")] if number % 5 == 0 else None,
                )
            for number in range(20):
                producer.send(self.logged, b"%d" % number)
        with Producer(bootstrap_servers=address, transactional_id=self.plain) as producer:
            producer.init_transactions()
            for commit in (True, False, True, False):
                producer.begin_transaction()
                for number in range(30):
                    producer.send(
                        self.plain, b"transaction %d" % number, partition=number % 3, timestamp=MIDDLE + 10**7
                    )
                producer.flush()
                producer.commit_transaction() if commit else producer.abort_transaction()


@pytest.fixture(scope="module")
def topics(kafka_cluster: Broker) -> Topics:
    return Topics(kafka_cluster)


def per_partition(topic: str, *values: int) -> dict[str, dict[str, int]]:
    return {topic: {str(number): value for number, value in enumerate(values)}}


CASES: dict[str, Any] = {
    "everything": lambda t: {"subscribe": t.plain},
    "headers": lambda t: {"subscribe": t.plain, "includeHeaders": "true"},
    "read_committed": lambda t: {"subscribe": t.plain, "kafka.isolation.level": "read_committed"},
    "two topics, times of the broker": lambda t: {"subscribe": f"{t.plain},{t.logged}"},
    "assign": lambda t: {"assign": {t.plain: [0, 2], t.logged: [0]}},
    "pattern": lambda t: {"subscribePattern": f"{t.plain[:-3]}.*|{t.logged}"},
    "offsets": lambda t: {
        "subscribe": t.plain,
        "startingOffsets": per_partition(t.plain, 10, -2, 50),
        "endingOffsets": per_partition(t.plain, 20, -1, 51),
    },
    "an empty range": lambda t: {
        "subscribe": t.plain,
        "startingOffsets": per_partition(t.plain, 5, 5, 5),
        "endingOffsets": per_partition(t.plain, 5, 5, 5),
    },
    "timestamp": lambda t: {
        "subscribe": t.plain,
        "startingTimestamp": str(MIDDLE),
        "endingTimestamp": str(MIDDLE + 9_500),
    },
    "timestamps by partition": lambda t: {
        "subscribe": t.plain,
        "startingOffsetsByTimestamp": per_partition(t.plain, MIDDLE, MIDDLE + 1, 0),
        "endingOffsetsByTimestamp": per_partition(t.plain, MIDDLE + 9_000, MIDDLE + 10**12, MIDDLE),
    },
    "no end": lambda t: {"subscribe": t.plain, "startingTimestamp": "0", "endingTimestamp": str(2**63 - 1)},
    "a time that is not there": lambda t: {
        "subscribe": t.plain,
        "startingTimestamp": str(MIDDLE + 10**12),
        "startingOffsetsByTimestampStrategy": "latest",
    },
    "minPartitions": lambda t: {"subscribe": t.plain, "minPartitions": "7"},
    # The connector leaves this out where the end of the query is "latest".
    "maxRecordsPerPartition": lambda t: {
        "subscribe": t.plain,
        "maxRecordsPerPartition": "100",
        "endingOffsets": per_partition(t.plain, 330, 320, 10),
    },
    "both": lambda t: {"subscribe": t.plain, "maxRecordsPerPartition": "100", "minPartitions": "15"},
    "small answers": lambda t: {
        "subscribe": t.plain,
        "kafka.max.partition.fetch.bytes": "500",
        "kafka.fetch.max.bytes": "1000",
        "failOnDataLoss": "false",
    },
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_rows_as_the_connector(queries: Queries, oracle: str, topics: Topics, case: str) -> None:
    options = CASES[case](topics)
    ours, theirs = queries.load(**options), queries.load(oracle, **options)
    assert ours.schema == theirs.schema
    expected = rows(theirs)
    assert rows(ours) == expected
    assert bool(expected) == (case not in {"an empty range", "a time that is not there"})
    # Where there is nothing to read, the connector plans empty tasks, and Spark makes one for a Python source.
    if expected:
        assert ours.rdd.getNumPartitions() == theirs.rdd.getNumPartitions()


def test_a_range_that_ends_in_markers_ends_at_once(queries: Queries, kafka_cluster: Broker, oracle: str) -> None:
    topic = kafka_cluster.new_topic()
    with Producer(bootstrap_servers=kafka_cluster.bootstrap_servers, transactional_id=topic) as producer:
        producer.init_transactions()
        for _ in range(20):
            producer.begin_transaction()
            producer.send(topic, b"never").result(SECONDS)
            producer.abort_transaction()
    options = {"subscribe": topic, "kafka.isolation.level": "read_committed"}
    assert rows(queries.load(**options)) == rows(queries.load(oracle, **options)) == []


def test_a_compacted_topic_with_a_tail_of_nothing(queries: Queries, kafka_cluster: Broker, oracle: str) -> None:
    settings = {
        "cleanup.policy": "compact",
        "min.cleanable.dirty.ratio": "0.01",
        "segment.ms": "100",
        "min.compaction.lag.ms": "0",
        "max.compaction.lag.ms": "100",
    }
    topic = kafka_cluster.new_topic(1, settings)
    with Producer(bootstrap_servers=kafka_cluster.bootstrap_servers) as producer:
        for number in range(300):
            producer.send(topic, b"%d" % number, b"%d" % (number % 10)).result(SECONDS)

    def compacted() -> bool:
        with Producer(bootstrap_servers=kafka_cluster.bootstrap_servers) as another:
            another.send(topic, b"roll", b"roll").result(SECONDS)
        return len(rows(queries.load(oracle, subscribe=topic, schema=None))) < 200

    eventually(compacted, "the cleaner has run", 60)
    options = {"subscribe": topic, "endingOffsets": {topic: {"0": 290}}}

    def between_two_runs_of_the_cleaner() -> list[Any] | None:
        """What the connector reads and what we read, if the connector reads the same before and after."""
        before = rows(queries.load(oracle, **options))
        ours = rows(queries.load(**options))
        return [before, ours] if before == rows(queries.load(oracle, **options)) else None

    theirs, ours = eventually(between_two_runs_of_the_cleaner, "the cleaner rests", 60)
    assert ours == theirs


def test_columns_that_are_not_asked_for_are_left_out(queries: Queries, topics: Topics) -> None:
    whole = queries.load(subscribe=topics.plain, includeHeaders="true")
    asked = "offset LONG, value BINARY, headers ARRAY<STRUCT<key: STRING, value: BINARY>>, partition INT"
    found = queries.load(schema=asked, subscribe=topics.plain)
    assert rows(found) == rows(whole.select("offset", "value", "headers", "partition"))
    assert queries.load(schema="topic STRING", subscribe=topics.logged).collect() == [(topics.logged,)] * 20


@pytest.mark.parametrize("pushed", ["true", "false"])
def test_filters_leave_the_same_rows_pushed_or_not(queries: Queries, topics: Topics, pushed: str) -> None:
    name = "spark.sql.python.filterPushdown.enabled"
    queries.spark.conf.set(name, pushed)
    try:
        frame = queries.load(subscribe=f"{topics.plain},{topics.logged}")
        everything = rows(frame)
        found = rows(frame.where(f"offset >= 100 AND offset < 110 AND topic = '{topics.plain}'"))
        assert found == [row for row in everything if 100 <= row[4] < 110 and row[2] == topics.plain]
        found = rows(frame.where("partition IN (1, 2) AND offset = 7"))
        assert found == [row for row in everything if row[3] in {1, 2} and row[4] == 7]
        border = sorted(row[5] for row in everything)[len(everything) // 2]
        literal = f"timestamp_millis({int(border.timestamp() * 1_000)})"
        found = rows(frame.where(f"timestamp >= {literal}"))
        assert found == [row for row in everything if row[5] >= border]
        assert rows(frame.where("timestamp >= timestamp'1900-01-01 00:00:00'")) == everything
        # Those that mean "no end" and "no beginning" in many a program, and are no times in other zones.
        for always in ("timestamp >= timestamp'0001-01-02 00:00:00'", "timestamp < timestamp'9999-12-31 23:59:59'"):
            assert rows(frame.where(always)) == everything
        for year in (2300, 9999):
            assert rows(frame.where(f"timestamp >= timestamp'{year}-12-31 23:59:59'")) == []
        assert rows(frame.where("offset IN (7, NULL)")) == [row for row in everything if row[4] == 7]
        assert rows(frame.where("offset IN (NULL) OR offset = NULL")) == []
        found = rows(frame.where(f"timestamp < {literal} AND partition = 0"))
        assert found == [row for row in everything if row[5] < border and row[3] == 0]
    finally:
        queries.spark.conf.unset(name)


def test_a_pushed_offset_reads_only_what_it_leaves(queries: Queries, topics: Topics) -> None:
    name = "spark.sql.python.filterPushdown.enabled"
    queries.spark.conf.set(name, "true")
    try:
        frame = queries.load(subscribe=topics.plain, maxRecordsPerPartition="10").where(
            "offset >= 295 AND partition = 0"
        )
        assert frame.rdd.getNumPartitions() == 5
    finally:
        queries.spark.conf.unset(name)


@pytest.mark.parametrize("fail", ["true", "false"])
def test_what_retention_removed_is_loss_or_left_out(queries: Queries, kafka_cluster: Broker, fail: str) -> None:
    topic = kafka_cluster.new_topic()
    with Producer(bootstrap_servers=kafka_cluster.bootstrap_servers) as producer:
        producer.send_many(topic, [b"%d" % number for number in range(50)]).result(SECONDS)
    with Admin(bootstrap_servers=kafka_cluster.bootstrap_servers) as admin:
        admin.delete_records({(topic, 0): 20})
    frame = queries.load(subscribe=topic, startingOffsets={topic: {"0": 10}}, failOnDataLoss=fail)
    if fail == "true":
        with pytest.raises(Exception, match=r"failOnDataLoss"):
            frame.collect()
    else:
        assert offsets(rows(frame)) == list(range(20, 50))


@pytest.mark.parametrize("fail", ["true", "false"])
def test_an_end_behind_the_log_is_loss_or_left_out(queries: Queries, topics: Topics, fail: str) -> None:
    frame = queries.load(subscribe=topics.logged, endingOffsets={topics.logged: {"0": 25}}, failOnDataLoss=fail)
    if fail == "true":
        with pytest.raises(Exception, match=r"log ends at 20.*failOnDataLoss"):
            frame.collect()
    else:
        assert offsets(rows(frame)) == list(range(20))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"subscribe": "no-such-topic"}, "no-such-topic"),
        ({"assign": {"no-such-topic": [0]}}, "no-such-topic"),
        ({"startingOffsets": {"other": {"0": 1}}}, "startingOffsets"),
        ({"startingTimestamp": str(MIDDLE + 10**12)}, "startingTimestamp"),
        ({"startingOffsets": "latest"}, "startingOffsets"),
        ({"startingTimestamp": str(MIDDLE), "endingOffsets": "at 3"}, "startingTimestamp, endingOffsets"),
        (
            {"startingTimestamp": str(MIDDLE + 40_000), "endingTimestamp": str(MIDDLE + 20_000)},
            "startingTimestamp, endingTimestamp",
        ),
        ({"minPartitions": "0"}, "minPartitions"),
        ({"kafka.auto.offset.reset": "earliest"}, "kafka.auto.offset.reset"),
        ({"startingOffset": "earliest"}, "did you mean startingOffsets"),
        ({"kafka.bootstrap.servers": "127.0.0.1:1", "kafka.default.api.timeout.ms": "2000"}, "127.0.0.1:1"),
    ],
)
def test_what_is_wrong_is_said_before_a_job_starts(queries: Queries, topics: Topics, options: Any, named: str) -> None:
    chosen = {} if "assign" in options else {"subscribe": topics.plain}
    if options.get("endingOffsets") == "at 3":
        options = {**options, "endingOffsets": per_partition(topics.plain, 3, 3, 3)}
    with pytest.raises(Exception, match=named.replace(".", r"\.")):
        # `queryExecution` plans the tasks, and runs none of them.
        queries.load(**{**chosen, **options})._jdf.queryExecution().toRdd().getNumPartitions()


@pytest.mark.parametrize(
    ("schema", "named"), [("value STRING", "value"), ("valeu BINARY", "valeu"), ("offset INT", "offset")]
)
def test_a_schema_that_there_is_not_is_refused(queries: Queries, topics: Topics, schema: str, named: str) -> None:
    with pytest.raises(Exception, match=f"schema: .*{named}"):
        queries.load(OURS, schema, subscribe=topics.plain).collect()


def test_a_schema_without_columns_is_refused(queries: Queries, topics: Topics) -> None:
    from pyspark.sql.types import StructType

    reader = queries.spark.read.format(OURS).options(**queries.options({"subscribe": topics.plain}))
    with pytest.raises(Exception, match="schema: names no column"):
        reader.schema(StructType([])).load().count()


def test_sql_reads_a_view(queries: Queries, topics: Topics) -> None:
    address = queries.broker.bootstrap_servers
    queries.spark.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW logged USING kafkars OPTIONS (`kafka.bootstrap.servers` '{address}', "
        f"subscribe '{topics.logged}')"
    )
    assert queries.spark.sql("SELECT count(*) FROM logged").collect()[0][0] == 20


def test_a_table_is_refused_with_what_to_do(queries: Queries) -> None:
    with pytest.raises(Exception, match="use CREATE TEMPORARY VIEW"):
        queries.spark.sql(
            "CREATE TABLE logged_table USING kafkars OPTIONS (`kafka.bootstrap.servers` 'a:1', subscribe 'b')"
        )

"""Rows that are written are what Spark's own connector would have written, all of them acknowledged."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import Producer
from kafkars.admin import Admin

from tests.spark import session
from tests.spark.queries import OURS, QUERY_SECONDS, Queries, rows
from tests.support.waiting import SECONDS

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(300)]

ROWS = """
    SELECT CASE WHEN id % 5 = 0 THEN NULL ELSE concat('key ', id) END AS key,
           CASE WHEN id % 7 = 0 THEN NULL ELSE encode(concat('value ', id), 'UTF-8') END AS value,
           CASE WHEN id % 3 = 0 THEN array(named_struct('key', 'h', 'value', encode(string(id), 'UTF-8')),
                                           named_struct('key', 'n', 'value', CAST(NULL AS BINARY))) END AS headers,
           CASE WHEN id % 4 = 0 THEN CAST(id % 3 AS INT) END AS partition,
           id AS ignored
    FROM range(500)
"""


def save(queries: Queries, frame: Any, form: str = OURS, **options: str) -> None:
    writer = frame.write.format(form).options(**queries.options(options))
    (writer.mode("append") if form == OURS else writer).save()


def stored(queries: Queries, topic: str) -> list[tuple[Any, ...]]:
    """Everything but offsets and times, read by Spark's own connector, so that ours is not its own judge."""
    frame = queries.load("kafka", subscribe=topic, includeHeaders="true", **{"kafka.isolation.level": "read_committed"})
    return rows(frame.select("key", "value", "partition", "headers"))


def test_the_same_records_in_the_same_partitions_as_the_connector(queries: Queries, oracle: str) -> None:
    frame = queries.spark.sql(ROWS).where("key IS NOT NULL OR partition IS NOT NULL")
    written = {}
    for form in (OURS, oracle):
        topic = queries.broker.new_topic(3)
        save(queries, frame, form, topic=topic)
        written[form] = stored(queries, topic)
    assert len(written[OURS]) > 400
    assert written[OURS] == written[oracle]


def test_a_column_says_which_topic_and_the_option_overrides_it(queries: Queries, oracle: str) -> None:
    del oracle
    one, two, three = (queries.broker.new_topic() for _ in range(3))
    frame = queries.spark.sql(
        f"SELECT CASE WHEN id % 2 = 0 THEN '{one}' ELSE '{two}' END AS topic, string(id) AS value FROM range(10)"
    )
    save(queries, frame)
    assert [len(stored(queries, each)) for each in (one, two, three)] == [5, 5, 0]
    save(queries, frame, topic=three)
    assert [len(stored(queries, each)) for each in (one, two, three)] == [5, 5, 10]
    for column in ("NULL", "1"):
        save(queries, queries.spark.sql(f"SELECT 'x' AS value, {column} AS topic"), topic=one)
    assert [len(stored(queries, each)) for each in (one, two, three)] == [7, 5, 10]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT 'x' AS v", "value"),
        ("SELECT 1 AS value", "value"),
        ("SELECT 'x' AS value, 1 AS key", "key"),
        ("SELECT 'x' AS value, 1L AS partition", "partition"),
        ("SELECT 'x' AS value, 'h' AS headers", "headers"),
    ],
)
def test_wrong_columns_are_refused_before_a_job_starts(queries: Queries, query: str, named: str) -> None:
    with pytest.raises(Exception, match=f"{named}: "):
        save(queries, queries.spark.sql(query), topic="any")


def test_rows_without_a_topic_are_refused(queries: Queries) -> None:
    with pytest.raises(Exception, match="topic: neither"):
        save(queries, queries.spark.sql("SELECT 'x' AS value"))
    with pytest.raises(Exception, match="topic: a row has null"):
        save(queries, queries.spark.sql("SELECT 'x' AS value, CAST(NULL AS STRING) AS topic"))


def test_a_partition_that_does_not_exist_fails_at_once(queries: Queries) -> None:
    topic = queries.broker.new_topic(2)
    with pytest.raises(Exception, match="partition"):
        save(queries, queries.spark.sql("SELECT 'x' AS value, 7 AS partition"), topic=topic)


def test_overwriting_is_refused(queries: Queries) -> None:
    frame = queries.spark.sql("SELECT 'x' AS value")
    with pytest.raises(Exception, match="mode"):
        frame.write.format(OURS).options(**queries.options({"topic": "any"})).mode("overwrite").save()


def test_a_row_that_is_not_stored_fails_the_task(queries: Queries) -> None:
    topic = queries.broker.new_topic(1, {"max.message.bytes": "2000"})
    with pytest.raises(Exception, match=r"TooLarge|too large|larger"):
        save(queries, queries.spark.sql("SELECT repeat('x', 5000) AS value"), topic=topic)


@pytest.mark.parametrize("delivery", ["at-least-once", "exactly-once"])
def test_a_stream_from_topic_to_topic(queries: Queries, oracle: str, delivery: str) -> None:
    del oracle
    source, sink = queries.broker.new_topic(2), queries.broker.new_topic(3)
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        producer.send_many(source, [b"%d" % number for number in range(200)]).result(SECONDS)
    copy(queries, source, sink, delivery)
    assert sorted(int(row[1]) for row in stored(queries, sink)) == list(range(200))


def copy(queries: Queries, source: str, sink: str, delivery: str, **options: str) -> None:
    stream = queries.stream(subscribe=source, startingOffsets="earliest", maxOffsetsPerTrigger="60", **options)
    writer = stream.select("key", "value").writeStream.format(OURS)
    writer = writer.options(**queries.options({"topic": sink, "kafkars.delivery": delivery}))
    writer = writer.option("checkpointLocation", str(queries.folder / "copy"))
    session.finish(writer.trigger(availableNow=True).start, seconds=QUERY_SECONDS)


def forget_the_last_batch(queries: Queries) -> None:
    """Makes the checkpoint as it is when the driver dies after the tasks of a batch have succeeded."""
    commits = queries.folder / "copy" / "commits"
    last = max(int(each.name) for each in commits.iterdir() if each.name.isdigit())
    for name in (f"{last}", f".{last}.crc"):
        (commits / name).unlink(missing_ok=True)


def test_a_batch_that_is_run_again_is_not_written_again(queries: Queries, oracle: str) -> None:
    del oracle
    source, sink = queries.broker.new_topic(2), queries.broker.new_topic(3)
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        producer.send_many(source, [b"%d" % number for number in range(200)]).result(SECONDS)
    copy(queries, source, sink, "exactly-once")
    forget_the_last_batch(queries)
    copy(queries, source, sink, "exactly-once")
    assert sorted(int(row[1]) for row in stored(queries, sink)) == list(range(200))


def test_a_replay_with_other_rows_fails_and_says_why(queries: Queries) -> None:
    source, sink = queries.broker.new_topic(1), queries.broker.new_topic(3)
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        producer.send_many(source, [b"%d" % number for number in range(50)]).result(SECONDS)
    copy(queries, source, sink, "exactly-once")
    forget_the_last_batch(queries)
    with pytest.raises(Exception, match="minPartitions"):
        copy(queries, source, sink, "exactly-once", minPartitions="3")


def test_a_failing_task_leaves_nothing_to_read(queries: Queries, oracle: str) -> None:
    del oracle
    source, sink = queries.broker.new_topic(1), queries.broker.new_topic(1, {"max.message.bytes": "2000"})
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        producer.send_many(source, [b"small", b"x" * 5_000]).result(SECONDS)
    with pytest.raises(Exception, match=r"TooLarge|too large|larger"):
        copy(queries, source, sink, "exactly-once")
    assert stored(queries, sink) == []
    with Admin(bootstrap_servers=queries.broker.bootstrap_servers) as admin:
        stable = admin.list_offsets({(sink, 0): "latest"}, isolation_level="read_committed")
        assert stable == admin.list_offsets({(sink, 0): "latest"}), "no transaction is left open"

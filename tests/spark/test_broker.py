"""A broker that is killed while a stream reads from it and writes to it costs time and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kafkars import Consumer, Producer
from kafkars.spark.ranges import OffsetRange
from kafkars.types import TopicPartition

from tests.brokers import Broker
from tests.kafka import KafkaCluster, KafkaOptions
from tests.spark.queries import OURS, Queries, finish
from tests.spark.session import running
from tests.support.waiting import SECONDS, Stopwatch, eventually

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(400)]

EVENTS = 20_000


def test_a_stream_survives_a_broker_that_is_killed(spark: Any, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    version = request.config.getoption("--kafka-version")
    with KafkaCluster(KafkaOptions(version=version)) as cluster:
        queries = Queries(spark, Broker("kafka", cluster), tmp_path)
        source, sink = queries.broker.new_topic(2), queries.broker.new_topic(2)
        with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
            producer.send_many(source, [b"%d" % number for number in range(EVENTS)]).result(SECONDS)
        stream = queries.stream(subscribe=source, startingOffsets="earliest", maxOffsetsPerTrigger="1000")
        writer = stream.select("key", "value").writeStream.format(OURS)
        writer = writer.options(**queries.options({"topic": sink, "kafkars.delivery": "exactly-once"}))
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
        query = writer.start()
        commits = tmp_path / "checkpoint" / "commits"

        def two_batches_are_done() -> bool:
            nonlocal query
            query = running(writer.start, query)
            return len(list(commits.glob("[0-9]*"))) >= 2

        eventually(two_batches_are_done, "two batches are done", 120)
        cluster.nodes[0].kill()
        cluster.nodes[0].start()
        finish(writer.start, query)
        with Consumer(
            bootstrap_servers=cluster.bootstrap_servers, auto_offset_reset="earliest", isolation_level="read_committed"
        ) as consumer:
            consumer.assign([(sink, 0), (sink, 1)])
            found: list[int] = []
            while len(found) < EVENTS and (batch := consumer.poll_batch(10_000, SECONDS)):
                found += [int(value or 0) for value in batch.raw_values()]
            assert sorted(found) == list(range(EVENTS))
            assert not consumer.poll_batch(timeout=0.5)


def test_a_broker_that_is_not_there_is_told_in_time(queries: Queries) -> None:
    # The first query of a session starts processes, which is not what is measured.
    assert queries.load(subscribe=queries.broker.new_topic()).collect() == []
    with Stopwatch() as watch, pytest.raises(Exception, match=r"127\.0\.0\.1:1"):
        queries.load(subscribe="any", **{"kafka.bootstrap.servers": "127.0.0.1:1"}).collect()
    assert watch.seconds < 30


def test_a_tail_of_markers_is_found_out_in_less_than_a_second(kafka_cluster: Broker) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")
    from kafkars.spark import reading, schema
    from kafkars.spark.columns import Columns
    from kafkars.spark.options import source_options

    topic, address = kafka_cluster.new_topic(), kafka_cluster.bootstrap_servers
    with Producer(bootstrap_servers=address, transactional_id=topic) as producer:
        producer.init_transactions()
        for commit in (True, False, False):
            producer.begin_transaction()
            producer.send(topic, b"a")
            producer.flush()
            producer.commit_transaction() if commit else producer.abort_transaction()
    given = {"kafka.bootstrap.servers": address, "subscribe": topic, "kafka.isolation.level": "read_committed"}
    options = source_options(given, streaming=False)
    columns = Columns(schema.full(options), options)
    with Consumer(bootstrap_servers=address) as consumer:
        end = consumer.end_offsets([(topic, 0)])[topic, 0]
    assert end == 6
    for start in (0, 2, 5):
        took = []
        for _ in range(5):
            with Stopwatch() as watch:
                found = list(reading.read(OffsetRange(TopicPartition(topic, 0), start, end), columns, options))
            assert sum(batch.num_rows for batch in found) == (start == 0)
            took.append(watch.seconds)
        # With the connections that are there, a tail without records is found out at once.
        assert min(took) < 1, (start, took)

"""A broker that is killed while a stream reads from it and writes to it costs time and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kafkars import Consumer, Producer

from tests.brokers import Broker
from tests.kafka import KafkaCluster, KafkaOptions
from tests.spark.queries import OURS, Queries, finish
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
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
        commits = tmp_path / "checkpoint" / "commits"
        eventually(lambda: len(list(commits.glob("[0-9]*"))) >= 2 or query.exception(), "two batches are done", 120)
        cluster.nodes[0].kill()
        cluster.nodes[0].start()
        finish(query)
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
    with Stopwatch() as watch, pytest.raises(Exception, match=r"127\.0\.0\.1:1"):
        queries.load(subscribe="any", **{"kafka.bootstrap.servers": "127.0.0.1:1"}).collect()
    assert watch.seconds < 60

"""What registering leaves behind is safe for streams that start at the same moment."""

from __future__ import annotations

import kafkars.spark
import pytest
from kafkars import Producer

from tests.spark.queries import Queries

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(240)]


def test_streams_add_no_name_to_the_environment_that_they_share(queries: Queries) -> None:
    spark = queries.spark
    kafkars.spark.register(spark)
    source = spark._jsparkSession.sessionState().dataSourceManager().lookupDataSource("kafkars")
    shared = source.dataSourceCls().envVars()
    before = dict(shared)
    assert "SPARK_BUFFER_SIZE" not in spark.sparkContext.environment
    topic = queries.broker.new_topic(1)
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        producer.send(topic, b"one")
    queries.run_available(queries.stream(subscribe=topic, startingOffsets="earliest"), "alone")
    assert len(queries.rows_of("alone")) == 1
    # It is the map that streams write into: Spark sets the folder of this session there.
    assert shared["SPARK_LOCAL_DIRS"] != before.get("SPARK_LOCAL_DIRS")
    assert set(shared) == set(before)

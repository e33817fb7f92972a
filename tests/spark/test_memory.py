"""What a Python worker needs while it reads: acceptance 6 of the design."""

from __future__ import annotations

import sys

import pytest
from kafkars import Producer

from tests.spark import workers
from tests.spark.queries import Queries

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.spark,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc, which only Linux has"),
]

RECORDS = 1_000_000
MOST_MEBIBYTES = 200


def test_a_worker_that_reads_a_million_records_stays_under_200_mib(queries: Queries) -> None:
    topic = queries.broker.new_topic()
    # Not one value again and again, which would compress to nothing.
    values = [(b"%016d" % number * 7)[:100] for number in range(10_000)]
    address = queries.broker.bootstrap_servers
    with Producer(bootstrap_servers=address, compression_type="zstd", batch_size=65_536) as producer:
        for _ in range(RECORDS // len(values)):
            producer.send_many(topic, values)
    workers.forget_peaks()
    found = queries.load(subscribe=topic).selectExpr("count(*)", "sum(length(value))").collect()
    assert found == [(RECORDS, 100 * RECORDS)]
    peak = workers.largest_peak()
    print(f"{peak:.0f} MiB")
    assert 40 < peak < MOST_MEBIBYTES

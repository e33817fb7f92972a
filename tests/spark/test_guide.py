"""The example of docs/guides/spark.md runs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from kafkars import Producer

from tests.spark.queries import Queries, finish
from tests.spark.session import ROOT
from tests.support.waiting import SECONDS

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(300)]


def test_the_example_of_the_guide_runs(queries: Queries) -> None:
    found = re.search(r"^```py\n(.*?)^```$", (ROOT / "docs/guides/spark.md").read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    source, sink = queries.broker.new_topic(), queries.broker.new_topic()
    code = found.group(1).replace("localhost:9092", queries.broker.bootstrap_servers)
    code = code.replace('"subscribe", "orders"', f'"subscribe", "{source}"').replace(
        '"topic", "order-copies"', f'"topic", "{sink}"'
    )
    code = code.replace("/data/checkpoints", str(queries.folder)).replace(
        ".start()", ".trigger(availableNow=True).start()"
    )
    # A new stream begins at the end.
    names: dict[str, Any] = {}
    exec(compile(code, "docs/guides/spark.md", "exec"), names)  # noqa: S102
    finish(names["query"])
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        producer.send(source, b"an apple", b"7").result(SECONDS)
    exec(compile(code, "docs/guides/spark.md", "exec"), names)  # noqa: S102
    finish(names["query"])
    assert queries.load(subscribe=sink).selectExpr("CAST(value AS STRING) AS v").collect() == [("an apple",)]

"""Kafka as a source and a sink of PySpark, without a jar.

```python
import kafkars.spark

kafkars.spark.register(spark)
orders = spark.read.format("kafkars").option("kafka.bootstrap.servers", "localhost:9092").option("subscribe", "orders").load()
```

Columns, options and checkpoints are those of Spark's own Kafka connector (`format("kafka")`), see docs/guides/spark.md.
Needs PySpark 4.2 or newer and pyarrow on the driver and on the executors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars.spark.errors import DataLossError, ReplayDiffersError, SchemaRegistryError

if TYPE_CHECKING:
    from kafkars.spark.source import KafkaSource

__all__ = ["DataLossError", "KafkaSource", "ReplayDiffersError", "SchemaRegistryError", "register"]

NEEDED = (4, 2)
"""Since this PySpark, a Python source is asked for the latest offset with a limit."""


def register(spark: Any) -> None:
    """Makes `format("kafkars")` known to a session.

    Args:
        spark: The `SparkSession`.

    Raises:
        ImportError: PySpark is older than 4.2, or pyarrow is missing.
    """
    from kafkars.spark.source import KafkaSource  # noqa: PLC0415  imports PySpark

    spark.dataSource.register(KafkaSource)


def __getattr__(name: str) -> Any:
    if name == "KafkaSource":
        from kafkars.spark.source import KafkaSource  # noqa: PLC0415  imports PySpark

        return KafkaSource
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

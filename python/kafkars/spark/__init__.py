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

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkars.spark.errors import DataLossError, ReplayDiffersError, SchemaRegistryError

if TYPE_CHECKING:
    from kafkars.spark.source import KafkaSource

__all__ = ["DataLossError", "KafkaSource", "ReplayDiffersError", "SchemaRegistryError", "register"]

NEEDED = (4, 2)
"""The oldest PySpark that works: since it, Spark passes a limit when it asks a Python source for the latest offset."""


def register(spark: Any) -> None:
    """Registers `format("kafkars")` with a Spark session.

    Args:
        spark: The `SparkSession`.

    Raises:
        ImportError: PySpark is older than 4.2, or pyarrow is missing.
    """
    from kafkars.spark.source import KafkaSource  # noqa: PLC0415  imports PySpark

    _name_python(spark)
    spark.dataSource.register(KafkaSource)


def _name_python(spark: Any) -> None:
    """Sets the Python that runs the source if the environment does not: the one of the setting `spark.pyspark.python`,
    also for the driver's planners, or without a cluster the one that runs the program. PySpark looks at the environment
    only, and otherwise runs whatever `python3` is, which may not have this package.
    """
    context = getattr(spark, "sparkContext", None)  # Spark Connect has none
    if context is None or "PYSPARK_PYTHON" in os.environ:
        return
    named = context.getConf().get("spark.pyspark.python")
    if named is None and context.master.startswith("local"):
        named = sys.executable
    # A relative path is inside an archive that executors unpack; the driver does not have it.
    if named is not None and Path(named).is_absolute():
        context.pythonExec = named


def __getattr__(name: str) -> Any:
    if name == "KafkaSource":
        from kafkars.spark.source import KafkaSource  # noqa: PLC0415  imports PySpark

        return KafkaSource
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

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
    _register(spark, KafkaSource)


SET_BY_STREAMS = {
    "SPARK_AUTH_SOCKET_TIMEOUT": "15",
    "SPARK_BUFFER_SIZE": "65536",
    "SPARK_LOCAL_DIRS": "",
    "SPARK_PYTHON_RUNTIME": "PYTHON_WORKER",
}
"""What Spark puts into the environment of a source's workers when a stream starts; Spark sets the values again.

All streams of a session share that environment, a `java.util.HashMap` without a lock. Two streams that start at the
same moment may both add the same name, and the map then counts it twice. It is sent with each task, where reading it
fails from then on (`OptionalDataException`), for every stream of the session. A name that is there already is only
changed.
"""


def _register(spark: Any, source: type[Any]) -> None:
    """Registers a source whose environment has all names that streams set."""
    environment = getattr(getattr(spark, "sparkContext", None), "environment", None)
    if environment is None:  # Spark Connect keeps it in the server
        spark.dataSource.register(source)
        return
    added = {name: value for name, value in SET_BY_STREAMS.items() if name not in environment}
    environment.update(added)
    try:
        spark.dataSource.register(source)
    finally:
        for name in added:
            environment.pop(name, None)


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

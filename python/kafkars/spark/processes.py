"""The Python processes in which PySpark runs a source and a sink."""

from __future__ import annotations

import gc
import sys

PUSHES_FILTERS = "pyspark.sql.worker.data_source_pushdown_filters"
"""Spark's worker process that pushes filters down. It only runs if `spark.sql.python.filterPushdown.enabled` is true;
otherwise a reader that takes filters makes the query fail."""

DAEMON = "pyspark.daemon"
"""The module that forks the workers, each of which runs one task after another."""

_spared = False


def pushes_filters() -> bool:
    """True in Spark's worker that pushes filters down."""
    return PUSHES_FILTERS in sys.modules or _started_as() == PUSHES_FILTERS


def spare_modules() -> None:
    """Excludes everything that a worker has imported from Python's garbage collection, once.

    PySpark runs a full collection after each task, over all objects of pyarrow and PySpark, which takes as long as
    reading tens of thousands of records, and finds nothing. In other processes this does nothing: garbage collection is
    the program's own business there.
    """
    global _spared  # noqa: PLW0603  one process, one answer
    if not _spared and _started_as() == DAEMON:
        gc.freeze()
    _spared = True


def _started_as() -> str:
    """Returns the module that Python was started with; "" if there was none."""
    return getattr(getattr(sys.modules.get("__main__"), "__spec__", None), "name", "")

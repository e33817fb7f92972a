"""The Python processes in which PySpark runs a source and a sink."""

from __future__ import annotations

import gc
import sys

PUSHES_FILTERS = "pyspark.sql.worker.data_source_pushdown_filters"
"""Spark's worker that pushes filters. It runs only where `spark.sql.python.filterPushdown.enabled` is true, and a
reader that takes filters makes the query fail where it is not."""

DAEMON = "pyspark.daemon"
"""What has forked a process that does one task after another."""

_spared = False


def pushes_filters() -> bool:
    """True in the worker of Spark that pushes filters."""
    return PUSHES_FILTERS in sys.modules or _started_as() == PUSHES_FILTERS


def spare_modules() -> None:
    """Takes what a worker has imported out of Python's garbage collection, once.

    PySpark collects after each task, to the last generation: it walks through all objects of pyarrow and PySpark, which
    takes as long as reading tens of thousands of records, and finds nothing. Elsewhere this does nothing: there the
    program says how its objects are collected.
    """
    global _spared  # noqa: PLW0603  one process, one answer
    if not _spared and _started_as() == DAEMON:
        gc.freeze()
    _spared = True


def _started_as() -> str:
    """The module that Python was started with, empty where it was none."""
    return getattr(getattr(sys.modules.get("__main__"), "__spec__", None), "name", "")

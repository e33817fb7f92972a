"""A sink that kills driver and worker once, before or after the commit of one micro-batch, or lets a task be
overtaken."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from kafkars.spark.options import sink_options
from kafkars.spark.sink import StreamWriter
from kafkars.spark.source import KafkaSource

CRASH = "KAFKARS_TEST_CRASH"
"""JSON with `moment` ("before", "after" or "overtaken"), `batch`, `driver` (a process id, added by the program) and
`done` (a path)."""


class CrashingWriter(StreamWriter):
    """Kills at the moment that the environment names, the first time that it comes."""

    def commit_transaction(self, producer: Any, batch: Any) -> None:
        plan = json.loads(os.environ[CRASH])
        if plan["moment"] == "overtaken":
            self._be_overtaken(plan, producer, batch)
            return
        if plan["moment"] == "after":
            super().commit_transaction(producer, batch)
        if batch.number == plan["batch"] and not Path(plan["done"]).exists():
            Path(plan["done"]).write_text("killed")
            os.killpg(plan["driver"], signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        if plan["moment"] == "before":
            super().commit_transaction(producer, batch)

    def _be_overtaken(self, plan: Any, producer: Any, batch: Any) -> None:
        """The first attempt of one task commits after the second, which Spark starts because the first is slow."""
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is None or batch.number != plan["batch"] or task.partitionId() != 0:
            super().commit_transaction(producer, batch)
            return
        done = Path(plan["done"])
        second = done.with_name(f"{done.name}-second")
        if task.attemptNumber() == 0 and not second.exists():
            done.with_name(f"{done.name}-first").write_text(json.dumps({"told": "first waits"}))
            until = time.monotonic() + 60
            while not second.exists() and time.monotonic() < until:
                time.sleep(0.02)
            try:
                super().commit_transaction(producer, batch)
                told = "first has committed as well"
            except Exception as error:
                told = type(error).__name__
                raise
            finally:
                done.with_name(f"{done.name}-end").write_text(json.dumps({"told": told}))
            return
        super().commit_transaction(producer, batch)
        second.write_text(json.dumps({"told": "second has committed"}))


class CrashingSource(KafkaSource):
    """`format("kafkars")` with that sink."""

    def streamWriter(self, schema: Any, overwrite: bool) -> Any:  # noqa: N802
        del overwrite
        return CrashingWriter(sink_options(dict(self.options), streaming=True), schema)

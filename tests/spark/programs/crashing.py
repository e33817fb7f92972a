"""A sink that kills driver and worker once, before or after the commit of one micro-batch."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

from kafkars.spark.options import sink_options
from kafkars.spark.sink import StreamWriter
from kafkars.spark.source import KafkaSource

CRASH = "KAFKARS_TEST_CRASH"
"""JSON with `moment` ("before" or "after"), `batch`, `driver` (a process id, added by the program) and `done` (a path)."""


class CrashingWriter(StreamWriter):
    """Kills at the moment that the environment names, the first time that it comes."""

    def commit_transaction(self, producer: Any, batch: Any) -> None:
        plan = json.loads(os.environ[CRASH])
        if plan["moment"] == "after":
            super().commit_transaction(producer, batch)
        if batch.number == plan["batch"] and not Path(plan["done"]).exists():
            Path(plan["done"]).write_text("killed")
            os.killpg(plan["driver"], signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        if plan["moment"] == "before":
            super().commit_transaction(producer, batch)


class CrashingSource(KafkaSource):
    """`format("kafkars")` with that sink."""

    def streamWriter(self, schema: Any, overwrite: bool) -> Any:  # noqa: N802
        del overwrite
        return CrashingWriter(sink_options(dict(self.options), streaming=True), schema)

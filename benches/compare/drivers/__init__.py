"""One file per client. Each has `version()` and a function per job, named in its `JOBS`.

A job gets a Task and a Window: it makes the client inside the window, ends the window at the last record,
and answers an Outcome.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

DRIVERS = (
    "kafkars",
    "kafkars_arrow",
    "confluent",
    "aiokafka",
    "kafka_python",
    "bare_sockets",
    "bare_asyncio",
    "face_confluent",
    "face_aiokafka",
    "face_kafka_python",
)


def load(name: str) -> ModuleType:
    return importlib.import_module(f"benches.compare.drivers.{name}")


def jobs(name: str) -> dict[str, Any]:
    """The jobs that a driver can do; none when its package is not installed."""
    try:
        return dict(load(name).JOBS)
    except ImportError:
        return {}

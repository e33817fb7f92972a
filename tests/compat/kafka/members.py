"""Consumers that get where a test needs them, also those of an original that does not always."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tests.support.waiting import SECONDS


def ready(library: ModuleType, make: Callable[[], Any], is_ready: Callable[[Any], bool]) -> Any:
    """A consumer that is ready; another one where kafka-python 3.0.12 waits for its coordinator for ever."""
    for _ in range(3 if library.__name__ == "kafka" else 1):
        consumer = make()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if is_ready(consumer):
                return consumer
        consumer.close(autocommit=False, timeout_ms=1_000)
    raise AssertionError("no consumer has got where it is needed")

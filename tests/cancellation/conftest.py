"""What every history of this folder must not leave."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.cancellation.ways import CANCELS
from tests.support.awaits import run as run_checked

History = Callable[[], Coroutine[Any, Any, None]]


@pytest.fixture
def cluster() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1, "t2": 2}) as broker:
        yield broker


@pytest.fixture
def run(caplog: pytest.LogCaptureFixture) -> Callable[[History], None]:
    """Runs a history; no task is left, and nothing is reported to the loop or logged as a failure."""

    def run(history: History) -> None:
        reports: list[Any] = []

        async def watched() -> None:
            asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))
            await history()

        run_checked(watched())
        gc.collect()
        assert not reports
        assert not [record for record in caplog.records if record.levelno >= logging.ERROR]

    return run


@pytest.fixture
def cancels() -> int:
    return CANCELS

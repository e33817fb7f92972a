"""Another library's driver, unchanged, on the face that stands in for the library."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import kafkars
from kafkars import compat

if TYPE_CHECKING:
    from collections.abc import Callable

    from benches.compare.task import Outcome, Task, Window

    Job = Callable[[Task, Window], Outcome]


def version_of(library: str) -> Callable[[], str]:
    return lambda: f"kafkars {kafkars.__version__} as {library}"


def jobs(library: str, driver: str, *names: str, version: int | None = None) -> dict[str, Job]:
    """Jobs of a driver. The face is installed when one runs: a process is either the face's or the library's."""

    def through(name: str) -> Job:
        def job(task: Task, window: Window) -> Outcome:
            compat.install(library, version)
            return importlib.import_module(f"benches.compare.drivers.{driver}").JOBS[name](task, window)

        return job

    return {name: through(name) for name in names}

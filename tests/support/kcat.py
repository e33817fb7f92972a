"""Finds kcat: on PATH, or Debian's package of it, unpacked into the cache without installing anything."""

from __future__ import annotations

import os
import shutil
from functools import cache

from tests.support import debian


class KcatUnavailableError(RuntimeError):
    """kcat is neither on PATH nor to be had; the message says why."""


@cache
def command() -> tuple[list[str], dict[str, str]]:
    """The beginning of kcat's command line, and its environment.

    Raises:
        KcatUnavailableError: There is none.
    """
    for name in ("kcat", "kafkacat"):
        if found := shutil.which(name):
            return [found], dict(os.environ)
    try:
        folder = debian.fetch("kcat", "kcat")
    except debian.PackageUnavailableError as failed:
        raise KcatUnavailableError(f"kcat is not on PATH, and {failed}") from failed
    return [str(folder / "usr" / "bin" / "kcat")], debian.environment(folder)

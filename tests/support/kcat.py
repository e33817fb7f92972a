"""Finds kcat: on PATH, or Debian's package of it, unpacked into the cache without installing anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from tests.kafka.jars import cache_folder

FETCH_SECONDS = 60


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
    folder = fetch()
    libraries = sorted({str(path.parent) for path in folder.glob("usr/lib/**/*.so*")})
    return [str(folder / "usr" / "bin" / "kcat")], {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries)}


def fetch() -> Path:
    """The folder with kcat and those of its libraries that the system lacks."""
    folder = cache_folder("kcat")
    unpacked = folder / "unpacked"
    if (unpacked / "usr" / "bin" / "kcat").exists():
        return unpacked
    missing = [tool for tool in ("apt-get", "dpkg") if shutil.which(tool) is None]
    if missing:
        raise KcatUnavailableError(f"kcat is not on PATH, and there is no {missing[0]} to fetch Debian's package with")
    try:
        packages = folder / f"packages.{os.getpid()}"
        download(packages, folder / "lists")
        unpack(packages, folder / f"unpacked.{os.getpid()}", unpacked)
    except (subprocess.SubprocessError, OSError) as failed:
        said = getattr(failed, "stderr", None) or str(failed)
        raise KcatUnavailableError(
            f"kcat is not on PATH, and Debian's package was not to be had: {said[-500:]}"
        ) from failed
    return unpacked


def download(packages: Path, lists: Path) -> None:
    """Debian's packages of kcat and of what it needs and the system lacks."""
    for path in (packages, lists):
        (path / "partial").mkdir(parents=True, exist_ok=True)
    install = ["install", "--download-only", "--no-install-recommends", "--yes"]
    # No lock is taken, since nothing is installed: any user may do this.
    named = ["Debug::NoLocking=true", "Acquire::http::Timeout=10", f"Dir::Cache::Archives={packages}/"]
    options = [word for each in named for word in ("-o", each)]
    own_lists = [
        *options,
        "-o",
        f"Dir::State::Lists={lists}/",
        "-o",
        "Dir::Cache::pkgcache=",
        "-o",
        "Dir::Cache::srcpkgcache=",
    ]
    try:
        run(["apt-get", *options, *install, "kcat"])
    except subprocess.CalledProcessError:
        # An image without lists of packages, as most are: they are fetched into the cache, the system's stay as they are.
        run(["apt-get", *own_lists, "update"])
        run(["apt-get", *own_lists, *install, "kcat"])


def unpack(packages: Path, unfinished: Path, unpacked: Path) -> None:
    """Unpacks beside the goal first: a run that is cut off, or another one beside it, leaves nothing half done there."""
    for package in packages.glob("*.deb"):
        run(["dpkg", "--extract", str(package), str(unfinished)])
    shutil.rmtree(packages)
    try:
        unfinished.rename(unpacked)
    except OSError:
        # Another run was first.
        shutil.rmtree(unfinished, ignore_errors=True)


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=FETCH_SECONDS)

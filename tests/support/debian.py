"""Debian's packages of programs that tests need, unpacked into the cache without installing anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.kafka.jars import cache_folder

FETCH_SECONDS = 120


class PackageUnavailableError(RuntimeError):
    """The packages are not to be had; the message says why."""


def fetch(name: str, *packages: str) -> Path:
    """The folder with some packages and those of their libraries that the system lacks; `name` is its place in the
    cache.

    Raises:
        PackageUnavailableError: There is no apt, or no archive.
    """
    folder = cache_folder(name)
    unpacked = folder / "unpacked"
    if unpacked.is_dir():
        return unpacked
    missing = [tool for tool in ("apt-get", "dpkg") if shutil.which(tool) is None]
    if missing:
        raise PackageUnavailableError(f"there is no {missing[0]} to fetch Debian's {' and '.join(packages)} with")
    try:
        downloaded = folder / f"packages.{os.getpid()}"
        download(packages, downloaded, folder / "lists")
        unpack(downloaded, folder / f"unpacked.{os.getpid()}", unpacked)
    except (subprocess.SubprocessError, OSError) as failed:
        said = getattr(failed, "stderr", None) or str(failed)
        raise PackageUnavailableError(
            f"Debian's {' and '.join(packages)} were not to be had: {said[-500:]}"
        ) from failed
    return unpacked


def environment(unpacked: Path) -> dict[str, str]:
    """What programs from there need to find their libraries."""
    libraries = sorted({str(path.parent) for path in unpacked.glob("usr/lib/**/*.so*")})
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries)}


def download(names: tuple[str, ...], packages: Path, lists: Path) -> None:
    """The packages, and what they need and the system lacks."""
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
        run(["apt-get", *options, *install, *names])
    except subprocess.CalledProcessError:
        # An image without lists of packages, as most are: they are fetched into the cache, the system's stay as they
        # are.
        run(["apt-get", *own_lists, "update"])
        run(["apt-get", *own_lists, *install, *names])


def unpack(packages: Path, unfinished: Path, unpacked: Path) -> None:
    """Unpacks beside the goal first: a run that is cut off, or another one beside it, leaves nothing half done
    there."""
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

"""Finds an interpreter of each Python that pyproject.toml declares; what is not here is fetched by Maven, into
`.cache/pythons`.

Maven Central has CPython in the jars of JavaCPP, for Linux on x86-64. CI has every interpreter on PATH.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FETCH_SECONDS = 300
PRESETS = {
    "3.10": "3.10.8-1.5.8",
    "3.11": "3.11.3-1.5.9",
    "3.12": "3.12.1-1.5.10",
    "3.13": "3.13.5-1.5.12",
    "3.14": "3.14.3-1.5.13",
}
"""Versions of org.bytedeco:cpython."""
INSIDE = "org/bytedeco/cpython/linux-x86_64/"


class NoPythonError(RuntimeError):
    """This version is neither here nor to be had; the message says why."""


def declared() -> list[str]:
    """The versions of the classifiers, as "3.10"."""
    return re.findall(r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text())


def find(version: str) -> Path:
    """An interpreter of this version that can make environments."""
    here = [f"python{version}", sys.executable if sys.version_info[:2] == numbers(version) else None]
    for candidate in filter(None, here):
        found = shutil.which(candidate)
        if found is not None and works(Path(found), version):
            return Path(found)
    return fetched(version)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def works(python: Path, version: str) -> bool:
    check = f"import sys, venv; sys.exit(sys.version_info[:2] != {numbers(version)})"
    return subprocess.run([str(python), "-c", check], capture_output=True, check=False).returncode == 0


def fetched(version: str) -> Path:
    if version not in PRESETS or sys.platform != "linux" or platform.machine() != "x86_64":
        raise NoPythonError(f"no python{version} on PATH")
    base = Path(os.environ.get("KAFKARS_CACHE") or ROOT / ".cache") / "pythons"
    python = base / version / "bin" / f"python{version}"
    if not python.exists():
        if shutil.which("mvn") is None:
            raise NoPythonError(f"no python{version} on PATH, and no mvn to fetch one")
        base.mkdir(parents=True, exist_ok=True)
        unpack(fetch_jar(version, base), base / version)
    if not works(python, version):
        raise NoPythonError(f"no python{version} on PATH, and {python} does not run here")
    return python


def fetch_jar(version: str, folder: Path) -> Path:
    artifact = f"org.bytedeco:cpython:{PRESETS[version]}:jar:linux-x86_64"
    command = ["mvn", "--batch-mode", "--quiet", "dependency:copy", f"-Dartifact={artifact}"]
    command.append(f"-DoutputDirectory={folder}")
    ran = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
    if ran.returncode != 0:
        raise NoPythonError(f"no python{version} on PATH, and mvn could not fetch {artifact}:\n{ran.stdout[-1000:]}")
    return folder / f"cpython-{PRESETS[version]}-linux-x86_64.jar"


def unpack(jar: Path, folder: Path) -> None:
    """Into a folder of this process first, so that nothing half-done is found later."""
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if name.startswith(INSIDE) and not name.endswith("/"):
                target = unfinished / name.removeprefix(INSIDE)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
                if target.parent.name == "bin":
                    target.chmod(0o755)
    jar.unlink()
    try:
        unfinished.rename(folder)
    except OSError:
        # Another run was first.
        shutil.rmtree(unfinished, ignore_errors=True)

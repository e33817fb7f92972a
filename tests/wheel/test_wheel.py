"""One wheel, of the stable ABI, serves every Python that is declared; it is small and imports quickly."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.brokers import leave_out
from tests.wheel import pythons

# A release build and a minute of packing come before the first test.
pytestmark = [pytest.mark.wheel, pytest.mark.timeout(1500)]

ROOT = Path(__file__).resolve().parents[2]
SMOKE = Path(__file__).with_name("smoke.py")
PACK = ROOT / "scripts" / "pack_wheel.py"
# What takes the room is told in ARCHITECTURE.md ("Decisions that differ from the first design").
MOST_BYTES = 9_300_000


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it would be published: a release build for the stable ABI, packed tight."""
    folder = tmp_path_factory.mktemp("wheel")
    maturin = [str(Path(sys.executable).with_name("maturin")), "build", "--release", "--locked", "--quiet"]
    command = [*maturin, "--features", "abi3", "--interpreter", sys.executable, "--out", str(folder)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (built,) = folder.glob("kafkars-*.whl")
    subprocess.run([sys.executable, str(PACK), str(built)], check=True)
    return built


def test_it_is_small_and_needs_no_other_package(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    assert "-cp310-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(metadata).decode().splitlines()
        names = {name.rpartition("/")[2] for name in archive.namelist() if ".dist-info/" in name}
    # What is linked into the module asks for its notices beside it.
    assert {"LICENSE", "THIRD-PARTY-NOTICES.txt"} <= names
    # Only what an extra asks for: `pip install "kafkars[spark]"`.
    assert [line for line in lines if line.startswith("Requires-Dist") and "; extra == " not in line] == []
    assert "Requires-Python: >=3.10" in lines


@pytest.mark.parametrize("version", pythons.declared())
def test_it_works_in_an_empty_environment(wheel: Path, version: str, tmp_path: Path) -> None:
    try:
        python = pythons.find(version)
    except pythons.NoPythonError as missing:
        leave_out(str(missing))
    subprocess.run([str(python), "-m", "venv", "--without-pip", str(tmp_path / "empty")], check=True)
    (inside,) = (tmp_path / "empty").glob("bin/python") or (tmp_path / "empty").glob("Scripts/python.exe")
    install = [sys.executable, "-m", "pip", "--python", str(inside), "install", "--quiet", "--no-index", str(wheel)]
    subprocess.run(install, check=True)
    ran = subprocess.run(
        [str(inside), str(SMOKE)], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"smoke: passed on {version}." in ran.stdout

"""A wheel that is packed anew has the same files in it, and is smaller."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).resolve().parents[2]
PACK = ROOT / "scripts" / "pack_wheel.py"


def contents(wheel: Path) -> list[tuple[str, tuple[int, ...], int, bytes]]:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        return [(each.filename, each.date_time, each.external_attr, archive.read(each)) for each in archive.infolist()]


def test_nothing_but_the_size_changes(tmp_path: Path) -> None:
    wheel = tmp_path / "a-1-py3-none-any.whl"
    modules = sorted((ROOT / "python" / "kafkars" / "admin").glob("*.py"))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for module in modules:
            archive.write(module, f"a/{module.name}")
        archive.writestr("a/empty.py", b"")
        archive.writestr("a/stored.bin", bytes(range(256)), compress_type=zipfile.ZIP_STORED)
    before, size = contents(wheel), wheel.stat().st_size
    ran = subprocess.run([sys.executable, str(PACK), str(wheel)], capture_output=True, text=True, check=True)
    assert contents(wheel) == before
    assert wheel.stat().st_size < size * 0.98
    assert ran.stdout == f"{wheel.name}: {wheel.stat().st_size:,} bytes, {size - wheel.stat().st_size:,} less\n"
    assert [each.name for each in tmp_path.iterdir()] == [wheel.name]

"""The sources that are packed are what is in the repository, whole, and nothing that a build left there."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path, PurePosixPath

import pytest

pytestmark = pytest.mark.timeout(120)

ROOT = Path(__file__).resolve().parents[2]
ALONE = ["Cargo.toml", "Cargo.lock", "pyproject.toml", "LICENSE", "THIRD-PARTY-NOTICES.txt", "README.md"]
ALONE += [".cargo/config.toml"]


def test_what_is_built_from_is_in_it(tmp_path: Path) -> None:
    maturin = [str(Path(sys.executable).with_name("maturin")), "sdist", "--out", str(tmp_path)]
    ran = subprocess.run(maturin, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (packed,) = tmp_path.glob("kafkars-*.tar.gz")
    with tarfile.open(packed) as archive:
        found = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in archive.getnames()}
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    known = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    sources = {name for name in known if name.startswith("python/kafkars/")}
    sources |= {name for name in known if name.startswith("rust/kafkars-") and "/src/" in name}
    assert not {*sources, *ALONE} - found
    # Written by the packing itself.
    assert not {name for name in found if name not in known} - {"PKG-INFO"}
    assert packed.stat().st_size < 4_000_000

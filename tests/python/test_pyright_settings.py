"""What pyright leaves out is what imports PySpark, which is not among the tools for development."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_files_that_import_pyspark_are_left_out_and_no_others() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = settings.partition("[tool.pyright]")[2]
    listed = re.findall(r'"(.+?)"', section.partition("ignore = [")[2].partition("]")[0])
    sources = (ROOT / "python/kafkars").rglob("*.py")
    imports = re.compile(r"^\s*(from|import) pyspark\b", re.MULTILINE)
    found = [each for each in sources if imports.search(each.read_text(encoding="utf-8"))]
    assert listed == sorted(str(each.relative_to(ROOT)) for each in found)

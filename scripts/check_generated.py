"""Checks that the generated wire messages are what the generator writes today; `--write` writes them.

The generator reads Kafka's schemas from a jar that Maven fetches. Without Maven the check is left out with a
word; with CI=true that is a failure.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = ROOT / "rust/kafkars-protocol/generator/generate.py"
sys.path.insert(0, str(ROOT))

from tests.kafka import jars  # noqa: E402


def main() -> int:
    version = schemas_version()
    try:
        schemas = jars.fetch(version) / f"kafka-clients-{version}.jar"
    except jars.JarsUnavailableError as error:
        print(f"left out: the generated messages were not checked: {error}", file=sys.stderr)
        return int(os.environ.get("CI", "").lower() not in {"", "0", "false"})
    mode = [] if "--write" in sys.argv else ["--check"]
    return subprocess.run([sys.executable, str(GENERATOR), "--schemas", str(schemas), *mode], check=False).returncode


def schemas_version() -> str:
    """The generator says itself which Kafka it writes for."""
    found = re.search(r'^KAFKA = "([^"]+)"', GENERATOR.read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{GENERATOR} does not say KAFKA = ...")
    return found.group(1)


if __name__ == "__main__":
    sys.exit(main())

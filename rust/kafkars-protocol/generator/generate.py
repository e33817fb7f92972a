#!/usr/bin/env python3
"""Writes kafkars-protocol's messages from Kafka's own schemas.

    python rust/kafkars-protocol/generator/generate.py --schemas kafka-clients-4.3.1.jar
    python rust/kafkars-protocol/generator/generate.py --schemas DIRECTORY --check

The schemas are the `common/message/*.json` of `org.apache.kafka:kafka-clients` (Maven). The result is committed, the
schemas are not. `--check` writes nothing, prints how the committed files differ, and fails when they do.
"""

from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
from pathlib import Path

import rust_messages
import rust_tables
import schema

KAFKA = "4.3.1"
CRATE = Path(__file__).resolve().parent.parent
SOURCE = CRATE / "src"
TABLE = CRATE.parent / "kafkars-testkit" / "src" / "schemas.txt"
CONFIG = CRATE.parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--schemas", type=Path, required=True, help="the kafka-clients jar, or a directory of its schemas"
    )
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing")
    arguments = parser.parse_args()
    files = generate(arguments.schemas)
    stale = [path for path in (SOURCE / "messages").glob("*.rs") if path not in files]
    if arguments.check:
        return check(files, stale)
    for path in stale:
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    print(f"{len(files)} files are current")
    return 0


def generate(schemas: Path) -> dict[Path, str]:
    apis = schema.load(schemas)
    rust = {
        SOURCE / "messages" / f"{rust_messages.module_name(api)}.rs": rust_messages.file_for(api, KAFKA) for api in apis
    }
    rust[SOURCE / "messages" / "mod.rs"] = rust_tables.modules_file(apis, KAFKA)
    rust[SOURCE / "api_key.rs"] = rust_tables.api_key_file(apis, KAFKA)
    files = {path: rustfmt(text) for path, text in rust.items()}
    files[TABLE] = rust_tables.schema_table(apis, KAFKA)
    return files


def rustfmt(text: str) -> str:
    command = ["rustfmt", "--edition", "2024", "--emit", "stdout", "--config-path", str(CONFIG)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def check(files: dict[Path, str], stale: list[Path]) -> int:
    different = 0
    for path, text in files.items():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old != text:
            different += 1
            name = str(path.relative_to(CONFIG))
            lines = difflib.unified_diff(
                old.splitlines(True), text.splitlines(True), f"committed/{name}", f"current/{name}"
            )
            sys.stdout.writelines(lines)
    for path in stale:
        print(f"{path.relative_to(CONFIG)} is not generated any more")
    if different or stale:
        print("The committed messages are not current: run generate.py without --check.", file=sys.stderr)
    return 1 if different or stale else 0


if __name__ == "__main__":
    sys.exit(main())

"""The tables of `data/`: one row for each public name of a library, as observed on the release named in
`data/README.md`."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
LIBRARIES = ("confluent_kafka", "aiokafka", "kafka_python", "kafka_python_2", "kafka_legacy")
# kafka-python 0.9.5 runs on no Python of today, and 2.3.3 not beside 3.0: nothing to look at but the face.
WITHOUT_ORIGINAL = ("kafka_legacy", "kafka_python_2")
# Faces that have everything they are to have.
FACES = ("aiokafka", "confluent_kafka", "kafka_python", "kafka_python_2", "kafka_legacy")
MISSING = object()


@dataclass(frozen=True, eq=False)
class Row:
    """One public name.

    `since` is "seed" for what the documents to be met name, "latest" for what only today's release has, "2.3.3" and
    "2.0.2" for what kafka-python had until then. `tier` is "core" for what programs use, "extended" for what few do,
    "internal" for what is public by its path only, which nobody promises.
    """

    library: str
    name: str
    kind: str
    since: str
    tier: str
    parameters: str
    default: Any
    remarks: dict[str, str]

    @property
    def promised(self) -> bool:
        """Whether a face must have it, whatever else it leaves out."""
        return self.since == "seed" or (self.tier == "core" and self.since != "2.0.2")

    @property
    def owner(self) -> str:
        """The class or module that has it: rows are checked and reported by it."""
        if self.kind == "config" and ".config." in f".{self.name}":
            return f".{self.name}".split(".config.")[0].lstrip(".") + " settings"
        return self.name.rpartition(".")[0]


@cache
def rows(library: str) -> list[Row]:
    """All rows of a library."""
    with (DATA / f"{library}.tsv").open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [_row(library, line) for line in lines]


def owned(library: str, owner: str) -> list[Row]:
    """The rows of one class or module."""
    return [row for row in rows(library) if row.owner == owner]


@dataclass(frozen=True)
class NotOffered:
    """A name that a face leaves out, with all that is below it, and what its error must name instead."""

    library: str
    name: str
    names: str

    def covers(self, row: Row) -> bool:
        return row.library == self.library and (row.name == self.name or row.name.startswith(f"{self.name}."))


@cache
def not_offered() -> list[NotOffered]:
    """What the faces leave out, of tier extended only."""
    with (DATA / "not_offered.tsv").open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [NotOffered(line["library"], line["name"], line["alternative"]) for line in lines]


def _row(library: str, line: dict[str, str]) -> Row:
    return Row(
        library=library,
        name=line["name"],
        kind=line["kind"],
        since=line["since"],
        tier=line["tier"],
        parameters=line["parameters"],
        default=json.loads(line["default"]) if line["default"] else MISSING,
        remarks=dict(_pair(remark) for remark in line["remarks"].split("; ") if remark),
    )


def _pair(remark: str) -> tuple[str, str]:
    name, _, value = remark.partition("=")
    return name, value


# Each class and module with names of its own.
OWNERS = [(library, owner) for library in LIBRARIES for owner in dict.fromkeys(row.owner for row in rows(library))]

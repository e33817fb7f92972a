"""Figures of the embedded broker, on a release build.

python -m benches.embedded [start] [throughput] [idle] [keys] [--rounds 5] [--records 1000000] [--out FILE]

start       how long until the first record is stored by a broker that was not there, in milliseconds
throughput  records a second beside Apache Kafka, with the same clients, in turns
idle        memory of a connection that says nothing, in bytes
keys        how many APIs are answered, beside kfake of franz-go
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kafkars

from benches.embedded import idle, keys, start, throughput

FIGURES: dict[str, Callable[[argparse.Namespace], Any]] = {
    "start": start.measure,
    "throughput": throughput.measure,
    "idle": idle.measure,
    "keys": keys.measure,
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(FIGURES))
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--records", type=int, default=1_000_000, help="of a round of throughput")
    options.add_argument("--connections", type=int, default=4_000)
    options.add_argument("--kafka-version", default="4.3.1")
    options.add_argument("--out", type=Path, help="a JSON file for all that was measured")
    given = options.parse_args()
    if unknown := set(given.figures) - set(FIGURES):
        options.error(f"no figure {unknown.pop()}; there are {', '.join(FIGURES)}")

    print(f"kafkars {kafkars.__version__}, Python {sys.version.split()[0]}")
    found = {name: FIGURES[name](given) for name in given.figures or FIGURES}
    if given.out is not None:
        given.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

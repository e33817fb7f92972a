"""Runs the suites of frameworks on the originals and on the faces, and prints passes side by side: `python -m
tests.frameworks.suites [--kafka VERSION] [-k EXPRESSION] [--texts] [NAME...]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from kafkars.testing import EmbeddedBroker

from tests.frameworks.suites.reasons import reason
from tests.frameworks.suites.running import run
from tests.frameworks.suites.table import SUITES
from tests.kafka import KafkaCluster, KafkaOptions

SIDES = ("original", "face")


@contextmanager
def broker(version: str | None) -> Iterator[str]:
    """The address of a broker of our own for one run: tests leave topics behind."""
    if version is None:
        with EmbeddedBroker() as embedded:
            yield embedded.bootstrap_servers
    else:
        with KafkaCluster(KafkaOptions(version=version)) as kafka:
            yield kafka.bootstrap_servers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kafka", metavar="VERSION", help="a real Kafka instead of the embedded broker")
    parser.add_argument("-k", dest="only", default="", help="tests, as of pytest")
    parser.add_argument("--texts", action="store_true", help="what the face's failures say")
    parser.add_argument("names", nargs="*", help="some suites")
    chosen = parser.parse_args()
    unexplained = 0
    sys.stdout.write(f"{'':48}{'tests':>7}{'original':>10}{'face':>7}{'seconds':>14}\n")
    for suite in SUITES:
        if chosen.names and suite.name not in chosen.names:
            continue
        told = {}
        for side in SIDES:
            with broker(chosen.kafka) as address:
                told[side] = run(suite, side, address, chosen.only)
        original, face = (told[side] for side in SIDES)
        seconds = f"{original.seconds:.0f} {face.seconds:.0f}"
        names = original.outcomes.keys() | face.outcomes.keys()
        sys.stdout.write(
            f"{suite.name:48}{len(names):>7}{len(original.passed):>10}{len(face.passed):>7}{seconds:>14}\n"
        )
        for name in sorted(names):
            if (name in original.passed) == (name in face.passed) and not (chosen.texts and name in face.texts):
                continue
            why = reason(suite, name)
            unexplained += name in original.passed and why is None
            sides = [told[side].outcomes.get(name, "absent") for side in SIDES]
            sys.stdout.write(f"  {name}: {' | '.join(sides)}  {why or ''}\n")
            if chosen.texts:
                sys.stdout.write(face.texts.get(name, "") + "\n")
        sys.stdout.flush()
    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())

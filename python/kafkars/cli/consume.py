"""`kafkars consume`: records of a topic as lines."""

from __future__ import annotations

import argparse
import sys
from typing import Literal

import kafkars
from kafkars import TopicPartition


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    parser = commands.add_parser("consume", help="prints the records of a topic, a line each")
    parser.add_argument("topic")
    # By the name that Kafka's own tools have, and by that of the setting.
    names = ("--bootstrap", "--bootstrap-server", "--bootstrap-servers")
    parser.add_argument(*names, default="localhost:9092", metavar="HOST:PORT[,…]", help="(default: %(default)s)")
    parser.add_argument("--from-beginning", action="store_true", help="also what is there already")
    parser.add_argument("--max", type=int, metavar="N", help="end after so many records")
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="end when nothing comes for so long: no record, no answer of a broker",
    )
    parser.add_argument("--keys", action="store_true", help="print the key and a tab before each value")
    parser.set_defaults(run=run)


def seconds(text: str) -> float:
    """A time limit."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value >= 0:  # nor NaN
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return value


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = sys.stdout.buffer
    left = options.max
    start: Literal["earliest", "latest"] = "earliest" if options.from_beginning else "latest"
    with kafkars.Consumer(bootstrap_servers=options.bootstrap, auto_offset_reset=start) as consumer:
        partitions = consumer.partitions_for(options.topic, timeout=options.timeout)
        consumer.assign([TopicPartition(options.topic, each.partition) for each in partitions])
        while left is None or left > 0:
            batch = consumer.poll_batch(max_records=left and min(left, 500), timeout=options.timeout)
            if not batch:
                return 0
            for record in batch:
                if options.keys:
                    out.write((record.key or b"") + b"\t")
                out.write((record.value or b"") + b"\n")
            out.flush()
            left = left and left - len(batch)
    return 0

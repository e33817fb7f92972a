"""`kafkars consume`: prints the records of a topic as lines."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import Literal

import kafkars
from kafkars import TopicPartition
from kafkars.cli._arguments import (
    add_bootstrap,
    add_command,
    add_settings,
    add_topic,
    at_least,
    given_settings,
    seconds,
)
from kafkars.cli._signals import on_signals, raise_terminated
from kafkars.errors import KafkaTimeoutError


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    parser = add_command(commands, "consume", "prints the values of a topic's records, a line each, until Ctrl+C")
    add_topic(parser, "to read, all partitions of it")
    add_bootstrap(parser)
    add_settings(parser)
    parser.add_argument(
        "--from-beginning", action="store_true", help="also what is there already (default: only what comes)"
    )
    parser.add_argument("--max", type=at_least(1), metavar="N", help="end after so many records (default: go on)")
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="end when nothing comes for so long: no record, no answer of a broker (default: wait for ever)",
    )
    parser.add_argument("--keys", action="store_true", help="print the key and a tab before each value")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    on_signals((signal.SIGTERM,), raise_terminated)
    out = sys.stdout.buffer
    left = options.max
    start: Literal["earliest", "latest"] = "earliest" if options.from_beginning else "latest"
    settings = {"bootstrap.servers": options.bootstrap, "auto.offset.reset": start, **given_settings(options)}
    with kafkars.Consumer(settings) as consumer:
        partitions = consumer.partitions_for(options.topic, timeout=options.timeout)
        consumer.assign([TopicPartition(options.topic, each.partition) for each in partitions])
        while left is None or left > 0:
            batch = consumer.poll_batch(max_records=left and min(left, 500), timeout=options.timeout)
            if not batch and not consumer.health().connected:
                raise KafkaTimeoutError(f"no broker is connected; nothing came for {options.timeout:g} s")
            if not batch:
                return 0
            for record in batch:
                if options.keys:
                    out.write((record.key or b"") + b"\t")
                out.write((record.value or b"") + b"\n")
            out.flush()
            left = left and left - len(batch)
    return 0

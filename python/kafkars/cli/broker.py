"""`kafkars broker`: the embedded broker as a program of its own."""

from __future__ import annotations

import argparse
import signal
import time

from kafkars.cli._arguments import add_command, at_least
from kafkars.cli._output import say
from kafkars.cli._signals import on_signals
from kafkars.testing import EmbeddedBroker

LONGEST_WAIT = 0.1
"""Seconds between two checks whether to end."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "broker",
        "runs an in-memory broker that any Kafka client can use, until Ctrl+C",
        " It is for development and tests.",
    )
    parser.add_argument(
        "--port", type=at_least(0), default=9092, help="port of the first node, 0 for a free one (default: %(default)s)"
    )
    parser.add_argument("--nodes", type=at_least(1), default=1, help="how many nodes (default: %(default)s)")
    parser.add_argument(
        "--version",
        metavar="RELEASE",
        help='a release of Kafka to pass for, such as "2.8" (default: none, with all that the broker can do)',
    )
    parser.add_argument(
        "--data-dir", metavar="FOLDER", help="keep everything there across restarts (default: keep nothing)"
    )
    parser.add_argument(
        "--topic",
        type=_topic,
        action="append",
        default=[],
        metavar="NAME[:PARTITIONS]",
        help="a topic that is there from the start; may be repeated",
    )
    parser.add_argument(
        "--partitions", type=at_least(1), default=1, help="partitions of topics that do not say (default: %(default)s)"
    )
    parser.add_argument(
        "--replicas",
        type=at_least(1),
        default=1,
        help="replicas of topics, at most as many as nodes (default: %(default)s)",
    )
    parser.add_argument("--no-auto-create", action="store_true", help="refuse topics that nobody has created")
    parser.add_argument("--quiet", action="store_true", help="print only the line that says where it listens")
    parser.set_defaults(run=run)


def _topic(text: str) -> tuple[str, int | None]:
    name, colon, partitions = text.rpartition(":")
    if not colon:
        return text, None
    if not name or not partitions.isdecimal() or int(partitions) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME or NAME:PARTITIONS")
    return name, int(partitions)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    signals: list[int] = []
    # SIGINT is Ctrl+C, SIGTERM the way of process managers. Both are handled before the first line of output, because
    # whoever has read it may already send one, and also if a shell started us with Ctrl+C ignored.
    # Not a threading.Event: its set() blocks for ever in a signal handler that interrupts its wait().
    on_signals((signal.SIGINT, signal.SIGTERM), signals.append)
    topics = {name: options.partitions if partitions is None else partitions for name, partitions in options.topic}
    started = time.perf_counter()
    with EmbeddedBroker(
        nodes=options.nodes,
        version=options.version,
        data_dir=options.data_dir,
        port=options.port,
        topics=topics,
        auto_create_topics=not options.no_auto_create,
        default_partitions=options.partitions,
        default_replication_factor=options.replicas,
    ) as broker:
        say(f"listening on {broker.bootstrap_servers}")
        if not options.quiet:
            for name, partitions in topics.items():
                say(f"topic {name} with {partitions} partition{'s' if partitions > 1 else ''}")
            kept = "nothing is kept" if options.data_dir is None else f"everything is kept in {options.data_dir}"
            say(f"Ctrl+C ends it; {kept}")
        while not signals:
            time.sleep(LONGEST_WAIT)
        seconds = time.perf_counter() - started
        count = len(broker.topics())
    if not options.quiet:
        say(f"ended after {seconds:.0f} s with {count} topic{'' if count == 1 else 's'}")
    return 0

"""`kafkars produce`: a record for each line of standard input."""

from __future__ import annotations

import argparse
import sys

import kafkars


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    parser = commands.add_parser("produce", help="sends each line of standard input as a record")
    parser.add_argument("topic")
    # By the name that Kafka's own tools have, and by that of the setting.
    names = ("--bootstrap", "--bootstrap-server", "--bootstrap-servers")
    parser.add_argument(*names, default="localhost:9092", metavar="HOST:PORT[,…]", help="(default: %(default)s)")
    parser.add_argument("--key-separator", metavar="TEXT", help="what stands between key and value in a line")
    parser.add_argument("--partition", type=int, help="send everything there")
    parser.add_argument(
        "--compression",
        default="none",
        choices=["none", "gzip", "snappy", "lz4", "zstd"],
        help="(default: %(default)s)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    separator = (options.key_separator or "").encode()
    sent = 0
    failures: list[BaseException] = []

    def delivered(delivery: kafkars.DeliveryFuture) -> None:
        failure = delivery.exception()
        if failure is not None:
            failures.append(failure)

    with kafkars.Producer(bootstrap_servers=options.bootstrap, compression_type=options.compression) as producer:
        for line in sys.stdin.buffer:
            value = line.rstrip(b"\r\n")
            key = None
            if separator and separator in value:
                key, _, value = value.partition(separator)
            producer.send(options.topic, value, key=key, partition=options.partition, on_delivery=delivered)
            producer.poll(0)
            sent += 1
        producer.flush()
    sys.stderr.write(f"{sent - len(failures)} of {sent} records stored in {options.topic}\n")
    for failure in failures[:1]:
        sys.stderr.write(f"kafkars: {failure}\n")
    return 1 if failures else 0

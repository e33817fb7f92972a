"""`kafkars produce`: sends each line of standard input as a record."""

from __future__ import annotations

import argparse
import sys
from functools import partial

import kafkars
from kafkars.cli._arguments import (
    add_bootstrap,
    add_command,
    add_settings,
    add_topic,
    at_least,
    given_settings,
    seconds,
)
from kafkars.cli._lines import Lines
from kafkars.cli._signals import OF_A_SIGNAL
from kafkars.config import ProducerConfig


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    parser = add_command(commands, "produce", "sends each line of standard input as a record")
    add_topic(parser, "to send to")
    add_bootstrap(parser)
    add_settings(parser)
    parser.add_argument(
        "--key-separator",
        metavar="TEXT",
        help="what stands between key and value in a line (default: a line is a value)",
    )
    parser.add_argument("--partition", type=at_least(0), help="send everything there (default: by the key, or spread)")
    parser.add_argument(
        "--compression",
        default="none",
        choices=["none", "gzip", "snappy", "lz4", "zstd"],
        help="of what is sent (default: %(default)s)",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="longest wait for a record to be stored, for brokers that do not answer as well (default: 120)",
    )
    parser.set_defaults(run=run)


def limits(timeout: float | None) -> dict[str, float]:
    """Returns settings with which neither a record nor the end of the command waits longer than a time limit."""
    if timeout is None:
        return {}
    milliseconds = max(timeout * 1000, 1)
    return {
        "linger.ms": 0,
        "max.block.ms": milliseconds,
        "delivery.timeout.ms": milliseconds,
        "request.timeout.ms": milliseconds,
        "close.timeout.ms": milliseconds,
    }


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    separator = (options.key_separator or "").encode()
    taken = stored = 0
    failures: list[BaseException] = []

    def delivered(delivery: kafkars.DeliveryFuture) -> None:
        nonlocal stored
        failure = delivery.exception()
        if failure is None:
            stored += 1
        else:
            failures.append(failure)

    settings = {"bootstrap.servers": options.bootstrap, "compression.type": options.compression}
    config = ProducerConfig.of({**settings, **limits(options.timeout), **given_settings(options)}, {})
    lines = Lines()
    with kafkars.Producer(config) as producer:
        for line in lines:
            key, value = None, line
            if separator and separator in value:
                key, _, value = value.partition(separator)
            send = partial(producer.send, options.topic, value, key=key, partition=options.partition)
            taken += 1
            lines.unless_ended(partial(send, on_delivery=delivered))
            producer.poll(0)
        # Whoever sends a signal does not wait for delivery_timeout_ms.
        if producer.flush(config.close_timeout_ms / 1000 if lines.signal else None):
            producer.close(0)
    sys.stderr.write(f"{stored} of {taken} records stored in {options.topic}\n")
    for failure in failures[:1]:
        sys.stderr.write(f"kafkars: {failure}\n")
    if lines.signal:
        return OF_A_SIGNAL + lines.signal
    return 0 if stored == taken else 1

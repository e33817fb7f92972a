"""The `kafkars` command: a demonstration, a broker for tests, and records by hand."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import TYPE_CHECKING

from kafkars import __version__
from kafkars.cli import broker, consume, demo, produce
from kafkars.cli._commands import unknown
from kafkars.cli._signals import OF_A_SIGNAL, TerminatedError
from kafkars.errors import KafkaError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status.

    Args:
        arguments: Words of the command line; those of this process when left out.
    """
    parser = argparse.ArgumentParser(prog="kafkars", description="A Kafka client with a Rust core.")
    parser.add_argument("--version", action="version", version=f"kafkars {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in (demo, broker, produce, consume):
        command.add_to(commands)
    words = sys.argv[1:] if arguments is None else list(arguments)
    # No option of the parser itself takes a word.
    name = next((word for word in words if not word.startswith("-")), None)
    if name is not None and name not in commands.choices:
        parser.error(unknown(name, list(commands.choices)))
    options = parser.parse_args(words)
    try:
        status: int = options.run(options)
    except TerminatedError:
        return OF_A_SIGNAL + signal.SIGTERM
    except KeyboardInterrupt:
        return OF_A_SIGNAL + signal.SIGINT
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does: nothing may be written any more, not even by the flush at
        # exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KafkaError, OSError) as error:
        sys.stderr.write(f"kafkars: {error}\n")
        return 1
    return status

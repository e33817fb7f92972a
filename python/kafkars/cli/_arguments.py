"""Parsers of arguments of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def seconds(text: str) -> float:
    """Parses a time limit in seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not value > 0:  # nor NaN
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def at_least(least: int) -> Callable[[str], int]:
    """Returns a parser of whole numbers that are at least a given one."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
        return value

    return number


def setting(text: str) -> tuple[str, str]:
    """Parses a setting and its value."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        # The text is not quoted: it may contain a password.
        raise argparse.ArgumentTypeError("a setting is written NAME=VALUE")
    # Under their names with dots, settings take numbers and flags as text.
    return name.strip().replace("_", "."), value.strip()


def settings_of(file: str) -> list[tuple[str, str]]:
    """Reads the settings of a file, one on each line, as in the `client.properties` of Kafka's own tools."""
    try:
        lines = [line.strip() for line in Path(file).read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"{file}: {error}") from None
    return [setting(line) for line in lines if line and not line.startswith(("#", "!"))]


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Adds the options for settings of the client, which clusters with security need."""
    parser.add_argument(
        "--config",
        type=settings_of,
        default=[],
        metavar="FILE",
        help="settings of the client, NAME=VALUE in each line, such as security.protocol=SASL_SSL",
    )
    parser.add_argument(
        "-X", "--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help="one more setting"
    )


def given_settings(options: argparse.Namespace) -> dict[str, str]:
    """Returns the settings that were given; of several values the last one counts."""
    return dict([*options.config, *options.set])


def add_bootstrap(parser: argparse.ArgumentParser) -> None:
    """Adds the option for a cluster's address, under the name that Kafka's tools use and that of the setting."""
    names = ("--bootstrap", "--bootstrap-server", "--bootstrap-servers")
    parser.add_argument(
        *names, default="localhost:9092", metavar="HOST:PORT[,…]", help="brokers to start from (default: %(default)s)"
    )


def add_topic(parser: argparse.ArgumentParser, use: str) -> None:
    """Adds the argument for a topic, which is used so."""
    parser.add_argument("topic", help=f"the topic {use}")


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, more: str = ""
) -> argparse.ArgumentParser:
    """Adds a command, which is described in one line among the others, and so in its own help."""
    description = f"{summary[0].upper()}{summary[1:]}.{more}"
    return commands.add_parser(name, help=summary, description=description)

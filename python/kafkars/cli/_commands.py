"""Names of commands: where one that there is not is found."""

from __future__ import annotations

from kafkars.config.names import nearest

IN_PYTHON = "the command administers nothing; in Python: kafkars.Admin(bootstrap_servers=…).{call}"

ELSEWHERE = {
    "admin": IN_PYTHON.format(call="list_topics()"),
    "topic": IN_PYTHON.format(call="list_topics(), create_topics() and others"),
    "group": IN_PYTHON.format(call="list_groups(), describe_groups() and others"),
    "config": IN_PYTHON.format(call="describe_configs(), alter_configs()"),
    "acl": IN_PYTHON.format(call="describe_acls(), create_acls()"),
    "version": "use kafkars --version",
    "help": "use kafkars --help",
    "producer": "use kafkars produce",
    "consumer": "use kafkars consume",
    "server": "use kafkars broker",
}
"""Other names of commands, each in the singular, with what to use instead."""


def unknown(name: str, known: list[str]) -> str:
    """Returns the message for a command that there is not, with what to use in its place."""
    return f"there is no command {name!r}; {advice(name, known)}"


def advice(name: str, known: list[str]) -> str:
    """Returns what to use in the place of a command of that name."""
    of_one = name.lower().removesuffix("s")
    near = nearest(name.lower(), known)
    if of_one in ELSEWHERE:
        return ELSEWHERE[of_one]
    return f"did you mean {near!r}?" if near is not None else f"there are {', '.join(known)}"

"""How a program is to reach the cluster, in words that belong to no library, and what it was told."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One way to connect. It travels to the program's process as JSON."""

    name: str
    address: str
    topic: str
    protocol: str = "PLAINTEXT"
    mechanism: str | None = None
    username: str | None = None
    password: str | None = None
    token: str | None = None
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    key_password: str | None = None
    keystore: str | None = None
    crl: str | None = None
    ciphers: str | None = None
    # "create" is the library's own helper where it has one, "foreign" the ssl module's; None gives files.
    context: str | None = None
    check_host: bool = True
    provider_fails: bool = False
    # How long a call may wait for the cluster: short where that is in vain.
    seconds: float = 20.0
    # PEM as text instead of files; a PKCS#12 file instead of PEM. For the library that has it.
    as_text: bool = False
    # A token endpoint with a client's id and secret instead of a token. For the library that has it.
    endpoint: tuple[str, str, str] | None = None
    # What name and password become once the client is made. For the library that can change them.
    new_login: tuple[str, str] | None = None


class Told:
    """Collects what steps tell, and how long they take."""

    def __init__(self) -> None:
        self.steps: dict[str, Any] = {}
        # Whatever a program can print of a failure.
        self.said: list[str] = []
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.seconds[name] = round(time.monotonic() - started, 2)

    def step(self, name: str, call: Callable[[], Any]) -> bool:
        """One step: what it returns, or what it raises. Whether it returned."""
        with self.timed(name):
            try:
                self.steps[name] = call()
            except Exception as error:  # noqa: BLE001  whatever it is, it is what the program is told
                self.failed(name, error)
        return not is_raised(self.steps[name])

    def failed(self, name: str, error: BaseException) -> None:
        """A step that raised."""
        self.steps[name] = raised(error)
        self.said += [repr(error), *traceback.format_exception(error)]


def raised(error: BaseException) -> list[Any]:
    """The class with those above it, each of which an `except` may name, and the code where the library's error has
    one."""
    code = getattr(error.args[0], "name", None) if error.args else None
    classes = [each.__name__ for each in type(error).__mro__ if each not in {BaseException, object}]
    return ["raises", classes, code() if callable(code) else None]


def is_raised(told: Any) -> bool:
    """Whether a step raised."""
    return isinstance(told, list) and told[:1] == ["raises"]


def serve(run: Callable[[Case], Told]) -> None:
    """Cases from standard input, what each tells to standard output, a line each."""
    if "verbose" in sys.argv:
        logging.basicConfig(level=1)
    for line in sys.stdin:
        told = run(Case(**json.loads(line)))
        sys.stderr.write("\n".join(told.said))
        sys.stderr.flush()
        sys.stdout.write(json.dumps([told.steps, told.seconds]) + "\n")
        sys.stdout.flush()


def to_json(case: Case) -> str:
    """A line for `serve()`."""
    return json.dumps(asdict(case)) + "\n"

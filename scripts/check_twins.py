"""Checks that the synchronous clients are what is generated from the asyncio ones; `--write` generates them.

What differs by nature stands in a table here: the words of a docstring, the class underneath, what is returned.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "kafkars"
NOTE = "# Made of kafkars/{source} by scripts/check_twins.py (`make generate-twins`): change that one.\n"


@dataclass(frozen=True)
class Twin:
    """A synchronous module, the asyncio one that it is made of, and what is said differently in it."""

    source: str
    made: str
    words: tuple[tuple[str, str], ...] = ()


COMMON = (
    ("The asyncio ", "The synchronous "),
    ("import asynchronous", "import synchronous"),
    ("@asynchronous", "@synchronous"),
    ("async with", "with"),
    ("async for ", "for "),
    ("async def ", "def "),
    ("await ", ""),
    ("__aenter__", "__enter__"),
    ("__aexit__", "__exit__"),
    ("AsyncIterator", "Iterator"),
)

TWINS = (
    Twin(
        "aio/admin.py",
        "admin/client.py",
        (
            ("Several tasks\n    may share it", "Several threads\n    may share it"),
            ("Calls that wait end with", "Calls that wait in other threads end with"),
            ("request.start()", "request.wait()"),
            ("close(timeout).start()", "close(timeout).wait()"),
        ),
    ),
    Twin(
        "aio/consumer.py",
        "consumer.py",
        (
            ("_kafkars.AsyncConsumer", "_kafkars.Consumer"),
            (
                """    Fetching goes on in the background; what has arrived is handed over without suspending. A record is taken in the
    step in which the awaiting task gets it: a call that is cancelled before that, or never awaited, takes none.
""",
                """    Fetching goes on in the background; what has arrived is handed over on the spot. Several threads may share a
    consumer: each record goes to one of them.
""",
            ),
        ),
    ),
    Twin(
        "aio/producer.py",
        "producer.py",
        (
            ("_kafkars.AsyncProducer", "_kafkars.Producer"),
            ("from kafkars.aio.transaction import", "from kafkars.transaction import"),
            (
                """        metadata = await producer.send("orders", b"two apples", key=b"customer 7")
        print(metadata.offset)
""",
                """        delivery = producer.send("orders", b"two apples", key=b"customer 7")
        print(delivery.result().offset)
""",
            ),
            (
                """    Three ways to send, for three needs: `await send(...)` gives the record's metadata; `await enqueue(...)` waits only
    until there is room, and gives the future of the delivery; `send_nowait(...)` gives that future and never waits.
    In all of them the record is on its way from the call on, in the order of the calls. Cancelling an await gives up
    waiting, not a record that has entered a batch; one that still waits for its topic or for room is withdrawn.
    Cancelling a step of a transaction gives up waiting for it; cancelling `close()` ends the producer at once.
""",
                """    Records are collected into batches and sent in the background. Leaving the `with` block waits until all are
    acknowledged. Several threads may share a producer.
""",
            ),
        ),
    ),
)


def main() -> int:
    wrong = 0
    for twin in TWINS:
        made, path = make(twin), PACKAGE / twin.made
        if "--write" in sys.argv:
            path.write_text(made)
        elif path.read_text() != made:
            print(f"{twin.made}: is not what {twin.source} makes; run `make generate-twins`", file=sys.stderr)
            wrong = 1
    return wrong


def make(twin: Twin) -> str:
    """The text of the synchronous module."""
    text = (PACKAGE / twin.source).read_text()
    for asyncio, synchronous in twin.words:
        if asyncio not in text:
            raise SystemExit(f"{twin.source} does not say what scripts/check_twins.py replaces: {asyncio!r}")
        text = text.replace(asyncio, synchronous)
    for asyncio, synchronous in COMMON:
        text = text.replace(asyncio, synchronous)
    return re.sub(r"\n\n", f"\n\n{NOTE.format(source=twin.source)}\n", sorted_imports(text), count=1)


def sorted_imports(text: str) -> str:
    """Names that were renamed back into their order."""

    def in_order(found: re.Match[str]) -> str:
        return found[1] + ", ".join(sorted(found[2].split(", ")))

    text = re.sub(r"(    from collections\.abc import )(.*)", in_order, text)
    lines = text.split("\n")
    ours = [at for at, line in enumerate(lines) if line.startswith("from kafkars")]
    for at, line in zip(ours, sorted((lines[at] for at in ours), key=import_order), strict=True):
        lines[at] = line
    return "\n".join(lines)


def import_order(line: str) -> str:
    return line.split()[1]


if __name__ == "__main__":
    sys.exit(main())

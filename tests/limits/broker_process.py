"""The embedded broker in a process of its own, whose memory is measured: `python broker_process.py`.

`--faults` turns its fault controls on. It prints its address, and ends when its input does.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


FAULTS = "--faults"
# What the tests call themselves where they write requests by hand.
BY_HAND = "kafkars-tests"


class BrokerProcess:
    """Starts the process, and looks at it from outside.

    Args:
        faults: Whether it has a slow link, and faults for all that is asked by hand: damaged, delayed and missing
            answers.
    """

    def __init__(self, *, faults: bool = False) -> None:
        command = [sys.executable, __file__, *([FAULTS] if faults else [])]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.bootstrap_servers = self._process.stdout.readline().strip()
        assert self.bootstrap_servers, "the broker did not start"

    def memory(self) -> int:
        """Bytes that it holds now."""
        return self._status("VmRSS")

    def peak_memory(self) -> int:
        """The most bytes that it has held."""
        return self._status("VmHWM")

    def open_files(self) -> int:
        """How many descriptors it has open."""
        return sum(1 for _ in Path(f"/proc/{self._process.pid}/fd").iterdir())

    def has_crashed(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def _status(self, field: str) -> int:
        lines = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines()
        (line,) = (line for line in lines if line.startswith(f"{field}:"))
        return int(line.split()[1]) * 1024

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            code = self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            self._process.stdout.close()
        assert code == 0, f"the broker ended with {code}"


def raise_file_limit() -> int:
    """As many open files as this process may have; answers how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Beyond, the kernel's own bookkeeping is what would be measured.
    wanted = 20_000 if hard == resource.RLIM_INFINITY else min(hard, 20_000)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def main() -> None:
    raise_file_limit()
    from kafkars.testing import EmbeddedBroker

    with EmbeddedBroker() as broker:
        if FAULTS in sys.argv:
            broker.intercept("Fetch", "flip_byte", position=60, when=lambda request: request.client_id == BY_HAND)
            broker.intercept("Metadata", "drop", when=lambda request: request.client_id == BY_HAND)
            broker.intercept("ListOffsets", "delay", seconds=3600, when=lambda request: request.client_id == BY_HAND)
            broker.slow_down(latency=0.001)
        print(broker.bootstrap_servers, flush=True)  # noqa: T201  # what the other process waits for
        sys.stdin.read()


if __name__ == "__main__":
    main()

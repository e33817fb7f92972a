"""Secrets in the memory of a process: what the engine has read, it overwrites."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafkars.testing import EmbeddedBroker

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc/PID/mem"),
]

SECRET = "Xq7-memory-" + "0123456789abcdef" * 2
PROGRAM = """
import sys, pathlib, kafkars
how, address, mechanism, path = sys.argv[1:]
path = pathlib.Path(path)
source = path.read_text() if how == "text" else path
settings = dict(
    bootstrap_servers=address, security_protocol="sasl_plaintext", sasl_mechanism=mechanism, sasl_username="alice",
    sasl_password=source,
)
with kafkars.Admin(**settings) as admin:
    assert "t" in admin.list_topics()
    print("logged in", flush=True)
    sys.stdin.readline()
print("closed", flush=True)
sys.stdin.readline()
"""


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(security="SASL_PLAINTEXT", users={"alice": SECRET}, topics={"t": 1}) as broker:
        yield broker


def occurrences(pid: int, secret: bytes) -> int:
    """How often it stands in the memory that a process may write."""
    found = 0
    with Path(f"/proc/{pid}/maps").open() as maps, Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        for line in maps:
            place = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if place is None or "[vvar" in line:
                continue
            start, end = (int(each, 16) for each in place.groups())
            memory.seek(start)
            try:
                found += memory.read(end - start).count(secret)
            except OSError:
                continue
    return found


def found_after_login(broker: EmbeddedBroker, mechanism: str, how: str, path: Path) -> list[int]:
    """While the client is open, and when it is closed."""
    path.write_text(SECRET)
    command = [sys.executable, "-c", PROGRAM, how, broker.bootstrap_servers, mechanism, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        found = []
        for word in ("logged in", "closed"):
            assert process.stdout.readline().strip() == word
            found.append(occurrences(process.pid, SECRET.encode()))
            process.stdin.write("\n")
            process.stdin.flush()
    assert process.returncode == 0
    return found


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_password_from_a_file_is_nowhere_after_the_login(
    broker: EmbeddedBroker, mechanism: str, tmp_path: Path
) -> None:
    assert found_after_login(broker, mechanism, "file", tmp_path / "password") == [0, 0]


def test_the_interpreters_own_copy_is_found(broker: EmbeddedBroker, tmp_path: Path) -> None:
    """So what is looked for would be seen; SECURITY.md says that such a copy is beyond the engine's reach."""
    opened, _ = found_after_login(broker, "SCRAM-SHA-256", "text", tmp_path / "password")
    assert opened > 0

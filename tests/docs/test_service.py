"""The service of examples/service takes orders, tells how it is, and ends in order."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import eventually

SERVICE = Path(__file__).resolve().parents[2] / "examples" / "service"
SECONDS = 20.0
ORDER = {"customer": "c7", "item": "kettle", "pieces": 2}

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="uvicorn takes a socket by its number, which Windows has not"
)


@contextmanager
def running(servers: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """The service in a process of its own, on a port that is reserved for it."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        command = [sys.executable, "-m", "uvicorn", "--app-dir", str(SERVICE), "--fd", str(listener.fileno())]
        process = subprocess.Popen(
            [*command, "--log-level", "warning", "app:app"],
            env={**os.environ, "KAFKA": servers},
            pass_fds=[listener.fileno()],
            stderr=subprocess.PIPE,
            text=True,
        )
        with process, httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=SECONDS) as client:
            try:
                yield client, process
            finally:
                if process.poll() is None:
                    process.kill()


def until(look: Callable[[], Any], wanted: Any) -> None:
    """Looks until it is as wanted."""

    def is_so() -> bool:
        try:
            return bool(look() == wanted)
        except httpx.ConnectError:
            return False

    eventually(is_so, f"it says {wanted}")


def test_orders_are_stored_and_added_up_and_sigterm_ends_it_in_order() -> None:
    with EmbeddedBroker(topics={"orders": 2}) as broker, running(broker.bootstrap_servers) as (client, process):
        until(lambda: client.get("/health/ready").json(), {"status": "ready"})
        assert client.get("/health/live").json() == {"status": "alive"}
        for _ in range(3):
            answer = client.post("/orders", json=ORDER)
            assert answer.status_code == 201, answer.text
        assert client.post("/orders", json={"item": "teapot"}).status_code == 422
        until(lambda: client.get("/totals").json(), {"kettle": 6})
        assert [record.value for record in broker.records("orders")] == [
            b'{"customer":"c7","item":"kettle","pieces":2}'
        ] * 3
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=SECONDS)
        assert told == ""
        assert broker.wait_for_request("LeaveGroup")


def test_it_reads_when_the_brokers_come_later_than_the_service() -> None:
    """The reading task had ended with the first BootstrapError, and nothing began it again."""
    with EmbeddedBroker(topics={"orders": 1}) as broker:
        broker.kill_node(1)
        with running(broker.bootstrap_servers) as (client, process):
            until(lambda: client.get("/health/ready").status_code, 503)
            assert client.get("/health/live").status_code == 200
            broker.start_node(1)
            until(lambda: client.get("/health/ready").json(), {"status": "ready"})
            assert client.post("/orders", json=ORDER).status_code == 201
            until(lambda: client.get("/totals").json(), {"kettle": 2})
            # Whatever it still says must not fill the pipe.
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=SECONDS)


def test_it_says_so_when_no_broker_is_there() -> None:
    with EmbeddedBroker(topics={"orders": 1}) as broker, running(broker.bootstrap_servers) as (client, process):
        until(lambda: client.get("/health/ready").status_code, 200)
        broker.kill_node(1)
        until(lambda: client.get("/health/ready").status_code, 503)
        assert client.get("/health/live").status_code == 200
        answer = client.post("/orders", json=ORDER)
        assert answer.status_code == 503
        assert "was not stored" in answer.json()["detail"]
        broker.start_node(1)
        until(lambda: client.get("/health/ready").status_code, 200)
        until(lambda: client.post("/orders", json=ORDER).status_code, 201)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS)


def test_sigterm_while_the_brokers_are_away_ends_without_a_traceback() -> None:
    with EmbeddedBroker(topics={"orders": 1}) as broker, running(broker.bootstrap_servers) as (client, process):
        until(lambda: client.get("/health/ready").json(), {"status": "ready"})
        assert client.post("/orders", json=ORDER).status_code == 201
        until(lambda: client.get("/totals").json(), {"kettle": 2})
        broker.kill_node(1)
        until(lambda: client.get("/health/ready").status_code, 503)
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=SECONDS)
        assert "Traceback" not in told
        assert not re.search(r"\b0 ms", told)

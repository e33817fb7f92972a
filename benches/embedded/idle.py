"""What a connection costs the broker's process while its client says nothing. The kernel's part is not in it."""

from __future__ import annotations

import argparse
import socket
import struct
from contextlib import ExitStack
from typing import Any

from tests.kafka import wire
from tests.limits.broker_process import BrokerProcess, raise_file_limit

API_VERSIONS = 18
SECONDS = 30.0


def measure(options: argparse.Namespace) -> Any:
    count = min(options.connections, raise_file_limit() - 200)
    hello = wire.request(API_VERSIONS, 0, 1, b"")
    with BrokerProcess() as broker, ExitStack() as stack:
        host, _, port = broker.bootstrap_servers.rpartition(":")

        def connect(times: int) -> None:
            for _ in range(times):
                opened = stack.enter_context(socket.create_connection((host, int(port)), timeout=SECONDS))
                opened.sendall(hello)
                (length,) = struct.unpack(">i", wire.receive(opened, 4))
                wire.receive(opened, length)

        # The first ones pay for what is there once.
        connect(100)
        before = broker.memory()
        connect(count - 100)
        each = (broker.memory() - before) / (count - 100)
    print(f"memory of an idle connection: {each:,.0f} bytes ({count} connections)")
    return {"connections": count, "bytes": round(each)}

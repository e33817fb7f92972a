"""The ZooKeeper server that Kafka before 3.3 keeps its metadata in. Its jar comes with Kafka's."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from tests.kafka.process import JavaProcess, java

if TYPE_CHECKING:
    from pathlib import Path

# Its log is for its own developers; the lookup of a log4j it does not have is no news.
JVM = ("-Xms32m", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.jmx.log4j.disable=true")
SECONDS = 2.0


class ZooKeeper(JavaProcess):
    """One server, which is a quorum of one."""

    def __init__(self, libs: Path, folder: Path, port: int) -> None:
        properties = folder / "zookeeper.properties"
        command = java(libs, JVM, "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(properties))
        super().__init__(command, folder / "zookeeper.log")
        self.port = port
        folder.mkdir(parents=True)
        settings = {
            "dataDir": folder / "data",
            "clientPort": port,
            "clientPortAddress": "127.0.0.1",
            # Sessions may be as short as two ticks, so that a killed broker is noticed in seconds.
            "tickTime": 500,
            "maxClientCnxns": 0,
            "admin.enableServer": "false",
            "4lw.commands.whitelist": "ruok",
        }
        properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))

    def is_serving(self) -> bool:
        """Whether it says that it is well."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            connection.sendall(b"ruok")
            return connection.recv(4) == b"imok"

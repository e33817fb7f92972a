"""One broker of a cluster."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.kafka.config import CLUSTER_ID, server_properties
from tests.kafka.process import JavaProcess, java

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kafka.config import KafkaOptions, Layout, NodeAddress

FORMAT_SECONDS = 120.0


class Node(JavaProcess):
    """A node of a cluster. Its data and ports survive `stop`, `kill` and `start`."""

    def __init__(self, options: KafkaOptions, libs: Path, folder: Path, layout: Layout, address: NodeAddress) -> None:
        properties = folder / "server.properties"
        super().__init__(java(libs, options.jvm, "kafka.Kafka", str(properties)), folder / "server.log")
        self.address = address
        # Its log directory, one folder a partition.
        self.data = folder / "data"
        self._format = java(
            libs, options.jvm, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(properties)
        )
        folder.mkdir(parents=True)
        properties.write_text(server_properties(options, address, layout, self.data))

    @property
    def bootstrap(self) -> str:
        """The node's own address for clients."""
        return self.address.bootstrap

    def begin_format(self) -> subprocess.Popen[str]:
        """Writes the storage's identity (KRaft); the caller waits, so that several nodes are formatted at once."""
        return subprocess.Popen(self._format, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

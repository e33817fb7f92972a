"""A cluster of nodes that start, serve and stop together."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tests.kafka import jars, wire
from tests.kafka.config import KafkaOptions, NodeAddress
from tests.kafka.node import FORMAT_SECONDS, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

START_SECONDS = 90.0
PAUSE_BETWEEN_LOOKS = 0.05
FOLDER_PREFIX = "kafkars-kafka-"


class StartFailedError(RuntimeError):
    """A node ended or did not serve in time; the message has the end of its log."""


class KafkaCluster:
    """Real Kafka, as a context manager.

    with KafkaCluster(KafkaOptions(nodes=3)) as kafka:
        kafka.create_topic("orders", partitions=6)
        kafka.nodes[0].kill()
    """

    def __init__(self, options: KafkaOptions | None = None) -> None:
        self.options = options or KafkaOptions()
        self.nodes: list[Node] = []
        self._folder: Path | None = None

    @property
    def bootstrap_servers(self) -> str:
        """Every node's address, separated by commas."""
        return ",".join(node.bootstrap for node in self.nodes)

    def start(self) -> KafkaCluster:
        """Formats the storage, starts every node and waits until all serve. On failure nothing is left running."""
        libs = jars.fetch(self.options.version)
        remove_leftovers()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-"))
        try:
            addresses = choose_addresses(self.options.nodes)
            self.nodes = [
                Node(self.options, libs, self._folder / f"node-{address.node}", addresses, index)
                for index, address in enumerate(addresses)
            ]
            self._format()
            for node in self.nodes:
                node.start()
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stops every node and removes the data."""
        for node in self.nodes:
            node.begin_stop()
        for node in self.nodes:
            node.wait_stopped()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def wait_ready(self, seconds: float = START_SECONDS) -> None:
        """Waits until every running node knows every running node and a controller."""
        running = [node for node in self.nodes if node.is_running]
        expected = {node.address.node for node in running}

        def all_know_all() -> bool:
            for node in running:
                if not node.is_running:
                    raise StartFailedError(f"node {node.address.node} ended:\n{node.log_tail()}")
            views = [wire.metadata(node.bootstrap) for node in running]
            return all(view.brokers == expected and view.controller >= 0 for view in views)

        try:
            wait_until(all_know_all, seconds, "the nodes serve")
        except TimeoutError as error:
            tails = "\n".join(f"--- node {node.address.node}\n{node.log_tail()}" for node in running)
            raise StartFailedError(f"{error}\n{tails}") from error

    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        copies: int = 1,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Creates a topic and waits until every running node knows a leader for each partition."""
        running = [node.bootstrap for node in self.nodes if node.is_running]
        wire.create_topic(running[0], name, partitions, copies, settings or {})
        wait_until(
            lambda: all(wire.metadata(address, name).led_partitions == partitions for address in running),
            START_SECONDS,
            f"topic {name} has leaders",
        )

    def __enter__(self) -> KafkaCluster:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _format(self) -> None:
        formats = [node.begin_format() for node in self.nodes]
        for node, running in zip(self.nodes, formats, strict=True):
            output, _ = running.communicate(timeout=FORMAT_SECONDS)
            if running.returncode != 0:
                raise StartFailedError(f"storage of node {node.address.node} could not be formatted:\n{output}")


def remove_leftovers() -> None:
    """Removes the data of runs that were killed; the owner's process id is in the folder's name."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*-*"):
        owner = folder.name.removeprefix(FOLDER_PREFIX).split("-")[0]
        if owner.isdigit() and not process_exists(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def process_exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def choose_addresses(count: int) -> list[NodeAddress]:
    """Ports that are free now. All are held until all are chosen, so that none is chosen twice."""
    with ExitStack() as held:
        ports = []
        for _ in range(2 * count):
            listener = held.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            ports.append(listener.getsockname()[1])
    return [
        NodeAddress(node=index + 1, client_port=ports[2 * index], controller_port=ports[2 * index + 1])
        for index in range(count)
    ]


def wait_until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Looks again and again until `condition` holds; connection failures count as "not yet"."""
    deadline = time.monotonic() + seconds
    last: Exception | None = None
    while True:
        try:
            if condition():
                return
            last = None
        except (OSError, wire.NotServingError) as error:
            last = error
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:.0f} s until {what}; last: {last}")
        time.sleep(PAUSE_BETWEEN_LOOKS)

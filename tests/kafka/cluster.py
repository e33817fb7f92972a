"""A cluster of nodes that start, serve and stop together."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.kafka import jars, ports, wire
from tests.kafka.config import KafkaOptions, Layout, NodeAddress
from tests.kafka.node import FORMAT_SECONDS, Node
from tests.kafka.zookeeper import ZooKeeper

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
        self.zookeeper: ZooKeeper | None = None
        self._folder: Path | None = None

    @property
    def bootstrap_servers(self) -> str:
        """Every node's address, separated by commas."""
        return ",".join(node.bootstrap for node in self.nodes)

    @property
    def data(self) -> tuple[Path, ...]:
        """Each node's folder of logs."""
        return tuple(node.data for node in self.nodes)

    @property
    def libs(self) -> Path:
        """The jars of this version, its command line tools among them."""
        return jars.fetch(self.options.version)

    def start(self) -> KafkaCluster:
        """Formats the storage, starts every node and waits until all serve. On failure nothing is left running."""
        libs = self.libs
        remove_leftovers()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-"))
        try:
            layout = choose_layout(self.options)
            self.nodes = [
                Node(self.options, libs, self._folder / f"node-{address.node}", layout, address)
                for address in layout.nodes
            ]
            if self.options.has_zookeeper:
                self.zookeeper = ZooKeeper(libs, self._folder / "zookeeper", layout.zookeeper_port)
                self.zookeeper.start()
                wait_until(self.zookeeper.is_serving, START_SECONDS, "ZooKeeper serves")
            else:
                self._format()
            for node in self.nodes:
                node.start()
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Ends every node and removes the data, which is why nothing has to end in good order."""
        for node in self.nodes:
            node.kill()
        if self.zookeeper is not None:
            self.zookeeper.kill()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def node(self, number: int) -> Node:
        """The node with this id."""
        return next(node for node in self.nodes if node.address.node == number)

    def leader(self, topic: str, partition: int = 0) -> Node:
        """The node that leads a partition, once there is one that runs."""
        return self._led_by(lambda address: wire.metadata(address, topic).leaders.get(partition, -1))

    def coordinator(self, key: str, kind: int = wire.GROUP) -> Node:
        """The node that coordinates a group or, with `wire.TRANSACTION`, a transactional id."""
        return self._led_by(lambda address: wire.find_coordinator(address, key, kind))

    def wait_in_sync(self, topic: str, seconds: float = START_SECONDS) -> None:
        """Waits until every copy of every partition has caught up."""
        wait_until(
            lambda: all(
                wire.metadata(node.bootstrap, topic).under_replicated == 0 for node in self.nodes if node.is_running
            ),
            seconds,
            f"every copy of {topic} has caught up",
        )

    def wait_ready(self, seconds: float = START_SECONDS) -> None:
        """Waits until every running node knows every running node and a controller.

        Not for a cluster with a paused node: what does not run cannot answer.
        """
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
        wait_until(
            lambda: self._controller_creates(running[0], name, partitions, copies, settings or {}),
            START_SECONDS,
            f"the controller creates topic {name}",
        )
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

    def _controller_creates(
        self, address: str, name: str, partitions: int, copies: int, settings: Mapping[str, str]
    ) -> bool:
        # With ZooKeeper only the controller creates topics, and which node that is may just have changed.
        controller = self.node(wire.metadata(address).controller)
        return wire.create_topic(controller.bootstrap, name, partitions, copies, settings)

    def _led_by(self, ask: Callable[[str], int]) -> Node:
        found: list[Node] = []

        def is_known() -> bool:
            running = [node for node in self.nodes if node.is_running]
            number = ask(random.choice(running).bootstrap)
            found[:] = [node for node in running if node.address.node == number]
            return bool(found)

        wait_until(is_known, START_SECONDS, "a running node leads")
        return found[0]

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


def choose_layout(options: KafkaOptions) -> Layout:
    """Ports that are free now."""
    each = 3 + len(options.listeners)
    zookeeper_port, *free = ports.choose(1 + each * options.nodes)
    proxy_ports = options.proxy_ports or (None,) * options.nodes
    return Layout(
        nodes=tuple(
            NodeAddress(
                index + 1,
                *free[each * index : each * index + 3],
                proxy_port=proxy_port,
                listener_ports=dict(zip(options.listeners, free[each * index + 3 :], strict=False)),
            )
            for index, proxy_port in enumerate(proxy_ports)
        ),
        zookeeper_port=zookeeper_port,
    )


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

"""What a cluster is asked to be, and the server.properties that say it to each node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Starts in two thirds of the time and takes no second core for compiling and collecting; slower once warm.
TEST_JVM = ("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
# The settings of Kafka's own start script, with a heap that fits the machine of a developer.
BENCHMARK_JVM = ("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35")

# 16 bytes in URL-safe base64, as Kafka writes its ids. The same for all: clusters never meet.
CLUSTER_ID = "a2Fma2Fycy10ZXN0cy0wMQ"


# Brokers of these lines keep their metadata in ZooKeeper; KRaft was an early look in them.
FIRST_KRAFT = (3, 3)


@dataclass(frozen=True)
class KafkaOptions:
    """A cluster on 127.0.0.1: of combined broker and controller nodes (KRaft), or before 3.3 with a ZooKeeper."""

    version: str = "4.3.1"
    nodes: int = 1
    auto_create_topics: bool = True
    default_partitions: int = 1
    jvm: tuple[str, ...] = TEST_JVM
    # Ports that each node advertises on a second listener: where a proxy stands between it and clients.
    proxy_ports: tuple[int, ...] = ()
    # Listeners beside the plain one, by name, each with its protocol: `{"TLS": "SSL"}`. What they need is in
    # `properties`.
    listeners: Mapping[str, str] = field(default_factory=dict)
    # Added to every node's server.properties, and stronger than what stands there.
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_zookeeper(self) -> bool:
        """Whether this version needs one."""
        major, minor = self.version.split(".")[:2]
        return (int(major), int(minor)) < FIRST_KRAFT


@dataclass(frozen=True)
class NodeAddress:
    """Where one node listens. The ports stay the same when it is stopped and started again."""

    node: int
    client_port: int
    controller_port: int
    # Advertises the proxy's port instead of its own.
    proxied_port: int
    proxy_port: int | None
    # Of the listeners that the options add.
    listener_ports: Mapping[str, int] = field(default_factory=dict)

    @property
    def bootstrap(self) -> str:
        """The address a client is given."""
        return f"127.0.0.1:{self.client_port}"


@dataclass(frozen=True)
class Layout:
    """Where everything of a cluster is."""

    nodes: tuple[NodeAddress, ...]
    zookeeper_port: int


def server_properties(options: KafkaOptions, here: NodeAddress, layout: Layout, data: Path) -> str:
    """The configuration file of one node."""
    copies = str(min(3, options.nodes))
    mode = zookeeper_properties if options.has_zookeeper else kraft_properties
    properties = {
        "inter.broker.listener.name": "CLIENT",
        "log.dirs": str(data),
        "auto.create.topics.enable": str(options.auto_create_topics).lower(),
        "num.partitions": str(options.default_partitions),
        "default.replication.factor": copies,
        "min.insync.replicas": "1",
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "4",
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "4",
        # A rack each, for reading from the nearest replica and for assignment by rack.
        "broker.rack": f"rack-{here.node}",
        "group.initial.rebalance.delay.ms": "0",
        # Groups move between the protocols in both directions.
        "group.consumer.migration.policy": "bidirectional",
        # Partitions change hands with heartbeats; tests should not wait 5 s for each.
        "group.consumer.heartbeat.interval.ms": "500",
        "group.consumer.min.heartbeat.interval.ms": "500",
        "group.share.heartbeat.interval.ms": "500",
        "group.share.min.heartbeat.interval.ms": "500",
        "controlled.shutdown.enable": "true",
        "log.segment.bytes": str(256 << 20),
        # Tests send records with timestamps of 1970, which are older than a week: they would be deleted half a minute
        # after the start, and every five minutes.
        "log.retention.ms": "-1",
        "log.cleaner.dedupe.buffer.size": str(4 << 20),
        "num.recovery.threads.per.data.dir": "1",
        **mode(options, here, layout),
        **options.properties,
    }
    return "".join(f"{name}={value}\n" for name, value in properties.items())


def kraft_properties(options: KafkaOptions, here: NodeAddress, layout: Layout) -> dict[str, str]:
    """A node that is broker and controller."""
    listeners, advertised, protocols = listen(options, here)
    # A stopped node hands over at once, a killed one is noticed in seconds. A single one has nobody to hand over to: it
    # keeps Kafka's default, so that it does not give itself up when a busy machine stops it for three.
    session = {"broker.session.timeout.ms": "3000"} if options.nodes > 1 else {}
    return {
        "process.roles": "broker,controller",
        "node.id": str(here.node),
        "controller.quorum.voters": ",".join(f"{a.node}@127.0.0.1:{a.controller_port}" for a in layout.nodes),
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": f"{protocols},CONTROLLER:PLAINTEXT",
        "listeners": f"{listeners},CONTROLLER://127.0.0.1:{here.controller_port}",
        "advertised.listeners": advertised,
        **session,
        "broker.heartbeat.interval.ms": "500",
    }


def zookeeper_properties(options: KafkaOptions, here: NodeAddress, layout: Layout) -> dict[str, str]:
    """A broker beside a ZooKeeper."""
    listeners, advertised, protocols = listen(options, here)
    return {
        "broker.id": str(here.node),
        "zookeeper.connect": f"127.0.0.1:{layout.zookeeper_port}",
        "zookeeper.session.timeout.ms": "3000" if options.nodes > 1 else "9000",
        "listener.security.protocol.map": protocols,
        "listeners": listeners,
        "advertised.listeners": advertised,
    }


def listen(options: KafkaOptions, here: NodeAddress) -> tuple[str, str, str]:
    """The listeners for clients, what they advertise, and their protocols."""
    names = {"CLIENT": (here.client_port, here.client_port)}
    if here.proxy_port is not None:
        names["PROXIED"] = (here.proxied_port, here.proxy_port)
    names |= {name: (port, port) for name, port in here.listener_ports.items()}
    return (
        ",".join(f"{name}://127.0.0.1:{port}" for name, (port, _) in names.items()),
        ",".join(f"{name}://127.0.0.1:{port}" for name, (_, port) in names.items()),
        ",".join(f"{name}:{options.listeners.get(name, 'PLAINTEXT')}" for name in names),
    )

"""Three brokers that keep what they have acknowledged, and the faults that are done to them."""

from __future__ import annotations

import itertools
import logging
import os
import random
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from tests.kafka import KafkaCluster, KafkaOptions
from tests.support.proxy import CALM, CUTS, Proxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from tests.kafka import Node

log = logging.getLogger(__name__)

COPIES = 3
SECONDS_BETWEEN_KILLS = 10.0
TOPIC_NUMBERS = itertools.count(1)
# Acknowledged by two of three: what one broker alone has taken may be lost with it.
DURABLE = {
    "min.insync.replicas": "2",
    "transaction.state.log.min.isr": "2",
    "unclean.leader.election.enable": "false",
    # A follower that was down is missed after 30 s by default.
    "replica.lag.time.max.ms": "5000",
    # A member of a group that was killed is missed after 45 s by default, and never before 6 s.
    "group.min.session.timeout.ms": "1000",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": "3000",
}


class ChaosCluster:
    """A cluster of three with a proxy before each broker."""

    def __init__(self, version: str) -> None:
        self._open = ExitStack()
        self.proxy = Proxy(COPIES)
        self.kafka = KafkaCluster(
            KafkaOptions(version=version, nodes=COPIES, proxy_ports=self.proxy.ports, properties=DURABLE)
        )

    @property
    def direct(self) -> str:
        """Addresses that lead past the proxy, for those who check."""
        return self.kafka.bootstrap_servers

    @property
    def proxied(self) -> str:
        """Addresses behind the proxy, which the brokers advertise there."""
        return self.proxy.bootstrap_servers

    def new_topic(self, name: str, partitions: int = 1) -> str:
        """A topic with three copies."""
        topic = f"{name}-{os.getpid()}-{next(TOPIC_NUMBERS)}"
        self.kafka.create_topic(topic, partitions, COPIES)
        self.kafka.wait_in_sync(topic)
        return topic

    def heal(self) -> None:
        """Every node runs and knows the others, and the network is calm."""
        self.proxy.weather = CALM
        for node in self.kafka.nodes:
            node.resume()
            node.start()
        self.kafka.wait_ready()

    def __enter__(self) -> ChaosCluster:
        self._open.enter_context(self.proxy)
        self._open.enter_context(self.kafka)
        self.proxy.forward([node.address.proxied_port for node in self.kafka.nodes])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()


class Repeated:
    """Does something again and again on a thread of its own, until the block ends. What it raises, the block raises."""

    def __init__(self, what: Callable[[], None], every: float | Callable[[], float]) -> None:
        self.times = 0
        self._what = what
        self._every = every
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Repeated:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def _run(self) -> None:
        try:
            while not self._ended.wait(self._every() if callable(self._every) else self._every):
                self._what()
                self.times += 1
        except BaseException as error:  # noqa: BLE001  handed to the block
            self._failure = error


@contextmanager
def kills_and_cuts(cluster: ChaosCluster, topic: str, partitions: int, seed: int) -> Iterator[None]:
    """While the block runs, leaders of the topic are killed and started again, and no connection lasts."""
    cluster.proxy.weather = CUTS
    with Repeated(leader_killer(cluster, topic, partitions, seed), SECONDS_BETWEEN_KILLS) as killer:
        yield
    log.info("%d leaders killed, %d connections cut", killer.times, cluster.proxy.cuts)


def leader_killer(cluster: ChaosCluster, topic: str, partitions: int, seed: int) -> Callable[[], None]:
    """Kills the leader of some partition of the topic at once, and starts it again."""
    chance = random.Random(seed)

    def kill() -> None:
        restart_killed(cluster.kafka.leader(topic, chance.randrange(partitions)))

    return kill


def restart_killed(node: Node) -> None:
    """A power cut."""
    node.kill()
    node.start()

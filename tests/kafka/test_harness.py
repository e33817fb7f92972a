"""The harness itself: other tests believe what it says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.brokers import Broker
from tests.kafka import KafkaCluster, KafkaOptions, wire
from tests.kafka.cluster import wait_until

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(180)]


def test_one_cluster_serves_the_whole_run(kafka_cluster: Broker) -> None:
    topic = kafka_cluster.new_topic(partitions=3)
    view = wire.metadata(kafka_cluster.bootstrap_servers.split(",")[0], topic)
    assert view.led_partitions == 3


@pytest.mark.usefixtures("kafka_cluster")
def test_three_nodes_survive_the_loss_of_one(pytestconfig: pytest.Config) -> None:
    with KafkaCluster(KafkaOptions(version=pytestconfig.getoption("--kafka-version"), nodes=3)) as kafka:
        kafka.create_topic("replicated", partitions=3, copies=3)
        first, second = kafka.nodes[0], kafka.nodes[1]

        first.kill()
        kafka.wait_ready()
        wait_until(lambda: wire.metadata(second.bootstrap, "replicated").led_partitions == 3, 30, "leaders moved")

        first.start()
        kafka.wait_ready()

        second.pause()
        second.resume()
        kafka.wait_ready()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.usefixtures("kafka_cluster")
def test_no_jvm_outlives_a_killed_run() -> None:
    command = [sys.executable, "-m", "tests.kafka"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        address = run.stdout.readline().strip()
        assert wire.metadata(address).brokers == {1}
        os.kill(run.pid, signal.SIGKILL)
    wait_until(lambda: not serves(address), 30, "the JVM is gone")


def serves(address: str) -> bool:
    try:
        wire.metadata(address)
    except OSError:
        return False
    return True

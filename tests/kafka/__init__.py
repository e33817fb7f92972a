"""Starts real Apache Kafka, any version, one node or several, from the jars Maven has.

A library for tests and benchmarks, and a command: `.venv/bin/python -m tests.kafka --version 4.3.1 --nodes 3`.
"""

from tests.kafka.cluster import KafkaCluster, StartFailedError
from tests.kafka.config import BENCHMARK_JVM, TEST_JVM, KafkaOptions
from tests.kafka.jars import JarsUnavailableError
from tests.kafka.node import Node

__all__ = [
    "BENCHMARK_JVM",
    "TEST_JVM",
    "JarsUnavailableError",
    "KafkaCluster",
    "KafkaOptions",
    "Node",
    "StartFailedError",
]

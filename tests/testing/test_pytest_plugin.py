"""The plugin as other projects use it: in a run of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest
from kafkars import Consumer, Producer

names = []
brokers = []

@pytest.fixture(scope="session")
def kafka_settings():
    return {"auto_create_topics": False}

@pytest.mark.parametrize("value", [b"1", b"2"])
def test_topics_are_fresh(kafka_bootstrap_servers, kafka_topic, value):
    names.append(kafka_topic)
    with Producer(bootstrap_servers=kafka_bootstrap_servers) as producer:
        assert producer.send(kafka_topic, value).result(10).offset == 0
    assert len(set(names)) == len(names)

def test_topics_take_settings(kafka_broker, kafka_topics):
    name = kafka_topics(partitions=3, configs={"max.message.bytes": "1000"})
    assert kafka_broker.offsets(name, 2) == (0, 0)

@pytest.mark.parametrize("number", [1, 2])
def test_a_fresh_broker_has_nothing(fresh_kafka_broker, number):
    assert fresh_kafka_broker.topics() == []
    fresh_kafka_broker.create_topic("t")

def test_a_cluster_has_three_nodes(kafka_cluster):
    assert kafka_cluster.nodes == [1, 2, 3]
"""


SECURED = """
import pytest
from kafkars import Producer

@pytest.fixture(scope="session")
def kafka_settings():
    return {"security": "SASL_SSL", "users": {"alice": "wonderland"}}

def test_a_client_is_let_in(kafka_client_settings, kafka_topic):
    with Producer(**kafka_client_settings) as producer:
        assert producer.send(kafka_topic, b"v").result(10).offset == 0
"""


def run(directory: Path, *arguments: str, tests: str = TESTS) -> subprocess.CompletedProcess[str]:
    (directory / "test_it.py").write_text(tests)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        "/dev/null",
        *arguments,
        "test_it.py",
    ]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=50, check=False)


def test_the_fixtures_give_brokers_and_fresh_topics(tmp_path: Path) -> None:
    done = run(tmp_path, "-p", "kafkars.testing.pytest_plugin")
    assert "6 passed" in done.stdout, done.stdout + done.stderr


def test_a_secured_broker_is_reached_by_its_client_settings(tmp_path: Path) -> None:
    done = run(tmp_path, "-p", "kafkars.testing.pytest_plugin", tests=SECURED)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_who_does_not_ask_for_it_does_not_have_it(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert "fixture 'kafka_bootstrap_servers' not found" in done.stdout, done.stdout

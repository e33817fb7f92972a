"""What a user does first, in an environment that has the wheel and nothing else: `python smoke.py`.

It runs on each Python that is declared; there is no pytest in an empty environment.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import pkgutil
import subprocess
import sys

import kafkars
import kafkars.aio
from kafkars.admin import NewTopic
from kafkars.testing import EmbeddedBroker

SECONDS = 20.0
# A plugin of pytest, what type checkers see, and extras; the last ones derive from classes of PySpark.
NEED_MORE = {"kafkars.testing.pytest_plugin", "kafkars._typing", "kafkars.opentelemetry", "kafkars.prometheus"}
NEED_MORE |= {
    f"kafkars.spark.{name}"
    for name in ("batch", "columns", "ddl", "decoding", "reading", "schema", "sink", "source", "stream", "tasks")
}


def imports() -> None:
    """Every module imports without any other package."""
    for module in pkgutil.walk_packages(kafkars.__path__, "kafkars."):
        if module.name not in NEED_MORE and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def sync_clients(broker: EmbeddedBroker) -> None:
    """Records with keys and headers go there and back."""
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        deliveries = [producer.send("sync", b"value %d" % n, key=b"k", headers=[("n", b"1")]) for n in range(100)]
        assert [delivery.result(SECONDS).offset for delivery in deliveries] == list(range(100))
    with kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("sync", 0)])
        values = [consumer.poll(timeout=SECONDS).value for _ in range(100)]
    assert values == [b"value %d" % n for n in range(100)]


async def asyncio_clients(broker: EmbeddedBroker) -> None:
    """The same, and a group with a commit."""
    async with kafkars.aio.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        stored = await producer.send("asyncio", b"value", key=b"key")
        assert stored.offset == 0
    settings = {"group_id": "smoke", "auto_offset_reset": "earliest"}
    async with kafkars.aio.Consumer(bootstrap_servers=broker.bootstrap_servers, **settings) as consumer:
        consumer.subscribe(["asyncio"])
        async for record in consumer:
            assert (record.key, record.value) == (b"key", b"value")
            break
        await consumer.commit()


def admin(broker: EmbeddedBroker) -> None:
    """Topics are made and listed."""
    with kafkars.Admin(bootstrap_servers=broker.bootstrap_servers) as client:
        client.create_topics([NewTopic("made", partitions=3)])
        assert client.describe_topics(["made"])["made"].partitions is not None


def errors() -> None:
    """Wrong names and values are typed errors that name them."""
    try:
        kafkars.Producer(bootstrap_servers="localhost:9092", lingerms=5)
    except (kafkars.errors.ConfigError, TypeError) as error:
        assert "lingerms" in str(error)
    else:
        raise AssertionError("an unknown setting was taken")
    with kafkars.Producer(bootstrap_servers="localhost:9092") as producer:
        try:
            producer.send()
        except TypeError as error:
            assert "topic" in str(error)


def forks(broker: EmbeddedBroker) -> None:
    """A client made in a forked child works."""
    child = os.fork()
    if child == 0:
        try:
            with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                producer.send("forked", b"value").result(SECONDS)
        except BaseException as error:
            print(type(error).__name__, error, flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def command() -> None:
    """The command and its demo run."""
    demo = [sys.executable, "-m", "kafkars", "demo", "--records", "1000"]
    ran = subprocess.run(demo, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "every record was acknowledged and read back" in ran.stdout


def faces() -> None:
    """The faces import under their own names and know their classes."""
    from kafkars.compat import aiokafka, confluent_kafka

    assert aiokafka.AIOKafkaConsumer
    assert confluent_kafka.Consumer


def main() -> None:
    imports()
    errors()
    faces()
    with EmbeddedBroker() as broker:
        sync_clients(broker)
        asyncio.run(asyncio_clients(broker))
        admin(broker)
        if hasattr(os, "fork"):
            forks(broker)
    command()
    print("smoke: passed on", sys.version.split()[0])


if __name__ == "__main__":
    main()

"""Clients that are forgotten without `close()` say so by a `ResourceWarning`, idle ones too; faces as their
originals."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import kafkars
import kafkars.aio
import kafkars.compat.confluent_kafka
import kafkars.compat.confluent_kafka.admin
import kafkars.compat.kafka
import pytest
from kafkars.testing import EmbeddedBroker

SECONDS = 20.0


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        yield broker.bootstrap_servers


CLIENTS: dict[str, Callable[[str], Any]] = {
    "Producer": lambda servers: kafkars.Producer(bootstrap_servers=servers),
    "Consumer": lambda servers: kafkars.Consumer(bootstrap_servers=servers, group_id="g"),
    "Admin": lambda servers: kafkars.Admin(bootstrap_servers=servers),
    "aio.Producer": lambda servers: kafkars.aio.Producer(bootstrap_servers=servers),
    "aio.Consumer": lambda servers: kafkars.aio.Consumer(bootstrap_servers=servers),
    "aio.Admin": lambda servers: kafkars.aio.Admin(bootstrap_servers=servers),
}
FACES: dict[str, Callable[[str], Any]] = {
    "confluent Producer": lambda servers: kafkars.compat.confluent_kafka.Producer({"bootstrap.servers": servers}),
    "confluent Consumer": lambda servers: kafkars.compat.confluent_kafka.Consumer(
        {"bootstrap.servers": servers, "group.id": "g"}
    ),
    "confluent AdminClient": lambda servers: kafkars.compat.confluent_kafka.admin.AdminClient(
        {"bootstrap.servers": servers}
    ),
    "KafkaProducer": lambda servers: kafkars.compat.kafka.KafkaProducer(bootstrap_servers=servers),
    "KafkaConsumer": lambda servers: kafkars.compat.kafka.KafkaConsumer(bootstrap_servers=servers),
    "KafkaAdminClient": lambda servers: kafkars.compat.kafka.KafkaAdminClient(bootstrap_servers=servers),
}


def heard(forget: Callable[[], None]) -> list[warnings.WarningMessage]:
    gc.collect()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        forget()
        gc.collect()
    return [each for each in told if issubclass(each.category, ResourceWarning)]


def made_and_forgotten(make: Callable[[str], Any], servers: str) -> list[warnings.WarningMessage]:
    # Whatever is imported by the first of a kind.
    made = [make(servers)]
    return heard(made.clear)


@pytest.mark.parametrize("name", CLIENTS)
def test_an_idle_client_that_is_forgotten_says_so(servers: str, name: str) -> None:
    (warning,) = made_and_forgotten(CLIENTS[name], servers)
    assert "was not closed" in str(warning.message)
    how = "use `async with` or await close()" if name.startswith("aio.") else "use `with` or close()"
    # With the name by which log lines call it.
    assert re.search(rf"{re.escape(how)} \(client kafkars#\d+\)$", str(warning.message))
    # Where it was let go, and for tracemalloc where it was made.
    assert warning.filename == __file__
    assert type(warning.source).__name__ == name.rpartition(".")[2]


@pytest.mark.parametrize("name", CLIENTS)
def test_one_that_was_closed_says_nothing(servers: str, name: str) -> None:
    def closed(servers: str) -> Any:
        client = CLIENTS[name](servers)

        async def close() -> None:
            await client.close()

        if name.startswith("aio."):
            asyncio.run(close())
        else:
            client.close()
        return client

    assert not made_and_forgotten(closed, servers)


@pytest.mark.parametrize("name", CLIENTS)
def test_one_that_was_never_made_says_nothing(name: str) -> None:
    def refused() -> None:
        with pytest.raises(kafkars.errors.ConfigError):
            CLIENTS[name]("no port")

    assert not heard(refused)


@pytest.mark.parametrize("name", FACES)
def test_a_face_whose_original_says_nothing_says_nothing(servers: str, name: str) -> None:
    assert not made_and_forgotten(FACES[name], servers)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_copy_in_a_forked_child_says_nothing(servers: str) -> None:
    program = f"""
import gc, os, warnings
import kafkars
warnings.simplefilter("error")
clients = [make(bootstrap_servers={servers!r}) for make in (kafkars.Producer, kafkars.Consumer, kafkars.Admin)]
child = os.fork()
if child == 0:
    clients.clear()
    gc.collect()
    os._exit(0)
os.waitpid(child, 0)
for client in clients:
    client.close()
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_end_of_a_program_tells_of_clients_it_has_left_open(servers: str) -> None:
    program = f"import kafkars\nclient = kafkars.Producer(bootstrap_servers={servers!r})\n"
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", program], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0
    assert "ResourceWarning: a producer was not closed" in done.stderr

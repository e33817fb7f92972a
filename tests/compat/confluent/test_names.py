"""Names that programs import, and attributes that they look at: those of the library, with its values."""

from __future__ import annotations

import asyncio
import importlib
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import confluent_kafka.cimpl
import pytest

from tests.brokers import Broker
from tests.compat.confluent.conftest import FACE, LIBRARY

NUMBERS = sorted(name for name, value in vars(confluent_kafka.cimpl).items() if isinstance(value, int))
NOT_OFFERED = {"kafkatest"}
"""Clients of Kafka's system tests, which are no part of a program."""


def starred(module: str) -> set[str]:
    """What `from module import *` brings."""
    names: dict[str, Any] = {}
    exec(f"from {module} import *", names)  # noqa: S102  there is no other way to ask for it
    return set(names) - {"__builtins__"}


def test_the_numbers_of_cimpl_are_those_of_the_library() -> None:
    face = importlib.import_module(f"{FACE}.cimpl")
    assert len(NUMBERS) > 60
    assert {name: getattr(face, name, None) for name in NUMBERS} == {
        name: getattr(confluent_kafka.cimpl, name) for name in NUMBERS
    }


def test_cimpl_has_the_names_of_the_library_and_no_others() -> None:
    assert starred(f"{FACE}.cimpl") == starred(f"{LIBRARY}.cimpl")


def test_a_star_brings_the_names_of_the_library_and_no_others() -> None:
    # A program's own `error` or `serialization` must stay what it is.
    assert starred(FACE) == starred(LIBRARY) - NOT_OFFERED


def test_the_producer_for_asyncio_has_its_package(ck: ModuleType) -> None:
    aio = importlib.import_module(f"{ck.__name__}.aio")
    package = importlib.import_module(f"{ck.__name__}.aio.producer")
    assert package.__all__ == ["AIOProducer"]
    assert package.AIOProducer is aio.AIOProducer
    assert aio.producer is package
    assert hasattr(package, "__path__")


def test_consumers_of_share_groups_have_their_module(ck: ModuleType) -> None:
    module = importlib.import_module(f"{ck.__name__}.deserializing_share_consumer")
    assert module.DeserializingShareConsumer is ck.DeserializingShareConsumer


@pytest.mark.parametrize("kind", ["AIOProducer", "AIOConsumer"])
def test_clients_for_asyncio_show_their_executor(ck: ModuleType, embedded_broker: Broker, kind: str) -> None:
    made = getattr(importlib.import_module(f"{ck.__name__}.aio"), kind)
    settings = {"bootstrap.servers": embedded_broker.bootstrap_servers}
    if kind == "AIOConsumer":
        settings["group.id"] = "names"

    async def main() -> None:
        with ThreadPoolExecutor(1) as executor:
            given = made(settings, executor=executor)
            assert given.executor is executor
            await given.close()
        own = made(settings, max_workers=2)
        assert own.executor.submit(int, "5").result() == 5
        await own.close()

    asyncio.run(main())


MODULES = {
    "_types": ["HeadersType", "DeliveryCallback", "RebalanceCallback", "Serializer", "Deserializer"],
    "avro": ["ClientError", "SerializerError"],
    "avro.error": ["ClientError"],
    "avro.serializer": ["SerializerError", "KeySerializerError", "ValueSerializerError"],
    "avro.serializer.message_serializer": ["MessageSerializer"],
    "avro.cached_schema_registry_client": ["CachedSchemaRegistryClient"],
    "schema_registry.schema_registry_client": ["SchemaRegistryClient", "SchemaRegistryError", "Schema", "Rule"],
}
"""What programs import and do not always use. The library's need packages that are not installed here."""


@pytest.mark.parametrize("module", MODULES)
def test_what_programs_only_import_is_there(module: str) -> None:
    found = importlib.import_module(f"{FACE}.{module}")
    assert all(hasattr(found, name) for name in MODULES[module])
    if module != "_types":
        above = importlib.import_module(f"{FACE}.{module.split('.', maxsplit=1)[0]}")
        assert all(getattr(found, name) is getattr(above, name) for name in MODULES[module])


def test_texts_of_a_closed_administrator_are_those_of_the_library(ck: ModuleType) -> None:
    ad = importlib.import_module(f"{ck.__name__}.admin")
    with ad.AdminClient({"bootstrap.servers": "127.0.0.1:9", "log_level": 0}) as admin:
        pass
    texts = {}
    for name, arguments in {
        "poll": (0,),
        "create_topics": ([ad.NewTopic("orders", 1, 1)],),
        "describe_cluster": (),
        "list_topics": (),
    }.items():
        with pytest.raises(RuntimeError) as caught:
            getattr(admin, name)(*arguments)
        texts[name] = str(caught.value)
    assert texts == dict.fromkeys(texts, "AdminClient has been closed") | {"list_topics": "Handle has been closed"}

"""What the clients keep of their settings in attributes: frameworks and tests of programs read these."""

from __future__ import annotations

import asyncio
import importlib
import warnings
from typing import Any

import aiokafka
import aiokafka.admin
import pytest
from kafkars.compat import aiokafka as face
from kafkars.compat.aiokafka import admin as face_admin

from tests.support.aiokafka_library import Run

OTHER: dict[str, dict[str, Any]] = {
    "AIOKafkaConsumer": {
        "group_id": "g",
        "group_instance_id": "i",
        "fetch_max_wait_ms": 10,
        "fetch_min_bytes": 2,
        "fetch_max_bytes": 3_000_000,
        "max_partition_fetch_bytes": 4_000,
        "request_timeout_ms": 5_000,
        "retry_backoff_ms": 6,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "auto_commit_interval_ms": 700,
        "check_crcs": False,
        "max_poll_interval_ms": 90_000,
        "rebalance_timeout_ms": 80_000,
        "session_timeout_ms": 20_000,
        "heartbeat_interval_ms": 2_000,
        "consumer_timeout_ms": 100,
        "max_poll_records": 9,
        "isolation_level": "read_committed",
        "client_rack": "r",
        "key_deserializer": str,
        "value_deserializer": str,
    },
    "AIOKafkaProducer": {
        "compression_type": "gzip",
        "max_batch_size": 20_000,
        "max_request_size": 2_000_000,
        "request_timeout_ms": 5_000,
        "key_serializer": bytes,
        "value_serializer": bytes,
    },
}
# Parts of the originals that keep their settings elsewhere here, or make something else of them.
PLAIN = (str, int, float, bool, type, type(None))
LATER = {"_coordinator", "_fetcher"}


@pytest.mark.parametrize("is_default", [True, False], ids=["defaults", "others"])
@pytest.mark.parametrize("name", sorted(OTHER))
def test_plain_attributes_are_those_of_the_original(name: str, is_default: bool, run: Run) -> None:
    settings = {} if is_default else OTHER[name]

    async def test() -> None:
        original = getattr(aiokafka, name)(**settings)
        ours = getattr(face, name)(**settings)
        kept = {key: value for key, value in vars(original).items() if isinstance(value, PLAIN) and key not in LATER}
        assert len(kept) > 5
        assert {key: getattr(ours, key, "missing") for key in kept} == kept
        await original.stop()
        await ours.stop()

    run(test)


def test_those_of_the_administrator_too(run: Run) -> None:
    async def test() -> None:
        original, ours = aiokafka.admin.AIOKafkaAdminClient(), face_admin.AIOKafkaAdminClient()
        for client in (original, ours):
            assert (client._started, client._closed) == (False, False)
            await client.close()
            assert (client._started, client._closed) == (False, True)

    run(test)


def test_the_metadata_of_a_producer_is_the_clients(run: Run) -> None:
    async def test() -> None:
        for library in (aiokafka, face):
            producer: Any = library.AIOKafkaProducer()
            assert producer._metadata is producer.client.cluster
            await producer.stop()

    run(test)


@pytest.mark.parametrize("module", [aiokafka, face], ids=["aiokafka", "face"])
@pytest.mark.parametrize("name", sorted(OTHER))
def test_warnings_name_the_line_that_is_to_be_changed(module: Any, name: str, run: Run) -> None:
    """Python shows them where that is in the program itself, and nowhere else."""

    async def test() -> None:
        with pytest.warns(DeprecationWarning, match="deprecated") as heard:
            made = getattr(module, name)(loop=asyncio.get_running_loop())
        await made.stop()
        assert {warning.filename for warning in heard} == {__file__}

    run(test)


@pytest.mark.parametrize("root", ["aiokafka", "kafkars.compat.aiokafka"])
@pytest.mark.parametrize("name", ["admin.AIOKafkaAdminClient", "client.AIOKafkaClient"])
def test_a_loop_is_no_reason_to_warn_elsewhere(root: str, name: str, run: Run) -> None:
    module, _, of = name.partition(".")

    async def test() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = getattr(importlib.import_module(f"{root}.{module}"), of)(loop=asyncio.get_running_loop())
        await made.close()

    run(test)


@pytest.mark.parametrize("module", [aiokafka.admin, face_admin], ids=["aiokafka", "face"])
def test_the_warning_of_an_administrator_names_it_too(module: Any, run: Run) -> None:
    async def test() -> None:
        with pytest.warns(DeprecationWarning, match="api_version") as heard:
            made = module.AIOKafkaAdminClient(api_version="auto")
        await made.close()
        assert {warning.filename for warning in heard} == {__file__}

    run(test)

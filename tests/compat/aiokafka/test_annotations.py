"""Annotations of clients may be asked for: containers of dependencies and documentation do."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import pytest
from kafkars.compat import aiokafka
from kafkars.compat.aiokafka import admin, client

KINDS: tuple[type[Any], ...] = (
    aiokafka.AIOKafkaConsumer,
    aiokafka.AIOKafkaProducer,
    admin.AIOKafkaAdminClient,
    client.AIOKafkaClient,
)


@pytest.mark.parametrize("kind", KINDS)
def test_annotations_of_methods_can_be_asked_for(kind: type[Any]) -> None:
    """Those that programs call, and those of `async with`."""
    asked = [
        name
        for name, method in inspect.getmembers(kind, inspect.isfunction)
        if name in {"__init__", "__aenter__", "__aexit__"} or not name.startswith("_")
        if get_type_hints(method) is not None
    ]
    assert {"__init__", "__aenter__", "__aexit__"} < set(asked)

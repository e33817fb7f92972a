"""Brokers that a program names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kafkars.compat.aiokafka import errors

if TYPE_CHECKING:
    from kafkars.aio import Admin


async def check_brokers(admin: Admin, numbers: Iterable[int]) -> None:
    """Makes sure that there are such brokers.

    Raises:
        NodeNotReadyError: There is no such broker.
    """
    known = {broker.id for broker in (await admin.describe_cluster()).brokers}
    for number in numbers:
        if number not in known:
            listed = ", ".join(map(str, sorted(known)))
            raise errors.NodeNotReadyError(f"there is no broker {number}; known: {listed}")

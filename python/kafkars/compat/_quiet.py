"""Engines of faces: where one is forgotten, the face warns if its original does, and nobody else."""

from __future__ import annotations

from typing import Any, TypeVar

C = TypeVar("C")


def quiet(client: C) -> C:
    """A client of the engine that does not warn when it is forgotten unclosed.

    Args:
        client: A producer, consumer or administrator of `kafkars` or `kafkars.aio`.

    Returns:
        The client itself.
    """
    # An administrator has its native half beside it.
    native: Any = getattr(client, "_native", client)
    native._never_warn()
    return client

"""Clients inside faces do not warn when they are dropped unclosed: the face does, if its original does."""

from __future__ import annotations

from typing import Any, TypeVar

C = TypeVar("C")


def quiet(client: C) -> C:
    """Turns off the warning of a kafkars client that is dropped unclosed.

    Args:
        client: A producer, consumer or administrator of `kafkars` or `kafkars.aio`.

    Returns:
        The client itself.
    """
    # `Admin` is not a native class, but has a native object.
    native: Any = getattr(client, "_native", client)
    native._never_warn()
    return client

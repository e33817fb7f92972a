"""Kafka's description of an error code, for the error classes of faces."""

from __future__ import annotations


class Description:
    """The class attribute `description`: the text is looked up when it is read, which few programs do."""

    def __get__(self, instance: object, owner: type) -> str:
        from kafkars.errors import BY_CODE  # noqa: PLC0415  the engine's class of each of 133 codes

        number: int | None = getattr(owner, "errno", None)
        if number is None:
            raise AttributeError("description")
        return BY_CODE[number].__doc__ or "" if number in BY_CODE else "No failure."

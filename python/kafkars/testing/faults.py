"""Fault injection: the handles that `EmbeddedBroker.intercept` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from kafkars import _kafkars

Action: TypeAlias = Literal[
    "delay",
    "drop",
    "disconnect",
    "disconnect_after",
    "flip_byte",
    "wrong_length",
    "truncate",
    "wrong_correlation_id",
]
"""The faults of a request, besides an error response."""


class Fault:
    """A fault that was set. As a context manager it ends with the block."""

    __slots__ = ("_broker", "_number")

    def __init__(self, broker: _kafkars.EmbeddedBroker, number: int) -> None:
        self._broker = broker
        self._number = number

    @property
    def hits(self) -> int:
        """The number of requests that the fault was applied to."""
        return self._broker._fault_hits(self._number)

    def remove(self) -> None:
        """Ends the fault, unless it has ended."""
        self._broker._remove_fault(self._number)

    def __enter__(self) -> Self:
        """Returns the fault."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Ends the fault."""
        self.remove()

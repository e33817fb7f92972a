"""Bounds of values (`kafka.metrics.quota`)."""

from __future__ import annotations

__all__ = ["Quota"]


class Quota:
    """A bound that a metric's value must keep: a sensor that breaks it raises `QuotaViolationError`."""

    __slots__ = ("_bound", "_upper")

    def __init__(self, bound: float, is_upper: bool) -> None:
        self._bound = bound
        self._upper = is_upper

    @staticmethod
    def upper_bound(upper_bound: float) -> Quota:
        """Returns a quota whose values must not be greater."""
        return Quota(upper_bound, True)

    @staticmethod
    def lower_bound(lower_bound: float) -> Quota:
        """Returns a quota whose values must not be less."""
        return Quota(lower_bound, False)

    def is_upper_bound(self) -> bool:
        """True if the value must not be greater, False if it must not be less."""
        return self._upper

    @property
    def bound(self) -> float:
        """The bound; a value equal to it is acceptable."""
        return self._bound

    def is_acceptable(self, value: float) -> bool:
        """True if the value keeps the bound."""
        return value <= self._bound if self._upper else value >= self._bound

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quota) and (self._bound, self._upper) == (other._bound, other._upper)

    def __hash__(self) -> int:
        return hash((self._bound, self._upper))

"""Assignors (`kafka.coordinator.assignors`); in groups kafkars' own assignors of the same names run."""

from __future__ import annotations


def __getattr__(name: str) -> object:
    if name == "cooperative_sticky":
        raise AttributeError(
            "kafka.coordinator.assignors.cooperative_sticky is not offered by kafkars: kafkars.Consumer has "
            "partition_assignment_strategy=['cooperative-sticky']"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

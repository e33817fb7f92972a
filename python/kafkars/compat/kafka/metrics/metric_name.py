"""`MetricName` (`kafka.metrics.metric_name`)."""

from __future__ import annotations

from typing import Any

__all__ = ["MetricName"]


class MetricName:
    """A metric's name, group, and the tags that tell it from other metrics of that name. Immutable.

    Args:
        name: The metric's name.
        group: The metric's group.
        description: What the metric means; names that differ in it only are equal.
        tags: Further attributes; the dict is copied.

    Raises:
        ValueError: The name or the group is empty, or `tags` is no dict.
    """

    __slots__ = ("_description", "_group", "_name", "_tags")

    def __init__(
        self, name: str, group: str, description: str | None = None, tags: dict[Any, Any] | None = None
    ) -> None:
        if not name or not group:
            raise ValueError("name and group must be non-empty")
        if tags is not None and not isinstance(tags, dict):
            raise ValueError("tags must be a dict")
        self._name = name
        self._group = group
        self._description = description
        self._tags = dict(tags or {})

    @property
    def name(self) -> str:
        """The metric's name."""
        return self._name

    @property
    def group(self) -> str:
        """The metric's group."""
        return self._group

    @property
    def description(self) -> str | None:
        """What the metric means."""
        return self._description

    @property
    def tags(self) -> dict[Any, Any]:
        """A copy of the tags."""
        return dict(self._tags)

    def _key(self) -> tuple[object, ...]:
        return (self._group, self._name, frozenset(self._tags.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MetricName) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return f"MetricName(name={self.name}, group={self.group}, description={self.description}, tags={self.tags})"

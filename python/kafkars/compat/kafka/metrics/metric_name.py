"""`MetricName` (`kafka.metrics.metric_name`)."""

from __future__ import annotations

from typing import Any

__all__ = ["MetricName"]


class MetricName:
    """A metric's name, its group, and tags that tell it from others of that name. It cannot be changed.

    Args:
        name: The figure's name.
        group: The group that it belongs to.
        description: What it tells, for people. It makes no name different.
        tags: Further attributes; a copy is kept.

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
        """The figure's name."""
        return self._name

    @property
    def group(self) -> str:
        """The group that it belongs to."""
        return self._group

    @property
    def description(self) -> str | None:
        """Its description, for people."""
        return self._description

    @property
    def tags(self) -> dict[Any, Any]:
        """A copy of its tags."""
        return dict(self._tags)

    def _key(self) -> tuple[object, ...]:
        return (self._group, self._name, frozenset(self._tags.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MetricName) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return f"MetricName(name={self.name}, group={self.group}, description={self.description}, tags={self.tags})"

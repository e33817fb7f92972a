"""`MetricName` (`kafka.metrics.metric_name`)."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["MetricName"]


class MetricName:
    """A figure's name, its group, and tags that tell it from others of that name.

    Raises:
        ValueError: The name or the group is empty.
    """

    __slots__ = ("description", "group", "name", "tags")

    def __init__(
        self, name: str, group: str, description: str | None = None, tags: Mapping[str, str] | None = None
    ) -> None:
        if not name or not group:
            raise ValueError("name and group must be non-empty")
        self.name = name
        self.group = group
        self.description = description
        self.tags = dict(tags or {})

    def _key(self) -> tuple[object, ...]:
        return (self.group, self.name, tuple(sorted(self.tags.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MetricName) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return f"MetricName(name={self.name}, group={self.group}, description={self.description}, tags={self.tags})"

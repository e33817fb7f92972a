"""The metadata of a member, with its id (`kafka.coordinator.subscription`)."""

from __future__ import annotations

from typing import Any

__all__ = ["Subscription"]


class Subscription:
    """A member as assignors see it.

    Args:
        metadata: A `ConsumerProtocolMemberMetadata_v0`.
        group_instance_id: The member's name in the group, where it has one.
    """

    __slots__ = ("_group_instance_id", "_metadata")

    def __init__(self, metadata: Any, group_instance_id: str | None) -> None:
        self._metadata = metadata
        self._group_instance_id = group_instance_id

    @property
    def version(self) -> int:
        """The version of what it says."""
        return int(self._metadata.version)

    @property
    def user_data(self) -> bytes:
        """The user data of its assignor."""
        found: bytes = self._metadata.user_data
        return found

    @property
    def topics(self) -> list[str]:
        """What it subscribes to."""
        found: list[str] = self._metadata.topics
        return found

    subscription = topics

    @property
    def group_instance_id(self) -> str | None:
        """Its name in the group."""
        return self._group_instance_id

    def encode(self) -> bytes:
        """The bytes of what it says."""
        found: bytes = self._metadata.encode()
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subscription) and (
            (self._metadata, self._group_instance_id) == (other._metadata, other._group_instance_id)
        )

    def __hash__(self) -> int:
        return hash((self.encode(), self._group_instance_id))

"""The metadata of a member, with its id (`kafka.coordinator.subscription`)."""

from __future__ import annotations

from typing import Any

__all__ = ["Subscription"]


class Subscription:
    """A member as assignors see it.

    Args:
        metadata: A `ConsumerProtocolMemberMetadata_v0`.
        group_instance_id: The instance id of a static member, else None.
    """

    __slots__ = ("_group_instance_id", "_metadata")

    def __init__(self, metadata: Any, group_instance_id: str | None) -> None:
        self._metadata = metadata
        self._group_instance_id = group_instance_id

    @property
    def version(self) -> int:
        """The version of the metadata."""
        return int(self._metadata.version)

    @property
    def user_data(self) -> bytes:
        """The user data of the member's assignor."""
        found: bytes = self._metadata.user_data
        return found

    @property
    def topics(self) -> list[str]:
        """The subscribed topics."""
        found: list[str] = self._metadata.topics
        return found

    subscription = topics

    @property
    def group_instance_id(self) -> str | None:
        """The instance id of a static member, else None."""
        return self._group_instance_id

    def encode(self) -> bytes:
        """Returns the encoded metadata."""
        found: bytes = self._metadata.encode()
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subscription) and (
            (self._metadata, self._group_instance_id) == (other._metadata, other._group_instance_id)
        )

    def __hash__(self) -> int:
        return hash((self.encode(), self._group_instance_id))

"""The records of a partition to delete (`aiokafka.admin.records_to_delete`)."""

from __future__ import annotations

__all__ = ["RecordsToDelete"]


class RecordsToDelete:
    """The oldest records of a partition, up to an offset.

    Args:
        before_offset: The first offset that stays; -1 for none.
    """

    def __init__(self, before_offset: int) -> None:
        self.before_offset = before_offset

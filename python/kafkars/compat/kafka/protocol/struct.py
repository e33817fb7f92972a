"""`Struct`: named fields and their encoding in the protocol (`kafka.protocol.struct`)."""

from __future__ import annotations

from typing import Any, ClassVar

from kafkars.compat._protocol import struct

__all__ = ["Struct"]


class Struct(struct.Struct):
    """The fields of a schema as attributes. Pass all by position, or any by name; missing ones are None.

    Raises:
        ValueError: There are more or fewer values than fields, or a name is unknown.
    """

    API_KEY: ClassVar[int] = -1
    API_VERSION: ClassVar[int] = -1

    def to_object(self) -> dict[str, Any]:
        """Returns the fields as a dict, nested tuples as dicts, too."""
        return struct.as_object(self)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.encode())

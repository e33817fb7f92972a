"""`Struct`: named fields and their encoding in the protocol (`aiokafka.protocol.struct`)."""

from __future__ import annotations

from kafkars.compat._protocol import struct

__all__ = ["Struct"]


class Struct(struct.Struct):
    """The fields of a schema as attributes. Pass all by position, or any by name; missing ones are None.

    Raises:
        ValueError: There are more or fewer values than fields, or a name is unknown.
    """

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Struct):
            return NotImplemented
        return self.SCHEMA is other.SCHEMA and vars(self) == vars(other)

    # As in aiokafka: fields are lists and may change, so each is itself only.
    __hash__ = object.__hash__

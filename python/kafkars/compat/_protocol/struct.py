"""`Struct`: named fields and their encoding."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from kafkars.compat._protocol.types import Array, Schema

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Struct", "as_object"]


class Struct:
    """The fields of a schema as attributes. Pass all by position, or any by name; missing ones are None.

    When two are equal, each library says itself.

    Raises:
        ValueError: There are more or fewer values than fields, or a name is unknown.
    """

    SCHEMA: ClassVar[Schema] = Schema()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        names = self.SCHEMA.names
        if args and len(args) != len(names):
            raise ValueError(f"{len(args)} values for {len(names)} fields: {', '.join(names)}")
        unknown = kwargs.keys() - set(names)
        if unknown:
            raise ValueError(f"unknown: {', '.join(sorted(unknown))}; the fields are {', '.join(names)}")
        values = dict(zip(names, args, strict=True)) if args else {name: kwargs.get(name) for name in names}
        for name, value in values.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no {name}; its fields are {', '.join(self.SCHEMA.names)}")

    def encode(self) -> bytes:
        """Returns the bytes of all fields."""
        return self.SCHEMA.encode([getattr(self, name) for name in self.SCHEMA.names])

    @classmethod
    def decode(cls, data: BinaryIO | bytes) -> Self:
        """Decodes the next struct of a stream.

        Raises:
            ValueError: The stream is truncated.
        """
        stream: BinaryIO = io.BytesIO(data) if isinstance(data, bytes) else data
        return cls(*(field.decode(stream) for field in cls.SCHEMA.fields))

    def get_item(self, name: str) -> Any:
        """Returns a field by its name.

        Raises:
            KeyError: The field is unknown.
        """
        if name not in self.SCHEMA.names:
            raise KeyError(f"{name} is not in the schema")
        return getattr(self, name)

    def __repr__(self) -> str:
        fields = zip(self.SCHEMA.names, self.SCHEMA.fields, strict=True)
        return (
            f"{type(self).__name__}({', '.join(f'{name}={field.repr(getattr(self, name))}' for name, field in fields)})"
        )


def as_object(struct: Struct) -> dict[str, Any]:
    """Returns the fields as a dict, nested tuples as dicts, too."""
    return {
        name: plain(field, getattr(struct, name))
        for name, field in zip(struct.SCHEMA.names, struct.SCHEMA.fields, strict=True)
    }


def plain(field: Any, value: Any) -> Any:
    """Returns a value with its tuples converted to dicts."""
    if isinstance(field, Schema):
        return {name: plain(each, part) for name, each, part in zip(field.names, field.fields, value, strict=True)}
    if isinstance(field, Array) and value is not None:
        return [plain(field.array_of, item) for item in value]
    return value

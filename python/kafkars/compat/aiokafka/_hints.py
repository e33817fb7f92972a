"""What annotations of clients name, for whoever asks for them (`typing.get_type_hints()`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self
else:
    # Python has one of its own since 3.11 only.
    Self = Any

__all__ = ["Self"]

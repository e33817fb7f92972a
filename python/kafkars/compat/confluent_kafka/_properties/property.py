"""One property of librdkafka and what becomes of it here."""

from __future__ import annotations

from typing import NamedTuple

TEXT, INTEGER, NUMBER, FLAG, CHOICE, WORDS, CALLBACK, NATIVE = (
    "text",
    "integer",
    "number",
    "flag",
    "choice",
    "words",
    "callback",
    "native",
)
"""Types of values: `words` are several options separated by commas, `native` is for programs in C only."""

ENGINE, FACE, NO_EFFECT, REFUSED = "engine", "face", "no effect", "refused"
"""What becomes of a property: a setting of the engine, served by the face, accepted without effect, or refused when it
is set to anything but its default."""


class Property(NamedTuple):
    """A row of librdkafka's list of properties, with its treatment."""

    name: str

    applies_to: str
    """`C` consumers, `P` producers, `*` both. Other clients only check the value, as in librdkafka."""

    kind: str
    """One of the kinds above."""

    default: str
    """As librdkafka writes it; empty for none."""

    treatment: str
    """One of the treatments above."""

    note: str
    """The setting of the engine, or the reason."""

    limits: tuple[int, int] | None = None
    """Smallest and largest value."""

    options: tuple[str, ...] = ()
    """The possible values, if they can be listed."""

    alias_of: str | None = None
    """The property that this is another name of."""

    scope: str = "global"
    """`topic` where librdkafka keeps it for each topic; the dict sets it for all."""

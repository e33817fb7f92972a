"""The kinds of programs."""

from __future__ import annotations

from collections.abc import Callable

from tests.compat.differential.aiokafka_programs import grouping, producing, reading
from tests.compat.differential.aiokafka_programs.playing import Make, Program

KINDS: dict[str, tuple[Callable[[int], Program], Make]] = {
    "reading": (reading.program, reading.Reader),
    "grouping": (grouping.program, grouping.Group),
    "producing": (producing.program, producing.Writer),
}
"""How a program is made, and who plays it."""

"""Offsets that are none: numbers of librdkafka for places and for the lack of one."""

from __future__ import annotations

BEGINNING = -2
"""The oldest record there is."""
END = -1
"""After the newest record."""
TAIL = -2000
"""That many less are so many records before the end."""
STORED = -1000
"""What the group has committed."""
INVALID = -1001
"""No offset is known."""

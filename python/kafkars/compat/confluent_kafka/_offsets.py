"""librdkafka's logical offsets: numbers for positions in a partition, and for no position."""

from __future__ import annotations

BEGINNING = -2
"""The oldest record."""
END = -1
"""After the newest record."""
TAIL = -2000
"""This minus n stands for n records before the end."""
STORED = -1000
"""The group's committed offset."""
INVALID = -1001
"""No offset is known."""

"""The release that the face stands for (`kafka.version`)."""

from __future__ import annotations

__version__ = "0.9.5"

"""Built-in functions under the path of six (`kafka.vendor.six.moves`)."""

from __future__ import annotations

from builtins import filter, input, map, range, zip  # noqa: A004, UP029  their names
from queue import Queue

xrange = range

__all__ = ["Queue", "filter", "input", "map", "range", "xrange", "zip"]

"""Numbers in the settings of an asynchronous producer: a wrong one is an error when the producer is made."""

from __future__ import annotations

import math
import sys
import threading
from typing import Any

LONGEST = threading.TIMEOUT_MAX - 1
"""The longest wait in seconds that Python can make."""


def seconds(name: str, value: Any) -> float:
    """Returns a time limit in seconds; None means no limit, and so does one above `LONGEST`.

    Raises:
        TypeError: The value is not a number.
        ValueError: The value is NaN.
    """
    return LONGEST if value is None else min(_number(name, value), LONGEST)


def count(name: str, value: Any) -> int:
    """Returns a number of messages; fractions are rounded up, as in the original.

    Raises:
        TypeError, ValueError: As `seconds()`.
    """
    found = _number(name, value)
    return sys.maxsize if found >= sys.maxsize else math.ceil(found)


def _number(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{name} is a number, not the text {value!r}")
    try:
        found = float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, not {value!r}") from None
    if math.isnan(found):
        raise ValueError(f"{name} is a number, not {value!r}")
    return found

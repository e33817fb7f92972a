"""Settings of an asynchronous producer as its thread needs them: what it cannot count with is told where it is made."""

from __future__ import annotations

import math
import sys
import threading
from typing import Any

LONGEST = threading.TIMEOUT_MAX - 1
"""Seconds that can be waited for; nobody sees the end of more."""


def seconds(name: str, value: Any) -> float:
    """How long is waited for; None is for ever, and so is more than can be waited for.

    Raises:
        TypeError: It is no number.
        ValueError: It is NaN.
    """
    return LONGEST if value is None else min(_number(name, value), LONGEST)


def count(name: str, value: Any) -> int:
    """How many; a part of one counts as one, as it did.

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

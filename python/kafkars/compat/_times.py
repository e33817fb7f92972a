"""Times as the original libraries take them."""

from __future__ import annotations


class Milliseconds(int):
    """A number of milliseconds, whatever unit it looks like: the original libraries ask the cluster for any number, and
    the engine refuses a plain `int` that looks like another unit.
    """

    __slots__ = ()

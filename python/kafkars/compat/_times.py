"""Times as the original libraries accept them."""

from __future__ import annotations


class Milliseconds(int):
    """A number of milliseconds that is accepted as it is. kafkars refuses a plain `int` that looks like another unit,
    but the original libraries send any number to the cluster.
    """

    __slots__ = ()

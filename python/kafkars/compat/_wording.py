"""Translates messages of kafkars for a face, whose settings have other names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping


def renaming(names: Mapping[str, str]) -> Callable[[str], str]:
    """Returns a function that replaces kafkars' names of settings in a text by a face's.

    Args:
        names: The face's name, or words, for each of the engine's.
    """
    # The longest names first: one name may begin with another.
    known = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
    return lambda text: known.sub(lambda found: names[found[0]], text)

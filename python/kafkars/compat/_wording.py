"""The engine's messages in the words of a face: its settings have other names there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping


def renaming(names: Mapping[str, str]) -> Callable[[str], str]:
    """A function that puts a face's names of settings where a text has the engine's.

    Args:
        names: The face's name, or words, for each of the engine's.
    """
    # The longest first: one name may begin with another.
    known = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
    return lambda text: known.sub(lambda found: names[found[0]], text)

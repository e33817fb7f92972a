"""Classes that are internal to aiokafka and that programs name, as in `isinstance()`: they can be imported, and not be
made.
"""

from __future__ import annotations

from typing import NoReturn


class NotOffered:
    """What the engine has no object for."""

    INSTEAD = "the engine makes requests and reads batches itself"

    def __new__(cls, *_arguments: object, **_keywords: object) -> NoReturn:
        """Nothing is made.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"{cls.__name__} is not offered by kafkars: {cls.INSTEAD}")

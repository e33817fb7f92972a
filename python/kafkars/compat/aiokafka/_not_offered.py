"""Internal classes of aiokafka that programs name, as in `isinstance()`: they can be imported, but not instantiated."""

from __future__ import annotations

from typing import NoReturn


class NotOffered:
    """The base of classes that kafkars has no objects of."""

    INSTEAD = "the engine makes requests and reads batches itself"

    def __new__(cls, *_arguments: object, **_keywords: object) -> NoReturn:
        """Always fails.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"{cls.__name__} is not offered by kafkars: {cls.INSTEAD}")

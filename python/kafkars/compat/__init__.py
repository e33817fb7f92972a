"""Faces: packages with the names of other Kafka libraries, on kafkars. Programs for those libraries run unchanged.

`from kafkars.compat import confluent_kafka` imports a face under its own name. `install("confluent_kafka")`, called
before the program imports that library, makes `import confluent_kafka` and everything below it import the face.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kafkars.compat._alias import AliasFinder, import_watched, put_in
from kafkars.errors import InvalidArgumentError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["FACES", "install", "uninstall"]

FACES: dict[str, str] = {
    "aiokafka": "kafkars.compat.aiokafka",
    "confluent_kafka": "kafkars.compat.confluent_kafka",
    "kafka": "kafkars.compat.kafka",
}
"""The libraries that have a face, by the name they are imported under, and the packages of their faces."""

OTHER_VERSIONS: dict[str, dict[str, str]] = {
    "kafka": {
        "0.9.5": "kafkars.compat.kafka_legacy",
        "2": "kafkars.compat.kafka",
        "3": "kafkars.compat.kafka_3",
    }
}
"""Faces of other releases of a library, for `install(library, version=...)`."""

SOUGHT_AS: dict[str, str] = {
    "confluent": "confluent_kafka",
    "confluentkafka": "confluent_kafka",
    "aiokafka": "aiokafka",
    "kafka": "kafka",
    "kafkapython": "kafka",
    "pythonkafka": "kafka",
}
"""What people call the libraries, as letters only, and the names they are imported under."""

STANDS_ON: dict[str, str] = {"kafkars.compat.kafka_3": "kafkars.compat.kafka"}
"""Faces that only have what differs from another face, and that face, which has their other modules."""


def install(library: str, version: str | int | None = None) -> ModuleType:
    """Makes `import library` import the face, in this process, from now on. Calling it again changes nothing.

    Every module of the face then has two names and is one object, so classes are the same by either.

    Args:
        library: "confluent_kafka", "aiokafka" or "kafka" (kafka-python).
        version: A release whose calls are others: 2 (as without), 3 or "0.9.5" of "kafka", or a release of these lines,
            such as "2.3.1". None for the face that the library has.

    Returns:
        The face.

    Raises:
        TypeError: The library's name is not text.
        InvalidArgumentError: There is no face of that name or version, or the library itself, or the face of another
            version, was imported before; classes that the program has got from it would not be the face's.
        ImportError: A finder of the program (`sys.meta_path`) keeps the library from being imported.
    """
    name = face_of(library, version)
    loaded = sys.modules.get(library)
    if loaded is not None and loaded.__name__ != name:
        raise InvalidArgumentError(
            f"{library} was imported before kafkars.compat.install({library!r}); call install() first, for example at the "
            "top of the program's main module"
        )
    face = importlib.import_module(name)
    if finder_of(library) is None:
        finder = AliasFinder(library, name, STANDS_ON.get(name))
        try:
            put_in(finder)
            # By an import, so that whoever waits for that of the library, as tracing does, hears of it.
            importlib.import_module(library)
            import_watched(finder)
        except BaseException:
            uninstall(library)
            raise
    return face


def uninstall(library: str) -> None:
    """Undoes `install()`: later imports find the library itself, if it is there. What was imported stays as it is.

    Args:
        library: The name that was given to `install()`.

    Raises:
        InvalidArgumentError: There is no face of that name.
    """
    face_of(library)
    finder = finder_of(library)
    if finder is None:
        return
    sys.meta_path.remove(finder)
    for name in [name for name in sys.modules if name == library or name.startswith(library + ".")]:
        del sys.modules[name]


def face_of(library: str, version: str | int | None = None) -> str:
    """Returns the package that stands in for a library."""
    if not isinstance(library, str):
        raise TypeError(f"library: the name that the library is imported under is wanted, not {type(library).__name__}")
    name = FACES.get(library)
    if name is None or find_spec(name) is None:
        known = " and ".join(repr(library) for library, name in FACES.items() if find_spec(name) is not None)
        meant = SOUGHT_AS.get("".join(letter for letter in library.lower() if letter.isalpha()))
        hint = f"the name it is imported under is {meant!r}" if meant is not None else f"known: {known}"
        raise InvalidArgumentError(f"there is no face of {library!r}; {hint}")
    return name if version is None else face_of_release(library, str(version))


def face_of_release(library: str, version: str) -> str:
    """Returns the package that stands in for a release of a library: the same version, or the line it belongs to."""
    faces = OTHER_VERSIONS.get(library, {})
    for known, name in faces.items():
        line = known.rsplit(".", 1)[0]
        if version in (known, line) or version.startswith(f"{line}."):
            return name
    if not faces:
        raise InvalidArgumentError(f"{library!r} has one face for all its releases; leave version={version!r} out")
    known = ", ".join(map(repr, faces))
    raise InvalidArgumentError(f"there is no face of {library!r} {version!r}; versions: {known}")


def finder_of(library: str) -> AliasFinder | None:
    """Returns the finder that `install()` has put into `sys.meta_path`."""
    finders = (finder for finder in sys.meta_path if isinstance(finder, AliasFinder))
    return next((finder for finder in finders if finder.library == library), None)

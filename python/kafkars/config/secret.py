"""A secret in a config, and functions of the application that give one."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Any

SecretValue = str | os.PathLike[str] | Callable[[], str | Awaitable[str]]
"""A secret itself, a path to a file that holds it, or a function that returns it. The file is read, and the function
called, whenever the secret is needed."""


class Secret:
    """A secret in a config. Its `repr()` is `***`."""

    __slots__ = ("source",)

    source: SecretValue | FromApplication | bytes

    def __init__(self, source: SecretValue | FromApplication | bytes) -> None:
        self.source = source

    def read(self) -> str:
        """Returns the current secret.

        Raises:
            ValueError: The file is empty, as it is for a moment while it is being rewritten, or not UTF-8.
        """
        if isinstance(self.source, str):
            return self.source
        if isinstance(self.source, os.PathLike):
            from pathlib import Path  # noqa: PLC0415  keeps `import kafkars` quick

            check_regular(self.source)
            name = os.fspath(self.source)
            given: object = text_of(Path(self.source).read_bytes())
            if given is None:
                raise ValueError(f"{name} is not UTF-8")
        elif isinstance(self.source, bytes):
            raise TypeError("expected text, not a value of type bytes")
        else:
            given = self.source()
            name = getattr(self.source, "description", "the function")
        if not isinstance(given, str):
            raise TypeError(f"expected text from the function, not a value of type {type(given).__name__}")
        if not given:
            raise ValueError(f"{name} gave nothing")
        if not is_utf8(given):
            raise ValueError(f"{name} gave text that is not UTF-8")
        return given

    def __repr__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self.source == other.source

    def __hash__(self) -> int:
        return hash(self.source)


def text_of(content: bytes) -> str | None:
    """Decodes a secret from a file, without a byte order mark and line ends; None if it is not UTF-8. Python's own
    error would contain the whole secret.
    """
    try:
        return content.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        return None


def is_utf8(value: str) -> bool:
    """True if a text can be encoded in UTF-8: `os.environ` and the like turn other bytes into lone surrogates."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


NOT_UTF8 = "holds text that is not UTF-8 (a lone surrogate); look at the encoding of where it comes from"
"""The message for text that cannot be encoded in UTF-8, which is not quoted: it may be a secret."""


def text_or_bytes(password: Any) -> str | bytes:
    """Returns a password as text if it is UTF-8, and as bytes otherwise."""
    if not isinstance(password, bytes | bytearray):
        return str(password)
    try:
        return bytes(password).decode()
    except UnicodeDecodeError:
        return bytes(password)


def check_regular(path: str | os.PathLike[str]) -> None:
    """Checks that a path is not a pipe or a device: reading one may block, and works once, but files are read again.

    Raises:
        ValueError: It is one.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):  # noqa: PTH110, PTH112, PTH113
        raise ValueError(f"{os.fspath(path)}: is no regular file; copy what it holds into one")


class FromApplication:
    """A function of the application, as helper threads of the native module call it.

    What an asynchronous function returns is awaited on the loop that was running when the client was made, or on a loop
    of its own, and cancelled when nobody waits for it any more.
    """

    __slots__ = ("function", "loop")

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        self.loop = running_loop()

    @property
    def description(self) -> str:
        """Returns the name that messages have for it."""
        return f"the function {getattr(self.function, '__qualname__', type(self.function).__name__)}"

    def for_client(self) -> FromApplication:
        """Returns the provider for a client that is being made: a config may be older than the loop, and outlive it."""
        loop = running_loop()
        if loop is None or loop is self.loop:
            return self
        made = FromApplication(self.function)
        made.loop = loop
        return made

    def __call__(self) -> object:
        """Returns the result of the function, awaited if it is awaitable.

        Raises:
            RuntimeError: It would have to be awaited on the loop of this very thread, which would block itself.
            CallGivenUpError: Nobody waits for it any more.
        """
        from kafkars.config import call_attempt  # noqa: PLC0415  keeps `import kafkars` quick

        call_attempt.attempt_of_thread().check()
        result = self.function()
        if not isinstance(result, Awaitable):
            return result
        if running_loop() is not None:
            end = getattr(result, "close", None)  # of a coroutine, which would warn that it was never awaited
            if callable(end):
                end()
            raise RuntimeError(f"{self.description} is asynchronous, so it is not asked on the thread of an event loop")
        if self.loop is not None and self.loop.is_running():
            return call_attempt.awaited_on(self.loop, result)
        return call_attempt.awaited_here(result)


def running_loop() -> Any:
    """Returns the running loop of the calling thread; None if there is none."""
    import sys  # noqa: PLC0415

    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None  # so none runs
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None

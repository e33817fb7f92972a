"""Passes log lines of the native module on to `logging`, in batches, from a thread that otherwise sleeps."""

from __future__ import annotations

import os
from _thread import allocate_lock
from typing import TYPE_CHECKING

from kafkars import _kafkars

if TYPE_CHECKING:
    import logging
    import threading
    from collections.abc import Callable

LOOK_SECONDS = 2.0
"""Seconds after which a log level that the application has changed takes effect in the native module, at most."""

EXIT_SECONDS = 0.8
"""Seconds for which unsent records of unclosed producers may delay the end of the program."""

_listeners: dict[str, tuple[int, Callable[[logging.LogRecord], object]]] = {}
"""Functions that get the log lines of one client, whatever levels the loggers of `kafkars` have: by the client's name,
the least severe level and the function. The lines below that level are for the loggers."""

_thread: threading.Thread | None = None
_process = 0
_starting = allocate_lock()
"""Held while the thread is started: two threads would pass lines on out of order."""

_draining = allocate_lock()
"""Held by the thread that passes lines on, so that they come in order."""

DRAINING_SECONDS = 0.1
"""Seconds that a call waits for another thread that is passing lines on. Without a limit they could wait for each
other: that thread may need the lock of a log handler inside of which this call was made."""


def _forked() -> None:
    global _starting, _draining  # noqa: PLW0603  whoever held the others is not in this process
    _starting = allocate_lock()
    _draining = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def start() -> None:
    """Starts the thread, unless it runs. Every client calls this, and levels set before it count for all its lines."""
    if _thread is not None and _process == os.getpid():
        _kafkars.set_log_level(_level())
        return
    with _starting:
        _start()


def _start() -> None:
    global _thread, _process  # noqa: PLW0603  one thread per process is the point
    if _thread is not None and _process == os.getpid():
        return
    # Only programs that make a client pay for these imports; and they happen here rather than in the thread, because a
    # module that is being imported at the moment of a fork stays locked in the child.
    import logging  # noqa: F401, PLC0415  # pyright: ignore[reportUnusedImport]
    import threading  # noqa: PLC0415

    if _process == 0:
        import atexit  # noqa: PLC0415

        atexit.register(_at_exit)
    _at_end_of_worker()
    _process = os.getpid()
    _kafkars.set_log_level(_level())
    _thread = threading.Thread(target=_run, name="kafkars-log", daemon=True)
    _thread.start()


def _at_end_of_worker() -> None:
    """Registers what is to be done at the end of a process of `multiprocessing`: a forked one runs no `atexit`."""
    import sys  # noqa: PLC0415

    processes, util = sys.modules.get("multiprocessing.process"), sys.modules.get("multiprocessing.util")
    if processes is not None and util is not None and processes.parent_process() is not None:
        util.Finalize(None, _at_exit, exitpriority=0)


def listen(client: str, level: int, function: Callable[[logging.LogRecord], object]) -> None:
    """Calls a function with every line of a client from a level on, instead of a logger of `kafkars`, on whichever
    thread passes lines on, until `ignore(client)`.

    Args:
        client: What `_client_name()` of the native client says.
        level: The least severe level, as `logging` counts.
        function: It is called with each line.
    """
    _listeners[client] = (level, function)
    _kafkars.set_log_level(_level())


def ignore(client: str) -> None:
    """Ends `listen()`."""
    _listeners.pop(client, None)


def drain() -> None:
    """Passes on the lines that have been collected so far, on the calling thread."""
    with _draining:
        _drain()


def hand_over() -> None:
    """Passes lines on for a call that is about to return, unless another thread is doing so."""
    if _process == os.getpid() and _draining.acquire(timeout=DRAINING_SECONDS):
        try:
            _drain()
        finally:
            _draining.release()


def _drain() -> None:
    import logging  # noqa: PLC0415

    for level, name, message, fields, time in _kafkars.take_logs():
        logger = logging.getLogger(name)
        of_client = _listeners.get(str(fields.get("client")))
        if of_client is not None and level >= of_client[0]:
            hear = of_client[1]
        elif logger.isEnabledFor(level):
            hear = logger.handle
        else:
            continue
        text = f"{message} ({', '.join(f'{key}={value}' for key, value in fields.items())})" if fields else message
        record = logger.makeRecord(name, level, "kafkars", 0, text, (), None)
        record.created = time
        record.msecs = (time - int(time)) * 1000
        for key, value in fields.items():
            record.__dict__.setdefault(key, value)
        try:
            hear(record)
        except Exception:  # noqa: BLE001  told as of any thread; the lines that follow are handed over
            _tell_of_failure()


def _tell_of_failure() -> None:
    """Reports an exception of the application's log filter or handler, as `threading` reports those of threads."""
    import sys  # noqa: PLC0415
    import threading  # noqa: PLC0415

    kind, error, trace = sys.exc_info()
    if kind is not None:
        threading.excepthook(threading.ExceptHookArgs((kind, error, trace, threading.current_thread())))


def _run() -> None:
    while _kafkars.wait_logs(LOOK_SECONDS):
        _kafkars.set_log_level(_level())
        drain()
    drain()


def _level() -> int:
    """Returns the least severe level that any of our loggers lets through or any listener asks for."""
    import logging  # noqa: PLC0415

    # A copy: other threads may make loggers meanwhile.
    names = [name for name in list(logging.root.manager.loggerDict) if name.startswith("kafkars.")]
    logged = (logging.getLogger(name).getEffectiveLevel() for name in ["kafkars", *names])
    return min(255, *logged, *(level for level, _ in list(_listeners.values())))


def _at_exit() -> None:
    """Sends what an unclosed producer still has, for a moment, and ends the thread before the interpreter does."""
    if _process != os.getpid():
        return
    lost = _kafkars.close_all(EXIT_SECONDS)
    if lost:
        import logging  # noqa: PLC0415

        logging.getLogger("kafkars.producer").error(
            "the program ended with %d records that were not acknowledged within %s s; close() producers",
            lost,
            EXIT_SECONDS,
        )
    _kafkars.stop_logs()
    if _thread is not None:
        _thread.join(EXIT_SECONDS)

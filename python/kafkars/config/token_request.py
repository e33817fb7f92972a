"""A request to a token endpoint, within one deadline. Its errors hold neither the secret nor what the endpoint
sent.
"""

from __future__ import annotations

import json
import queue
import socket
import ssl
import threading
import urllib.error
import urllib.request
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPResponse
from typing import Any

from kafkars.config.kept_token import TokenEndpointError

LONGEST_ANSWER = 1 << 20
REDIRECTS = range(300, 400)

REFUSALS = {
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
}
"""What an endpoint may say of a refused request (RFC 6749, section 5.2). Other words of it may be anything, also our
secret."""


class TokenExchange:
    """A request and its answer, on a thread of its own: an endpoint that trickles is cut off.

    Args:
        url: Where it goes, as messages name it.
        request: What is asked.
        context: Whom to believe; None: the system's authorities.
    """

    def __init__(self, url: str, request: urllib.request.Request, context: ssl.SSLContext | None) -> None:
        self._url = url
        self._request = request
        self._context = context
        self._guard = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._is_over = False
        self._outcome: queue.SimpleQueue[dict[str, Any] | str] = queue.SimpleQueue()

    def answer(self, seconds: float) -> dict[str, Any]:
        """The JSON object that the endpoint answers.

        Raises:
            TokenEndpointError: There is none within so many seconds.
        """
        threading.Thread(target=self._run, args=(seconds,), name="kafkars-token", daemon=True).start()
        try:
            outcome = self._outcome.get(timeout=seconds)
        except queue.Empty:
            outcome = f"has not answered within {seconds:g} s"
        finally:
            self._end()
        if isinstance(outcome, str):
            raise TokenEndpointError(f"{self._url} {outcome}")
        return outcome

    def _run(self, seconds: float) -> None:
        try:
            outcome: dict[str, Any] | str = self._ask(seconds)
        except urllib.error.HTTPError as error:
            outcome = refusal(error)
        except OSError as error:
            outcome = f"cannot be asked: {reason(error)}"
        except Exception as error:  # noqa: BLE001  the words of any other may quote the answer
            outcome = f"gave an answer that cannot be read ({type(error).__name__})"
        self._outcome.put(outcome)

    def _ask(self, seconds: float) -> dict[str, Any] | str:
        # What is watched ends with the deadline; the time-out is for what has no socket yet.
        with urllib.request.build_opener(*handlers(self)).open(self._request, timeout=seconds) as answer:
            content = answer.read(LONGEST_ANSWER)
        found = json.loads(content)
        return found if isinstance(found, dict) else "gave no access_token"

    @property
    def context(self) -> ssl.SSLContext | None:
        """Whom to believe."""
        return self._context

    def watch(self, opened: socket.socket) -> None:
        """The deadline ends it."""
        with self._guard:
            if self._is_over:
                raise TimeoutError
            self._sockets.append(opened)

    def _end(self) -> None:
        with self._guard:
            self._is_over = True
            for opened in self._sockets:
                # What is closed already cannot be shut. A TLS socket's own way would take the session from under the
                # reader.
                with suppress(OSError):
                    socket.socket.shutdown(opened, socket.SHUT_RDWR)


def handlers(exchange: TokenExchange) -> list[urllib.request.BaseHandler]:
    """Handlers that let an exchange watch its connections, and follow no redirects."""

    def watched(kind: type[HTTPConnection]) -> Any:
        class WatchedConnection(kind):  # type: ignore[misc, valid-type]
            def connect(self) -> None:
                super().connect()
                exchange.watch(self.sock)

        return WatchedConnection

    class Http(urllib.request.HTTPHandler):
        def do_open(self, http_class: Any, req: Any, **arguments: Any) -> HTTPResponse:
            return super().do_open(watched(http_class), req, **arguments)

    class Https(urllib.request.HTTPSHandler):
        def do_open(self, http_class: Any, req: Any, **arguments: Any) -> HTTPResponse:
            return super().do_open(watched(http_class), req, **arguments)

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            """The secret goes to nobody but the endpoint, so a redirect is an error as any other status."""

    return [Http(), Https(context=exchange.context), NoRedirects()]


def refusal(error: urllib.error.HTTPError) -> str:
    """What a status other than success means. The endpoint chooses the words beside the number, so they are not
    told.
    """
    said = f"answered {error.code}"
    with suppress(ValueError):  # of a number that has no meaning
        said += f" {HTTPStatus(error.code).phrase}"
    if error.code in REDIRECTS:
        said += "; redirects are not followed, give the address that it leads to"
    with suppress(Exception), error:  # there need be no body, nor one that can be read
        word = json.loads(error.read(LONGEST_ANSWER))["error"]
        if word in REFUSALS:
            said += f" ({word})"
    return said


def reason(error: OSError) -> str:
    """What the operating system or TLS says; what a peer or a proxy says is not among it."""
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, TimeoutError):
        return "no answer in time"
    if isinstance(inner, OSError) and inner.errno is not None and inner.strerror:
        return f"{inner.strerror}"
    return type(inner if isinstance(inner, Exception) else error).__name__

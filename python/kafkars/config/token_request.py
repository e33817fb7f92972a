"""A request to a token endpoint with one deadline. Its errors contain neither the secret nor the response."""

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
"""The error codes of an endpoint (RFC 6749, section 5.2). Any other text of a response is not quoted: it may even
repeat our secret."""


class TokenExchange:
    """A request on a thread of its own, which ends at the deadline even if the endpoint sends byte after byte.

    Args:
        url: The endpoint's URL as messages show it.
        request: The request.
        context: The TLS context with the trusted authorities; None for the system's.
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
        """Returns the JSON object of the response.

        Raises:
            TokenEndpointError: There is none within `seconds`.
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
        except Exception as error:  # noqa: BLE001  the text of any other error may quote the response
            outcome = f"gave an answer that cannot be read ({type(error).__name__})"
        self._outcome.put(outcome)

    def _ask(self, seconds: float) -> dict[str, Any] | str:
        # Watched sockets are shut at the deadline; the time-out is for the time before there is one.
        with urllib.request.build_opener(*handlers(self)).open(self._request, timeout=seconds) as answer:
            content = answer.read(LONGEST_ANSWER)
        found = json.loads(content)
        return found if isinstance(found, dict) else "gave no access_token"

    @property
    def context(self) -> ssl.SSLContext | None:
        """The TLS context with the trusted authorities; None for the system's."""
        return self._context

    def watch(self, opened: socket.socket) -> None:
        """Adds a socket that the deadline shuts."""
        with self._guard:
            if self._is_over:
                raise TimeoutError
            self._sockets.append(opened)

    def _end(self) -> None:
        with self._guard:
            self._is_over = True
            for opened in self._sockets:
                # A closed socket cannot be shut down. The method of TLS sockets is not used: it drops the TLS session
                # while another thread reads.
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
            """Treats a redirect as an error: the secret must go to nobody but the endpoint."""

    return [Http(), Https(context=exchange.context), NoRedirects()]


def refusal(error: urllib.error.HTTPError) -> str:
    """Returns what an error status means. The reason phrase is the endpoint's own choice, so it is not quoted."""
    said = f"answered {error.code}"
    with suppress(ValueError):  # the status is not one of HTTP's
        said += f" {HTTPStatus(error.code).phrase}"
    if error.code in REDIRECTS:
        said += "; redirects are not followed, give the address that it leads to"
    with suppress(Exception), error:  # the body may be missing or unreadable
        word = json.loads(error.read(LONGEST_ANSWER))["error"]
        if word in REFUSALS:
            said += f" ({word})"
    return said


def reason(error: OSError) -> str:
    """Returns the text of an error of the operating system or of TLS, which has no text of a peer or proxy."""
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, TimeoutError):
        return "no answer in time"
    if isinstance(inner, OSError) and inner.errno is not None and inner.strerror:
        return f"{inner.strerror}"
    return type(inner if isinstance(inner, Exception) else error).__name__

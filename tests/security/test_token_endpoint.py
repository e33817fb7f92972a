"""The endpoint that gives tokens for a client's secret, as far as no Kafka is needed."""

from __future__ import annotations

import base64
import json
import logging
import os
import socket
import ssl
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from kafkars import Admin, ProducerConfig
from kafkars.compat.confluent_kafka._security import Tokens
from kafkars.config import kept_token, oidc
from kafkars.config.kept_token import TokenEndpointError
from kafkars.config.secret import Secret
from kafkars.errors import SaslAuthenticationFailedError
from kafkars.testing import EmbeddedBroker, unsecured_token

from tests.support.certificates import Authority

pytestmark = pytest.mark.timeout(60)


def config(url: str, **settings: Any) -> ProducerConfig:
    return ProducerConfig(
        bootstrap_servers="127.0.0.1:1",
        security_protocol="sasl_ssl",
        sasl_mechanism="OAUTHBEARER",
        sasl_oauthbearer_token_endpoint_url=url,
        sasl_oauthbearer_client_id="orders",
        **{"sasl_oauthbearer_client_secret": "Xq7-secret"} | settings,
    )


@contextmanager
def web_server(
    answer: Callable[[BaseHTTPRequestHandler], None], context: ssl.SSLContext | None = None
) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answer(self)

        def do_GET(self) -> None:  # what a redirect may turn a POST into
            answer(self)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http{'s' if context else ''}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_an_authority_of_the_endpoint_is_believed_where_it_is_named(tmp_path: Path) -> None:
    authority = Authority("an inner authority")
    (tmp_path / "ca.pem").write_text(authority.own.pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.issue("endpoint").write(tmp_path, "endpoint"))

    def answer(request: BaseHTTPRequestHandler) -> None:
        body = b'{"access_token": "t"}'
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with web_server(answer, context) as url:
        named = {"location": tmp_path / "ca.pem", "pem": authority.own.pem}
        for name, value in named.items():
            provider: Any = config(
                url, **{f"sasl_oauthbearer_token_endpoint_ca_{name}": value}
            ).sasl_oauthbearer_token_provider
            assert provider() == ("t", None)
        unnamed: Any = config(url).sasl_oauthbearer_token_provider
        with pytest.raises(TokenEndpointError, match="certificate"):
            unnamed()


@pytest.mark.parametrize("source", ["a file", "a function", "a pipe"])
def test_an_empty_secret_is_not_sent(source: str, tmp_path: Path) -> None:
    """A file is empty for a moment while it is written anew. What is empty would count towards a lock-out."""
    path = tmp_path / "secret"
    if source == "a pipe":
        os.mkfifo(path)
    else:
        path.write_text("\n")
    asked: list[str] = []
    with web_server(lambda request: asked.append(request.path)) as url:
        given: Any = (lambda: "") if source == "a function" else path
        provider: Any = config(url, sasl_oauthbearer_client_secret=given).sasl_oauthbearer_token_provider
        with pytest.raises(ValueError, match="no regular file" if source == "a pipe" else "gave nothing"):
            provider()
    assert not asked


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_secret_follows_no_redirect(status: int) -> None:
    met: list[str | None] = []

    def elsewhere(request: BaseHTTPRequestHandler) -> None:
        met.append(request.headers["Authorization"])
        body = b'{"access_token": "t"}'
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with web_server(elsewhere) as target:

        def redirect(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            request.send_header("Location", f"{target}/token")
            request.send_header("Content-Length", "0")
            request.end_headers()

        with web_server(redirect) as url, pytest.raises(TokenEndpointError, match=f"{status}.*redirects") as raised:
            provider = config(f"{url}/token").sasl_oauthbearer_token_provider
            assert provider is not None
            provider()
    assert met == []
    assert "Xq7" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "warns"),
    [
        ("http://login.example.test/token", True),
        ("HTTP://10.0.0.1:8080/token", True),
        ("https://login.example.test/token", False),
        ("http://127.0.0.2:8080/token", False),
        ("http://[::1]:8080/token", False),
        ("http://localhost/token", False),
    ],
)
def test_a_secret_in_the_clear_is_warned_of(url: str, *, warns: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    config(url)
    lines = [record.getMessage() for record in caplog.records if record.name == "kafkars.net"]
    assert len(lines) == warns
    assert all("https://" in line and "Xq7" not in line for line in lines)


TOKEN = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.Xq7"
PARTS = ("eyJ", "Xq7", base64.b64encode(b"orders:Xq7-secret").decode())
GIVEN = json.dumps({"access_token": TOKEN, "expires_in": 60}).encode()


@contextmanager
def raw_server(answer: Callable[[socket.socket, bytes], None]) -> Iterator[str]:
    """An endpoint that says whatever it likes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                answer(connection, connection.recv(65536))

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/token"
        listener.shutdown(socket.SHUT_RDWR)


def http(body: bytes, line: bytes = b"200 OK", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (line, size, body)


def authorization(request: bytes) -> bytes:
    return next(line for line in request.split(b"\r\n") if line.lower().startswith(b"authorization"))


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "no status line": lambda _: GIVEN + b"\n",
    "a reason that quotes": lambda request: (
        b"HTTP/1.1 400 bad %s\r\nContent-Length: 0\r\n\r\n" % authorization(request)
    ),
    "a body that quotes": lambda request: http(json.dumps({"error": request.decode()}).encode(), b"401 no"),
    "an error that is no text": lambda request: http(json.dumps({"error": [request.decode()]}).encode(), b"400 no"),
    "a status that is none": lambda request: b"HTTP/1.1 %s\r\n\r\n" % authorization(request),
    "a header that is none": lambda request: b"HTTP/1.1 200 OK\r\n%s: %s" % (TOKEN.encode(), authorization(request)),
    "a chunk that is none": lambda _: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n" % TOKEN.encode(),
    "cut short": lambda _: http(GIVEN[:-5], length=10_000),
    "too many headers": lambda _: b"HTTP/1.1 200 OK\r\n" + b"X: eyJ\r\n" * 500 + b"\r\n",
    "deep": lambda _: http(b"[" * 200_000),
    "a list": lambda _: http(json.dumps([TOKEN]).encode()),
    "a token that is no text": lambda _: http(json.dumps({"access_token": [TOKEN]}).encode()),
    "not JSON": lambda _: http(TOKEN.encode()),
    "not text": lambda _: http(b"\xff\xfe" + TOKEN.encode()),
    "an unknown protocol": lambda request: b"HTTP/9.%s\r\n\r\n" % authorization(request),
    "a redirect that quotes": lambda request: (
        b"HTTP/1.1 302 x\r\nLocation: http://[%s\r\n\r\n" % authorization(request)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_an_endpoint_sends_is_in_no_error(name: str) -> None:
    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(HOSTILE[name](request))

    with raw_server(answer) as url:
        provider: Any = config(url).sasl_oauthbearer_token_provider
        # Whatever else it raises would be quoted by the engine.
        with pytest.raises(TokenEndpointError) as raised:
            provider()
    shown = "".join(traceback.format_exception(raised.value))
    assert not [part for part in PARTS if part in shown], shown
    assert len(str(raised.value)) < 300


def test_an_endpoint_says_why_in_words_of_the_standard() -> None:
    body = b'{"error": "invalid_client", "error_description": "Xq7"}'
    with raw_server(lambda connection, _: connection.sendall(http(body, b"401 Xq7"))) as url:
        provider: Any = config(url).sasl_oauthbearer_token_provider
        with pytest.raises(TokenEndpointError, match=r"answered 401 Unauthorized \(invalid_client\)$"):
            provider()


@pytest.mark.parametrize(
    "lives",
    ["1" + "0" * 400, "Infinity", "NaN", "-5", "null", "true"]
    # What is text has to be digits.
    + [json.dumps(text) for text in ("", "-60", "6e1", " 60", "sixty", "\u0666", "9" * 10_000)],
)
def test_a_length_of_life_may_be_anything(lives: str) -> None:
    body = b'{"access_token": "t", "expires_in": %s}' % lives.encode()
    with raw_server(lambda connection, _: connection.sendall(http(body))) as url:
        provider: Any = config(url).sasl_oauthbearer_token_provider
        token, ends = provider()
        assert token == "t"
        assert ends is None or ends < time.time() + 2


@pytest.mark.parametrize("lives", ["60", '"60"', "60.0", '"060"'])
def test_a_length_of_life_may_be_text(lives: str) -> None:
    asked = []

    def answer(connection: socket.socket, request: bytes) -> None:
        asked.append(request)
        connection.sendall(http(b'{"access_token": "t", "expires_in": %s}' % lives.encode()))

    with raw_server(answer) as url:
        provider: Any = config(url).sasl_oauthbearer_token_provider
        before = time.time()
        _, ends = provider()
        assert before + 59 < ends < time.time() + 61
        # It is kept for that long.
        provider()
    assert len(asked) == 1


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"]
)
def test_an_endpoint_that_trickles_is_cut_off(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc, "SECONDS", 1.0)
    ended, stopped, asked = threading.Event(), threading.Event(), []

    def answer(connection: socket.socket, request: bytes) -> None:
        asked.append(request)
        if len(asked) > 1:
            connection.sendall(http(GIVEN))
            return
        connection.sendall(start)
        try:
            while not stopped.wait(0.1):
                connection.sendall(b" ")
        except OSError:
            ended.set()

    with raw_server(answer) as url:
        provider: Any = config(url).sasl_oauthbearer_token_provider
        began = time.monotonic()
        with pytest.raises(TokenEndpointError, match=r"has not answered within 1 s|cannot be asked"):
            provider()
        assert time.monotonic() - began < 10
        assert provider()[0] == TOKEN
        # The connection is gone too, and with it the thread that read it.
        assert ended.wait(20)
    stopped.set()


class Clocks:
    """Both clocks, as a test sets them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.day, self.steady = 1_700_000_000.0, 50.0
        monkeypatch.setattr(kept_token, "clocks", lambda: (self.day, self.steady))

    def go(self, seconds: float, day: float | None = None) -> None:
        self.steady += seconds
        self.day += seconds if day is None else day


def test_a_token_is_kept_until_it_is_old_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks, made = Clocks(monkeypatch), iter(range(100))
    kept = kept_token.KeptToken(lambda: (Secret(f"t{next(made)}"), 3600.0, {"a": "1"}), "a test")
    assert kept() == ("t0", clocks.day + 3600, {"a": "1"})
    clocks.go(2800)
    assert kept()[:2] == ("t0", clocks.day + 800)
    clocks.go(100)
    assert kept()[0] == "t1"
    kept.refused()
    assert kept()[0] == kept()[0] == "t2"
    # The clock of the day was thirty days ahead, and is put right.
    clocks.go(0, day=-30 * 86_400.0)
    assert kept()[:2] == ("t2", pytest.approx(clocks.day + 3600 - 30 * 86_400, abs=31 * 86_400))
    clocks.go(2900)
    assert kept()[0] == "t3"
    # The machine slept, so only the clock of the day went on.
    clocks.go(0, day=2900)
    assert kept()[0] == "t4"
    assert "t4" not in repr(kept)


@pytest.mark.parametrize("lives", [None, float("inf"), float("nan"), 0.0, -5.0])
def test_a_token_of_unknown_length_is_asked_for_each_time(lives: float | None) -> None:
    made = iter(range(100))
    kept = kept_token.KeptToken(lambda: (Secret(f"t{next(made)}"), lives, {}), "a test")
    assert [kept()[0] for _ in range(3)] == ["t0", "t1", "t2"]


@pytest.mark.parametrize("gives", ["an endpoint", "oauth_cb"])
def test_a_refused_token_is_not_sent_again(gives: str) -> None:
    lifetimes = iter([-100.0])
    asked: list[float] = []

    def token() -> str:
        asked.append(next(lifetimes, 3600.0))
        return unsecured_token("alice", lifetime=asked[-1])

    def answer(connection: socket.socket, _: bytes) -> None:
        # It says that the token is good for an hour, which the broker does not find.
        connection.sendall(http(json.dumps({"access_token": token(), "expires_in": 3600}).encode()))

    with (
        raw_server(answer) as url,
        EmbeddedBroker(security="SASL_PLAINTEXT", users={"alice": "x"}, topics={"t": 1}) as broker,
    ):
        settings: dict[str, Any] = {
            "sasl_oauthbearer_token_endpoint_url": url,
            "sasl_oauthbearer_client_id": "orders",
            "sasl_oauthbearer_client_secret": "Xq7-secret",
        }
        if gives == "oauth_cb":
            settings = {"sasl_oauthbearer_token_provider": Tokens(lambda _: (token(), time.time() + 3600), None)}
        with Admin(
            bootstrap_servers=broker.bootstrap_servers,
            security_protocol="sasl_plaintext",
            sasl_mechanism="OAUTHBEARER",
            **settings,
        ) as admin:
            with pytest.raises(SaslAuthenticationFailedError):
                admin.list_topics(timeout=10)
            until = time.monotonic() + 20
            while True:
                try:
                    assert "t" in admin.list_topics(timeout=10)
                    break
                except SaslAuthenticationFailedError:
                    assert time.monotonic() < until
            assert asked == [-100.0, 3600.0]

"""The endpoint that gives tokens for a client's secret, as far as no Kafka is needed."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from kafkars import ProducerConfig
from kafkars.config.oidc import TokenEndpointError

from tests.support.certificates import Authority

pytestmark = pytest.mark.timeout(60)


def config(url: str, **settings: Any) -> ProducerConfig:
    return ProducerConfig(
        bootstrap_servers="127.0.0.1:1",
        security_protocol="sasl_ssl",
        sasl_mechanism="OAUTHBEARER",
        sasl_oauthbearer_token_endpoint_url=url,
        sasl_oauthbearer_client_id="orders",
        sasl_oauthbearer_client_secret="Xq7-secret",
        **settings,
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
        missing: Any = config(
            url, sasl_oauthbearer_token_endpoint_ca_location="/nonexistent/ca.pem"
        ).sasl_oauthbearer_token_provider
        with pytest.raises(TokenEndpointError, match="authorities"):
            missing()


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

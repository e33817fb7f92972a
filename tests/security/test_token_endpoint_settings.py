"""What the settings of the token endpoint may be: what is wrong with them is said when the config is made, without
secrets."""

from __future__ import annotations

import logging
import os
import shutil
import ssl
import traceback
from pathlib import Path
from typing import Any

import pytest
from kafkars.config.kept_token import TokenEndpointError
from kafkars.errors import ConfigError

from tests.security.test_token_endpoint import config, web_server
from tests.support.certificates import Authority

pytestmark = pytest.mark.timeout(60)

WRONG = {
    "http://[::1/t": "cannot be read",
    "https://host:port/t": "cannot be read",
    "https://": "names no host",
    "https:///token": "names no host",
    "https://orders:Xq7@login.test/t": "holds a secret",
    "https://Xq7@login.test/t": "holds a secret",
    "https://login.test/t?client_secret=Xq7": "holds a secret",
    "https://login.test/t?a=b&CLIENT_SECRET=Xq7": "holds a secret",
}


@pytest.mark.parametrize("url", WRONG)
def test_a_wrong_url_is_refused_at_once_and_not_quoted(url: str) -> None:
    with pytest.raises(ConfigError, match=r"sasl_oauthbearer_token_endpoint_url: .*" + WRONG[url]) as raised:
        config(url)
    assert "Xq7" not in "".join(traceback.format_exception(raised.value))


def test_what_follows_the_path_is_in_no_message(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    provider: Any = config("http://127.0.0.1:1/token?code=Xq7-code#Xq7-part").sasl_oauthbearer_token_provider
    with pytest.raises(TokenEndpointError, match="/token cannot be asked") as raised:
        provider()
    said = [*traceback.format_exception(raised.value), *(record.getMessage() for record in caplog.records)]
    assert "Xq7" not in "".join(said)
    assert "Xq7" not in provider.description


def test_authorities_that_cannot_be_used_are_refused_when_the_config_is_made(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "ca.pem").write_text("no certificate")
    for wrong in (tmp_path / "missing", tmp_path / "empty", tmp_path / "ca.pem"):
        with pytest.raises(ConfigError, match="sasl_oauthbearer_token_endpoint_ca_location: "):
            config("https://login.test/t", sasl_oauthbearer_token_endpoint_ca_location=wrong)


def test_authorities_may_stand_in_a_directory(tmp_path: Path) -> None:
    authority = Authority("an inner authority")
    certificates = tmp_path / "ca"
    certificates.mkdir()
    (certificates / "ca.pem").write_text(authority.own.pem)
    (certificates / "readme").write_text("no certificate")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.issue("endpoint").write(tmp_path, "endpoint"))

    def answer(request: Any) -> None:
        body = b'{"access_token": "t"}'
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with web_server(answer, context) as url:
        made: Any = config(url, sasl_oauthbearer_token_endpoint_ca_location=certificates)
        assert made.sasl_oauthbearer_token_provider() == ("t", None)
        # It is looked at again each time.
        shutil.rmtree(certificates)
        with pytest.raises(TokenEndpointError, match="authorities"):
            made.sasl_oauthbearer_token_provider()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_authorities_in_a_pipe_are_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ConfigError, match=r"token_endpoint_ca_location: .*no regular file"):
        config("https://login.test/t", sasl_oauthbearer_token_endpoint_ca_location=pipe)

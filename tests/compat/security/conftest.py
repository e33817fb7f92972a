"""Files of certificates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.certificates import Authority


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority, a client's certificate and key, a keystore and a list of revoked certificates."""
    folder = tmp_path_factory.mktemp("certificates")
    authority = Authority("an authority")
    client = authority.issue("client")
    (folder / "ca.pem").write_text(authority.own.pem)
    (folder / "certificate.pem").write_text(client.pem)
    (folder / "key.pem").write_text(client.key_pem())
    (folder / "encrypted.pem").write_text(client.key_pem("Xq7-key"))
    (folder / "crl.pem").write_text(authority.revoke(authority.issue("revoked")))
    client.write_pkcs12(folder, "client", "Xq7-key")
    (folder / "authorities").mkdir()
    (folder / "authorities" / "ca.pem").write_text(authority.own.pem)
    return folder

"""Help with settings (`aiokafka.helpers`)."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING

from kafkars._discreet import discreet
from kafkars.compat._tls import RememberingContext

if TYPE_CHECKING:
    from typing_extensions import Buffer

    Path = str | bytes | PathLike[str] | PathLike[bytes]
    Password = str | bytes | bytearray

__all__ = ["create_ssl_context"]


@discreet
def create_ssl_context(
    *,
    cafile: Path | None = None,
    capath: Path | None = None,
    cadata: str | Buffer | None = None,
    certfile: Path | None = None,
    keyfile: Path | None = None,
    password: Callable[[], Password] | Password | None = None,
    crlfile: None = None,
) -> ssl.SSLContext:
    """Makes a context that checks the broker's certificate and name, with the client's certificate of `certfile`.

    Args:
        cafile: A file of certificates to trust, in PEM.
        capath: A directory of such files.
        cadata: Such certificates themselves. Where none of the three is given, the system's are trusted.
        certfile: Our certificate and those above it, in PEM.
        keyfile: Its key; None where it is in `certfile`.
        password: Of the key.
        crlfile: Not offered, as in aiokafka.

    Raises:
        ValueError: `crlfile` is given.
    """
    if crlfile is not None:
        raise ValueError("crlfile: lists of revoked certificates are not offered")
    # Of any other class of context kafkars could read neither the client's certificate nor a directory.
    context = RememberingContext(ssl.PROTOCOL_TLS_CLIENT)
    if cafile or capath or cadata:
        context.load_verify_locations(cafile, capath, cadata)
    else:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    if certfile is not None:
        context.load_cert_chain(certfile, keyfile, password)
    return context

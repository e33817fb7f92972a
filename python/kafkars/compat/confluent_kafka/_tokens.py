"""What `oauth_cb` gives: tokens for SASL's OAUTHBEARER."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.compat.confluent_kafka._translate import local_error
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException
from kafkars.config.kept_token import Given, KeptToken
from kafkars.config.secret import FromApplication, Secret

PAUSES = (1, 2, 3, 4)
"""Seconds between calls of an `oauth_cb` that raises while the client is made: ten in all, as in the library."""

NAME = re.compile("[A-Za-z]+")
TEXT = re.compile(r"[\x21-\x7e \t\r\n]*")
"""Names and values of extensions by RFC 7628, section 3.1."""


class Tokens(KeptToken):
    """Asks `oauth_cb` for a token, and keeps it for four fifths of its lifetime; a client's connections share it.

    Args:
        callback: The program's: gets `sasl.oauthbearer.config`, returns a token, its end in seconds since 1970, and
            perhaps a principal and a dict of extensions.
        config: What it gets.
        first: What it has given already.
    """

    def __init__(self, callback: Callable[[str | None], Any], config: str | None, *first: Any) -> None:
        given = list(first)

        def call() -> Any:
            return given.pop() if given else callback(config)

        # For the asyncio classes it may be a coroutine function, which runs on their loop.
        function = FromApplication(call)

        def ask() -> Given:
            token, ends, extensions = parts(function())
            return token, ends - time.time(), extensions

        super().__init__(ask, "oauth_cb")


def first_tokens(
    callback: Callable[[str | None], Any], config: str | None, heard: Callable[[KafkaError], object]
) -> Tokens:
    """Asks for the first token: as in the library, a client that gets none is not made.

    Args:
        callback: `oauth_cb`.
        config: What it gets.
        heard: Called with the error of each call that is made again because it has raised: a token service may be away
            for a moment.

    Raises:
        KafkaException: It raised for ten seconds, or has returned what is no token; `SASL_AUTHENTICATION_FAILED`.
    """
    from inspect import isawaitable, iscoroutine, iscoroutinefunction  # noqa: PLC0415  takes its time

    if iscoroutinefunction(callback):
        # It runs on the loop that is running when the client is made, which would wait for itself here.
        return Tokens(callback, config)
    first = patiently(callback, config, heard)
    if iscoroutine(first):
        first.close()
        return Tokens(callback, config)
    tokens = Tokens(callback, config, first)
    if not isawaitable(first):
        try:
            tokens()
        except Exception as problem:
            raise no_token(problem) from problem
    return tokens


def patiently(callback: Callable[[str | None], Any], config: str | None, heard: Callable[[KafkaError], object]) -> Any:
    for pause in (*PAUSES, None):
        try:
            return callback(config)
        except Exception as problem:
            if pause is None:
                raise no_token(problem) from problem
            heard(local_error("_AUTHENTICATION", why(problem)))
        time.sleep(pause)
    return None


def no_token(problem: Exception) -> KafkaException:
    return KafkaException(KafkaError(BROKER["SASL_AUTHENTICATION_FAILED"], why(problem)))


def why(problem: Exception) -> str:
    return f"oauth_cb gave no token: {type(problem).__name__}: {problem}"


def parts(given: Any) -> tuple[Secret, float, dict[str, str]]:
    """Unpacks the result of `oauth_cb`. The error for a wrong result does not show it."""
    extensions: dict[Any, Any] = {}
    match given:
        case (str() as token, int() | float() as ends):
            pass
        case (str() as token, int() | float() as ends, str()):
            pass
        case (str() as token, int() | float() as ends, str(), dict() as extensions):
            pass
        case _:
            raise TypeError(
                "oauth_cb must return (token, expiry in seconds since 1970[, principal[, dict of extensions]])"
            )
    if not token or not TEXT.fullmatch(token):
        raise ValueError("the token is empty, or has characters that are not printable ASCII")
    if ends <= time.time():
        raise ValueError("the token has expired: its expiry, in seconds since 1970, is not in the future")
    for name, value in extensions.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError("names and values of extensions must be str")
        if not NAME.fullmatch(name) or name == "auth" or not TEXT.fullmatch(value):
            raise ValueError('an extension must have a name of letters, other than "auth", and a printable value')
    return Secret(token), float(ends), extensions

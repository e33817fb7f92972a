"""The options about keys and values: bytes as they are, or columns that are decoded from them."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kafkars.config import checks
from kafkars.config.secret import NOT_UTF8, is_utf8
from kafkars.errors import ConfigError
from kafkars.spark.payload_format import PayloadFormat
from kafkars.spark.registry import SchemaRegistry

if TYPE_CHECKING:
    from kafkars.spark.options import Options

COLUMNS = ("key", "value")
OPTIONS = (
    *(f"{column}.{what}" for column in COLUMNS for what in ("format", "schema", "subject")),
    "value.columns",
    "mode",
    "schema.registry.url",
    "schema.registry.basic.auth.user.info",
)
KINDS = ("raw", "utf8", "json", "avro")


def read(options: Options, topics: tuple[str, ...]) -> tuple[PayloadFormat, ...]:
    """Returns the formats of keys and values that are decoded.

    Args:
        options: The options of the query.
        topics: The topics that they name, for the name of a subject.

    Raises:
        ConfigError: An option is wrong; the message names it.
    """
    registry = _registry(options)
    found = tuple(each for column in COLUMNS if (each := _format(options, column, registry, topics)) is not None)
    if registry is not None and all(each.registry is None for each in found):
        raise ConfigError("schema.registry.url: nothing is decoded with it; set value.format to avro")
    if not found and options.text("mode") is not None:
        raise ConfigError("mode: is for what is decoded; set value.format")
    return found


def fails_fast(options: Options) -> bool:
    """True if a payload that cannot be decoded fails the query."""
    mode = options.get("mode", "FAILFAST").upper()
    if mode not in {"FAILFAST", "PERMISSIVE"}:
        raise ConfigError(f'mode: expected "FAILFAST" or "PERMISSIVE", not {checks.shown(mode)}')
    return mode == "FAILFAST"


def _registry(options: Options) -> SchemaRegistry | None:
    credentials = options.text("schema.registry.basic.auth.user.info")
    text = options.text("schema.registry.url")
    if text is None:
        if credentials is not None:
            raise ConfigError("schema.registry.basic.auth.user.info: is of no use without schema.registry.url")
        return None
    urls = tuple(each.strip().rstrip("/") for each in text.split(",") if each.strip())
    if not urls:
        raise ConfigError("schema.registry.url: names no registry")
    for url in urls:
        parts = _split(url)
        if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError(f"schema.registry.url: expected http:// or https:// and a host, not {checks.shown(url)}")
        if parts.username is not None or parts.password is not None:
            raise ConfigError("schema.registry.url: user and password go into schema.registry.basic.auth.user.info")
    if credentials is not None and not is_utf8(credentials):
        raise ConfigError(f"schema.registry.basic.auth.user.info: {NOT_UTF8}")
    if credentials is not None and ":" not in credentials:
        raise ConfigError("schema.registry.basic.auth.user.info: expected user:password")
    return SchemaRegistry(urls, credentials)


def _split(url: str) -> urllib.parse.SplitResult | None:
    try:
        parts = urllib.parse.urlsplit(url)
        parts.port  # noqa: B018  asking for it checks it
    except ValueError:
        return None
    return parts


def _format(
    options: Options, column: str, registry: SchemaRegistry | None, topics: tuple[str, ...]
) -> PayloadFormat | None:
    kind = options.get(f"{column}.format", "raw").lower()
    if kind not in KINDS:
        raise ConfigError(f"{column}.format: expected {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {checks.shown(kind)}")
    schema, subject = options.text(f"{column}.schema"), options.text(f"{column}.subject")
    _check_schema(column, kind, schema, subject, registry)
    flatten = column == "value" and _flattens(options, kind)
    if kind == "raw":
        return None
    if kind == "utf8":
        return PayloadFormat(column, kind)
    if kind == "json":
        registry = None
    elif schema is None and subject is None:
        if len(topics) != 1:
            raise ConfigError(
                f"{column}.subject: missing; with one topic it is the topic's name and -{column}, here it has to be said"
            )
        subject = f"{topics[0]}-{column}"
    found = PayloadFormat(column, kind, schema, subject, registry, flatten=flatten)
    if schema is not None:
        decoded_type(found)
    return found


def _check_schema(
    column: str, kind: str, schema: str | None, subject: str | None, registry: SchemaRegistry | None
) -> None:
    if schema is not None and kind not in {"json", "avro"}:
        raise ConfigError(f"{column}.schema: is of no use with {column}.format={kind}")
    if subject is not None and (kind != "avro" or registry is None):
        raise ConfigError(f"{column}.subject: needs {column}.format=avro and schema.registry.url")
    if subject is not None and schema is not None:
        raise ConfigError(f"{column}.subject, {column}.schema: only one of them can say what the columns are")
    if kind == "json" and not schema:
        raise ConfigError(
            f'{column}.schema: missing; {column}.format=json needs the columns, such as "id BIGINT, name STRING"'
        )
    if kind == "avro" and registry is None and not schema:
        raise ConfigError(
            f"{column}.schema: missing; {column}.format=avro needs the schema as JSON, or schema.registry.url"
        )


def _flattens(options: Options, kind: str) -> bool:
    given = options.text("value.columns")
    if given is None:
        return False
    if given.lower() not in {"struct", "flatten"}:
        raise ConfigError(f'value.columns: expected "struct" or "flatten", not {checks.shown(given)}')
    if kind not in {"json", "avro"}:
        raise ConfigError("value.columns: needs value.format=json or value.format=avro")
    return given.lower() == "flatten"


def decoded_type(found: PayloadFormat) -> Any:
    """Returns Spark's type that a format decodes into.

    Raises:
        ConfigError: Its schema cannot be used; the message names the option with it.
    """
    from kafkars.spark import decoding  # noqa: PLC0415  imports PySpark and pyarrow

    option = f"{found.column}.schema" if found.subject is None else f"{found.column}.subject"
    return _named(option, lambda: decoding.spark_type(found))


def _named(option: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{option}: {error}") from None

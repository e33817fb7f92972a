"""What the options say of keys and values is checked before anything is asked of a cluster or a registry. Needs no
Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars.errors import ConfigError
from kafkars.spark import SchemaRegistryError
from kafkars.spark.options import SourceOptions, source_options
from kafkars.spark.registry import SchemaRegistry

from tests.spark import registry as registries
from tests.spark.registry import Registry

pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")

from kafkars.spark import avro, ddl

AVRO = json.dumps({"type": "record", "name": "A", "fields": [{"name": "id", "type": "long"}]})
REGISTRY = {"schema.registry.url": "http://localhost:1"}


def options(**given: str) -> SourceOptions:
    named = {name.replace("__", "."): value for name, value in given.items()}
    return source_options({"kafka.bootstrap.servers": "localhost:9", "subscribe": "a", **named}, streaming=False)


def test_keys_and_values_stay_bytes_unless_told_otherwise() -> None:
    assert options().formats == ()
    assert options(value__format="RAW").formats == ()
    assert options().fail_fast


def test_formats_are_read() -> None:
    key, value = options(key__format="utf8", value__format="JSON", value__schema="id INT", mode="Permissive").formats
    assert (key.column, key.kind, key.corrupt) == ("key", "utf8", "key_corrupt")
    assert (value.column, value.kind, value.schema, value.flatten) == ("value", "json", "id INT", False)
    assert not options(key__format="utf8", mode="permissive").fail_fast
    (bare,) = options(value__format="avro", value__schema=AVRO, value__columns="Flatten").formats
    assert (bare.registry, bare.flatten) == (None, True)
    (framed,) = options(value__format="avro", schema__registry__url="http://a:1/, https://b").formats
    assert framed.subject == "a-value"
    assert framed.registry == SchemaRegistry(("http://a:1", "https://b"))
    secret = {"schema__registry__basic__auth__user__info": "me:hidden"}
    given = options(value__format="avro", value__subject="s", schema__registry__url="http://a", **secret)
    assert given.formats[0].subject == "s"
    assert "hidden" not in repr(given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"value.format": "xml"}, "value.format: expected raw, utf8, json or avro"),
        ({"key.format": "json"}, "key.schema: missing; key.format=json needs"),
        ({"value.format": "avro"}, "value.schema: missing; value.format=avro needs"),
        ({"value.schema": "id INT"}, "value.schema: is of no use with value.format=raw"),
        ({"key.format": "utf8", "key.schema": "id INT"}, "key.schema: is of no use with key.format=utf8"),
        ({"value.format": "avro", "value.schema": AVRO, "value.subject": "a"}, "value.subject: needs"),
        ({**REGISTRY, "value.format": "json", "value.schema": "a INT", "value.subject": "a"}, "value.subject: needs"),
        (
            {**REGISTRY, "value.format": "avro", "value.schema": AVRO, "value.subject": "a"},
            "value.subject, value.schema: only one",
        ),
        ({**REGISTRY, "value.format": "avro", "subscribe": "a,b"}, "value.subject: missing"),
        (REGISTRY, "schema.registry.url: nothing is decoded with it"),
        ({"value.format": "avro", "schema.registry.url": "file:///etc"}, "schema.registry.url: expected http"),
        ({"value.format": "avro", "schema.registry.url": "http://a:b"}, "schema.registry.url: expected http"),
        ({"value.format": "avro", "schema.registry.url": ","}, "schema.registry.url: names no registry"),
        ({"value.format": "avro", "schema.registry.url": "http://u:p@a"}, "schema.registry.url: user and password go"),
        ({"schema.registry.basic.auth.user.info": "a:b"}, "schema.registry.basic.auth.user.info: is of no use"),
        (
            {**REGISTRY, "value.format": "avro", "schema.registry.basic.auth.user.info": "a"},
            "schema.registry.basic.auth.user.info: expected user:password",
        ),
        ({"mode": "FAILFAST"}, "mode: is for what is decoded"),
        ({"value.format": "utf8", "mode": "x"}, 'mode: expected "FAILFAST" or "PERMISSIVE"'),
        ({"value.format": "utf8", "value.columns": "flatten"}, "value.columns: needs"),
        ({"value.format": "json", "value.schema": "a INT", "value.columns": "x"}, "value.columns: expected"),
        ({"value.format": "json", "value.schema": "a"}, "value.schema: 'the end' is no type"),
        ({"value.format": "avro", "value.schema": '{"type":"unheard"}'}, "value.schema: "),
    ],
)
def test_what_is_wrong_is_told_by_the_options_name(given: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        source_options({"kafka.bootstrap.servers": "localhost:9", "subscribe": "a", **given}, streaming=False)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a INT", "struct<a:int>"),
        (" a: bigint , `b c` string ", "struct<a:bigint,b c:string>"),
        ("`a``b` LONG", "struct<a`b:bigint>"),
        ("a ARRAY<MAP<STRING, STRUCT<b: INT, c DOUBLE>>>", "struct<a:array<map<string,struct<b:int,c:double>>>>"),
        ("a DECIMAL, b decimal(5), c NUMERIC(38, 2)", "struct<a:decimal(10,0),b:decimal(5,0),c:decimal(38,2)>"),
        ("a TIMESTAMP, b TIMESTAMP_NTZ, c DATE", "struct<a:timestamp,b:timestamp_ntz,c:date>"),
        ("a STRUCT<>", "struct<a:struct<>>"),
        (ddl.parse("a INT, b ARRAY<STRING>").json(), "struct<a:int,b:array<string>>"),
    ],
)
def test_schemas_are_read(text: str, expected: str) -> None:
    assert ddl.parse(text).simpleString() == expected


NO_SCHEMAS = (
    *("", "a", "a INT,", ", a INT", "a INT b INT", "a ARRAY<INT", "a ARRAY INT", "a INT>", "a BINARY", "INT", "?"),
    *(
        "a MAP<INT, INT>",
        "a DECIMAL(39)",
        "a DECIMAL(5, 6)",
        "a DECIMAL(x)",
        "{",
        '{"type":"array"}',
        '{"type":"struct"}',
    ),
)


@pytest.mark.parametrize("text", NO_SCHEMAS)
def test_what_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        ddl.parse(text)


@pytest.mark.parametrize(
    ("schema", "refused"),
    [
        ({"type": "array", "items": "null"}, True),
        ({"type": "array", "items": {"type": "fixed", "name": "F", "size": 0}}, True),
        ({"type": "array", "items": {"type": "record", "name": "R", "fields": [{"name": "a", "type": "null"}]}}, True),
        (["null", {"type": "map", "values": {"type": "array", "items": {"type": "null"}}}], True),
        ({"type": "array", "items": ["null"]}, False),
        ({"type": "array", "items": {"type": "enum", "name": "E", "symbols": ["A"]}}, False),
        ({"type": "array", "items": {"type": "array", "items": "int"}}, False),
        ({"type": "map", "values": "null"}, False),
        ("long", False),
    ],
)
def test_payloads_that_could_fill_the_memory_are_refused_by_their_schema(schema: Any, refused: bool) -> None:
    empty = {"type": "record", "name": "n.Empty", "fields": []}
    named = {"type": "array", "items": "Empty"}
    for given in (schema, {"type": "record", "name": "R", "fields": [{"name": "a", "type": schema}]}):
        if refused:
            with pytest.raises(ValueError, match="items take no bytes"):
                avro.as_record(json.dumps(given))
        else:
            avro.as_record(json.dumps(given))
    fields = [{"name": "a", "type": empty}, {"name": "b", "type": named}]
    with pytest.raises(ValueError, match="items take no bytes"):
        avro.as_record(json.dumps({"type": "record", "name": "R", "fields": fields}))


@pytest.fixture
def registry() -> Iterator[Registry]:
    with registries.running() as running:
        yield running


def test_a_registry_is_asked_again_while_it_has_trouble_and_not_when_it_refuses(registry: Registry) -> None:
    registry.add("s", AVRO, 1)
    asked = SchemaRegistry(("http://127.0.0.1:1", registry.url))
    registry.failures = 2
    assert asked.by_id(1) == AVRO
    registry.failures = 3
    with pytest.raises(SchemaRegistryError, match="answered 503") as caught:
        asked.newest("s")
    assert caught.value.status == 503
    registry.asked.clear()
    with pytest.raises(LookupError, match="none of this id"):
        asked.by_id(2)
    assert registry.asked.total() == 1
    with pytest.raises(SchemaRegistryError, match=r"^schema\.registry\.url: .*cannot be asked"):
        SchemaRegistry(("http://127.0.0.1:1",)).by_id(1)


def test_schemas_that_are_not_avro_or_refer_to_others_are_told(registry: Registry) -> None:
    registry.add("json", "{}", 1, schemaType="JSON")
    registry.add("more", AVRO, 2, references=[{"name": "a", "subject": "b", "version": 1}])
    asked = SchemaRegistry((registry.url,))
    with pytest.raises(LookupError, match="JSON"):
        asked.by_id(1)
    with pytest.raises(LookupError, match="refers to schemas"):
        asked.newest("more")

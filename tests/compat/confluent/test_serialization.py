"""Serializers: the same bytes and the same errors on the library and its face."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def serialization(ck: ModuleType) -> ModuleType:
    return importlib.import_module(ck.__name__ + ".serialization")


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("StringSerializer", "é", "é".encode()),
        ("StringSerializer", None, None),
        ("StringDeserializer", "é".encode(), "é"),
        ("StringDeserializer", None, None),
        ("IntegerSerializer", -2, b"\xff\xff\xff\xfe"),
        ("IntegerSerializer", None, None),
        ("IntegerDeserializer", b"\0\0\1\0", 256),
        ("IntegerDeserializer", None, None),
        ("DoubleSerializer", 1.5, b"\x3f\xf8\0\0\0\0\0\0"),
        ("DoubleSerializer", 1, b"\x3f\xf0\0\0\0\0\0\0"),
        ("DoubleSerializer", None, None),
        ("DoubleDeserializer", b"\x3f\xf8\0\0\0\0\0\0", 1.5),
        ("DoubleDeserializer", None, None),
    ],
)
def test_values_are_converted(serialization: ModuleType, name: str, given: Any, expected: Any) -> None:
    convert = getattr(serialization, name)()
    assert convert(given) == convert(given, None) == expected


def test_text_has_the_codec_that_was_asked_for(serialization: ModuleType) -> None:
    assert serialization.StringSerializer("utf_16")("a") == "a".encode("utf_16")
    assert serialization.StringDeserializer("latin-1")(b"\xe9") == "é"


@pytest.mark.parametrize(
    ("name", "given", "error"),
    [
        ("StringSerializer", 5, AttributeError),
        ("StringSerializer", "\ud800", "SerializationError"),
        ("StringDeserializer", b"\xff", "SerializationError"),
        ("StringDeserializer", "a", AttributeError),
        ("IntegerSerializer", 2**31, "SerializationError"),
        ("IntegerSerializer", "a", "SerializationError"),
        ("IntegerSerializer", 1.5, "SerializationError"),
        ("IntegerDeserializer", b"1", "SerializationError"),
        ("DoubleSerializer", "x", "SerializationError"),
        ("DoubleDeserializer", b"1", "SerializationError"),
        ("Serializer", 1, NotImplementedError),
        ("Deserializer", b"1", NotImplementedError),
    ],
)
def test_what_cannot_be_converted_is_an_error(serialization: ModuleType, name: str, given: Any, error: Any) -> None:
    expected = getattr(serialization, error) if isinstance(error, str) else error
    with pytest.raises(expected):
        getattr(serialization, name)()(given, None)


def test_contexts_hold_what_they_are_given(serialization: ModuleType) -> None:
    context = serialization.SerializationContext("t", serialization.MessageField.KEY, [("a", b"b")])
    assert (context.topic, context.field, context.headers) == ("t", "key", [("a", b"b")])
    assert serialization.SerializationContext("t", "value").headers is None
    assert [(each.name, each.value, str(each)) for each in serialization.MessageField] == [
        ("NONE", "none", "none"),
        ("KEY", "key", "key"),
        ("VALUE", "value", "value"),
    ]


def test_builders_are_to_be_derived_from(serialization: ModuleType) -> None:
    for name in ("SerializerBuilder", "DeserializerBuilder"):
        with pytest.raises(NotImplementedError):
            getattr(serialization, name)().build({}, True)
    serialization.Serializer().set_cluster_id_resolver(str)
    serialization.Deserializer().close()

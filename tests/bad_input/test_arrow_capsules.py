"""Arrow's C structures with every number and pointer wrong in turn: a typed error, and nothing but the table's bytes is
sent."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafkars import Consumer, Producer
from kafkars.errors import InvalidArgumentError
from kafkars.testing import EmbeddedBroker

RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Schema(ctypes.Structure):
    """`struct ArrowSchema`."""


class Array(ctypes.Structure):
    """`struct ArrowArray`."""


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


@RELEASE
def release_schema(address: int) -> None:
    Schema.from_address(address).release = None


@RELEASE
def release_array(address: int) -> None:
    Array.from_address(address).release = None


class Handmade:
    """A record batch of a binary column `value`, a map of headers and a column `key` of categories, which offers itself
    as any library does."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.values = [b"first", b"second", b"third"]
        names = self.binary(b"u", [b"a", b"b"])
        texts = self.binary(b"z", [b"1", b"2"])
        entries = self.node(b"+s", 2, [None], [names, texts], b"entries")
        headers = self.node(b"+m", 3, [None, self.numbers(ctypes.c_int32, [0, 1, 1, 2])], [entries], b"headers")
        value = self.binary(b"z", self.values, b"value")
        categories = self.binary(b"z", [b"red", b"blue"])
        # Zeros of the largest width: the first category, whatever width a wrong schema tells.
        key = self.node(b"c", 3, [None, self.numbers(ctypes.c_int64, [0, 0, 0])], [], b"key")
        key[0].dictionary, key[1].dictionary = (self.keep(ctypes.pointer(each)) for each in categories)
        self.schema, self.array = self.node(b"+s", 3, [None], [value, headers, key])

    def numbers(self, kind: Any, numbers: list[int]) -> Any:
        return self.keep((kind * len(numbers))(*numbers))

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def binary(self, kind: bytes, values: list[bytes], name: bytes = b"item") -> tuple[Schema, Array]:
        ends = [sum(map(len, values[:number])) for number in range(len(values) + 1)]
        data = self.keep(ctypes.create_string_buffer(b"".join(values)))
        return self.node(kind, len(values), [None, self.numbers(ctypes.c_int32, ends), data], [], name)

    def node(
        self, kind: bytes, length: int, buffers: list[Any], children: list[Any], name: bytes = b""
    ) -> tuple[Schema, Array]:
        schema, array = self.keep(Schema()), self.keep(Array())
        schema.format, schema.name, schema.flags = kind, name, 2
        array.length, array.n_buffers = length, len(buffers)
        addresses = [None if buffer is None else ctypes.addressof(buffer) for buffer in buffers]
        array.buffers = self.keep((ctypes.c_void_p * len(buffers))(*addresses))
        schema.n_children = array.n_children = len(children)
        if children:
            pointers = [ctypes.pointer(child) for child, _ in children]
            schema.children = self.keep((ctypes.POINTER(Schema) * len(children))(*pointers))
            arrays = [ctypes.pointer(child) for _, child in children]
            array.children = self.keep((ctypes.POINTER(Array) * len(children))(*arrays))
        schema.release = ctypes.cast(release_schema, ctypes.c_void_p).value
        array.release = ctypes.cast(release_array, ctypes.c_void_p).value
        return schema, array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        del requested_schema
        return capsule(self.schema, b"arrow_schema"), capsule(self.array, b"arrow_array")


def capsule(structure: ctypes.Structure, name: bytes) -> object:
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    made: object = make(ctypes.addressof(structure), name, None)
    return made


# From the batch to each structure in it.
PLACES: dict[str, Callable[[Any], Any]] = {
    "batch": lambda top: top,
    "value": lambda top: top.children[0].contents,
    "headers": lambda top: top.children[1].contents,
    "entries": lambda top: top.children[1].contents.children[0].contents,
    "names": lambda top: top.children[1].contents.children[0].contents.children[0].contents,
    "key": lambda top: top.children[2].contents,
    "categories": lambda top: top.children[2].contents.dictionary.contents,
    "texts": lambda top: top.children[1].contents.children[0].contents.children[1].contents,
}
NUMBERS = [-1, -2, 0, 1, 2, 5, 2**31, 2**40 + 1, 2**62, 2**63 - 1, -(2**63)]
FORMATS = [
    None,
    b"",
    b"\xff\xfe",
    b"z",
    b"u",
    b"i",
    b"l",
    b"+s",
    b"+l",
    b"+m",
    b"+w:3",
    b"w:-1",
    b"+ud:0,1",
    b"no",
    b"n",
]


def wrong() -> Iterator[Any]:
    """Each wrong thing: what it is, and what does it to a batch."""
    for place in PLACES:
        for field in ("null_count", "offset", "length", "n_buffers", "n_children"):
            for number in NUMBERS:
                # The interface tells no sizes: nobody can see that an offset goes beyond what a column has.
                if field != "offset" or place == "batch" or not 0 < number <= 2**31:
                    yield f"array {place} {field} {number}", place, "array", field, number
        for field in ("buffers", "children", "dictionary", "release"):
            yield f"array {place} {field} null", place, "array", field, None
        for number in NUMBERS:
            yield f"schema {place} n_children {number}", place, "schema", "n_children", number
        for form in FORMATS:
            yield f"schema {place} format {form!r}", place, "schema", "format", form
        yield f"schema {place} name", place, "schema", "name", b"\xff\xfe"
        yield f"schema {place} release", place, "schema", "release", None
        yield f"schema {place} dictionary", place, "schema", "dictionary", None
        yield f"schema {place} children", place, "schema", "children", None


def offsets() -> Iterator[tuple[str, list[int]]]:
    yield "beyond the data", [0, 4096, 11, 16]
    yield "backwards", [0, 11, 5, 16]
    yield "negative", [0, -4096, 11, 16]
    yield "negative at the end", [0, 5, 11, -1]
    yield "negative at the beginning", [-5, 5, 11, 16]


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        yield broker


def test_every_field_of_every_structure(cluster: EmbeddedBroker) -> None:
    """A wrong batch is refused with a typed error, or what is sent are bytes of the table."""
    refused = 0
    cases = list(wrong())
    harmless = {b"", b"1", b"2", b"a", b"b", b"red", b"blue", *Handmade().values, None}
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        sent = [each.offset for each in producer.send_arrow("t", Handmade(), headers="headers", key="key").result(10)]
        assert len(sent) == 3
        for _, place, kind, field, given in cases:
            table = Handmade()
            structure = PLACES[place](table.schema if kind == "schema" else table.array)
            nothing = 0 if field == "release" else type(getattr(structure, field))() if given is None else given
            setattr(structure, field, None if field == "format" and given is None else nothing)
            try:
                producer.send_arrow("t", table, headers="headers", key="key").result(10)
            except InvalidArgumentError:
                refused += 1
    assert refused > len(cases) / 2
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        left = cluster.offsets("t", 0)[1]
        while left:
            for record in consumer.poll_batch():
                left -= 1
                assert {record.value, record.key} <= harmless
                assert all(value in harmless and key in {"", "a", "b"} for key, value in record.headers)


@pytest.mark.parametrize(("name", "numbers"), list(offsets()))
@pytest.mark.parametrize("place", ["value", "headers"])
def test_offsets_that_do_not_fit(cluster: EmbeddedBroker, name: str, numbers: list[int], place: str) -> None:
    del name
    table = Handmade()
    PLACES[place](table.array).buffers[1] = ctypes.addressof(table.numbers(ctypes.c_int32, numbers))
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer, pytest.raises(InvalidArgumentError):
        producer.send_arrow("t", table, headers="headers")


@pytest.mark.parametrize("index", [2, -1, 127])
def test_a_category_that_there_is_not(cluster: EmbeddedBroker, index: int) -> None:
    table = Handmade()
    PLACES["key"](table.array).buffers[1] = ctypes.addressof(table.numbers(ctypes.c_int8, [0, index, 1]))
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer, pytest.raises(InvalidArgumentError):
        producer.send_arrow("t", table, key="key")


def test_a_capsule_that_was_taken_by_somebody_else(cluster: EmbeddedBroker) -> None:
    table = Handmade()
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        assert len(producer.send_arrow("t", table).result(10)) == 3
        with pytest.raises(InvalidArgumentError, match="released"):
            producer.send_arrow("t", table)


def test_text_that_is_none(cluster: EmbeddedBroker) -> None:
    table = Handmade()
    PLACES["value"](table.schema).format = b"u"
    ctypes.memmove(PLACES["value"](table.array).buffers[2], b"\xff", 1)
    with (
        Producer(bootstrap_servers=cluster.bootstrap_servers) as producer,
        pytest.raises(InvalidArgumentError, match="value"),
    ):
        producer.send_arrow("t", table)

"""Headers keep their order, their repeated names and the difference between empty and absent."""

from __future__ import annotations

import pytest

from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS


def round_trip(clients: Clients, topic: str, headers: object) -> list[tuple[str, bytes | None]]:
    clients.producer().send(topic, b"value", headers=headers).result(SECONDS)  # type: ignore[arg-type]
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    return list(record.headers)


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("name", b"value")],
        [("again", b"1"), ("other", b"2"), ("again", b"3"), ("again", b"1")],
        [("nothing", None), ("empty", b""), ("", b"no name"), ("", None)],
        [("ünïcödé-名", "wörd".encode())],
        [("large", bytes(100_000))],
        [(str(number), bytes([number])) for number in range(200)],
    ],
    ids=["none", "one", "repeated", "empty", "unicode", "large", "many"],
)
def test_they_come_back_as_they_were(clients: Clients, topic: str, headers: list[tuple[str, bytes | None]]) -> None:
    assert round_trip(clients, topic, headers) == headers


def test_a_mapping_works_as_well(clients: Clients, topic: str) -> None:
    assert round_trip(clients, topic, {"a": b"1", "b": None}) == [("a", b"1"), ("b", None)]


def test_text_is_a_value_as_utf_8(clients: Clients, topic: str) -> None:
    assert round_trip(clients, topic, [("a", "ä")]) == [("a", "ä".encode())]


def test_each_record_has_its_own(clients: Clients, topic: str) -> None:
    producer = clients.producer()
    for number in range(50):
        producer.send(topic, b"value", headers=[("n", str(number).encode())] * (number % 3))
    producer.flush(SECONDS)
    records = read(clients.consumer([(topic, 0)]), 50)
    for number, record in enumerate(records):
        assert list(record.headers) == [("n", str(number).encode())] * (number % 3)


@pytest.mark.parametrize("headers", [[("name",)], [("name", 5)], [(b"name", b"value")], ["ab"], 7, [None]])
def test_what_is_no_header_is_a_type_error_and_nothing_is_sent(clients: Clients, topic: str, headers: object) -> None:
    producer = clients.producer()
    with pytest.raises(TypeError):
        producer.send(topic, b"value", headers=headers)  # type: ignore[arg-type]
    assert producer.metrics()["unacknowledged"] == 0
    assert producer.send(topic, b"value").result(SECONDS).offset == 0

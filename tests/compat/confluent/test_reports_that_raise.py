"""Callbacks of delivery reports that raise: what becomes of the others, and which exception is raised."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients

MESSAGES = 9


class OddError(Exception):
    """What callbacks raise here."""


@pytest.mark.parametrize("raising", [{1}, {1, 3}, {0, 4, 8}], ids=str)
@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("outcome", ["stored", "failed"])
def test_a_flush_gives_all_reports_and_raises_the_last_exception(
    clients: Clients, raising: set[int], partitions: int, outcome: str
) -> None:
    settings: dict[str, Any] = {"linger.ms": 20}
    if outcome == "failed":
        settings |= {"bootstrap.servers": "127.0.0.1:9", "message.timeout.ms": 100}
    producer, topic = clients.producer(settings), clients.topic(partitions)
    given: list[int] = []

    def report(_: Any, message: Any) -> None:
        given.append(int(message.value()))
        if given[-1] in raising:
            raise OddError(given[-1])

    for number in range(MESSAGES):
        producer.produce(topic, str(number), partition=number % partitions, on_delivery=report)
    with pytest.raises(OddError) as raised:
        producer.flush(SECONDS)
    assert sorted(given) == list(range(MESSAGES))
    assert raised.value.args == ([number for number in given if number in raising][-1],)
    assert producer.flush(SECONDS) == 0
    assert len(given) == MESSAGES


def test_ctrl_c_in_a_report_ends_the_flush(clients: Clients) -> None:
    if clients.ck.__name__ == "confluent_kafka":
        # librdkafka goes on to the end of the flush, which may be message.timeout.ms away.
        return
    producer, topic = clients.producer(), clients.topic()

    def report(_: Any, __: Any) -> None:
        raise KeyboardInterrupt

    producer.produce(topic, b"value", on_delivery=report)
    with pytest.raises(KeyboardInterrupt):
        producer.flush(SECONDS)

"""What the broker remembers of the requests it has seen."""

from __future__ import annotations

import time

import pytest
from kafkars import Producer
from kafkars.errors import InvalidArgumentError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker

SECONDS = 20.0


def test_requests_are_recorded_with_their_fields() -> None:
    started = time.time()
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers, client_id="shop", acks=1) as producer:
            producer.send("t", b"value", key=b"key").result(SECONDS)
        (request,) = broker.requests("Produce")
        assert (request.api, request.node, request.client_id, request.fault) == ("Produce", 1, "shop", None)
        assert request.version >= 3
        assert started - 1 < request.time < time.time() + 1
        body = request.body
        assert body is not None
        assert (body["acks"], body["transactional_id"]) == (1, None)
        (data,) = body["topic_data"][0]["partition_data"]
        assert data["index"] == 0
        assert b"value" in data["records"]
        assert request.size > len(data["records"])
        assert broker.requests("Produce", client_id="other") == []
        assert broker.requests("Produce", node=2) == []
        assert {seen.client_id for seen in broker.requests()} == {"shop"}
        assert "Produce v" in repr(request)
        broker.forget_requests()
        assert broker.requests() == []


def test_an_api_is_known_however_it_is_spelled_and_refused_when_it_is_none() -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"value").result(SECONDS)
        assert [request.api for request in broker.requests("produce")] == ["Produce"]
        assert broker.wait_for_request("produce").api == "Produce"
        # Otherwise "there was no such request" would be true of every misspelling.
        with pytest.raises(InvalidArgumentError, match="Prodcue"):
            broker.requests("Prodcue")
        with pytest.raises(InvalidArgumentError, match="Prodcue"):
            broker.wait_for_request("Prodcue")


def test_a_request_can_be_waited_for() -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"1")
            producer.flush()
            producer.send("t", b"2")
            found = broker.wait_for_request("Produce", count=2)
        assert found.api == "Produce"
        with pytest.raises(KafkaTimeoutError, match="2 of 3 requests"):
            broker.wait_for_request("Produce", count=3, timeout=0.05)
        assert broker.wait_for_request(when=lambda request: request.size > 0).size > 0


def test_only_so_many_are_remembered_and_large_ones_without_their_fields() -> None:
    with EmbeddedBroker(topics={"t": 1}, requests_recorded=5) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0) as producer:
            for _ in range(10):
                producer.send("t", b"x" * 100_000).result(SECONDS)
        assert len(broker.requests()) == 5
        assert all(request.body is None for request in broker.requests("Produce"))

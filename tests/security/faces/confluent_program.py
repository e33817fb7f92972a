"""A program for `confluent_kafka`. Run with `face` or `original`."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

if sys.argv[1] == "face":
    import kafkars.compat

    kafkars.compat.install("confluent_kafka")

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.aio import AIOProducer

from tests.security.faces.case import Case, Told, serve


def settings(case: Case, heard: set[str]) -> dict[str, Any]:
    def error_cb(error: KafkaError) -> None:
        heard.add(error.name())

    def oauth_cb(config: str) -> tuple[str, float]:
        assert config == "some=config"
        if case.provider_fails:
            raise RuntimeError("the vault is closed")
        return str(case.token), time.time() + 600

    found: dict[str, Any] = {
        "bootstrap.servers": case.address,
        "security.protocol": case.protocol,
        "error_cb": error_cb,
        "log_level": 0,
        "sasl.mechanism": case.mechanism,
        "sasl.username": case.username,
        "sasl.password": case.password,
        "ssl.ca.location": case.ca,
        "ssl.certificate.location": case.certificate,
        "ssl.key.location": case.key,
        "ssl.key.password": case.key_password,
        "ssl.keystore.location": case.keystore,
        "ssl.keystore.password": case.key_password if case.keystore else None,
        "ssl.crl.location": case.crl,
        "ssl.cipher.suites": case.ciphers,
    }
    if case.as_text:
        for name in ("ssl.ca", "ssl.certificate", "ssl.key"):
            file = found.pop(f"{name}.location")
            found[f"{name}.pem"] = file and Path(file).read_text()
    found = {name: value for name, value in found.items() if value is not None}
    if not case.check_host:
        found["ssl.endpoint.identification.algorithm"] = "none"
    if case.endpoint is not None:
        url, client, secret = case.endpoint
        return found | {
            "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.token.endpoint.url": url,
            "sasl.oauthbearer.client.id": client,
            "sasl.oauthbearer.client.secret": secret,
        }
    if case.mechanism == "OAUTHBEARER":
        found |= {"oauth_cb": oauth_cb, "sasl.oauthbearer.config": "some=config"}
    return found


def run(case: Case) -> Told:
    told, heard = Told(), set[str]()
    config = settings(case, heard)
    made: list[Any] = []
    if told.step(
        "Producer()", lambda: made.append(Producer({**config, "message.timeout.ms": int(case.seconds * 1000)}))
    ):
        change(case, made[0])
        told.step("produce()", lambda: produced(made[0], case.topic))
        told.step("producer.list_topics()", lambda: bool(made[0].list_topics(case.topic, timeout=case.seconds).topics))
        told.steps["producer's error_cb"] = sorted(heard)
        del made[0]
    heard.clear()
    group = {"group.id": "g", "enable.auto.commit": False}
    if told.step("Consumer()", lambda: made.append(Consumer(config | group))):
        change(case, made[0])
        told.step("poll()", lambda: polled(made[0], case, heard))
        told.step("committed()", lambda: committed(made[0], case))
        told.steps["consumer's error_cb"] = sorted(heard)
        made[0].close()
        del made[0]
    heard.clear()
    if told.step("AdminClient()", lambda: made.append(AdminClient(config))):
        change(case, made[0])
        told.step("admin.list_topics()", lambda: bool(made[0].list_topics(timeout=case.seconds).topics))
        told.step(
            "describe_cluster()",
            lambda: bool(made[0].describe_cluster(request_timeout=case.seconds).result(case.seconds + 5).nodes),
        )
        del made[0]
    if told.steps.get("produce()") == "stored" and case.new_login is None:
        told.step("AIOProducer", lambda: asyncio.run(produced_by_aio(config, case.topic)))
    return told


def change(case: Case, client: Any) -> None:
    if case.new_login is not None:
        client.set_sasl_credentials(*case.new_login)


async def produced_by_aio(config: dict[str, Any], topic: str) -> str:
    producer = AIOProducer(config)
    try:
        delivery = await producer.produce(topic, b"v")
        await producer.flush()
        await delivery
    finally:
        await producer.close()
    return "stored"


def produced(producer: Any, topic: str) -> str:
    reports: list[str] = []
    producer.produce(topic, b"v", on_delivery=lambda error, _: reports.append(error.name() if error else "stored"))
    producer.flush(15)
    return ", ".join(reports)


def polled(consumer: Any, case: Case, heard: set[str]) -> str:
    """The first value; without one what error messages say, as soon as something is wrong."""
    consumer.assign([TopicPartition(case.topic, 0, OFFSET_BEGINNING)])
    until = time.monotonic() + 3 * case.seconds
    said: set[str] = set()
    while time.monotonic() < until:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            return f"{message.value()}"
        if message is not None:
            said.add(message.error().name())
        # Who has changed its login may have tried the former one, and is let in a moment later.
        if case.new_login is None and "_ALL_BROKERS_DOWN" in heard and len(heard) > 1:
            break
    return f"nothing, {sorted(said)}"


def committed(consumer: Any, case: Case) -> str:
    """The library, unlike the face, does not wait for a coordinator that is yet to take up its work."""
    until = time.monotonic() + case.seconds
    while True:
        try:
            found = consumer.committed([TopicPartition(case.topic, 0)], timeout=case.seconds)
        except KafkaException as raised:
            is_early = sys.argv[1] == "original" and raised.args[0].code() == KafkaError.NOT_COORDINATOR
            if not is_early or time.monotonic() > until:
                raise
            continue
        return f"offset {found[0].offset}"


if __name__ == "__main__":
    serve(run)

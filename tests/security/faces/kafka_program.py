"""A program for `kafka`. Run with `face`, or with the folder that kafka-python 2 is in."""

from __future__ import annotations

import logging
import ssl
import sys
import time
from typing import Any

if sys.argv[1] == "face":
    import kafkars.compat

    kafkars.compat.install("kafka")
else:
    sys.path.insert(0, sys.argv[1])

from kafka import KafkaConsumer, KafkaProducer, TopicPartition  # pyright: ignore[reportAttributeAccessIssue]  its bundled stubs are older
from kafka.sasl.oauth import AbstractTokenProvider

from tests.security.faces.case import Case, Told, serve

if "verbose" not in sys.argv:
    logging.disable(logging.CRITICAL)


class Provider(AbstractTokenProvider):
    def __init__(self, case: Case) -> None:
        self.case = case

    def token(self) -> str:
        if self.case.provider_fails:
            raise RuntimeError("the vault is closed")
        return str(self.case.token)


def settings(case: Case) -> dict[str, Any]:
    found: dict[str, Any] = {"bootstrap_servers": case.address, "security_protocol": case.protocol}
    if case.context == "foreign":
        context = ssl.create_default_context(cafile=case.ca)
        if case.certificate:
            context.load_cert_chain(case.certificate, case.key, case.key_password)
        context.check_hostname = case.check_host
        found["ssl_context"] = context
    elif "SSL" in case.protocol:
        found |= {
            "ssl_cafile": case.ca,
            "ssl_certfile": case.certificate,
            "ssl_keyfile": case.key,
            "ssl_password": case.key_password,
            "ssl_crlfile": case.crl,
            "ssl_ciphers": case.ciphers,
            "ssl_check_hostname": case.check_host,
        }
    if case.mechanism is not None:
        found["sasl_mechanism"] = case.mechanism
    if case.username is not None:
        found |= {"sasl_plain_username": case.username, "sasl_plain_password": case.password}
    if case.mechanism == "OAUTHBEARER":
        found["sasl_oauth_token_provider"] = Provider(case)
    return found


def run(case: Case) -> Told:
    told = Told()
    made: list[Any] = []
    if told.step(
        "KafkaProducer()", lambda: made.append(KafkaProducer(**settings(case), max_block_ms=int(case.seconds * 1000)))
    ):
        told.step("send()", lambda: bool(made[0].send(case.topic, b"v").get(case.seconds)))
        made.pop().close(5)
    reader = {"auto_offset_reset": "earliest"}
    if told.step("KafkaConsumer()", lambda: made.append(KafkaConsumer(**settings(case), **reader))):
        told.step("poll()", lambda: polled(made[0], case))
        made.pop().close()
    return told


def polled(consumer: Any, case: Case) -> str:
    consumer.assign([TopicPartition(case.topic, 0)])
    until = time.monotonic() + 3 * case.seconds
    while time.monotonic() < until:
        for records in consumer.poll(300).values():
            return f"{records[0].value!r}"
    return "nothing"


if __name__ == "__main__":
    serve(run)

"""A program for `aiokafka`. Run with `face` or `original`."""

from __future__ import annotations

import asyncio
import logging
import ssl
import sys
from collections.abc import Awaitable, Callable
from typing import Any

if sys.argv[1] == "face":
    import kafkars.compat

    kafkars.compat.install("aiokafka")

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.abc import AbstractTokenProvider
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.helpers import create_ssl_context

from tests.security.faces.case import Case, Told, is_raised, serve

if "verbose" not in sys.argv:
    logging.disable(logging.CRITICAL)


class Provider(AbstractTokenProvider):
    def __init__(self, case: Case) -> None:
        self.case = case

    async def token(self) -> str:
        await asyncio.sleep(0)
        if self.case.provider_fails:
            raise RuntimeError("the vault is closed")
        return str(self.case.token)


def context_of(case: Case) -> ssl.SSLContext | None:
    if "SSL" not in case.protocol:
        return None
    if case.context == "foreign":
        context = ssl.create_default_context(cafile=case.ca)
        if case.certificate:
            context.load_cert_chain(case.certificate, case.key, case.key_password)
    else:
        context = create_ssl_context(
            cafile=case.ca, certfile=case.certificate, keyfile=case.key, password=case.key_password
        )
    if not case.check_host:
        context.check_hostname = False
    if case.crl:
        context.load_verify_locations(case.crl)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    if case.ciphers:
        context.set_ciphers(case.ciphers)
    return context


def settings(case: Case) -> dict[str, Any]:
    found: dict[str, Any] = {
        "bootstrap_servers": case.address,
        "security_protocol": case.protocol,
        "ssl_context": context_of(case),
        "request_timeout_ms": int(case.seconds * 1000),
        "metadata_max_age_ms": 2000,
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

    async def step(name: str, call: Callable[[], Awaitable[Any]]) -> bool:
        with told.timed(name):
            try:
                told.steps[name] = await asyncio.wait_for(call(), 3 * case.seconds)
            except Exception as error:  # noqa: BLE001  whatever it is, it is what the program is told
                told.failed(name, error)
        return not is_raised(told.steps[name])

    async def produce() -> str:
        async with AIOKafkaProducer(**settings(case)) as producer:
            await producer.send_and_wait(case.topic, b"v")
            return "stored"

    async def consume() -> str:
        consumer = AIOKafkaConsumer(**settings(case), auto_offset_reset="earliest")
        await consumer.start()
        try:
            consumer.assign([TopicPartition(case.topic, 0)])
            return f"{(await consumer.getone()).value!r}"
        finally:
            await consumer.stop()

    async def administer() -> str:
        admin = AIOKafkaAdminClient(**settings(case))
        try:
            await admin.start()
            return str(case.topic in await admin.list_topics())
        finally:
            await admin.close()

    async def main() -> None:
        await step("produce", produce)
        await step("consume", consume)
        await step("administer", administer)

    asyncio.run(main())
    return told


if __name__ == "__main__":
    serve(run)

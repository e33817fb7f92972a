"""A client certificate in a context cannot be read back: the error of the broker that wants it says what to use
instead."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest
from kafkars.compat.aiokafka import AIOKafkaProducer
from kafkars.compat.aiokafka.errors import KafkaConnectionError
from kafkars.compat.aiokafka.helpers import create_ssl_context
from kafkars.compat.kafka import KafkaConsumer

from tests.security.conftest import SecureKafka

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def context(secure_kafka: SecureKafka, clients: Path) -> ssl.SSLContext:
    made = ssl.create_default_context(cafile=secure_kafka.ca)
    made.load_cert_chain(clients / "client.pem", clients / "key.pem")
    return made


def test_aiokafka_names_its_helper(secure_kafka: SecureKafka, context: ssl.SSLContext, clients: Path) -> None:
    async def send(given: ssl.SSLContext) -> None:
        producer = AIOKafkaProducer(
            bootstrap_servers=secure_kafka.address("MUTUAL"), security_protocol="SSL", ssl_context=given
        )
        try:
            await producer.start()
            await producer.send_and_wait(secure_kafka.new_topic(), b"v")
        finally:
            await producer.stop()

    with pytest.raises(KafkaConnectionError, match=r"create_ssl_context\(certfile"):
        asyncio.run(send(context))
    remembering = create_ssl_context(cafile=secure_kafka.ca)
    remembering.load_cert_chain(clients / "client.pem", clients / "key.pem")
    asyncio.run(send(remembering))


def test_kafka_python_names_its_settings(secure_kafka: SecureKafka, context: ssl.SSLContext, clients: Path) -> None:
    settings = {
        "bootstrap_servers": secure_kafka.address("MUTUAL"),
        "security_protocol": "SSL",
        "ssl_context": context,
    }
    with pytest.raises(ssl.SSLError, match="ssl_certfile"):
        KafkaConsumer(**settings)
    # Beside the context they are honoured; kafka-python ignores them there.
    files = {"ssl_certfile": str(clients / "client.pem"), "ssl_keyfile": str(clients / "key.pem")}
    with KafkaConsumer(**settings, **files) as consumer:
        assert consumer.topics() is not None

"""`oauth_cb` of the asyncio clients of confluent_kafka is a coroutine function and runs on their loop."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from kafkars.compat.confluent_kafka import OFFSET_BEGINNING, TopicPartition
from kafkars.compat.confluent_kafka.aio import AIOConsumer, AIOProducer

from tests.security.conftest import SecureKafka

pytestmark = pytest.mark.timeout(180)


def test_a_token_is_awaited_on_the_loop_of_the_client(secure_kafka: SecureKafka) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def oauth_cb(config: str | None) -> tuple[str, float]:
        assert config is None
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return secure_kafka.tokens.token(), time.time() + 600

    config: dict[str, Any] = {
        "bootstrap.servers": secure_kafka.address("SASL"),
        "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": oauth_cb,
    }
    topic = secure_kafka.new_topic()

    async def main() -> None:
        producer = AIOProducer(config)
        delivery = await producer.produce(topic, b"v")
        await producer.flush()
        assert (await delivery).offset() == 0
        await producer.close()
        consumer = AIOConsumer({**config, "group.id": "g", "enable.auto.commit": False})
        await consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
        message = await consumer.poll(30)
        assert message is not None
        assert message.value() == b"v"
        await consumer.close()
        assert loops == [asyncio.get_running_loop()] * 2

    asyncio.run(main())
